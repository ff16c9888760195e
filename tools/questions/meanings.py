"""What the words for spans of time mean: one function a form, from a match and a clock."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from querymend.tools.questions.calendar import (
    MONTHS,
    WEEKDAYS,
    Span,
    Unit,
    add_months,
    last_units,
    latest,
    part_of,
    shifted,
    span_of,
    trailing,
    year_span,
)
from querymend.tools.questions.words import count_of

ORDINAL = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3}
ORDINAL |= {"fourth": 4, "4th": 4, "last": -1, "final": -1}
_STEP = {"last": -1, "previous": -1, "prior": -1, "past": -1, "next": 1}
_UNITS: tuple[Unit, ...] = ("day", "week", "month", "quarter", "year")
_TO_DATE = {"ytd": "year", "qtd": "quarter", "mtd": "month", "wtd": "week"}


@dataclass(frozen=True, kw_only=True)
class Clock:
    """What relative words are read against."""

    today: date
    first_month: int = 1
    """In which month the fiscal year starts."""


def full_date(m: re.Match[str], clock: Clock) -> Span | None:
    """Read: March 5, 2026; without a year, the latest one that has come."""
    month, day, year = _month_number(m["month"]), int(m["day"]), m["year"]
    if year:
        return span_of("day", date(int(year), month, day))
    this = date(clock.today.year, month, day)
    if this > clock.today:
        this = date(clock.today.year - 1, month, day)
    return replace(span_of("day", this), why="the most recent one")


def days_of_month(m: re.Match[str], clock: Clock) -> Span | None:
    """Read: 1 to 5 July 2026."""
    last = full_date(m, clock)
    if last is None:
        return None
    return replace(last, start=last.start.replace(day=int(m["first"])))


def iso(m: re.Match[str], clock: Clock) -> Span:
    """Read: 2026-03-05."""
    return span_of("day", date(int(m["y"]), int(m["m"]), int(m["d"])))


def iso_month(m: re.Match[str], clock: Clock) -> Span:
    """Read: 2026-03."""
    return span_of("month", date(int(m["y"]), int(m["m"]), 1))


def fiscal(m: re.Match[str], clock: Clock) -> Span:
    """FY25, fiscal year 2025, last fiscal year; with or without a quarter."""
    year = m["fy"]
    number = int(year) + (2000 if int(year) < 100 else 0)
    whole = year_span(number, first_month=clock.first_month)
    quarter = group(m, "q1") or group(m, "q2")
    if word := group(m, "nth"):
        quarter = str(ORDINAL[word] if ORDINAL[word] > 0 else 4)
    return _fiscal_why(part_of(whole, "quarter", int(quarter)) if quarter else whole, clock)


def fiscal_relative(m: re.Match[str], clock: Clock) -> Span:
    """Read: Last fiscal year, this fiscal quarter."""
    unit: Unit = "quarter" if m["unit"] == "quarter" else "year"
    current = span_of(unit, clock.today, first_month=clock.first_month)
    return _fiscal_why(shifted(current, _step(m["rel"])), clock)


def _fiscal_why(span: Span, clock: Clock) -> Span:
    month = MONTHS[clock.first_month - 1].capitalize()
    return replace(span, why=f"the fiscal year starts in {month}")


def quarter(m: re.Match[str], clock: Clock) -> Span | None:
    """Read: Q2 2026, the last quarter of 2025, Q4."""
    word = group(m, "q") or m["nth"]
    number = int(word) if word.isdigit() else ORDINAL[word]
    number = 4 if number < 0 else number
    return _part(m, clock, "quarter", number)


def half(m: re.Match[str], clock: Clock) -> Span | None:
    """Read: H1 2025, the second half of last year."""
    word = m["h"] or m["nth"]
    number = int(word) if word.isdigit() else ORDINAL[word]
    return _part(m, clock, "half", 2 if number < 0 else number) if number <= 2 else None


def _part(m: re.Match[str], clock: Clock, unit: Unit, number: int) -> Span:
    """Return a part of the year named, or the newest that has begun."""
    if group(m, "year") or group(m, "rel"):
        year = int(m["year"]) if group(m, "year") else clock.today.year + _step(m["rel"])
        return part_of(year_span(year), unit, number)
    span = latest(lambda y: part_of(year_span(y), unit, number), clock.today)
    return replace(span, why="the most recent one")


def month_of(m: re.Match[str], clock: Clock) -> Span:
    """Read: March 2025, March of last year, March."""
    number = _month_number(m["month"])
    if group(m, "year") or group(m, "rel"):
        year = int(m["year"]) if group(m, "year") else clock.today.year + _step(m["rel"])
        return span_of("month", date(year, number, 1))
    span = latest(lambda y: span_of("month", date(y, number, 1)), clock.today)
    return replace(span, why="the most recent one")


def relative_month(m: re.Match[str], clock: Clock) -> Span:
    """Last March, this March, next March."""
    number = _month_number(m["month"])
    this = span_of("month", date(clock.today.year, number, 1))
    if m["rel"] in ("last", "previous", "past", "prior"):
        return this if this.end < clock.today else shifted(this, -12)
    if m["rel"] == "next":
        return this if this.start > clock.today else shifted(this, 12)
    return this


def relative(m: re.Match[str], clock: Clock) -> Span:
    """Last week, this month, next quarter: calendar units; the past month ends today."""
    unit = _unit(m["unit"])
    if m["rel"] == "past":
        return replace(trailing(unit, 1, clock.today), why="ending today")
    return shifted(span_of(unit, clock.today), _step(m["rel"]))


def last_many(m: re.Match[str], clock: Clock) -> Span:
    """Last N days end today; last N weeks, months … are complete ones; the past N end today."""
    unit = _unit(m["unit"])
    count = count_of(m["count"])
    rest = m.string[m.end() : m.end() + 60]
    excluded = re.match(r"[^.?!;]{0,12}\b(?:exclu\w+|not including|before)\b", rest)
    included = re.match(r"[^.?!;]{0,12}\binclu\w+", rest)
    complete = unit != "day" and m["rel"] in ("last", "previous", "prior")
    if excluded or (complete and not included):
        plural = f"{unit}s" if count > 1 else unit
        span = last_units(unit, count, clock.today)
        return replace(span, why=f"complete {plural} before the current {unit}")
    return replace(trailing(unit, count, clock.today), why="ending today")


def next_many(m: re.Match[str], clock: Clock) -> Span:
    """Read: The next N units after the current one."""
    unit = _unit(m["unit"])
    count = count_of(m["count"])
    current = span_of(unit, clock.today)
    last = shifted(current, count)
    return Span(start=current.end + timedelta(days=1), end=last.end, unit=unit, why="complete")


def ago(m: re.Match[str], clock: Clock) -> Span:
    """Read: N months ago: that whole month."""
    unit = _unit(m["unit"])
    return shifted(span_of(unit, clock.today), -count_of(m["count"]))


def to_date(m: re.Match[str], clock: Clock) -> Span:
    """Read: Year to date, so far this month: up to today."""
    word = next(w for w in m.groups() if w)
    unit = _TO_DATE.get(word, word)
    return Span(
        start=span_of(_unit(unit), clock.today).start,
        end=clock.today,
        unit="day",
        why="ending today",
    )


def same_last_year(m: re.Match[str], clock: Clock) -> Span:
    """Read: The same month last year."""
    unit = _unit(m["unit"])
    return span_of(unit, add_months(clock.today, -12))


def single(offset: int) -> Callable[[re.Match[str], Clock], Span]:
    """Read: Yesterday, today, tomorrow: so many days from today."""
    return lambda m, clock: span_of("day", clock.today + timedelta(days=offset))


def weekday(m: re.Match[str], clock: Clock) -> Span:
    """Read: Last Monday: the one before today."""
    back = (clock.today.weekday() - WEEKDAYS.index(m["weekday"])) % 7 or 7
    return span_of("day", clock.today - timedelta(days=back))


def weekend(m: re.Match[str], clock: Clock) -> Span:
    """Read: Last weekend: Saturday and Sunday."""
    week = shifted(span_of("week", clock.today), _step(m["rel"]))
    return Span(start=week.end - timedelta(days=1), end=week.end, unit="day")


def year(m: re.Match[str], clock: Clock) -> Span:
    """Read: 2024."""
    return year_span(int(m["year"]))


def decade(m: re.Match[str], clock: Clock) -> Span:
    """Read: The 1990s."""
    first = year_span(int(m["decade"]))
    return Span(start=first.start, end=shifted(first, 9).end, unit="year")


def _month_number(name: str) -> int:
    return next(i for i, m in enumerate(MONTHS, start=1) if m.startswith(name[:3]))


def group(m: re.Match[str], name: str) -> str:
    """Return a named group's text; empty where it took no part, or the rule has none."""
    return m.groupdict().get(name) or ""


def _unit(word: str) -> Unit:
    return next(u for u in _UNITS if u == word)


def _step(word: str) -> int:
    return _STEP.get(word, 0)
