"""Casts between dates and timestamps, and what the clocks show."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    field,
    filled,
    number,
    once,
    text,
)
from querymend.tools.engines.stand_in.translate.coercions import zoned
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP, physical
from querymend.tools.sql.types.model import (
    TrinoType,
)

_FLOOR = "m - ((m % u) + u) % u"
"""The multiple of u below m: DuckDB's remainder has the sign of m."""


def text_to_date(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Read a date."""
    return call("qm_to_date", node)


def text_to_timestamp(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Read a timestamp, with a zone where one is wanted."""
    physical(wanted)
    name = "qm_to_zoned" if wanted.base == ZONED_TIMESTAMP else "qm_to_timestamp"
    return call(name, node, number(wanted.precision))


def wall_clock(node: exp.Expr) -> exp.Expr:
    """Return what the clocks show at a timestamp with time zone."""
    return call("qm_local", field(node, "i"), field(node, "z"))


def instant(node: exp.Expr) -> exp.Expr:
    """Return a timestamp with time zone's instant in UTC."""
    return field(node, "i")


def zoned_to_timestamp(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Take what the clocks show."""
    return rounded(wall_clock(node), given.precision, wanted.precision)


def zoned_to_date(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Take the day that the clocks show."""
    return cast(wall_clock(node), "DATE")


def timestamp_to_date(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Take the day."""
    return cast(node, "DATE")


def timestamp_to_timestamp(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Change the digits of a second."""
    physical(wanted)
    return rounded(node, given.precision, wanted.precision)


def timestamp_to_zoned(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Take a timestamp for one in UTC."""
    return zoned(rounded(node, given.precision, wanted.precision), text("UTC"))


def zoned_to_zoned(node: exp.Expr, given: TrinoType, wanted: TrinoType) -> exp.Expr:
    """Change the digits of a second."""
    if given.precision <= wanted.precision:
        return node
    return zoned(rounded(instant(node), given.precision, wanted.precision), field(node, "z"))


def rounded(node: exp.Expr, given: int, wanted: int) -> exp.Expr:
    """Round a wall clock half up to fewer digits of a second."""
    if wanted >= given:
        return node
    unit = 10 ** (6 - wanted)
    micros = filled(f"epoch_us(a) + {unit // 2}", a=node)
    return once(micros, lambda m: filled(f"make_timestamp({_FLOOR})", m=m, u=number(unit)))
