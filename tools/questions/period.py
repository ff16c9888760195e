"""Periods that a question names, resolved to days by an injected clock."""

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from querymend.tools.questions.calendar import add_months, spoken
from querymend.tools.questions.meanings import Clock
from querymend.tools.questions.quoted import blanked
from querymend.tools.questions.spans import Found, spans_in

Kind = Literal["day", "week", "month", "quarter", "half", "year", "range", "open"]

_BEFORE = re.compile(
    r"\b(since|from|starting|beginning|on or after|after|later than|before|prior to|earlier than|"
    r"on or before|until|till|up to|through|between)(?: in| on| from)?(?: the)?(?: (start|beginning"
    r"|end) of)?(?: the)?(?: year)?\s*$"
)
_ASIDE = re.compile(r"\b(?:exclu\w+|not including|inclu\w+|except)(?: of)?(?: the)?\s*$")
"""What only says where another period ends is none itself."""
_JOIN = re.compile(
    r"\s*(?:inclusive|exclusive|,)?\s*(?:and|to|until|till|through|thru|-|\u2013)\s*"
    r"(?:the )?(?:year )?"
)
_RANGE_STARTS = ("from", "between", "since", "starting", "beginning")


@dataclass(frozen=True, kw_only=True)
class Period:
    """A span of days that a phrase of the question names."""

    phrase: str
    """As the question has it: ``last quarter``."""
    start: date | None
    """First day within; None where it is open."""
    end: date | None
    """Last day within; None where it is open."""
    kind: Kind
    relative: bool = False
    """Its reading has to be said: the day of asking, or a choice, decides it."""
    why: str = ""
    """What was chosen where the words leave a choice: ``ending today``."""

    @property
    def text(self) -> str:
        """Say the reading to people: ``last quarter = 1 April to 30 June 2026``."""
        note = f" ({self.why})" if self.why else ""
        return f"{self.phrase} = {spoken(self.start, self.end)}{note}"

    @property
    def bounds(self) -> str:
        """Say the reading to a writer of SQL: ``last quarter = 2026-04-01 to 2026-06-30``."""
        first = self.start.isoformat() if self.start else "any day"
        last = self.end.isoformat() if self.end else "any day"
        return f"{self.phrase} = {first} to {last}"

    def holds(self, day: date) -> bool:
        """Tell whether a day lies within."""
        late = self.start is None or self.start <= day
        return late and (self.end is None or day <= self.end)


def resolve_periods(
    question: str, today: date, *, fiscal_start_month: int = 1
) -> tuple[Period, ...]:
    """Return the periods that a question in English names, in its order.

    Weeks start on Monday. "Last quarter" is the calendar quarter before today's,
    "last 3 months" are the three complete months before this one, "last 7 days" and
    "the past 3 months" end today, "in March" is the latest March that has begun.
    A fiscal year is named for the calendar year in which it ends. A phrase that is
    not known gives nothing.

    Raises:
        ValueError: the fiscal start month is not between 1 and 12.
    """
    if not 1 <= fiscal_start_month <= 12:
        raise ValueError(f"a fiscal year starts in month 1 to 12, not {fiscal_start_month}")
    text = blanked(question)
    clock = Clock(today=today, first_month=fiscal_start_month)
    found = [f for f in spans_in(text, clock) if not _ASIDE.search(text[: f.begin].lower())]
    periods: list[Period] = []
    while found:
        one = found.pop(0)
        other = found[0] if found and _joined(text, one, found[0]) else None
        if other is not None:
            found.pop(0)
            periods.append(_range(question, text, one, other))
        else:
            periods.append(_bounded(question, text, one, today))
    return tuple(periods)


def _lead(text: str, found: Found) -> re.Match[str] | None:
    return _BEFORE.search(text[: found.begin].lower())


def _joined(text: str, one: Found, other: Found) -> bool:
    """Two spans make one range: between X and Y, from X to Y.

    Two that are told in full and run backwards are compared: the difference between 2026 and 2025.
    """
    if one.span.start > other.span.end and not (one.span.why or other.span.why):
        return False
    lead = _lead(text, one)
    between = text[one.finish : other.begin].lower()
    if not _JOIN.fullmatch(between):
        return False
    ranged = lead is not None and lead.group(1) in _RANGE_STARTS
    return ranged or "to" in between.split() or between.strip() in {"-", "\u2013", "through"}


def _range(question: str, text: str, one: Found, other: Found) -> Period:
    start, end = one.span.start, other.span.end
    if one.span.why and not other.span.why:
        start = start.replace(year=other.span.start.year)
    if start > end:
        start = add_months(start, -12)
    if "exclusive" in text[other.finish : other.finish + 12].lower():
        end = other.span.start - timedelta(days=1)
    lead = _lead(text, one)
    return Period(
        phrase=_phrase(question, lead.start(1) if lead else one.begin, other.finish),
        start=start,
        end=end,
        kind="range",
        relative=other.relative,
        why=other.span.why,
    )


def _bounded(question: str, text: str, one: Found, today: date) -> Period:
    """Apply since, before, after or until to a span."""
    whole = Period(
        phrase=_phrase(question, one.begin, one.finish),
        start=one.span.start,
        end=one.span.end,
        kind=one.span.unit if one.span.why in ("", "the most recent one") else "range",
        relative=one.relative,
        why=one.span.why,
    )
    lead = _lead(text, one)
    if lead is None:
        return whole
    phrase = _phrase(question, lead.start(1), one.finish)
    if lead.group(1) == "between" or (lead.group(1) == "from" and _is_range(one)):
        return replace(whole, phrase=phrase, kind="range")
    start, end = _open(lead.group(1), lead.group(2) or "", whole, today)
    return replace(whole, phrase=phrase, start=start, end=end, kind="open")


def _is_range(found: Found) -> bool:
    """The span is several days by itself: from 1 to 5 July."""
    return found.span.unit == "day" and found.span.start != found.span.end


def _open(word: str, edge: str, whole: Period, today: date) -> tuple[date | None, date | None]:
    start, end = whole.start, whole.end
    if start is None or end is None:
        return start, end
    edges = {"start": (start, start), "beginning": (start, start), "end": (end, end)}
    start, end = edges.get(edge, (start, end))
    if word in ("before", "prior to", "earlier than"):
        return None, start - timedelta(days=1)
    if word in ("until", "till", "up to", "through", "on or before"):
        return None, end
    if word in ("after", "later than"):
        return end + timedelta(days=1), None
    return start, today if start <= today else None


def _phrase(question: str, begin: int, finish: int) -> str:
    return " ".join(question[begin:finish].split())
