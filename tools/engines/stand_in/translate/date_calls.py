"""Calls on dates: units, zones, texts."""

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault
from querymend.tools.engines.stand_in.translate.build import call, cast, field, filled, text
from querymend.tools.engines.stand_in.translate.calls import (
    Call,
    CallRule,
    arguments_of,
    called,
)
from querymend.tools.engines.stand_in.translate.cast_moments import rounded, wall_clock
from querymend.tools.engines.stand_in.translate.cast_texts import timestamp_text
from querymend.tools.engines.stand_in.translate.coercions import coerced, zoned
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP
from querymend.tools.engines.stand_in.translate.translator import Rule, Translator
from querymend.tools.sql.types.model import DATE, DOUBLE, TrinoType

_DATE_UNITS = ("day", "week", "month", "quarter", "year")
_CLOCK_UNITS = ("millisecond", "second", "minute", "hour")
_MICROS = {
    "millisecond": 1000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_WHOLE_MONTHS = (
    "CASE WHEN a <= b THEN (m2 - m1) - CAST(a + to_months(CAST(m2 - m1 AS INTEGER)) > b AS BIGINT)"
    " ELSE -((m1 - m2) - CAST(b + to_months(CAST(m1 - m2 AS INTEGER)) > a AS BIGINT)) END"
)
_MONTH = "year(a) * 12 + month(a)"


def unit_of(tr: Translator, given: Call, kind: TrinoType) -> str:
    """Return the unit that a call names, which must be one of its type's."""
    first = given.arguments[0]
    if not isinstance(first, exp.Literal) or not first.is_string:
        raise tr.refused(f"{given.name} with a unit that is not written", given.node)
    unit = str(first.this).lower()
    units = _DATE_UNITS if kind == DATE else (*_DATE_UNITS, *_CLOCK_UNITS)
    if unit not in units:
        shown = "DATE" if kind == DATE else "TIMESTAMP"
        raise fault("INVALID_FUNCTION_ARGUMENT", f"'{first.this}' is not a valid {shown} field")
    return unit


def date_diff(tr: Translator, given: Call) -> exp.Expr:
    """Translate DATE_DIFF: complete units, by the clocks of the first value's zone."""
    made, kinds = arguments_of(tr, given)
    unit = unit_of(tr, given, kinds[1])
    _, a, b = made
    if kinds[1].base == ZONED_TIMESTAMP:
        a, b = _same_clocks(unit, a, b)
    elif kinds[1].base not in ("date", "timestamp"):
        raise tr.refused(f"date_diff of {kinds[1]}", given.node)
    x, y = (_to_millis(cast(m, "TIMESTAMP"), kinds[1]) for m in (a, b))
    if unit in _MONTHS:
        months = _months(x, y)
        return cast(filled(f"a // {_MONTHS[unit]}", a=months), "BIGINT")
    apart = filled("epoch_us(b) - epoch_us(a)", a=x, b=y)
    return cast(filled(f"a // {_MICROS[unit]}", a=apart), "BIGINT")


def _to_millis(moment: exp.Expr, kind: TrinoType) -> exp.Expr:
    """Leave out what is finer than a millisecond, as DATE_DIFF does."""
    if kind.base == "date" or kind.precision <= 3:
        return moment
    return call("date_trunc", text("millisecond"), moment)


def _same_clocks(unit: str, a: exp.Expr, b: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    if unit in _CLOCK_UNITS:
        return field(a, "i"), field(b, "i")
    return wall_clock(a), call("qm_local", field(b, "i"), field(a.copy(), "z"))


def _months(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    first, second = filled(_MONTH, a=a), filled(_MONTH, a=b)
    return filled(_WHOLE_MONTHS, a=a, b=b, m1=first, m2=second)


def date_add(tr: Translator, given: Call) -> exp.Expr:
    """Translate DATE_ADD."""
    made, kinds = arguments_of(tr, given)
    unit = unit_of(tr, given, kinds[2])
    _, count, moment = made
    if unit in _MONTHS:
        step = filled(f"to_months(CAST(a * {_MONTHS[unit]} AS INTEGER))", a=count)
    else:
        step = filled(f"to_microseconds(a * {_MICROS[unit]})", a=count)
    if kinds[2] == DATE:
        return cast(filled("a + b", a=moment, b=step), "DATE")
    digits = max(3, kinds[2].precision) if unit == "millisecond" else kinds[2].precision
    if kinds[2].base == "timestamp":
        return rounded(filled("a + b", a=moment, b=step), digits, kinds[2].precision)
    if kinds[2].base != ZONED_TIMESTAMP:
        raise tr.refused(f"date_add of {kinds[2]}", given.node)
    if unit in _CLOCK_UNITS:
        moved = filled("a + b", a=field(moment, "i"), b=step)
        return zoned(rounded(moved, digits, kinds[2].precision), field(moment, "z"))
    moved = filled("a + b", a=wall_clock(moment), b=step)
    return zoned(call("qm_instant", moved, field(moment, "z")), field(moment, "z"))


def date_trunc(tr: Translator, given: Call) -> exp.Expr:
    """Translate DATE_TRUNC."""
    made, kinds = arguments_of(tr, given)
    unit = unit_of(tr, given, kinds[1])
    moment = made[1]
    if kinds[1] == DATE:
        return cast(call("date_trunc", text(unit), moment), "DATE")
    if kinds[1].base == "timestamp":
        return cast(call("date_trunc", text(unit), moment), "TIMESTAMP")
    if kinds[1].base != ZONED_TIMESTAMP:
        raise tr.refused(f"date_trunc of {kinds[1]}", given.node)
    cut = cast(call("date_trunc", text(unit), wall_clock(moment)), "TIMESTAMP")
    if unit in _CLOCK_UNITS:
        apart = filled("a - b", a=wall_clock(moment), b=cut)
        instant = filled("a - b", a=field(moment, "i"), b=apart)
        return zoned(instant, field(moment, "z"))
    return zoned(call("qm_instant", cut, field(moment, "z")), field(moment, "z"))


def from_unixtime(tr: Translator, given: Call) -> exp.Expr:
    """Translate FROM_UNIXTIME: milliseconds, in UTC or in the zone that is named."""
    seconds = tr.to(given.arguments[0], DOUBLE)
    moment = filled("make_timestamp(CAST(round(a * 1000) AS BIGINT) * 1000)", a=seconds)
    if len(given.arguments) == 1:
        return zoned(moment, text("UTC"))
    if len(given.arguments) == 2:
        return zoned(moment, call("qm_zone", tr.expr(given.arguments[1])))
    raise tr.refused("from_unixtime with hours and minutes", given.node)


def to_unixtime(tr: Translator, given: Call) -> exp.Expr:
    """Translate TO_UNIXTIME."""
    made, kinds = arguments_of(tr, given)
    moment = field(made[0], "i") if kinds[0].base == ZONED_TIMESTAMP else made[0]
    return filled("CAST(epoch_us(a) AS DOUBLE) / 1000000.0e0", a=moment)


def with_timezone(tr: Translator, given: Call) -> exp.Expr:
    """Translate WITH_TIMEZONE: the same clocks, in a zone."""
    made, _ = arguments_of(tr, given)
    zone = call("qm_zone", made[1])
    return zoned(call("qm_instant", made[0], zone), zone.copy())


def at_timezone(tr: Translator, given: Call) -> exp.Expr:
    """Translate AT_TIMEZONE."""
    made, _ = arguments_of(tr, given)
    return zoned(field(made[0], "i"), call("qm_zone", made[1]))


def to_iso8601(tr: Translator, given: Call) -> exp.Expr:
    """Translate TO_ISO8601."""
    made, kinds = arguments_of(tr, given)
    kind, node = kinds[0], made[0]
    if kind == DATE:
        return cast(node, "VARCHAR")
    shown = wall_clock(node) if kind.base == ZONED_TIMESTAMP else node
    found = filled("replace(a, ' ', 'T')", a=timestamp_text(shown, kind.precision))
    if kind.base != ZONED_TIMESTAMP:
        return found
    return filled(
        "a || CASE WHEN o = 0 THEN 'Z' ELSE CASE WHEN o < 0 THEN '-' ELSE '+' END ||"
        " lpad(CAST(abs(o) // 3600 AS VARCHAR), 2, '0') || ':' ||"
        " lpad(CAST(abs(o) // 60 % 60 AS VARCHAR), 2, '0') END",
        a=found,
        o=call("qm_offset", field(node, "i"), field(node, "z")),
    )


def format_datetime(tr: Translator, given: Call) -> exp.Expr:
    """Translate FORMAT_DATETIME."""
    made, kinds = arguments_of(tr, given)
    if kinds[0].base != ZONED_TIMESTAMP:
        return called(tr, given)
    return call("qm_format_zoned", field(made[0], "i"), field(made[0], "z"), made[1])


def timezone_part(tr: Translator, given: Call) -> exp.Expr:
    """Translate TIMEZONE_HOUR and TIMEZONE_MINUTE."""
    made, kinds = arguments_of(tr, given)
    if kinds[0].base != ZONED_TIMESTAMP:
        raise tr.refused(f"{given.name} of {kinds[0]}", given.node)
    offset = call("qm_offset", field(made[0], "i"), field(made[0], "z"))
    template = "a // 3600" if given.name == "timezone_hour" else "a // 60 % 60"
    return cast(filled(template, a=offset), "BIGINT")


def interval_months(tr: Translator, given: Call) -> exp.Expr:
    """Translate YEAR and MONTH of an interval too."""
    made, kinds = arguments_of(tr, given)
    if kinds[0].base != "interval year to month":
        return called(tr, given)
    part = "datepart('year', a)" if given.name == "year" else "datepart('month', a)"
    return cast(filled(part, a=made[0]), "BIGINT")


def now(tr: Translator, given: Call) -> exp.Expr:
    """Translate NOW()."""
    return zoned(clock(tr), text("UTC"))


def clock(tr: Translator) -> exp.Expr:
    """Return the session's instant in UTC, in milliseconds."""
    if tr.world.now:
        return cast(text(tr.world.now), "TIMESTAMP")
    return filled("date_trunc('millisecond', timezone('UTC', now()))")


def current_date(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate CURRENT_DATE."""
    return cast(clock(tr), "DATE")


def current_timestamp(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate CURRENT_TIMESTAMP."""
    if node.args.get("this") is not None:
        raise tr.refused(node.sql("trino"), node)
    return zoned(clock(tr), text("UTC"))


def localtimestamp(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate LOCALTIMESTAMP."""
    if node.args.get("this") is not None:
        raise tr.refused(node.sql("trino"), node)
    return clock(tr)


def extract(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate EXTRACT as the function of its field's name."""
    given = Call(
        node=node, name=node.this.name.lower(), arguments=(node.expression,), gives=tr.kind(node)
    )
    rule = RULES.get(given.name, called)
    return rule(tr, given)


def at_time_zone(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``x AT TIME ZONE z``: the same instant, another zone."""
    kind = tr.kind(node.this)
    wanted = TrinoType(ZONED_TIMESTAMP, kind.sizes)
    if kind.base not in ("timestamp", ZONED_TIMESTAMP):
        raise tr.refused(f"AT TIME ZONE of {kind}", node)
    moment = coerced(tr.expr(node.this), kind, wanted)
    zone = node.args["zone"]
    if tr.kind(zone).base != "varchar":
        raise tr.refused("AT TIME ZONE with an interval", node)
    return zoned(field(moment, "i"), call("qm_zone", tr.expr(zone)))


RULES: dict[str, CallRule] = {
    "date_diff": date_diff,
    "date_add": date_add,
    "date_trunc": date_trunc,
    "from_unixtime": from_unixtime,
    "to_unixtime": to_unixtime,
    "with_timezone": with_timezone,
    "at_timezone": at_timezone,
    "to_iso8601": to_iso8601,
    "format_datetime": format_datetime,
    "timezone_hour": timezone_part,
    "timezone_minute": timezone_part,
    "year": interval_months,
    "month": interval_months,
    "now": now,
}
NODES: dict[type[exp.Expr], Rule] = {
    exp.CurrentDate: current_date,
    exp.CurrentTimestamp: current_timestamp,
    exp.Localtimestamp: localtimestamp,
    exp.Extract: extract,
    exp.AtTimeZone: at_time_zone,
}
