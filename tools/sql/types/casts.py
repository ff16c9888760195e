"""Casts: which ones Trino has, and which texts it can read as a value."""

import re
from datetime import date

from sqlglot import exp

from querymend.tools.sql.types.cures import is_moment, moment_literal, shown
from querymend.tools.sql.types.model import INTEGERS, NUMBERS, TEXTS, UNKNOWN, ZONED, TrinoType
from querymend.tools.sql.types.tries import is_tried
from querymend.tools.sql.types.typer import Typer

_MOMENTS = ("date", "timestamp", f"timestamp{ZONED}")
_TIMES = ("time", f"time{ZONED}")
_FROM: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("boolean", *NUMBERS), ("boolean", *NUMBERS, "varchar", "json")),
    "char": TEXTS,
    "date": (*_MOMENTS, "varchar", "json"),
    "timestamp": (*_MOMENTS, *_TIMES, "varchar", "json"),
    f"timestamp{ZONED}": (*_MOMENTS, *_TIMES, "varchar"),
    **dict.fromkeys(_TIMES, (*_MOMENTS[1:], *_TIMES, "varchar")),
    "varbinary": ("varbinary", "uuid"),
    "uuid": ("varchar", "varbinary", "uuid"),
    "json": ("boolean", *NUMBERS, "varchar", "json", "array", "map", "row"),
    "interval day to second": ("varchar", "interval day to second"),
    "interval year to month": ("varchar", "interval year to month"),
}
_UUID = 36
"""The length of a UUID's text."""
_FOREIGN = {
    **dict.fromkeys(("string", "text", "nvarchar", "clob"), "varchar"),
    **dict.fromkeys(("int64", "long", "int8", "signed", "unsigned", "uint64"), "bigint"),
    **dict.fromkeys(("int32", "int4", "uint32"), "integer"),
    **dict.fromkeys(("float64", "float8", "float", "number"), "double"),
    **dict.fromkeys(("numeric", "dec", "bignumeric", "money"), "decimal(18,2)"),
    **dict.fromkeys(("datetime", "timestamp_ntz", "datetime2"), "timestamp"),
    **dict.fromkeys(("timestamptz", "timestamp_tz"), "timestamp with time zone"),
    **dict.fromkeys(("blob", "binary", "bytea", "bytes"), "varbinary"),
    **{"bool": "boolean", "jsonb": "json", "variant": "json", "struct": "row(…)"},
}
_DATE = re.compile(r"\s*([+-]?\d{4,})-(\d{1,2})-(\d{1,2})\s*")
_STAMP = re.compile(
    r"\s*([+-]?\d{4,})-(\d{1,2})-(\d{1,2})"
    r"(?: (\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d+)?)?)?\s*([+-]\d\d:?\d\d|\D.*)?"
)
_MOST = {"tinyint": 2**7 - 1, "smallint": 2**15 - 1, "integer": 2**31 - 1}
_NUMBERS = {
    **dict.fromkeys(INTEGERS, re.compile(r"[+-]?\d+")),
    "decimal": re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"),
    "double": re.compile(r"\s*[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|NaN|Infinity)[fFdD]?\s*"),
    "boolean": re.compile(r"true|false|t|f|1|0", re.IGNORECASE),
}


def castable(given: TrinoType, wanted: TrinoType) -> bool:
    """Tell whether Trino has a cast from the one to the other."""
    if UNKNOWN in (given, wanted):
        return True
    if given.base == wanted.base and given.parts:
        return len(given.parts) == len(wanted.parts) and all(
            castable(a, b) for a, b in zip(given.parts, wanted.parts, strict=True)
        )
    if given.parts:
        return wanted.base == "json"
    if given.base == "varchar":
        return not wanted.parts and not wanted.base.startswith("interval")
    if given.base == "uuid" and wanted.base == "varchar" and wanted.sizes:
        return wanted.precision >= _UUID
    return given.base not in _FROM or wanted.base in _FROM[given.base]


def check_cast(typer: Typer, node: exp.Expr, given: TrinoType | None, wanted: TrinoType) -> None:
    """Blame a cast that Trino lacks, and a text that it cannot read as the type."""
    if wanted.base == "decimal" and not 0 <= wanted.scale <= wanted.precision <= 38:
        message = f"{wanted} is no type: the precision is at most 38, the scale at most that."
        typer.blame(node, "unknown_type", message, "Write decimal(38, 2) or smaller.")
    elif given is not None and not castable(given, wanted):
        message = f"Trino has no cast from {given} to {wanted}."
        typer.blame(node, "type_mismatch", message, _cure(node.this, given, wanted))
    elif isinstance(node.this, exp.Literal) and node.this.is_int:
        _check_range(typer, node, int(node.this.name), wanted)
    elif isinstance(node.this, exp.Literal) and node.this.is_string:
        text = node.this.name
        if not reads(text, wanted) and isinstance(node, exp.Cast) and not is_tried(node):
            message = f"'{text[:60]}' is no {wanted.base}."
            typer.blame(node, "invalid_literal", message, _literal_cure(text, wanted))


def _check_range(typer: Typer, node: exp.Expr, value: int, wanted: TrinoType) -> None:
    most = _MOST.get(wanted.base)
    if wanted.base == "decimal":
        most = 10 ** (wanted.precision - wanted.scale) - 1
    if most is not None and value > most and not is_tried(node):
        message = f"{value} is too large for {wanted}."
        typer.blame(node, "value_out_of_range", message, "Write bigint, or a wider decimal.")


def _cure(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> str:
    if wanted.base in TEXTS and given.parts:
        return f"Write json_format(CAST({shown(node)} AS json)), or take one of its parts."
    if is_moment(wanted) and given.base in NUMBERS:
        text = f"CAST({shown(node)} AS varchar)"
        return f"Write from_unixtime({shown(node)}), or date_parse({text}, '%Y%m%d')."
    if is_moment(given) and wanted.base in NUMBERS:
        return f"Write to_unixtime({shown(node)}), year({shown(node)}) or date_diff('day', a, b)."
    return f"Write CAST(CAST({shown(node)} AS varchar) AS {wanted}), or take another type."


def _literal_cure(text: str, wanted: TrinoType) -> str:
    if is_moment(wanted):
        return f"Write {moment_literal(text, wanted)}: year-month-day with dashes."
    return f"Write a {wanted.base} without quotes, or TRY_CAST for NULL where it fails."


def reads(text: str, wanted: TrinoType) -> bool:
    """Tell whether Trino reads a text as a value of a type; true where that is not known."""
    if wanted.base == "date":
        return (match := _DATE.fullmatch(text)) is not None and _is_day(match)
    if wanted.base.startswith("timestamp"):
        return (match := _STAMP.fullmatch(text)) is not None and _is_moment(match)
    pattern = _NUMBERS.get("double" if wanted.base == "real" else wanted.base)
    return pattern is None or pattern.fullmatch(text) is not None


def _is_day(match: re.Match[str]) -> bool:
    year, month, day = (int(match[i]) for i in (1, 2, 3))
    try:
        date(year if 0 < year < 10_000 else 2000, month, day)
    except ValueError:
        return False
    return True


def _is_moment(match: re.Match[str]) -> bool:
    hour, minute, second = (int(match[i] or 0) for i in (4, 5, 6))
    zone = match[7] or ""
    if zone.upper().startswith("T") and zone[1:2].isdigit():
        return False
    return _is_day(match) and hour < 24 and minute < 60 and second < 60


def foreign_type(text: str) -> str | None:
    """Return Trino's name for a type of another system, None for its own or an unknown one."""
    return _FOREIGN.get(text.lower())
