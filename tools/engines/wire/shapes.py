"""Types and values in Athena's spelling: ColumnInfo, the texts of cells, Hive types for Glue."""

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from math import isinf, isnan

from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.catalog.model import Cell
from querymend.tools.engines.engine import ResultColumn

_T = exp.DataType.Type
_LONGEST = 2_147_483_647
_PLAIN: dict[exp.DType, tuple[str, int, int]] = {
    _T.BOOLEAN: ("boolean", 0, 0),
    _T.TINYINT: ("tinyint", 3, 0),
    _T.SMALLINT: ("smallint", 5, 0),
    _T.INT: ("integer", 10, 0),
    _T.BIGINT: ("bigint", 19, 0),
    _T.INT128: ("bigint", 19, 0),
    _T.UTINYINT: ("smallint", 5, 0),
    _T.USMALLINT: ("integer", 10, 0),
    _T.UINT: ("bigint", 19, 0),
    _T.UBIGINT: ("bigint", 19, 0),
    _T.FLOAT: ("float", 17, 0),
    _T.DOUBLE: ("double", 17, 0),
    _T.VARBINARY: ("varbinary", 1_073_741_824, 0),
    _T.DATE: ("date", 0, 0),
    _T.TIME: ("time", 3, 0),
    _T.TIMETZ: ("time with time zone", 3, 0),
    _T.TIMESTAMP: ("timestamp", 3, 0),
    _T.TIMESTAMPNTZ: ("timestamp", 3, 0),
    _T.TIMESTAMPTZ: ("timestamp with time zone", 3, 0),
    _T.ARRAY: ("array", 0, 0),
    _T.LIST: ("array", 0, 0),
    _T.STRUCT: ("row", 0, 0),
    _T.MAP: ("map", 0, 0),
    _T.JSON: ("json", 0, 0),
    _T.UUID: ("uuid", 0, 0),
    _T.IPADDRESS: ("ipaddress", 0, 0),
    _T.INTERVAL: ("interval day to second", 0, 0),
    _T.NULL: ("unknown", 0, 0),
    _T.UNKNOWN: ("unknown", 0, 0),
}
_HIVE = {
    "integer": "int",
    "row": "struct",
    "json": "string",
    "uuid": "string",
    "ipaddress": "string",
    "unknown": "string",
    "varbinary": "binary",
    "interval day to second": "string",
    "interval year to month": "string",
}
_TIMED = (_T.TIMESTAMP, _T.TIMESTAMPNTZ, _T.TIMESTAMPTZ, _T.TIME, _T.TIMETZ)
_SPELT = {"interval year to month", "interval day to second", "unknown", "hyperloglog", "char"}


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One type: its name as Athena spells it, its parameters, and its parts."""

    name: str
    precision: int = 0
    scale: int = 0
    fields: tuple[str, ...] = ()
    """Names of a row's fields; empty where a field has none."""
    parts: tuple["Shape", ...] = ()
    """The types of elements, of key and value, or of fields."""

    def hive(self) -> str:
        """Spell the type as Glue does: ``array<struct<sku:string,qty:int>>``."""
        name = _HIVE.get(self.name, self.name)
        if self.name in {"varchar", "char"}:
            return "string" if self.precision == _LONGEST else f"{name}({self.precision})"
        if self.name == "decimal":
            return f"decimal({self.precision},{self.scale})"
        if self.name == "row":
            inner = ",".join(
                f"{f}:{p.hive()}" for f, p in zip(self.fields, self.parts, strict=True)
            )
            return f"struct<{inner}>"
        if self.parts:
            return f"{name}<{','.join(p.hive() for p in self.parts)}>"
        return "timestamp" if name.startswith("timestamp") else name


VARCHAR = Shape(name="varchar", precision=_LONGEST)


@lru_cache(maxsize=4_096)
def shape(type_text: str, dialect: str) -> Shape:
    """Read an engine's own spelling of a type; what it does not know is a varchar."""
    low = type_text.strip('"').lower()
    if low in _SPELT or low == "null":
        return Shape(name="unknown" if low == "null" else low)
    reader = "duckdb" if dialect == "duckdb" else "trino"
    try:
        return _shape(exp.DataType.build(type_text, dialect=reader))
    except (SqlglotError, ValueError):
        return VARCHAR


def _shape(kind: exp.Expr) -> Shape:
    if not isinstance(kind, exp.DataType):
        return VARCHAR
    if kind.this == _T.DECIMAL:
        numbers = [*_numbers(kind), 18, 3][:2] if not _numbers(kind) else [*_numbers(kind), 0][:2]
        return Shape(name="decimal", precision=numbers[0], scale=numbers[1])
    if kind.this in (_T.VARCHAR, _T.TEXT, _T.CHAR):
        name = "char" if kind.this == _T.CHAR else "varchar"
        return Shape(name=name, precision=next(iter(_numbers(kind)), _LONGEST))
    name, precision, scale = _PLAIN.get(kind.this, ("varchar", _LONGEST, 0))
    if kind.this in _TIMED:
        precision = next(iter(_numbers(kind)), precision)
    if kind.this == _T.STRUCT:
        fields = [_field(e) for e in kind.expressions]
        return Shape(
            name=name, fields=tuple(n for n, _ in fields), parts=tuple(p for _, p in fields)
        )
    parts = tuple(_shape(e) for e in kind.expressions if isinstance(e, exp.DataType))
    return Shape(name=name, precision=precision, scale=scale, parts=parts)


def _field(field: exp.Expr) -> tuple[str, Shape]:
    if isinstance(field, exp.ColumnDef):
        kind = field.args.get("kind")
        return field.name, _shape(kind) if isinstance(kind, exp.DataType) else VARCHAR
    return "", _shape(field)


def _numbers(kind: exp.DataType) -> list[int]:
    return [int(e.name) for e in kind.expressions if isinstance(e, exp.DataTypeParam)]


def column_info(column: ResultColumn, dialect: str) -> dict[str, object]:
    """Describe one column of a result as GetQueryResults does."""
    kind = shape(column.type, dialect)
    return {
        "CatalogName": "hive",
        "SchemaName": "",
        "TableName": "",
        "Name": column.name,
        "Label": column.name,
        "Type": kind.name,
        "Precision": kind.precision,
        "Scale": kind.scale,
        "Nullable": "UNKNOWN",
        "CaseSensitive": kind.name in {"varchar", "char"},
    }


def cell_text(value: Cell, kind: Shape) -> str | None:
    """Write one cell as GetQueryResults does; None stays None."""
    return None if value is None else _text(value, kind)


def _text(value: Cell, kind: Shape) -> str:
    if value is None:
        return "null"
    if kind.name == "json" and not isinstance(value, str):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    if isinstance(value, Mapping):
        return _mapping(value, kind)
    if isinstance(value, list | tuple):
        return _row(value, kind) if kind.name == "row" else _list(value, kind)
    return _scalar(value, kind)


def _scalar(value: Cell, kind: Shape) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(_single(value) if kind.name == "float" else repr(value), value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes | bytearray):
        return " ".join(f"{b:02x}" for b in value)
    if isinstance(value, datetime | time | date | timedelta):
        return _moment(value, kind)
    return str(value)


def _part(kind: Shape, place: int) -> Shape:
    return kind.parts[place] if place < len(kind.parts) else VARCHAR


def _mapping(value: Mapping[object, object], kind: Shape) -> str:
    if kind.name == "map":
        pairs: Iterable[tuple[str, str]] = (
            (_text(k, _part(kind, 0)), _text(v, _part(kind, 1))) for k, v in value.items()
        )
    else:
        pairs = ((str(k), _text(v, _part(kind, i))) for i, (k, v) in enumerate(value.items()))
    return "{" + ", ".join(f"{k}={v}" for k, v in pairs) + "}"


def _row(value: Sequence[object], kind: Shape) -> str:
    names = [f or f"field{i}" for i, f in enumerate(kind.fields)]
    names += [f"field{i}" for i in range(len(names), len(value))]
    texts = (_text(v, _part(kind, i)) for i, v in enumerate(value))
    return "{" + ", ".join(f"{n}={t}" for n, t in zip(names, texts, strict=True)) + "}"


def _list(value: Sequence[object], kind: Shape) -> str:
    return "[" + ", ".join(_text(v, _part(kind, 0)) for v in value) + "]"


def _moment(value: datetime | time | date | timedelta, kind: Shape) -> str:
    if isinstance(value, datetime):
        text = f"{value:%Y-%m-%d %H:%M:%S}".rjust(19, "0") + _fraction(value.microsecond, kind)
        return text + _zone(value)
    if isinstance(value, time):
        offset = value.utcoffset()
        zone = _offset(offset) if offset is not None else ""
        return f"{value:%H:%M:%S}{_fraction(value.microsecond, kind)}{zone}"
    if isinstance(value, date):
        return value.isoformat()
    seconds, millis = divmod(round(abs(value) / timedelta(milliseconds=1)), 1_000)
    minutes, hours = seconds // 60 % 60, seconds // 3_600 % 24
    sign = "-" if value < timedelta(0) else ""
    return f"{sign}{seconds // 86_400} {hours:02}:{minutes:02}:{seconds % 60:02}.{millis:03}"


def _fraction(micros: int, kind: Shape) -> str:
    """Show milliseconds, and more digits only where the type or the value has them."""
    digits = f"{micros:06}"
    wanted = kind.precision if kind.precision in range(4, 13) else 3
    if micros % 1_000:
        wanted = max(wanted, 6)
    return "." + digits.ljust(wanted, "0")[:wanted]


def _zone(value: datetime) -> str:
    if value.tzinfo is None:
        return ""
    key = getattr(value.tzinfo, "key", None) or getattr(value.tzinfo, "zone", None)
    if key:
        return f" {key}"
    offset = value.utcoffset() or timedelta(0)
    return " UTC" if not offset else f" {_offset(offset)}"


def _offset(offset: timedelta) -> str:
    minutes = int(offset / timedelta(minutes=1))
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def double_text(shortest: str, value: float) -> str:
    """Write a number as Java does, which Athena is written in: ``100.0``, ``1.0E10``."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        plain = f"{Decimal(shortest):f}"
        return plain if "." in plain else f"{plain}.0"
    sign, digits, exponent = Decimal(shortest).as_tuple()
    written = "".join(map(str, digits)).rstrip("0") or "0"
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{written[0]}.{written[1:] or '0'}E{power}"


def _single(value: float) -> str:
    """Return the shortest text that names this number in single precision."""
    if isnan(value) or isinf(value):
        return "0"
    wanted = struct.pack("f", value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return next((t for t in texts if struct.pack("f", float(t)) == wanted), repr(value))
