"""Reads dates by a pattern, as Joda does in English."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from querymend.tools.engines.stand_in.runtime.date_text import DAYS, MONTHS
from querymend.tools.engines.stand_in.runtime.fields import Part
from querymend.tools.engines.stand_in.runtime.scalar import TrinoFault, invalid, unsupported

_WIDTH = {"D": 3, "d": 2, "M": 2, "H": 2, "h": 2, "K": 2, "k": 2, "m": 2, "s": 2}
_OFFSET = re.compile(r"Z|[+-]\d{2}(?::?\d{2})?")
_NAMES: dict[str, Sequence[str]] = {"M": MONTHS, "E": DAYS, "a": ("AM", "PM")}
Held = dict[str, int]


class Reader:
    """One text on its way through one pattern."""

    def __init__(self, text: str, parts: tuple[Part, ...], *, pivot: int) -> None:
        self._text = text
        self._parts = parts
        self._pivot = pivot
        self._at = 0
        self._held: Held = {}
        self.zone = ""
        """The zone that the text named, if it did."""

    def read(self) -> datetime:
        """Return the date and time that the text tells; what it leaves out is 1970-01-01 00:00.

        Raises:
            TrinoFault: the text is not of the pattern, or there is no such date.
        """
        for place, part in enumerate(self._parts):
            self._take(part, self._parts[place + 1] if place + 1 < len(self._parts) else None)
        if self._at < len(self._text):
            raise self._malformed()
        return _moment(self._held)

    def _take(self, part: Part, after: Part | None) -> None:
        if not part.letter:
            self._literal(part.text)
        elif part.letter == "S":
            self._fraction(part)
        elif part.letter in "zZ":
            self._offset(part)
        elif part.numeric:
            self._number(part, after)
        else:
            self._name(part)

    def _literal(self, text: str) -> None:
        found = self._text[self._at : self._at + len(text)]
        if found.lower() != text.lower():
            raise self._malformed()
        self._at += len(text)

    def _number(self, part: Part, after: Part | None) -> None:
        if part.letter not in _WIDTH and part.letter not in "yY":
            raise unsupported(f"'{part.letter}' in a pattern that is read")
        packed = after is not None and after.numeric
        width = _WIDTH.get(part.letter, part.count if packed else 9)
        found = re.match(r"[+-]?\d+" if part.letter in "yY" else r"\d+", self._text[self._at :])
        if not found:
            raise self._malformed()
        digits = found[0][:width]
        self._at += len(digits)
        value = int(digits)
        if part.letter in "yY" and part.count == 2 and len(digits) == 2:
            value = _full_year(value, self._pivot)
        self._held["y" if part.letter == "Y" else part.letter] = value

    def _fraction(self, part: Part) -> None:
        found = re.match(rf"\d{{1,{max(part.count, 9 if part.count == 6 else 1)}}}", self._rest())
        if not found:
            raise self._malformed()
        self._held["S"] = int(found[0].ljust(9, "0")[:3])
        self._at += found.end()

    def _name(self, part: Part) -> None:
        names = _NAMES.get(part.letter)
        if names is None:
            raise unsupported(f"'{part.letter}' in a pattern that is read")
        rest = self._rest().lower()
        for number, name in enumerate(names, start=1):
            for form in (name, name[:3]):
                if rest.startswith(form.lower()):
                    self._held[part.letter] = number
                    self._at += len(form)
                    return
        raise self._malformed()

    def _offset(self, part: Part) -> None:
        found = _OFFSET.match(self._rest())
        if part.letter == "z" or part.count > 2:
            raise unsupported("the name of a zone in a pattern that is read")
        if not found:
            raise self._malformed()
        self.zone = found[0]
        self._at += found.end()

    def _rest(self) -> str:
        return self._text[self._at :]

    def _malformed(self) -> TrinoFault:
        if self._at >= len(self._text):
            return invalid(f'Invalid format: "{self._text}" is too short')
        if self._at == 0:
            return invalid(f'Invalid format: "{self._text}"')
        return invalid(f'Invalid format: "{self._text}" is malformed at "{self._rest()}"')


def _full_year(value: int, pivot: int) -> int:
    """Return the year of two digits that lies between 50 before the pivot and 49 after it."""
    low = pivot - 50
    return low + (value - low) % 100


def _moment(held: Held) -> datetime:
    year = held.get("y", 1970)
    try:
        day = datetime(year, held.get("M", 1), held.get("d", 1))
        if "D" in held:
            day = datetime(year, 1, 1) + timedelta(days=_within(held["D"], 1, 366) - 1)
        if "E" in held and not {"d", "D"} & set(held):
            raise unsupported("a day of the week without a date in a pattern that is read")
        return day.replace(
            hour=_hour(held),
            minute=held.get("m", 0),
            second=held.get("s", 0),
            microsecond=held.get("S", 0) * 1000,
        )
    except TrinoFault:
        raise
    except ValueError as error:
        raise invalid(f"Invalid value in a date: {error}") from error


def _hour(held: Held) -> int:
    half = 12 * (held.get("a", 1) - 1)
    readers: dict[str, Callable[[int], int]] = {
        "H": lambda v: v,
        "k": lambda v: _within(v, 1, 24) % 24,
        "h": lambda v: _within(v, 1, 12) % 12 + half,
        "K": lambda v: _within(v, 0, 11) + half,
    }
    return next((read(held[letter]) for letter, read in readers.items() if letter in held), 0)


def _within(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise invalid(f"Value {value} must be in the range [{low},{high}]")
    return value
