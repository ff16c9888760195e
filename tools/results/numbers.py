"""Numbers in a text, held against the rows that it speaks of."""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal

from querymend.tools.engines.engine import Result

_UNITS = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
}
_NUMBER = re.compile(
    r"(?<![\w.])[-\u2212+]?[$\u20ac\u00a3]?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?P<power>e[-+]?\d+)?"
    r"(?P<unit>\s?(?:k|m|mn|b|bn|thousand|million|billion)\b)?(?P<percent>\s?%| percent\b)?",
    re.I,
)
_ABOUT = re.compile(r"(?:about|around|roughly|approximately|nearly|almost|over|some|~)\s*$", re.I)
_LIST_MARK = re.compile(r"^\s*\d{1,3}[.)]\s", re.M)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.I)


@dataclass(frozen=True, kw_only=True)
class _Written:
    """One number as a text has it."""

    text: str
    value: float
    slack: float
    """How far a rounded number may lie from the exact one."""
    percent: bool


def numbers_in_rows(text: str, result: Result, *, allowed: Sequence[str] = ()) -> list[str]:
    """Return the numbers of a text that occur in no row, as written.

    A number may be rounded to the digits written, scaled (4.1 million), a percentage of a
    cell between 0 and 1, the count of rows or columns, part of a date or of a text cell, a
    list's number, or stand in one of the ``allowed`` texts (the question, assumptions).
    """
    values = sorted({*_cell_numbers(result), *_counts(result)})
    said = {w.value for a in allowed for w in _written(a)}
    return [w.text for w in _written(text) if w.value not in said and not _occurs(w, values)]


def _written(text: str) -> Iterable[_Written]:
    text = _LIST_MARK.sub("", text)
    for found in _NUMBER.finditer(text):
        if found["unit"] is None and _ORDINAL.match(text, found.end()):
            continue
        yield _number(found, rough=bool(_ABOUT.search(text[: found.start()])))


def _number(found: re.Match[str], *, rough: bool) -> _Written:
    digits = found["digits"].replace(",", "")
    scale = _UNITS.get((found["unit"] or "").strip().lower(), 1.0)
    scale *= float("1" + found["power"]) if found["power"] else 1.0
    decimals = len(digits.partition(".")[2])
    unit = 10.0**-decimals
    if rough and not decimals:
        unit = 10.0 ** (len(digits) - len(digits.rstrip("0")))
    return _Written(
        text=found.group().strip(),
        value=float(digits) * scale,
        slack=unit * scale / 2,
        percent=found["percent"] is not None,
    )


def _occurs(number: _Written, values: Sequence[float]) -> bool:
    if _among(number.value, number.slack, values):
        return True
    return number.percent and _among(number.value / 100, number.slack / 100, values)


def _among(value: float, slack: float, values: Sequence[float]) -> bool:
    """Tell whether any of the sorted values is that near."""
    near = slack * (1 + 1e-9) + 1e-9
    place = bisect_left(values, value - near)
    return place < len(values) and values[place] <= value + near


def _counts(result: Result) -> Iterable[float]:
    rows = len(result.rows)
    yield from (float(rows), float(len(result.columns)))


def _cell_numbers(result: Result) -> Iterable[float]:
    for row in result.rows:
        for cell in row:
            yield from _numbers_of(cell)


def _numbers_of(cell: object) -> Iterable[float]:
    """Return a cell's numbers without sign; of dates and texts, the ones in them."""
    if isinstance(cell, bool) or cell is None:
        return
    if isinstance(cell, int | float | Decimal):
        if math.isfinite(cell):
            yield abs(float(cell))
    elif isinstance(cell, list | tuple):
        for item in cell:
            yield from _numbers_of(item)
    else:
        text = cell.isoformat() if isinstance(cell, date | time) else str(cell)
        yield from (float(n) for n in re.findall(r"\d+(?:\.\d+)?", text)[:50])
        yield from (w.value for w in _written(text))
