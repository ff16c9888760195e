"""Casts to texts: values as Trino writes them."""

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import refused
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    field,
    filled,
    number,
    text,
)
from querymend.tools.engines.stand_in.translate.cast_moments import wall_clock
from querymend.tools.engines.stand_in.translate.coercions import coerced
from querymend.tools.sql.types.model import (
    TrinoType,
)

_TOO_LONG = (
    "CASE WHEN length(a) > b THEN error('INVALID_CAST_ARGUMENT: Value ' || a ||"
    " ' cannot be represented as ' || c) ELSE a END"
)


def text_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Cut a text to its length."""
    as_text = coerced(node, given, TrinoType("varchar")) if given.base == "char" else node
    cut = (
        call("substring", as_text, number(1), number(wanted.precision)) if wanted.sizes else as_text
    )
    return filled("rtrim(a, ' ')", a=cut) if wanted.base == "char" else cut


def as_text(shown: exp.Expr, wanted: TrinoType) -> exp.Expr:
    """Refuse a text that is longer than wanted."""
    if wanted.base == "char":
        raise refused("A cast of what is no text to char")
    if not wanted.sizes:
        return shown
    return filled(_TOO_LONG, a=shown, b=number(wanted.precision), c=text(str(wanted)))


def plain_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Write a value that both engines write alike."""
    return as_text(cast(node, "VARCHAR"), wanted)


def float_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Write a float as Java does."""
    name = "qm_real_text" if given.base == "real" else "qm_double_text"
    return as_text(call(name, node), wanted)


def timestamp_text(node: exp.Expr, digits: int) -> exp.Expr:
    """Write a wall clock with so many digits of a second."""
    whole = filled("strftime(a, '%Y-%m-%d %H:%M:%S')", a=node)
    if not digits:
        return whole
    return filled(f"a || '.' || left(strftime(b, '%f'), {digits})", a=whole, b=node)


def timestamp_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Write a timestamp."""
    return as_text(timestamp_text(node, given.precision), wanted)


def zoned_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Write a timestamp and its zone."""
    shown = timestamp_text(wall_clock(node), given.precision)
    return as_text(filled("a || ' ' || b", a=shown, b=field(node, "z")), wanted)


def time_to_text(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Write a time of day."""
    moment = filled("DATE '2000-01-01' + a", a=node)
    return as_text(filled("substring(a, 12)", a=timestamp_text(moment, given.precision)), wanted)
