"""Equality and order as Trino has them: NaN equals nothing, NULL inside a value is unknown."""

from functools import reduce

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import refused
from querymend.tools.engines.stand_in.translate.build import field, filled, taken
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP, field_names
from querymend.tools.sql.types.model import TrinoType

_FLOATS = ("real", "double")
_NESTED = ("array", "map", "row")
_HOLDS_NULL = (
    "error('NOT_IN_STAND_IN: a comparison of arrays that hold NULL is not supported by the"
    " stand-in')"
)


def equal(left: exp.Expr, right: exp.Expr, kind: TrinoType) -> exp.Expr:
    """Return ``left = right`` of two values of one type."""
    if kind.base == "row":
        return _rows(left, right, kind)
    if kind.base == "array":
        return _arrays(left, right, kind)
    return compare(exp.EQ, left, right, kind)


def compare(node: type[exp.Binary], left: exp.Expr, right: exp.Expr, kind: TrinoType) -> exp.Expr:
    """Return a comparison of two values of one type.

    Raises:
        QueryError: the stand-in cannot compare such values this way.
    """
    if kind.base in _NESTED:
        return _nested(node, left, right, kind)
    if kind.base == ZONED_TIMESTAMP:
        left, right = field(left, "i"), field(right, "i")
    plain = filled(f"a {_SYMBOLS[node]} b", a=left, b=right)
    if kind.base in _FLOATS and node in _GUARDS:
        return filled(_GUARDS[node], c=plain, a=left, b=right)
    return plain


_SYMBOLS: dict[type[exp.Binary], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_GUARDS: dict[type[exp.Binary], str] = {
    exp.EQ: "c AND NOT isnan(a)",
    exp.NEQ: "c OR isnan(a)",
    exp.LT: "c AND NOT isnan(b)",
    exp.LTE: "c AND NOT isnan(b)",
    exp.GT: "c AND NOT isnan(a)",
    exp.GTE: "c AND NOT isnan(a)",
}
"""DuckDB takes NaN for the largest number, and for equal to itself."""


def _nested(node: type[exp.Binary], left: exp.Expr, right: exp.Expr, kind: TrinoType) -> exp.Expr:
    if kind.base == "map":
        raise refused(f"A comparison of values of type {kind}")
    if node is exp.EQ:
        return equal(left, right, kind)
    if node is exp.NEQ:
        return exp.Not(this=exp.Paren(this=equal(left, right, kind)))
    raise refused(f"An order of values of type {kind}")


def _rows(left: exp.Expr, right: exp.Expr, kind: TrinoType) -> exp.Expr:
    pairs = [
        equal(taken(left, name), taken(right, name), part)
        for name, part in zip(field_names(kind), kind.parts, strict=True)
    ]
    return exp.Paren(this=reduce(_both, pairs))


def _both(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return filled("a AND b", a=left, b=right)


def _arrays(left: exp.Expr, right: exp.Expr, kind: TrinoType) -> exp.Expr:
    element = kind.parts[0]
    if element.base in _NESTED or element.base in (*_FLOATS, ZONED_TIMESTAMP):
        raise refused(f"A comparison of values of type {kind}")
    return filled(
        "CASE WHEN list_count(a) < len(a) OR list_count(b) < len(b)"
        f" THEN {_HOLDS_NULL} ELSE a = b END",
        a=left,
        b=right,
    )
