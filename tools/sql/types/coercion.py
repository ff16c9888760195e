"""What Trino turns into what by itself: implicit casts and the common type of several.

The rules are those of Trino's ``TypeCoercion``: numbers widen, dates become timestamps, texts grow;
nothing turns a text into a number or a date, nor the other way round.
"""

from collections.abc import Iterable

from querymend.tools.sql.types.model import (
    INTEGERS,
    NUMBERS,
    TEXTS,
    UNKNOWN,
    ZONED,
    TrinoType,
    decimal,
)

_DIGITS = {"tinyint": 3, "smallint": 5, "integer": 10, "bigint": 19}
_WIDEN = {
    "date": ("timestamp", f"timestamp{ZONED}"),
    "timestamp": (f"timestamp{ZONED}",),
    "time": (f"time{ZONED}",),
}
_PATTERNS = ("joniregexp", "jsonpath", "codepoints", "jsonpath2016")
"""Types that Trino makes of a text for itself."""


def as_decimal(kind: TrinoType) -> TrinoType | None:
    """Return the decimal that holds every value of an integer type or decimal."""
    if kind.base in _DIGITS:
        return decimal(_DIGITS[kind.base], 0)
    return kind if kind.base == "decimal" else None


def coerces(given: TrinoType, wanted: TrinoType) -> bool:
    """Tell whether Trino casts the one to the other by itself."""
    if given in (wanted, UNKNOWN):
        return True
    if wanted.base in _PATTERNS:
        return given.base in TEXTS
    if given.base in TEXTS and wanted.base in TEXTS:
        return _text_fits(given, wanted)
    common = common_type(given, wanted)
    return common is not None and _same(common, wanted)


def _text_fits(given: TrinoType, wanted: TrinoType) -> bool:
    if given.base == "varchar" and wanted.base == "char":
        return True
    return not wanted.sizes or (bool(given.sizes) and given.precision <= wanted.precision)


def _same(left: TrinoType, right: TrinoType) -> bool:
    """Tell whether two types differ at most in the names of fields."""
    mine = (left.base, left.sizes, len(left.parts))
    if mine != (right.base, right.sizes, len(right.parts)):
        return False
    return all(_same(a, b) for a, b in zip(left.parts, right.parts, strict=True))


def common_of(kinds: Iterable[TrinoType]) -> TrinoType | None:
    """Return the common type of several; None where two of them have none."""
    found: TrinoType | None = UNKNOWN
    for kind in kinds:
        if found is None:
            return None
        found = common_type(found, kind)
    return found


def common_type(left: TrinoType, right: TrinoType) -> TrinoType | None:
    """Return the smallest type that both turn into; None where there is none."""
    if left == right or right == UNKNOWN:
        return left
    if left == UNKNOWN:
        return right
    if left.base in NUMBERS and right.base in NUMBERS:
        return _number(left, right)
    if left.base in TEXTS and right.base in TEXTS:
        return _text(left, right)
    if left.base == right.base and left.parts:
        return _nested(left, right)
    return _moment(left, right)


def _number(left: TrinoType, right: TrinoType) -> TrinoType:
    for wide in ("double", "real"):
        if wide in (left.base, right.base):
            return TrinoType(wide)
    if left.base in INTEGERS and right.base in INTEGERS:
        return max(left, right, key=lambda t: INTEGERS.index(t.base))
    a, b = as_decimal(left), as_decimal(right)
    assert a is not None
    assert b is not None
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return decimal(whole + scale, scale)


def _text(left: TrinoType, right: TrinoType) -> TrinoType:
    base = "char" if "char" in (left.base, right.base) else "varchar"
    if not left.sizes or not right.sizes:
        return TrinoType("varchar")
    return TrinoType(base, (max(left.precision, right.precision),))


def _nested(left: TrinoType, right: TrinoType) -> TrinoType | None:
    if len(left.parts) != len(right.parts):
        return None
    parts = [common_type(a, b) for a, b in zip(left.parts, right.parts, strict=True)]
    if any(p is None for p in parts):
        return None
    names = tuple(a if a == b else None for a, b in zip(left.names, right.names, strict=False))
    return TrinoType(left.base, (), tuple(p for p in parts if p is not None), names)


def _moment(left: TrinoType, right: TrinoType) -> TrinoType | None:
    """Return the common type of dates, times and timestamps."""
    if left.base == right.base and left.sizes and right.sizes and left.base != "decimal":
        return max(left, right, key=lambda t: t.precision)
    for low, high in ((left, right), (right, left)):
        if high.base in _WIDEN.get(low.base, ()):
            return TrinoType(high.base, (max(low.precision, high.precision),))
    return None
