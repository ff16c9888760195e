"""Writes dates by a pattern, as Joda does in English."""

from collections.abc import Callable
from datetime import datetime

from querymend.tools.engines.stand_in.runtime.fields import Part
from querymend.tools.engines.stand_in.runtime.scalar import unsupported
from querymend.tools.engines.stand_in.runtime.zones import aware, offset_seconds, offset_text

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBERS: dict[str, Callable[[datetime], int]] = {
    "C": lambda d: d.year // 100,
    "Y": lambda d: d.year,
    "y": lambda d: d.year,
    "x": lambda d: d.isocalendar().year,
    "w": lambda d: d.isocalendar().week,
    "e": lambda d: d.isoweekday(),
    "D": lambda d: d.timetuple().tm_yday,
    "M": lambda d: d.month,
    "d": lambda d: d.day,
    "K": lambda d: d.hour % 12,
    "h": lambda d: d.hour % 12 or 12,
    "H": lambda d: d.hour,
    "k": lambda d: d.hour or 24,
    "m": lambda d: d.minute,
    "s": lambda d: d.second,
}


def write(parts: tuple[Part, ...], shown: datetime, moment: datetime | None, zone: str) -> str:
    """Return a wall clock's date as text.

    Args:
        parts: the pattern.
        shown: the date and time that are written.
        moment: the instant in UTC, where there is a zone.
        zone: its name.
    """
    return "".join(_part(p, shown, moment, zone) for p in parts)


def _part(part: Part, shown: datetime, moment: datetime | None, zone: str) -> str:
    if not part.letter:
        return part.text
    if part.letter in "zZ":
        if moment is None:
            raise unsupported("a zone in the pattern of a date without one")
        return _zone(part, moment, zone)
    return _text(part, shown) or _number(part, shown)


def _text(part: Part, shown: datetime) -> str:
    if part.letter == "E":
        name = DAYS[shown.weekday()]
        return name if part.count >= 4 else name[:3]
    if part.letter == "M" and part.count >= 3:
        name = MONTHS[shown.month - 1]
        return name if part.count >= 4 else name[:3]
    if part.letter == "a":
        return "PM" if shown.hour >= 12 else "AM"
    return "AD" if part.letter == "G" else ""


def _number(part: Part, shown: datetime) -> str:
    if part.letter == "S":
        return f"{shown.microsecond // 1000:03}000000000"[: part.count]
    value = _NUMBERS[part.letter](shown)
    if part.letter in "yYx" and part.count == 2:
        return f"{value % 100:02}"
    return str(value).zfill(part.count)


def _zone(part: Part, moment: datetime, zone: str) -> str:
    if part.letter == "z":
        name = aware(moment, zone).tzname() or ""
        if part.count > 3 or not name.isalpha():
            raise unsupported("the name of a zone in a date pattern")
        return name
    if part.count >= 3:
        return zone
    return offset_text(offset_seconds(moment, zone), ":" if part.count == 2 else "")
