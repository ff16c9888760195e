"""Days, weeks, months, quarters and years as spans of days, calendar and fiscal."""

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Unit = Literal["day", "week", "month", "quarter", "half", "year"]
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LENGTH: dict[Unit, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12}


@dataclass(frozen=True, kw_only=True)
class Span:
    """Days from start to end, both within."""

    start: date
    end: date
    unit: Unit
    why: str = ""
    """What was assumed, where the words leave a choice."""


def span_of(unit: Unit, day: date, *, first_month: int = 1) -> Span:
    """Return the unit that a day lies in; weeks start on Monday, years in ``first_month``."""
    if unit == "day":
        return Span(start=day, end=day, unit=unit)
    if unit == "week":
        start = day - timedelta(days=day.weekday())
        return Span(start=start, end=start + timedelta(days=6), unit=unit)
    length = _LENGTH[unit]
    into = (day.month - first_month) % length
    start = add_months(day.replace(day=1), -into)
    return Span(start=start, end=add_months(start, length) - timedelta(days=1), unit=unit)


def shifted(span: Span, by: int) -> Span:
    """Return the unit that lies so many units later; earlier for a negative number."""
    if span.unit in ("day", "week"):
        days = timedelta(days=by * (1 if span.unit == "day" else 7))
        return Span(start=span.start + days, end=span.end + days, unit=span.unit)
    length = _LENGTH[span.unit]
    start = add_months(span.start, by * length)
    return Span(start=start, end=add_months(start, length) - timedelta(days=1), unit=span.unit)


def last_units(unit: Unit, count: int, today: date, *, first_month: int = 1) -> Span:
    """Return the last so many complete units before the one that today lies in."""
    current = span_of(unit, today, first_month=first_month)
    first = shifted(current, -count)
    return Span(start=first.start, end=current.start - timedelta(days=1), unit=unit)


def trailing(unit: Unit, count: int, today: date) -> Span:
    """Return so many units of time that end today."""
    if unit in ("day", "week"):
        days = count * (1 if unit == "day" else 7)
        return Span(start=today - timedelta(days=days - 1), end=today, unit=unit)
    back = add_months(today, -count * _LENGTH[unit])
    return Span(start=back + timedelta(days=1), end=today, unit=unit)


def add_months(day: date, count: int) -> date:
    """Return the same day so many months later, or that month's last day."""
    years, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(years, month + 1, min(day.day, monthrange(years, month + 1)[1]))


def year_span(year: int, *, first_month: int = 1) -> Span:
    """Return a year; a fiscal one is named for the calendar year in which it ends."""
    start = date(year if first_month == 1 else year - 1, first_month, 1)
    return span_of("year", start, first_month=first_month)


def part_of(year: Span, unit: Unit, number: int) -> Span:
    """Return the n-th quarter, half or month of a year."""
    start = add_months(year.start, (number - 1) * _LENGTH[unit])
    return Span(start=start, end=add_months(start, _LENGTH[unit]) - timedelta(days=1), unit=unit)


def latest(make: Callable[[int], Span], today: date) -> Span:
    """Return the newest of a year's spans that has begun: ``in March`` asked in May 2026."""
    this = make(today.year)
    return this if this.start <= today else make(today.year - 1)


def spoken(start: date | None, end: date | None) -> str:
    """Write a span for people: ``1 April to 30 June 2026``."""
    if start is None or end is None:
        if start is None:
            return f"up to {_day(end)}" if end else "any time"
        return f"from {_day(start)} on"
    if start == end:
        return _day(start)
    if start.year != end.year:
        return f"{_day(start)} to {_day(end)}"
    first = str(start.day) if start.month == end.month else f"{start.day} {_month(start)}"
    return f"{first} to {_day(end)}"


def _day(day: date) -> str:
    return f"{day.day} {_month(day)} {day.year}"


def _month(day: date) -> str:
    return MONTHS[day.month - 1].capitalize()
