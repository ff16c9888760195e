"""Numbers as Trino writes and counts them."""

import math
import re
import struct
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation

from querymend.tools.engines.stand_in.runtime.scalar import (
    Scalar,
    TrinoFault,
    invalid,
    scalar,
)

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LONG = 1 << 63
_WIDE = Context(prec=1000)
"""Python's own would fail beyond 28 digits; Trino's decimals have 38."""
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def special(value: float) -> str:
    """Return Java's name of what is no finite number, else an empty text."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return ""


def double_text(value: float) -> str:
    """Write a double as a cast to varchar does: ``1.5E0``."""
    return special(value) or _scientific(repr(value))


def real_text(value: float) -> str:
    """Write a real as a cast to varchar does: with seven digits at most."""
    return special(value) or _scientific(f"{value:.7g}")


def _scientific(text: str) -> str:
    number = Decimal(text)
    if not number:
        return "-0E0" if number.is_signed() else "0E0"
    _, digits, exponent = number.normalize().as_tuple()
    assert isinstance(exponent, int)
    rest = "".join(map(str, digits[1:])) or "0"
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[0]}.{rest}E{len(digits) - 1 + exponent}"


def single(value: float) -> float:
    """Return the float of 32 bits nearest to a value."""
    try:
        nearest: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return nearest


def real_digits(value: float) -> str:
    """Return the fewest digits that name this float of 32 bits; all, as Java, of a whole number."""
    if value.is_integer() and abs(value) < 1 << 31:
        return repr(value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if single(float(text)) == value:
            return text
    return repr(value)


def java_text(value: float, *, digits: str = "") -> str:
    """Write a double as Java does: ``1234567.5``, ``1.0E20``.

    Args:
        value: the number.
        digits: its digits, where they are not those of a double.
    """
    if special(value) or value == 0:
        return special(value) or repr(value)
    shown = digits or repr(value)
    if 1e-3 <= abs(value) < 1e7:
        text = format(Decimal(shown), "f")
        return text if "." in text else f"{text}.0"
    return _scientific(shown)


def rounded(number: Decimal, scale: int) -> Decimal:
    """Round half up to so many digits behind the point, however many there are before it.

    Raises:
        InvalidOperation: it is no finite number.
    """
    return number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _WIDE)


def _to_decimal(text: str, precision: int, scale: int) -> str:
    """Read a decimal, round it half up to the scale, and bound it to the precision."""
    try:
        if not _DECIMAL.fullmatch(text):
            raise InvalidOperation
        return fitted(Decimal(text), precision, scale)
    except InvalidOperation as error:
        message = f"Cannot cast VARCHAR '{text}' to DECIMAL({precision}, {scale})"
        raise TrinoFault("INVALID_CAST_ARGUMENT", message) from error


def fitted(number: Decimal, precision: int, scale: int) -> str:
    """Round a number to a decimal's scale, and write it.

    Raises:
        InvalidOperation: it has more digits than the precision allows.
    """
    found = rounded(number, scale)
    if found.copy_abs() >= Decimal(10) ** (precision - scale):
        raise InvalidOperation
    return format(found, "f")


def _double_to_decimal(value: float, precision: int, scale: int) -> str:
    try:
        return fitted(Decimal(repr(value)), precision, scale)
    except InvalidOperation as error:
        message = f"Cannot cast DOUBLE '{java_text(value)}' to DECIMAL({precision}, {scale})"
        raise TrinoFault("INVALID_CAST_ARGUMENT", message) from error


def _to_base(value: int, radix: int) -> str:
    _check_radix(radix)
    digits = ""
    rest = abs(value)
    while rest or not digits:
        rest, digit = divmod(rest, radix)
        digits = _DIGITS[digit] + digits
    return f"-{digits}" if value < 0 else digits


def _from_base(text: str, radix: int) -> int:
    _check_radix(radix)
    try:
        value = int(text, radix) if "_" not in text and text == text.strip() else None
    except ValueError:
        value = None
    if value is None or not -_LONG <= value < _LONG:
        raise invalid(f"Not a valid base-{radix} number: {text}")
    return value


def _check_radix(radix: int) -> None:
    if not 2 <= radix <= 36:
        raise invalid(f"Radix must be between 2 and 36, got {radix}")


def _bit_count(value: int, bits: int) -> int:
    if not 2 <= bits <= 64:
        raise invalid(f"Bits specified in bit_count must be between 2 and 64, got {bits}")
    half = 1 << (bits - 1)
    if not -half <= value < half:
        raise invalid(f"Number must be representable with the bits specified: {value}")
    return (value & ((1 << bits) - 1)).bit_count()


def _width_bucket(value: float, low: float, high: float, buckets: int) -> int:
    if buckets <= 0:
        raise invalid("bucketCount must be greater than 0")
    if math.isnan(value):
        raise invalid("operand must not be NaN")
    if not math.isfinite(low) or not math.isfinite(high):
        raise invalid("bounds must be finite")
    if low == high:
        raise invalid("bounds cannot equal each other")
    least, most = min(low, high), max(low, high)
    if value < least or value > most or value == most:
        found = 0 if value < least else buckets + 1
    else:
        found = int(buckets * (value - least) / (most - least)) + 1
    return buckets - found + 1 if low > high else found


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("double_text", "DOUBLE", "VARCHAR", double_text),
    scalar("real_text", "FLOAT", "VARCHAR", real_text),
    scalar("to_decimal", "VARCHAR BIGINT BIGINT", "VARCHAR", _to_decimal),
    scalar("double_to_decimal", "DOUBLE BIGINT BIGINT", "VARCHAR", _double_to_decimal),
    scalar("to_base", "BIGINT BIGINT", "VARCHAR", _to_base),
    scalar("from_base", "VARCHAR BIGINT", "BIGINT", _from_base),
    scalar("bit_count", "BIGINT BIGINT", "BIGINT", _bit_count),
    scalar("width_bucket", "DOUBLE DOUBLE DOUBLE BIGINT", "BIGINT", _width_bucket),
)
