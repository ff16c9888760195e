"""Arithmetic and ``||``."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    atom,
    call,
    cast,
    field,
    filled,
    filled_once,
    once,
    text,
)
from querymend.tools.engines.stand_in.translate.cast_moments import wall_clock
from querymend.tools.engines.stand_in.translate.coercions import coerced, zoned
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP, physical
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.types.coercion import as_decimal, common_type
from querymend.tools.sql.types.model import (
    DAY_SECOND,
    INTEGERS,
    INTERVALS,
    NUMBERS,
    TEXTS,
    UNKNOWN,
    VARCHAR,
    YEAR_MONTH,
    TrinoType,
    array,
    decimal,
)

_SYMBOLS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}
_BY_ZERO = "error('DIVISION_BY_ZERO: Division by zero')"
_STAMPS = ("date", "timestamp", ZONED_TIMESTAMP)


def arithmetic(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``+ - * / %``."""
    left, right = tr.kind(node.this), tr.kind(node.expression)
    symbol = _SYMBOLS[type(node)]
    gives = tr.kind(node)
    if UNKNOWN in (left, right):
        tr.expr(node.this), tr.expr(node.expression)
        return cast(exp.null(), physical(gives))
    if left.base in NUMBERS and right.base in NUMBERS:
        a, b = tr.expr(node.this), tr.expr(node.expression)
        return calculated(symbol, a, left, b, right, gives)
    return _moments(tr, node, symbol, left, right)


def calculated(
    symbol: str, a: exp.Expr, left: TrinoType, b: exp.Expr, right: TrinoType, gives: TrinoType
) -> exp.Expr:
    """Return arithmetic of two numbers, in the type that Trino gives it."""
    if gives.base == "decimal":
        return _decimals(symbol, a, left, b, right, gives)
    x, y = coerced(a, left, gives), coerced(b, right, gives)
    if gives.base in INTEGERS and symbol == "/":
        return filled_once(f"CASE WHEN b = 0 THEN {_BY_ZERO} ELSE a // b END", a=x, b=y)
    if gives.base in INTEGERS and symbol == "%":
        return filled_once(f"CASE WHEN b = 0 THEN {_BY_ZERO} ELSE a % b END", a=x, b=y)
    return cast(filled(f"a {symbol} b", a=x, b=y), physical(gives))


def _decimals(
    symbol: str, a: exp.Expr, left: TrinoType, b: exp.Expr, right: TrinoType, gives: TrinoType
) -> exp.Expr:
    first, second = as_decimal(left), as_decimal(right)
    assert first is not None
    assert second is not None
    a, b = coerced(a, left, first), coerced(b, right, second)
    if symbol in "+-":
        wide = decimal(38, gives.scale)
        x, y = coerced(a, first, wide), coerced(b, second, wide)
        return cast(filled(f"a {symbol} b", a=x, b=y), physical(gives))
    if symbol == "*":
        return cast(filled("a * b", a=a, b=b), physical(gives))
    return divided(symbol, unscaled(a, first), first, unscaled(b, second), second, gives)


def unscaled(node: exp.Expr, kind: TrinoType) -> exp.Expr:
    """Return a decimal's digits as a whole number."""
    if not kind.scale:
        return cast(node, "HUGEINT")
    return cast(filled("replace(CAST(a AS VARCHAR), '.', '')", a=node), "HUGEINT")


def scaled(node: exp.Expr, kind: TrinoType) -> exp.Expr:
    """Return the decimal that has these digits."""
    if not kind.scale:
        return cast(node, physical(kind))
    unit = cast(text(f"0.{'1'.zfill(kind.scale)}"), f"DECIMAL({kind.scale}, {kind.scale})")
    room = 38 - kind.scale
    if kind.precision <= room:
        whole = cast(node, f"DECIMAL({room}, 0)")
        return cast(filled("a * b", a=whole, b=unit), physical(kind))
    return once(node, lambda digits: _scaled_by_parts(digits, unit, kind))


def _scaled_by_parts(digits: exp.Expr, unit: exp.Expr, kind: TrinoType) -> exp.Expr:
    """Put the digits before the point and those behind it together: a product has no room."""
    by = cast(exp.Literal.number(10**kind.scale), "HUGEINT")
    before = cast(filled("a // b", a=digits, b=by), physical(kind))
    behind = cast(filled("a % b", a=digits.copy(), b=by.copy()), f"DECIMAL({kind.scale}, 0)")
    fraction = cast(filled("a * b", a=behind, b=unit), f"DECIMAL({kind.scale}, {kind.scale})")
    wide = f"DECIMAL(38, {kind.scale})"
    return cast(filled("a + b", a=cast(before, wide), b=cast(fraction, wide)), physical(kind))


def divided(
    symbol: str, a: exp.Expr, left: TrinoType, b: exp.Expr, right: TrinoType, gives: TrinoType
) -> exp.Expr:
    """Return a quotient, rounded half up to its scale, or a remainder, from the digits of both."""
    if symbol == "%":
        x = _shifted(a, gives.scale - left.scale)
        y = _shifted(b, gives.scale - right.scale)
        rest = filled_once(f"CASE WHEN b = 0 THEN {_BY_ZERO} ELSE a % b END", a=x, b=y)
        return scaled(rest, gives)
    shift = gives.scale - left.scale + right.scale
    quotient = filled_once(
        f"CASE WHEN b = 0 THEN {_BY_ZERO} ELSE"
        " (CASE WHEN (a < 0) = (b < 0) THEN 1 ELSE -1 END)"
        " * ((2 * abs(a) + abs(b)) // (2 * abs(b))) END",
        a=_shifted(a, shift),
        b=b,
    )
    return scaled(quotient, gives)


def _shifted(node: exp.Expr, digits: int) -> exp.Expr:
    if digits <= 0:
        return node
    return filled("a * b", a=node, b=cast(exp.Literal.number("1" + "0" * digits), "HUGEINT"))


def negative(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``-x``."""
    kind = tr.kind(node)
    if kind.base in INTERVALS:
        return filled("a * -1", a=tr.expr(node.this))
    return cast(exp.Neg(this=atom(tr.expr(node.this))), physical(kind))


def _moments(
    tr: Translator, node: exp.Expr, symbol: str, left: TrinoType, right: TrinoType
) -> exp.Expr:
    a, b = tr.expr(node.this), tr.expr(node.expression)
    if symbol == "-" and left.base in _STAMPS and right.base in _STAMPS:
        return _between(tr, node, a, left, b, right)
    if left.base in INTERVALS and right.base in INTERVALS and symbol in "+-":
        return filled(f"a {symbol} b", a=a, b=b)
    if left.base in INTERVALS and right.base in NUMBERS:
        return _interval_by(tr, node, symbol, a, left, b, right)
    if symbol == "*" and right.base in INTERVALS and left.base in NUMBERS:
        return _interval_by(tr, node, symbol, b, right, a, left)
    if left.base in INTERVALS:
        a, b, left, right = b, a, right, left
    return shifted(tr, node, symbol, a, left, b, right)


def _between(
    tr: Translator, node: exp.Expr, a: exp.Expr, left: TrinoType, b: exp.Expr, right: TrinoType
) -> exp.Expr:
    common = common_type(left, right)
    if common is None:
        raise tr.refused(f"{left} - {right}", node)
    x, y = coerced(a, left, common), coerced(b, right, common)
    if common.base == ZONED_TIMESTAMP:
        x, y = field(x, "i"), field(y, "i")
    x, y = cast(x, "TIMESTAMP"), cast(y, "TIMESTAMP")
    if common.precision <= 3 or common.base == "date":
        return filled("a - b", a=x, b=y)
    apart = once(filled("epoch_us(a) - epoch_us(b) + 500", a=x, b=y), _below)
    return filled("to_microseconds(a)", a=apart)


def _below(micros: exp.Expr) -> exp.Expr:
    """Return the whole milliseconds that are not beyond: an interval has no finer part."""
    return filled("m - ((m % 1000) + 1000) % 1000", m=micros)


def _interval_by(
    tr: Translator,
    node: exp.Expr,
    symbol: str,
    a: exp.Expr,
    kind: TrinoType,
    b: exp.Expr,
    by: TrinoType,
) -> exp.Expr:
    if kind == YEAR_MONTH or by.base == "decimal":
        if by.base not in INTEGERS or symbol == "/":
            raise tr.refused(f"{kind} {symbol} {by}", node)
        return filled("a * b", a=a, b=cast(b, "INTEGER"))
    whole = filled("epoch_ms(a)", a=a)
    factor = cast(b, "DOUBLE")
    if symbol == "/":
        return filled("to_milliseconds(CAST(trunc(a / b) AS BIGINT))", a=whole, b=factor)
    return filled("to_milliseconds(CAST(trunc(a * b) AS BIGINT))", a=whole, b=factor)


def shifted(
    tr: Translator,
    node: exp.Expr,
    symbol: str,
    a: exp.Expr,
    kind: TrinoType,
    step: exp.Expr,
    by: TrinoType,
) -> exp.Expr:
    """Return a date or timestamp moved by an interval."""
    if kind.base == "date" and by == DAY_SECOND:
        return filled(
            f"CASE WHEN epoch_ms(b) % 86400000 <> 0 THEN error('INVALID_FUNCTION_ARGUMENT: Cannot"
            f" {'add' if symbol == '+' else 'subtract'} hour, minutes or seconds"
            f" {'to' if symbol == '+' else 'from'} a date')"
            f" ELSE CAST(a {symbol} b AS DATE) END",
            a=a,
            b=step,
        )
    if kind.base == "date":
        return cast(filled(f"a {symbol} b", a=a, b=step), "DATE")
    if kind.base == "timestamp":
        return filled(f"a {symbol} b", a=a, b=step)
    if kind.base == ZONED_TIMESTAMP and by == DAY_SECOND:
        return zoned(filled(f"a {symbol} b", a=field(a, "i"), b=step), field(a, "z"))
    if kind.base == ZONED_TIMESTAMP:
        moved = filled(f"a {symbol} b", a=wall_clock(a), b=step)
        return zoned(call("qm_instant", moved, field(a, "z")), field(a, "z"))
    raise tr.refused(f"{kind} {symbol} {by}", node)


def joined(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``a || b`` of texts, binaries and arrays."""
    left, right, gives = tr.kind(node.this), tr.kind(node.expression), tr.kind(node)
    if gives.base == "array":
        return _arrays(tr, node, left, right, gives)
    if UNKNOWN in (left, right):
        tr.expr(node.this), tr.expr(node.expression)
        return cast(exp.null(), physical(gives))
    if gives.base == "char":
        first = filled(f"rpad(a, {left.precision}, ' ')", a=tr.expr(node.this))
        return filled("rtrim(a || b, ' ')", a=first, b=tr.expr(node.expression))
    if left.base in TEXTS and right.base in TEXTS:
        return filled("a || b", a=tr.to(node.this, VARCHAR), b=tr.to(node.expression, VARCHAR))
    return filled("a || b", a=tr.expr(node.this), b=tr.expr(node.expression))


def _arrays(
    tr: Translator, node: exp.Expr, left: TrinoType, right: TrinoType, gives: TrinoType
) -> exp.Expr:
    if {UNKNOWN, array(UNKNOWN)} & {left, right} and {left.base, right.base} <= {
        "array",
        "unknown",
    }:
        raise tr.refused("|| of an array and NULL, which may be an array or an element,", node)
    sides = []
    for side, kind in ((node.this, left), (node.expression, right)):
        made = tr.expr(side)
        if kind.base != "array" and kind != UNKNOWN:
            made, kind = call("list_value", made), array(kind)
        sides.append(coerced(made, kind, gives))
    return filled(
        "CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE list_concat(a, b) END",
        a=sides[0],
        b=sides[1],
    )
