"""Literals: what is written in the statement itself."""

import re
from datetime import datetime

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault
from querymend.tools.engines.stand_in.runtime.dates import read_timestamp
from querymend.tools.engines.stand_in.runtime.scalar import TrinoFault
from querymend.tools.engines.stand_in.runtime.zones import instant, local, zone_of
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    number,
    struct,
    text,
)
from querymend.tools.engines.stand_in.translate.casts import cast_rule
from querymend.tools.engines.stand_in.translate.physical import (
    ZONED_TIMESTAMP,
    physical,
)
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.model import (
    TrinoType,
)
from querymend.tools.sql.types.spelling import read_type

_INTERVAL = re.compile(r"([+-]?)(\d+)(?:-(\d+))?(?: (\d+))?(?::(\d+))?(?::(\d+))?(?:\.(\d+))?")
_PLAIN = {
    "decimal": re.compile(r"[+-]?\d{1,30}(\.\d{1,8})?"),
    "double": re.compile(r"[+-]?\d{1,15}(\.\d{1,17})?"),
    "date": re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])"),
}
"""What both engines read alike."""
_UNITS = {"year": 12, "month": 1}
_MILLIS = {"day": 86_400_000, "hour": 3_600_000, "minute": 60_000, "second": 1000}


def literal(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a text or a number; a number takes the type that it has in Trino."""
    kind = tr.kind(node)
    if node.args.get("is_string"):
        return text(str(node.this))
    return cast(exp.Literal.number(str(node.this)), physical(kind))


def constant(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Keep what is the same in both."""
    return node.copy()


def null(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate NULL."""
    return exp.null()


def hexadecimal(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``X'…'``."""
    return call("from_hex", text(str(node.this)))


def typed_literal(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``DATE '…'``, ``TIMESTAMP '…'``, ``DECIMAL '…'`` and casts; both are one node."""
    inner = node.this
    if not (isinstance(inner, exp.Literal) and inner.is_string):
        return cast_rule(tr, node)
    wanted = read_type(node.args["to"].sql("trino"))
    made = _literal_of(inner.this, wanted) if wanted is not None else None
    return made if made is not None else cast_rule(tr, node)


def _literal_of(given: str, wanted: TrinoType) -> exp.Expr | None:
    """Write a moment that is known already."""
    plain = _PLAIN.get(wanted.base)
    if plain is not None and plain.fullmatch(given):
        return cast(text(given), physical(wanted))
    try:
        if wanted.base == "timestamp":
            shown, zone = read_timestamp(given, min(wanted.precision, 6))
            return _moment(shown) if not zone else None
        if wanted.base == ZONED_TIMESTAMP:
            return _zoned_literal(given, wanted)
    except (TrinoFault, ValueError):
        return None
    return None


def _zoned_literal(given: str, wanted: TrinoType) -> exp.Expr:
    shown, zone = read_timestamp(given, min(wanted.precision, 6))
    name = zone_of(zone or "UTC")[0]
    moment = instant(shown, name)
    if local(moment, name) != shown:
        raise fault("INVALID_LITERAL", f"'{given}' is not a valid TIMESTAMP literal")
    return struct({"i": _moment(moment), "z": text(name)})


def _moment(shown: datetime) -> exp.Expr:
    return cast(text(shown.isoformat(sep=" ")), "TIMESTAMP")


def interval(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate an interval: months, or days and milliseconds."""
    unit = node.args.get("unit")
    first = (unit.this if isinstance(unit, exp.IntervalSpan) else unit) if unit else None
    name = first.name.lower().rstrip("s") if isinstance(first, exp.Expr) else ""
    value = node.this
    found = _INTERVAL.fullmatch(value.name.strip()) if isinstance(value, exp.Literal) else None
    if found is None:
        raise tr.refused(f"The interval {node.sql('trino')}", node)
    sign = -1 if found[1] else 1
    if name in _UNITS:
        months = int(found[2]) * _UNITS[name] + int(found[3] or 0)
        return call("to_months", number(sign * months))
    return _day_second(tr, node, name, found, sign)


def _day_second(
    tr: Translator, node: exp.Expr, name: str, found: re.Match[str], sign: int
) -> exp.Expr:
    order = list(_MILLIS)
    if name not in order or found[3]:
        raise tr.refused(f"The interval {node.sql('trino')}", node)
    at = order.index(name)
    millis = int(found[2]) * _MILLIS[name] + int((found[7] or "0").ljust(3, "0")[:3])
    parts = [found[4], found[5], found[6]] if name == "day" else [found[5], found[6]]
    for unit, part in zip(order[at + 1 :], parts, strict=False):
        millis += int(part or 0) * _MILLIS[unit]
    return call("to_milliseconds", number(sign * millis))


def written_number(node: exp.Expr) -> int | None:
    """Return a whole number that is written as one, with its sign; None for all else."""
    sign = 1
    while isinstance(node, (exp.Neg, exp.Paren)):
        sign = -sign if isinstance(node, exp.Neg) else sign
        node = node.this
    if isinstance(node, exp.Literal) and node.is_int:
        return sign * int(node.name)
    return None
