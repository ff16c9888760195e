"""Predicates on partition keys, mended so that they mean the same and prune."""

from datetime import date, timedelta

from sqlglot import exp

from querymend.tools.catalog.model import Column, PartitionKey
from querymend.tools.sql.partition_values import dated, day_of, kind, own_literal

_TURNED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.EQ,
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
}


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
    first = day_of(right)
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
    low, high = (own_literal(dated(day), column, key) for day in span)
    if low is None or high is None:
        return None
    return exp.Between(this=bare.copy(), low=low, high=high)


def _is_only_read(node: exp.Expr) -> bool:
    """Tell whether a function only reads the key as a date or number, day by day."""
    node = node.unnest()
    if isinstance(node, (exp.Cast, exp.Date, exp.TsOrDsToDate, exp.StrToTime, exp.FromISO8601Date)):
        return isinstance(node.this.unnest(), exp.Column) or _is_only_read(node.this)
    return False
