"""Dates and instants: DuckDB makes an instant of a date where Athena keeps the date."""

from sqlglot import exp

from querymend.tools.sql.translate.casts import as_type
from querymend.tools.sql.translate.known import untold
from querymend.tools.sql.types.model import INTEGERS, INTERVALS, TrinoType

_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)
_FIELDS = (exp.Extract, exp.Year, exp.Month, exp.Day, exp.Quarter, exp.Week)
_WITHIN_A_DAY = ("HOUR", "MINUTE", "SECOND")


def moved(node: exp.Expr, left: TrinoType, right: TrinoType) -> bool:
    """Give ``date - date``, ``date + 1`` and ``date + interval`` their twins.

    Raises:
        Untranslatable: it is no sum or difference of these.
    """
    bases = (left.base, right.base)
    if isinstance(node, exp.Sub) and bases == ("date", "date"):
        node.replace(_call("date_diff", node.expression, node.this))
        return True
    if left.base == "date" and right.base in INTEGERS and isinstance(node, (exp.Add, exp.Sub)):
        node.replace(_call("date_add", _days(node), node.this))
        return True
    if bases[0] in INTEGERS and bases[1] == "date" and isinstance(node, exp.Add):
        node.replace(_call("date_add", node.this, node.expression))
        return True
    return _by_interval(node, left, right)


def _call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    copies = [a.copy() for a in arguments]
    return exp.Anonymous(this=name, expressions=[exp.Literal.string("day"), *copies])


def _days(node: exp.Expr) -> exp.Expr:
    days: exp.Expr = node.expression
    if isinstance(node, exp.Add):
        return days
    inner = days.copy() if isinstance(days, (exp.Literal, exp.Column)) else exp.paren(days)
    return exp.Neg(this=inner)


def _by_interval(node: exp.Expr, left: TrinoType, right: TrinoType) -> bool:
    if left.base not in ("date", "timestamp") or right.base not in INTERVALS:
        raise untold(node)
    if not isinstance(node, (exp.Add, exp.Sub)):
        raise untold(node)
    interval = node.expression
    if left.base != "date":
        return False
    is_day = not isinstance(interval, exp.Interval) or _unit(interval) not in _WITHIN_A_DAY
    if is_day and _serves_as_date(node):
        return False
    node.this.replace(as_type(node.this, "TIMESTAMP"))
    return True


def _unit(node: exp.Expr) -> str:
    return node.text("unit").upper().removesuffix("S")


def cut(node: exp.Expr, kind: TrinoType) -> bool:
    """Make ``date_trunc`` of a date an instant, where that is seen."""
    if kind.base not in ("date", "timestamp"):
        raise untold(node)
    if kind.base == "timestamp" or (_unit(node) not in _WITHIN_A_DAY and _serves_as_date(node)):
        return False
    node.this.replace(as_type(node.this, "TIMESTAMP"))
    return True


def _serves_as_date(node: exp.Expr) -> bool:
    """Tell whether a date does what the instant at its midnight would."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    if isinstance(parent, exp.Cast):
        return parent.to.sql("trino").upper() == "DATE"
    is_apart = isinstance(parent, exp.DateDiff)
    is_apart |= isinstance(parent, exp.Anonymous) and parent.name == "date_diff"
    return is_apart or isinstance(parent, (*_COMPARED, *_FIELDS))


def apart(node: exp.Expr, kinds: list[TrinoType]) -> exp.Expr:
    """Count the bounds between two instants: Athena counts whole units, from bound to bound so."""
    unit, first, last = node.expressions
    if any(k.base not in ("date", "timestamp") for k in kinds):
        raise untold(node)
    if unit.name == "day" and all(k.base == "date" for k in kinds):
        return exp.Anonymous(this="date_diff", expressions=[n.copy() for n in node.expressions])
    bounds = [exp.TimestampTrunc(this=n.copy(), unit=exp.var(unit.name)) for n in (first, last)]
    return exp.Anonymous(this="date_diff", expressions=[unit.copy(), *bounds])
