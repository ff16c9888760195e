"""Constants in a partition key's own type and spelling."""

import re
from datetime import date

from sqlglot import exp

from querymend.tools.catalog.model import Column, PartitionKey

_SPELLINGS = (
    (re.compile(r"\d{4}-\d{2}-\d{2}"), "%Y-%m-%d"),
    (re.compile(r"\d{8}"), "%Y%m%d"),
    (re.compile(r"\d{4}/\d{2}/\d{2}"), "%Y/%m/%d"),
    (re.compile(r"\d{4}_\d{2}_\d{2}"), "%Y_%m_%d"),
    (re.compile(r"\d{4}-\d{2}"), "%Y-%m"),
    (re.compile(r"\d{6}"), "%Y%m"),
)
_JAVA = {
    "yyyy-MM-dd": "%Y-%m-%d",
    "yyyyMMdd": "%Y%m%d",
    "yyyy/MM/dd": "%Y/%m/%d",
    "yyyy-MM": "%Y-%m",
    "yyyyMM": "%Y%m",
}
_WHOLE_DAYS = ("%Y-%m-%d", "%Y%m%d", "%Y/%m/%d", "%Y_%m_%d")
_INTS = {exp.DType.INT, exp.DType.BIGINT, exp.DType.SMALLINT, exp.DType.TINYINT}
_TEXTS = {exp.DType.VARCHAR, exp.DType.CHAR, exp.DType.TEXT}


def kind(column: Column) -> str:
    """Return ``text``, ``number``, ``date`` or an empty text for a key's type."""
    low = column.type.lower()
    if low.startswith(("varchar", "char", "string")):
        return "text"
    if low.startswith(("int", "bigint", "smallint", "tinyint")):
        return "number"
    return "date" if low.startswith(("date", "timestamp")) else ""


def of_own_type(node: exp.Expr, column: Column) -> bool:
    """Tell whether a constant may be compared with the key; what is no literal is trusted."""
    node = node.unnest()
    mine = kind(column)
    if isinstance(node, exp.Neg):
        return of_own_type(node.this, column)
    if isinstance(node, exp.Literal):
        return not mine or ((mine == "text") == node.is_string and mine != "date")
    if isinstance(node, exp.Cast):
        return not mine or _kind_of_cast(node) in ("", mine)
    if isinstance(node, (exp.CurrentDate, exp.CurrentTimestamp)):
        return mine in ("date", "")
    return True


def _kind_of_cast(node: exp.Cast) -> str:
    to = node.to.this
    if to in _TEXTS:
        return "text"
    if to in _INTS:
        return "number"
    return "date" if to in (exp.DType.DATE, exp.DType.TIMESTAMP) else ""


def spelled(node: exp.Expr, column: Column) -> str:
    """Write a literal as a catalog's filter does; an empty text where it is no plain literal."""
    node = node.unnest()
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
        node = node.this
    if not isinstance(node, exp.Literal):
        return ""
    return node.sql() if kind(column) != "number" else node.name


def own_literal(node: exp.Expr, column: Column, key: PartitionKey) -> exp.Expr | None:
    """Return a constant in the key's own type and spelling, or None where that is not known."""
    node = node.unnest()
    day = day_of(node)
    mine = kind(column)
    if day is None and _is_of_today(node):
        return _written_out(node, mine, spelling(key))
    if mine == "date":
        return dated(day) if day else None
    if mine == "number":
        return _number(node, day)
    if mine != "text":
        return None
    form = spelling(key)
    if day is not None and form in _WHOLE_DAYS:
        return exp.Literal.string(day.strftime(form))
    return _padded(node, key) if isinstance(node, exp.Literal) else None


def _is_of_today(node: exp.Expr) -> bool:
    """Tell whether an expression is a date that depends on today alone."""
    today = (exp.CurrentDate, exp.CurrentTimestamp)
    return node.find(*today) is not None and node.find(exp.Column, exp.Query) is None


def _written_out(node: exp.Expr, mine: str, form: str) -> exp.Expr | None:
    """Write a date that depends on today as the key spells its dates."""
    if mine == "date":
        return node.copy()
    if mine == "number":
        form = "%Y%m%d"
    if form not in _WHOLE_DAYS:
        return None
    text = exp.Anonymous(this="date_format", expressions=[node.copy(), exp.Literal.string(form)])
    return exp.cast(text, "integer") if mine == "number" else text


def spelling(key: PartitionKey) -> str:
    """Return how dates are written in a key, in strftime's letters; ISO where nothing tells."""
    if key.format:
        return _JAVA.get(key.format, "")
    if not key.latest:
        return "%Y-%m-%d"
    return next((form for shape, form in _SPELLINGS if shape.fullmatch(key.latest)), "")


def _number(node: exp.Expr, day: date | None) -> exp.Expr | None:
    if isinstance(node, exp.Literal) and node.name.isdigit():
        return exp.Literal.number(str(int(node.name)))
    return exp.Literal.number(day.strftime("%Y%m%d")) if day else None


def _padded(node: exp.Literal, key: PartitionKey) -> exp.Expr:
    """Write a number as text, as wide as the key's values: ``7`` → ``'07'``."""
    wide = len(key.latest) if key.latest.isdigit() else 0
    text = node.name.zfill(wide) if node.name.isdigit() else node.name
    return exp.Literal.string(text)


def dated(day: date) -> exp.Expr:
    """Write a day as a constant of the type date."""
    return exp.cast(exp.Literal.string(day.isoformat()), "date")


def day_of(node: exp.Expr) -> date | None:
    """Read ``DATE '2026-01-31'``, a timestamp at midnight, or the bare text."""
    if isinstance(node, exp.Cast):
        node = node.this
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    found = re.fullmatch(r"(\d{4}-\d{2}-\d{2})(?:[ T]00:00:00(?:\.0+)?)?", node.name)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None
