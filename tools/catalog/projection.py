"""Partition projection: the legal values of a key, from a Glue table's parameters.

Source: "Supported types for partition projection" in the Athena user guide.
"""

from collections.abc import Mapping

from querymend.tools.catalog.model import PartitionKey, Projection

_KINDS: dict[str, Projection] = {
    "enum": "enum",
    "integer": "integer",
    "date": "date",
    "injected": "injected",
}


def projected(name: str, parameters: Mapping[str, str]) -> PartitionKey:
    """Return a partition key with its projection, where the table has one."""
    if str(parameters.get("projection.enabled", "")).lower() != "true":
        return PartitionKey(name=name)
    own = f"projection.{name}."
    told = {
        key[len(own) :].lower(): str(value).strip()
        for key, value in parameters.items()
        if key.lower().startswith(own.lower())
    }
    kind = _KINDS.get(told.get("type", "").lower(), "")
    values = _list(told.get("values", "")) if kind == "enum" else ()
    bounds = _list(told.get("range", "")) if kind in ("integer", "date") else ()
    return PartitionKey(
        name=name,
        projection=kind,
        values=values,
        range=(bounds[0], bounds[1]) if len(bounds) == 2 else None,
        format=told.get("format", "") if kind == "date" else "",
    )


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
