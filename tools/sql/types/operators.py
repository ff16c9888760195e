"""What Trino's operators give: arithmetic of numbers, decimals, dates and intervals.

Decimals follow Trino 435 (which Athena's engine 3 is made of): a quotient keeps the larger scale.
"""

from querymend.tools.sql.types.coercion import as_decimal, common_type
from querymend.tools.sql.types.model import (
    DAY_SECOND,
    INTERVALS,
    NUMBERS,
    TEXTS,
    TIMES,
    UNKNOWN,
    VARCHAR,
    YEAR_MONTH,
    ZONED,
    TrinoType,
    array,
    decimal,
)

_UNORDERED = ("map", "json", "hyperloglog", "setdigest", "tdigest", "qdigest", "color")
_INCOMPARABLE = ("hyperloglog", "setdigest", "tdigest", "qdigest", "color")


def arithmetic(symbol: str, left: TrinoType, right: TrinoType) -> TrinoType | None:
    """Return the type of ``left symbol right``; None where Trino has no such operator.

    Args:
        symbol: one of ``+ - * / %``.
        left: the type of the left operand.
        right: the type of the right operand.
    """
    if left == UNKNOWN and right == UNKNOWN:
        return None
    if left.base in NUMBERS and right.base in NUMBERS:
        return _numbers(symbol, left, right)
    if UNKNOWN in (left, right):
        return _with_null(symbol, left, right)
    return _moments(symbol, left, right)


def _numbers(symbol: str, left: TrinoType, right: TrinoType) -> TrinoType | None:
    common = common_type(left, right)
    if common is None or common.base != "decimal":
        return common
    a, b = as_decimal(left), as_decimal(right)
    assert a is not None
    assert b is not None
    return _decimals(symbol, a, b)


def _decimals(symbol: str, a: TrinoType, b: TrinoType) -> TrinoType | None:
    wide, whole = max(a.scale, b.scale), (a.precision - a.scale, b.precision - b.scale)
    if symbol in "+-":
        return decimal(max(whole) + wide + 1, wide)
    if symbol == "*":
        scale = a.scale + b.scale
        return decimal(a.precision + b.precision, scale) if scale <= 38 else None
    if symbol == "/":
        return decimal(a.precision + b.scale + max(b.scale - a.scale, 0), wide)
    return decimal(min(whole) + wide, wide)


def _with_null(symbol: str, left: TrinoType, right: TrinoType) -> TrinoType | None:
    """Take a bare NULL for a value of the other side's own type."""
    known = right if left == UNKNOWN else left
    if known.base in NUMBERS:
        return _numbers_with_null(symbol, left, right, known)
    return _moments(symbol, known, known)


def _numbers_with_null(
    symbol: str, left: TrinoType, right: TrinoType, known: TrinoType
) -> TrinoType | None:
    if known.base != "decimal":
        return known
    null = decimal(1, 0)
    return _decimals(symbol, null if left == UNKNOWN else left, null if right == UNKNOWN else right)


def _moments(symbol: str, left: TrinoType, right: TrinoType) -> TrinoType | None:
    if symbol in "*/":
        return _scaled(symbol, left, right)
    if symbol == "-" and (
        (_is_stamp(left) and _is_stamp(right)) or (_is_time(left) and _is_time(right))
    ):
        return DAY_SECOND
    if left.base in INTERVALS and right.base in INTERVALS:
        return left if left == right and symbol in "+-" else None
    if symbol == "+" and left.base in INTERVALS:
        left, right = right, left
    return _shifted(left, right) if symbol in "+-" else None


def _is_stamp(kind: TrinoType) -> bool:
    return kind.base in ("date", "timestamp", f"timestamp{ZONED}")


def _is_time(kind: TrinoType) -> bool:
    return kind.base in ("time", f"time{ZONED}")


def _scaled(symbol: str, left: TrinoType, right: TrinoType) -> TrinoType | None:
    """Return an interval times or by a number."""
    if left.base in INTERVALS and right.base in NUMBERS:
        return left
    if symbol == "*" and right.base in INTERVALS and left.base in NUMBERS:
        return right
    return None


def _shifted(moment: TrinoType, step: TrinoType) -> TrinoType | None:
    """Return a date, time or timestamp moved by an interval."""
    if step == DAY_SECOND and moment.base in TIMES and moment.base.startswith("timestamp"):
        return TrinoType(moment.base, (max(3, moment.precision),))
    if step == DAY_SECOND and moment.base in ("date", *TIMES):
        return moment
    if step == YEAR_MONTH and _is_stamp(moment):
        return moment
    return None


def negated(kind: TrinoType) -> TrinoType | None:
    """Return the type of ``-x``; None where Trino cannot negate it."""
    return kind if kind.base in NUMBERS or kind.base in INTERVALS else None


def joined(left: TrinoType, right: TrinoType) -> TrinoType | None:
    """Return the type of ``left || right``; None where Trino cannot join the two."""
    if UNKNOWN in (left, right):
        return _joined_null(right if left == UNKNOWN else left)
    if "array" in (left.base, right.base):
        return _appended(left, right)
    if left.base == right.base == "varbinary":
        return left
    texts = left.base in TEXTS and right.base in TEXTS
    if texts and "char" in (left.base, right.base) and left.sizes and right.sizes:
        return TrinoType("char", (left.precision + right.precision,))
    return VARCHAR if texts else None


def _joined_null(known: TrinoType) -> TrinoType | None:
    """Return what a value joined with a bare NULL is for Trino: an array, oddly."""
    if known.base in ("array", "varbinary"):
        return known
    return array(known) if known not in (VARCHAR, UNKNOWN) else None


def _appended(left: TrinoType, right: TrinoType) -> TrinoType | None:
    both = left.base == right.base
    first = left if both or left.base == "array" else TrinoType("array", (), (left,))
    second = right if both or right.base == "array" else TrinoType("array", (), (right,))
    return common_type(first, second)


def comparable(left: TrinoType, right: TrinoType, *, ordered: bool) -> bool:
    """Tell whether Trino compares the two: ``=`` and ``IN``, or with ``ordered`` also ``<``."""
    common = common_type(left, right)
    return common is not None and can_compare(common, ordered=ordered)


def can_compare(kind: TrinoType, *, ordered: bool) -> bool:
    """Tell whether values of a type have an equality, or with ``ordered`` an order."""
    never = _UNORDERED if ordered else _INCOMPARABLE
    return kind.base not in never and all(can_compare(p, ordered=ordered) for p in kind.parts)
