"""Constants in a partition key's own type and spelling, and predicates mended to use them."""

import re
from datetime import date, timedelta

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


def mended(node: exp.Expr, column: Column, key: PartitionKey) -> exp.Expr | None:
    """Return a predicate on the bare key that means the same, or None where none is known."""
    node = node.unnest() if isinstance(node, exp.Paren) else node
    if isinstance(node, exp.Between):
        return _between(node, column, key)
    if isinstance(node, exp.In) and not node.args.get("query"):
        return _in(node, column, key)
    if not isinstance(node, (exp.EQ, exp.LT, exp.GT, exp.LTE, exp.GTE)):
        return None
    left, right = node.left.unnest(), node.right.unnest()
    op: type[exp.Binary] = type(node)
    if left.find(exp.Column) is None:
        left, right, op = right, left, _TURNED[op]
    if right.find(exp.Column) is not None:
        return None
    return _compared(left, op, right, column, key)


_TURNED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.EQ,
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
}


def _compared(
    left: exp.Expr, op: type[exp.Binary], right: exp.Expr, column: Column, key: PartitionKey
) -> exp.Expr | None:
    bare = left.find(exp.Column)
    if bare is None:
        return None
    if isinstance(left, exp.Column) or _is_only_read(left):
        value = own_literal(right, column, key)
        return op(this=bare.copy(), expression=value) if value is not None else None
    if op is not exp.EQ:
        return None
    if isinstance(left, exp.Substring):
        return _prefix(left, right, bare, column)
    span = _span(left, right)
    return _within(bare, span, column, key) if span else None


def _between(node: exp.Between, column: Column, key: PartitionKey) -> exp.Expr | None:
    bare = node.this.find(exp.Column)
    low = own_literal(node.args["low"], column, key)
    high = own_literal(node.args["high"], column, key)
    plain = isinstance(node.this.unnest(), exp.Column) or _is_only_read(node.this)
    if bare is None or low is None or high is None or not plain:
        return None
    return exp.Between(this=bare.copy(), low=low, high=high)


def _in(node: exp.In, column: Column, key: PartitionKey) -> exp.Expr | None:
    bare = node.this.find(exp.Column)
    values = [own_literal(v, column, key) for v in node.expressions]
    plain = isinstance(node.this.unnest(), exp.Column) or _is_only_read(node.this)
    if bare is None or not plain or any(v is None for v in values):
        return None
    return exp.In(this=bare.copy(), expressions=values)


def _is_only_read(node: exp.Expr) -> bool:
    """Tell whether a function only reads the key as a date or number, day by day."""
    node = node.unnest()
    if isinstance(node, (exp.Cast, exp.Date, exp.TsOrDsToDate, exp.StrToTime, exp.FromISO8601Date)):
        return isinstance(node.this.unnest(), exp.Column) or _is_only_read(node.this)
    return False


def own_literal(node: exp.Expr, column: Column, key: PartitionKey) -> exp.Expr | None:
    """Return a constant in the key's own type and spelling, or None where that is not known."""
    node = node.unnest()
    day = _day(node)
    mine = kind(column)
    if day is None and _is_of_today(node):
        return _written_out(node, mine, spelling(key))
    if mine == "date":
        return _dated(day) if day else None
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


def _dated(day: date) -> exp.Expr:
    return exp.cast(exp.Literal.string(day.isoformat()), "date")


def _day(node: exp.Expr) -> date | None:
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


def _prefix(
    left: exp.Substring, right: exp.Expr, bare: exp.Column, column: Column
) -> exp.Expr | None:
    """``substr(dt, 1, 7) = '2026-01'`` is a LIKE with that beginning."""
    start, length = left.args.get("start"), left.args.get("length")
    fits = (
        isinstance(right, exp.Literal)
        and right.is_string
        and isinstance(start, exp.Literal)
        and start.name == "1"
        and isinstance(length, exp.Literal)
        and length.name == str(len(right.name))
        and not set(right.name) & set("%_\\")
    )
    if not fits or kind(column) != "text":
        return None
    return exp.Like(this=bare.copy(), expression=exp.Literal.string(f"{right.name}%"))


def _span(left: exp.Expr, right: exp.Expr) -> tuple[date, date] | None:
    """Return first and last day that an equality of a year or a truncated date stands for."""
    year = _year(left, right)
    if year is not None:
        return date(year, 1, 1), date(year, 12, 31)
    if not isinstance(left, (exp.DateTrunc, exp.TimestampTrunc)) or not _is_only_read(left.this):
        return None
    first = _day(right)
    unit = left.args.get("unit")
    return _period(first, str(unit.name if unit else "").lower()) if first else None


def _year(left: exp.Expr, right: exp.Expr) -> int | None:
    if isinstance(left, exp.Year):
        inner = left.this
    elif isinstance(left, exp.Extract) and left.name.lower() == "year":
        inner = left.expression
    else:
        return None
    is_number = isinstance(right, exp.Literal) and right.name.isdigit() and len(right.name) == 4
    return int(right.name) if is_number and _is_only_read(inner) else None


def _period(first: date, unit: str) -> tuple[date, date] | None:
    months = {"month": 1, "quarter": 3, "year": 12}.get(unit)
    if unit == "day":
        return first, first
    if unit == "week":
        return (first, first + timedelta(days=6)) if first.weekday() == 0 else None
    if months is None or first.day != 1 or (first.month - 1) % months:
        return None
    ahead = first.month - 1 + months
    return first, date(first.year + ahead // 12, ahead % 12 + 1, 1) - timedelta(days=1)


def _within(
    bare: exp.Column, span: tuple[date, date], column: Column, key: PartitionKey
) -> exp.Expr | None:
    low, high = (own_literal(_dated(day), column, key) for day in span)
    if low is None or high is None:
        return None
    return exp.Between(this=bare.copy(), low=low, high=high)
