"""The form in which results are recorded, and whether two results are equal in it.

Types are spelt as Trino spells them. Decimals, doubles and reals are text, compared within 1e-9;
dates ``2024-01-02``, timestamps ``2024-01-02T03:04:05.000``, with zone ``…+01:00[Europe/Berlin]``;
intervals and times as Trino writes them; ARRAY and ROW are lists, MAP an object, JSON its text,
varbinary hex.
"""

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from functools import cache

from sqlglot import exp

Cell = object
NEAR = 1e-9
_NUMBERS = ("decimal", "double", "real")
_FRACTION = re.compile(r"\((\d+)\)")


def recorded(cell: Cell, kind: str) -> Cell:
    """Return an engine's cell in the recorded form, by its type."""
    if cell is None:
        return None
    name = kind.split("(")[0].strip().lower()
    if name in ("array", "map", "row"):
        return _nested(cell, kind, name)
    return _PLAIN.get(name, _as_is)(cell, kind)


def equal(left: Cell, right: Cell, kind: str) -> bool:
    """Tell whether two recorded cells of one type are the same value."""
    if left is None or right is None:
        return left is right
    name = kind.split("(")[0].strip().lower()
    if name in _NUMBERS:
        return _near(left, right)
    if isinstance(left, list) and isinstance(right, list):
        kinds = _parts(kind) if name == "row" else _parts(kind) * len(left)
        return len(left) == len(right) and all(map(equal, left, right, kinds))
    if isinstance(left, dict) and isinstance(right, dict):
        inner = _parts(kind)[1]
        return left.keys() == right.keys() and all(equal(left[k], right[k], inner) for k in left)
    return left == right


def same_rows(
    left: Sequence[Sequence[Cell]], right: Sequence[Sequence[Cell]], kinds: Sequence[str]
) -> bool:
    """Tell whether two results hold the same rows, however they are ordered."""
    if len(left) != len(right):
        return False
    pairs = zip(_sorted(left, kinds), _sorted(right, kinds), strict=True)
    return all(_same_row(a, b, kinds) for a, b in pairs) or _matched(left, right, kinds)


def same_order(
    left: Sequence[Sequence[Cell]], right: Sequence[Sequence[Cell]], kinds: Sequence[str]
) -> bool:
    """Tell whether two results hold the same rows one after the other."""
    return len(left) == len(right) and all(
        _same_row(a, b, kinds) for a, b in zip(left, right, strict=True)
    )


def _same_row(left: Sequence[Cell], right: Sequence[Cell], kinds: Sequence[str]) -> bool:
    return all(map(equal, left, right, kinds))


def _sorted(rows: Sequence[Sequence[Cell]], kinds: Sequence[str]) -> list[Sequence[Cell]]:
    """Sort by what is exact first, so that numbers that are nearly equal stay side by side."""
    inexact = [k.startswith(_NUMBERS) for k in kinds]

    def key(row: Sequence[Cell]) -> tuple[list[str], list[float]]:
        exact = [repr(c) for c, loose in zip(row, inexact, strict=True) if not loose]
        return exact, [_sortable(c) for c, loose in zip(row, inexact, strict=True) if loose]

    return sorted(rows, key=key)


def _matched(
    left: Sequence[Sequence[Cell]], right: Sequence[Sequence[Cell]], kinds: Sequence[str]
) -> bool:
    """Match row by row: for nested numbers, whose texts sort apart."""
    left_over = list(right)
    for row in left[:2_000]:
        found = next((r for r in left_over if _same_row(row, r, kinds)), None)
        if found is None:
            return False
        left_over.remove(found)
    return not left_over


def _sortable(cell: Cell) -> float:
    return -math.inf if cell is None else float(str(cell))


def _near(left: Cell, right: Cell) -> bool:
    if str(left) == str(right):
        return True
    try:
        a, b = Decimal(str(left)), Decimal(str(right))
    except InvalidOperation:
        return False
    if not (a.is_finite() and b.is_finite()):
        return (a.is_nan() and b.is_nan()) or a == b
    return abs(a - b) <= Decimal(NEAR) * max(abs(a), abs(b))


@cache
def _parts(kind: str) -> tuple[str, ...]:
    """Return the types of an ARRAY's elements, a MAP's keys and values, or a ROW's fields."""
    built = exp.DataType.build(kind, dialect="trino")
    kinds = (e.args["kind"] if isinstance(e, exp.ColumnDef) else e for e in built.expressions)
    return tuple(k.sql("trino").lower() for k in kinds)


def _nested(cell: Cell, kind: str, name: str) -> Cell:
    parts = _parts(kind)
    if name == "map":
        assert isinstance(cell, dict)
        return {_key(k, parts[0]): recorded(v, parts[1]) for k, v in cell.items()}
    values = list(cell.values()) if isinstance(cell, dict) else list(cell)  # type: ignore[call-overload]
    kinds = parts if name == "row" else parts * len(values)
    return [recorded(v, k) for v, k in zip(values, kinds, strict=True)]


def _key(cell: Cell, kind: str) -> str:
    value = recorded(cell, kind)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_is(cell: Cell, kind: str) -> Cell:
    return cell if isinstance(cell, bool | int | str) else str(cell)


def _number(cell: Cell, kind: str) -> str:
    if isinstance(cell, float) and not math.isfinite(cell):
        return "NaN" if math.isnan(cell) else "Infinity" if cell > 0 else "-Infinity"
    return f"{cell:f}" if isinstance(cell, Decimal) else repr(cell)


def _timestamp(cell: Cell, kind: str) -> str:
    assert isinstance(cell, datetime)
    text = cell.replace(tzinfo=None).isoformat(timespec="seconds") + _fraction(cell, kind)
    if cell.tzinfo is None:
        return text
    name = getattr(cell.tzinfo, "key", None)
    offset = f"{cell:%z}"
    zone = f"{offset[:3]}:{offset[3:]}"
    return f"{text}{zone}[{name}]" if name else f"{text}{zone}"


def _time(cell: Cell, kind: str) -> str:
    assert isinstance(cell, time)
    zone = f"{cell:%z}"
    text = cell.replace(tzinfo=None).isoformat(timespec="seconds") + _fraction(cell, kind)
    return f"{text}{zone[:3]}:{zone[3:]}" if zone else text


def _fraction(cell: datetime | time, kind: str) -> str:
    found = _FRACTION.search(kind)
    digits = int(found[1]) if found else 3
    return f".{cell.microsecond:06d}000000"[: digits + 1] if digits else ""


def _date(cell: Cell, kind: str) -> str:
    assert isinstance(cell, date)
    return (cell.date() if isinstance(cell, datetime) else cell).isoformat()


def _hex(cell: Cell, kind: str) -> str:
    assert isinstance(cell, bytes | bytearray)
    return cell.hex()


def _interval(cell: Cell, kind: str) -> str:
    if not isinstance(cell, timedelta):
        return str(cell)
    micros = abs(cell) // timedelta(microseconds=1)
    days, micros = divmod(micros, 86_400_000_000)
    clock = f"{micros // 3_600_000_000:02d}:{micros // 60_000_000 % 60:02d}"
    seconds = f"{micros // 1_000_000 % 60:02d}.{micros // 1_000 % 1_000:03d}"
    return f"{'-' if cell < timedelta(0) else ''}{days} {clock}:{seconds}"


_PLAIN: dict[str, Callable[[Cell, str], Cell]] = {
    "decimal": _number,
    "double": _number,
    "real": _number,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp with time zone": _timestamp,
    "time": _time,
    "time with time zone": _time,
    "varbinary": _hex,
    "interval day to second": _interval,
    "interval year to month": _interval,
}
