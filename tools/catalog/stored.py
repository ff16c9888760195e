"""The catalog as JSON text and back, so that a warehouse is profiled once."""

import json
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from uuid import UUID

from pydantic import TypeAdapter

from querymend.tools.catalog.model import Catalog

_READERS = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "Decimal": Decimal,
    "UUID": UUID,
    "bytes": bytes.fromhex,
}


def dump_catalog(catalog: Catalog) -> str:
    """Write a catalog as JSON; cells keep their types by a tag."""
    return json.dumps(_adapter().dump_python(catalog), default=_tagged, ensure_ascii=False)


def load_catalog(text: str) -> Catalog:
    """Read what ``dump_catalog`` wrote.

    Raises:
        ValueError: the text is no stored catalog.
    """
    return _adapter().validate_python(json.loads(text, object_hook=_untagged))


@cache
def _adapter() -> TypeAdapter[Catalog]:
    return TypeAdapter(Catalog)


def _tagged(value: object) -> dict[str, object]:
    if isinstance(value, timedelta):
        return {"$": "timedelta", "is": value.total_seconds()}
    if isinstance(value, bytes | bytearray | memoryview):
        return {"$": "bytes", "is": bytes(value).hex()}
    name = type(value).__name__
    if isinstance(value, datetime | date | time):
        return {"$": name, "is": value.isoformat()}
    return {"$": name if name in _READERS else "str", "is": str(value)}


def _untagged(found: dict[str, object]) -> object:
    if found.keys() != {"$", "is"}:
        return found
    if found["$"] == "timedelta":
        return timedelta(seconds=float(str(found["is"])))
    read = _READERS.get(str(found["$"]), str)
    return read(str(found["is"]))
