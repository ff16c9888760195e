"""DuckDB's values as Athena gives them, by Trino's types."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from querymend.tools.catalog.model import Cell
from querymend.tools.engines.stand_in.runtime.numbers import real_digits
from querymend.tools.engines.stand_in.runtime.zones import aware
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP
from querymend.tools.sql.types.model import TrinoType

_CHANGED = ("char", ZONED_TIMESTAMP, "interval year to month", "row", "array", "map", "real")


def changes(kind: TrinoType) -> bool:
    """Tell whether values of a type are not the same in DuckDB and Athena."""
    return kind.base in _CHANGED


def value(found: Cell, kind: TrinoType) -> Cell:
    """Return one value; rows are tuples, maps dictionaries."""
    if found is None:
        return None
    if kind.base == "char" and isinstance(found, str):
        return found.ljust(kind.precision)
    if kind.base == ZONED_TIMESTAMP and isinstance(found, Mapping):
        return _zoned(found)
    if kind.base == "interval year to month" and isinstance(found, timedelta):
        return _months(found)
    if kind.base == "real" and isinstance(found, float):
        return float(real_digits(found))
    return _nested(found, kind)


def _nested(found: Cell, kind: TrinoType) -> Cell:
    if kind.base == "array" and isinstance(found, Sequence):
        return [value(v, kind.parts[0]) for v in found]
    if kind.base == "map" and isinstance(found, Mapping):
        return {value(k, kind.parts[0]): value(v, kind.parts[1]) for k, v in found.items()}
    if kind.base == "row" and isinstance(found, Mapping):
        return tuple(value(v, p) for v, p in zip(found.values(), kind.parts, strict=True))
    return found


def _zoned(found: Mapping[object, object]) -> Cell:
    moment, zone = found["i"], found["z"]
    if isinstance(moment, datetime) and isinstance(zone, str):
        return aware(moment, zone)
    return None


def _months(found: timedelta) -> str:
    """DuckDB's client counts a month as 30 days."""
    years, months = divmod(abs(found.days) // 30, 12)
    return f"{'-' if found.days < 0 else ''}{years}-{months}"
