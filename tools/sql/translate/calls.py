"""DuckDB's calls and operators by their Athena names, as far as no type is needed for it.

What needs types is left as a call of a name that begins with ``qm_``, for the walk that knows them.
"""

from collections.abc import Callable

from sqlglot import exp

from querymend.tools.sql.translate.known import whole

QUOTIENT = "qm_quotient"
"""``a // b``: a quotient of whole numbers."""
APART = "qm_apart"
"""``(unit, a, b)``: how many bounds of the unit lie between two instants."""
_BY = {"week": ("day", 7), "quarter": ("month", 3)}
_DAYS = ("dow", "dayofweek")


def with_athenas_calls(tree: exp.Expr) -> exp.Expr:
    """Return the tree with what is known by another name in Athena renamed."""
    return tree.transform(lambda n: _CALLS.get(type(n), _same)(n), copy=False)


def _same(node: exp.Expr) -> exp.Expr:
    return node


def _quotient(node: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=QUOTIENT, expressions=[node.this, node.expression])


def _apart(node: exp.Expr) -> exp.Expr:
    unit = exp.Literal.string(node.args["unit"].name.lower())
    return exp.Anonymous(this=APART, expressions=[unit, node.expression, node.this])


def _weekday(node: exp.Expr) -> exp.Expr:
    """Count from Sunday, 0, to Saturday; Athena counts from Monday, 1, to Sunday."""
    day = exp.DayOfWeekIso(this=node.this)
    return exp.paren(exp.Mod(this=day, expression=exp.Literal.number(7)), copy=False)


def _extract(node: exp.Expr) -> exp.Expr:
    field = node.this.name.lower()
    if field in _DAYS:
        return _weekday(exp.DayOfWeek(this=node.expression))
    if field == "isodow":
        return exp.DayOfWeekIso(this=node.expression)
    if field in ("doy", "dayofyear"):
        return exp.DayOfYear(this=node.expression)
    node.set("this", exp.var(field.upper()))  # DuckDB takes it in quotes too
    return node


def _interval(node: exp.Expr) -> exp.Expr:
    """Count weeks in days and quarters in months."""
    unit, times = _BY.get(node.args["unit"].name.lower().removesuffix("s"), ("", 1))
    amount = whole(node.this)
    if not unit or amount is None:
        return node
    return exp.Interval(this=exp.Literal.string(amount * times), unit=exp.var(unit.upper()))


def _joined(node: exp.Expr) -> exp.Expr:
    node.set("safe", None)  # else the writer casts every side, texts too
    return node


_CALLS: dict[type[exp.Expr], Callable[[exp.Expr], exp.Expr]] = {
    exp.IntDiv: _quotient,
    exp.DateDiff: _apart,
    exp.DayOfWeek: _weekday,
    exp.Extract: _extract,
    exp.Interval: _interval,
    exp.DPipe: _joined,
}
