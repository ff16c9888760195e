"""Trino's functions that find pieces of a text and cut it, where DuckDB has none."""

from querymend.tools.engines.stand_in.runtime.scalar import Scalar, invalid, scalar


def _replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new)


def _split_to_map(text: str, entries: str, pairs: str) -> list[dict[str, str]]:
    if not entries or not pairs:
        raise invalid("entryDelimiter or keyValueDelimiter is empty")
    if entries == pairs:
        raise invalid("entryDelimiter and keyValueDelimiter must not be the same")
    held: dict[str, str] = {}
    for entry in text.split(entries) if text else []:
        key, found, value = entry.partition(pairs)
        if not found or pairs in value:
            raise invalid("Key-value delimiter must appear exactly once in each entry")
        if key in held:
            raise invalid(f"Duplicate keys ({key}) are not allowed")
        held[key] = value
    return [{"k": k, "v": v} for k, v in held.items()]


def _position(text: str, wanted: str, instance: int) -> int:
    if instance == 0:
        raise invalid("'instance' must be a positive or negative number.")
    if not wanted:
        return 1
    at = -1 if instance > 0 else len(text)
    for _ in range(abs(instance)):
        at = text.find(wanted, at + 1) if instance > 0 else text.rfind(wanted, 0, max(at, 0))
        if at < 0:
            return 0
        at += len(wanted) - 1 if instance > 0 else 0
    return at - (len(wanted) - 1 if instance > 0 else 0) + 1


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("replace", "VARCHAR VARCHAR VARCHAR", "VARCHAR", _replace),
    Scalar(
        name="qm_split_to_map",
        takes=("VARCHAR", "VARCHAR", "VARCHAR"),
        gives="STRUCT(k VARCHAR, v VARCHAR)[]",
        call=_split_to_map,
    ),
    scalar("strpos", "VARCHAR VARCHAR BIGINT", "BIGINT", _position),
)
