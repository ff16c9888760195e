"""Rows as JSON in the form of Trino's results, which files of golden results have."""

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.engines.engine import Result
from querymend.tools.results.plain import Plain

_LISTS = (exp.DataType.Type.STRUCT, exp.DataType.Type.ARRAY, exp.DataType.Type.LIST)


def result_line(result: Result, dialect: str) -> dict[str, Plain]:
    """Return a result as ``{columns, types, rows}``.

    Decimals and floats are text (floats inside lists and structs numbers), timestamps
    ``2024-01-02T03:04:05.000``, structs lists, maps objects, bytes hex.
    """
    types = [_type(c.type, dialect) for c in result.columns]
    return {
        "columns": [c.name for c in result.columns],
        "types": [c.type for c in result.columns],
        "rows": [
            [cell(value, kind) for value, kind in zip(row, types, strict=True)]
            for row in result.rows
        ],
    }


def cell(value: object, kind: exp.DataType | None = None, *, inside: bool = False) -> Plain:
    """Return one value; ``inside`` tells that it stands in a list, struct or map."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if inside and math.isfinite(value) else _float(value)
    if isinstance(value, Mapping):
        return _mapping(value, kind)
    if isinstance(value, list | tuple):
        return [cell(v, _part(kind, i), inside=True) for i, v in enumerate(value)]
    return _scalar(value)


def _scalar(value: object) -> Plain:
    if isinstance(value, datetime):
        return _timestamp(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("microseconds" if value.microsecond % 1000 else "milliseconds")
    if isinstance(value, timedelta):
        return _interval(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def _type(text: str, dialect: str) -> exp.DataType | None:
    try:
        found = sqlglot.parse_one(text, into=exp.DataType, read=dialect)
    except SqlglotError:
        return None
    return found if isinstance(found, exp.DataType) else None


def _mapping(value: Mapping[object, object], kind: exp.DataType | None) -> Plain:
    """DuckDB gives structs and maps alike as mappings; only the type tells them apart."""
    if kind is not None and kind.this == exp.DataType.Type.MAP:
        held = _part(kind, 1)
        return {_key(k): cell(v, held, inside=True) for k, v in value.items()}
    return [cell(v, _part(kind, i), inside=True) for i, v in enumerate(value.values())]


def _key(value: object) -> str:
    found = cell(value)
    return found if isinstance(found, str) else str(found).lower()


def _part(kind: exp.DataType | None, place: int) -> exp.DataType | None:
    """Return the type of an element (lists), a field (structs) or a key or value (maps)."""
    if kind is None or not kind.expressions:
        return None
    parts: Sequence[exp.Expr] = kind.expressions
    single = kind.this in _LISTS and kind.this != exp.DataType.Type.STRUCT
    part = parts[0] if single else parts[min(place, len(parts) - 1)]
    found = part.args.get("kind") if isinstance(part, exp.ColumnDef) else part
    return found if isinstance(found, exp.DataType) else None


def _float(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def _timestamp(value: datetime) -> str:
    """Milliseconds, as Trino's default has them; finer ones are kept."""
    digits = "microseconds" if value.microsecond % 1000 else "milliseconds"
    text = value.isoformat(timespec=digits)
    return f"{text}[{value.tzinfo}]" if isinstance(value.tzinfo, ZoneInfo) else text


def _interval(value: timedelta) -> str:
    """Days, hours, minutes, seconds and milliseconds, as Trino writes them."""
    millis = round(abs(value) / timedelta(milliseconds=1))
    days, rest = divmod(millis, 86_400_000)
    hours, rest = divmod(rest, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    seconds, thousandths = divmod(rest, 1000)
    sign = "-" if value < timedelta(0) else ""
    return f"{sign}{days} {hours:02}:{minutes:02}:{seconds:02}.{thousandths:03}"
