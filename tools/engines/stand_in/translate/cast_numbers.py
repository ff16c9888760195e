"""Casts to numbers and truth values, as strict as Trino's."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    filled,
    number,
    once,
    text,
)
from querymend.tools.engines.stand_in.translate.physical import physical
from querymend.tools.sql.types.model import (
    TrinoType,
)

_WHOLE = r"^[+-]?[0-9]+$"
_FLOAT = (
    r"^[\x00-\x20]*([+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|Infinity|NaN))"
    r"[dDfF]?[\x00-\x20]*$"
)
_BOOLEAN = "^(?:true|t|1|false|f|0)$"
"""What Trino reads; of any other text nothing is left, which DuckDB's own cast then refuses."""
_TOO_LARGE = "3.4028235677973366e38"
"""From here on a double is nearer to infinity than to the largest real."""


def widened(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Cast as DuckDB does."""
    return cast(node, physical(wanted))


def narrowed(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Narrow a double as Trino does: what is too large for a real is infinite."""
    if wanted.base == "double":
        return cast(node, "DOUBLE")
    return once(
        node,
        lambda a: filled(
            f"CASE WHEN abs(a) < {_TOO_LARGE} OR isnan(a) THEN CAST(a AS FLOAT)"
            " ELSE CAST(sign(a) * CAST('Infinity' AS FLOAT) AS FLOAT) END",
            a=a,
        ),
    )


def float_to_integer(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Round half away from zero."""
    return cast(call("round", node), physical(wanted))


def decimal_to_integer(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Round half away from zero."""
    return cast(call("round", node, number(0)), physical(wanted))


def float_to_decimal(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Round the digits that are shown."""
    sizes = number(wanted.precision), number(wanted.scale)
    return cast(call("qm_double_to_decimal", cast(node, "DOUBLE"), *sizes), physical(wanted))


def text_to_integer(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Read a whole number."""
    return cast(call("regexp_extract", node, text(_WHOLE)), physical(wanted))


def text_to_float(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Read a floating-point number."""
    return cast(call("regexp_extract", node, text(_FLOAT), number(1)), physical(wanted))


def text_to_decimal(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Read a decimal, rounded to its scale."""
    sizes = number(wanted.precision), number(wanted.scale)
    return cast(call("qm_to_decimal", node, *sizes), physical(wanted))


def to_boolean(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Read a truth value."""
    return cast(call("regexp_extract", call("lower", node), text(_BOOLEAN)), "BOOLEAN")


def number_to_boolean(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Take all but zero for true."""
    return filled("a <> 0", a=node)
