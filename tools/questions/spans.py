"""The words for spans of time, each rule a pattern and what it means."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from querymend.tools.questions import meanings
from querymend.tools.questions.calendar import MONTHS, WEEKDAYS, Span
from querymend.tools.questions.words import COUNT

_UNIT = "day|week|month|quarter|year"
_MONTH_NAMES = "|".join([*MONTHS, *(m[:3] for m in MONTHS if m != "may"), "sept"])
_MONTH = rf"(?P<month>{_MONTH_NAMES})\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_FIRST = r"(?P<first>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_NTH = "|".join(meanings.ORDINAL)
_REL = r"(?P<rel>last|previous|prior|past|this|the current|current|next)"
_WHICH = rf"(?:(?: of|,| in)?(?: the)? (?:{_YEAR}|{_REL}(?P<ofyear> year)))?"


@dataclass(frozen=True, kw_only=True)
class Found:
    """A span and the place of its words in the question."""

    begin: int
    finish: int
    span: Span
    relative: bool
    """It depends on the day on which it was asked."""


Meaning = Callable[[re.Match[str], meanings.Clock], Span | None]
Rule = tuple[re.Pattern[str], Meaning, bool]
"""A pattern, what it means, and whether that depends on the day on which it is asked."""


def spans_in(question: str, clock: meanings.Clock) -> list[Found]:
    """Return the spans that a question names, in order; rules listed first take the words."""
    text = question.lower().replace("\u2019", "'")
    found: list[Found] = []
    for pattern, meaning, relative in RULES:
        for match in pattern.finditer(text):
            free = all(match.end() <= f.begin or f.finish <= match.start() for f in found)
            span = _read(meaning, match, clock) if free else None
            if span is not None:
                rel = relative or bool(meanings.group(match, "rel")) or bool(span.why)
                place = (match.start(), match.end())
                found.append(Found(begin=place[0], finish=place[1], span=span, relative=rel))
    return sorted(found, key=lambda f: f.begin)


def _read(meaning: Meaning, match: re.Match[str], clock: meanings.Clock) -> Span | None:
    """Read one match; a day that no calendar has is no date."""
    try:
        return meaning(match, clock)
    except (ValueError, OverflowError):
        return None


def _rule(pattern: str, meaning: Meaning, *, relative: bool = False) -> Rule:
    return re.compile(rf"\b(?:{pattern})\b"), meaning, relative


_DATES: tuple[Rule, ...] = (
    _rule(r"(?P<y>\d{4})-(?P<m>[01]\d)-(?P<d>[0-3]\d)", meanings.iso),
    _rule(
        rf"{_FIRST}(?: to | through | and | ?[-\u2013] ?)(?:the )?{_DAY}(?: of)? {_MONTH}"
        rf"(?:,? {_YEAR})?",
        meanings.days_of_month,
    ),
    _rule(
        rf"{_MONTH} {_FIRST}(?: to | through | ?[-\u2013] ?){_DAY}(?:,? {_YEAR})(?![\w%])",
        meanings.days_of_month,
    ),
    _rule(rf"{_MONTH} {_DAY}(?!\d)(?:,? {_YEAR})?(?![\w%])", meanings.full_date),
    _rule(rf"(?<!\d ){_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?", meanings.full_date),
    _rule(r"(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])(?!-?\d)", meanings.iso_month),
)
"""Days and months that are written out."""
_FISCAL: tuple[Rule, ...] = (
    _rule(
        r"(?:the )?(?P<nth>first|second|third|fourth|last|final) quarter(?: of|,)?(?: the)? "
        r"(?:fy|fiscal(?: year)?) ?(?P<fy>\d{4}|\d\d)",
        meanings.fiscal,
    ),
    _rule(
        r"(?:fiscal )?q(?P<q1>[1-4])(?: of)? (?:fy|fiscal(?: year)?) ?(?P<fy>\d{4}|\d\d)",
        meanings.fiscal,
    ),
    _rule(r"(?:fy|fiscal(?: year)?) ?(?P<fy>\d{4}|\d\d)(?:[ -]?q(?P<q2>[1-4]))?", meanings.fiscal),
    _rule(r"fiscal q(?P<q1>[1-4])(?: of)? (?P<fy>\d{4})", meanings.fiscal),
    _rule(rf"{_REL} fiscal (?P<unit>year|quarter)", meanings.fiscal_relative, relative=True),
)
"""Years and quarters of the fiscal year."""
_PARTS: tuple[Rule, ...] = (
    _rule(
        rf"(year|quarter|month|week)[ -]to[ -]date|(ytd|qtd|mtd|wtd)|so far this ({_UNIT})|"
        rf"this ({_UNIT}) so far",
        meanings.to_date,
        relative=True,
    ),
    _rule(
        rf"(?:the )?same (?P<unit>{_UNIT}) (?:of )?last year",
        meanings.same_last_year,
        relative=True,
    ),
    _rule(
        rf"(?:q(?P<q>[1-4])|(?:the )?(?P<nth>{_NTH}) quarter(?= (?:of|in) )){_WHICH}",
        meanings.quarter,
    ),
    _rule(rf"(?:the )?(?P<nth>first|second|third|fourth) quarter{_WHICH}", meanings.quarter),
    _rule(rf"(?:h(?P<h>[12])|(?:the )?(?P<nth>{_NTH}) half){_WHICH}", meanings.half),
)
"""Years so far, and their halves and quarters."""
_MONTHS: tuple[Rule, ...] = (
    _rule(rf"{_REL} {_MONTH}(?! \d)", meanings.relative_month, relative=True),
    _rule(rf"(?<!\d ){_MONTH}(?:,| of)? (?:{_YEAR}|{_REL} year)", meanings.month_of),
    _rule(rf"(?<=in |of )(?:the month of )?{_MONTH}(?! \d)", meanings.month_of),
    _rule(
        rf"(?:(?<=since )|(?<=during )|(?<=before )|(?<=after )|(?<=until )|(?<=for )|(?<=from )|"
        rf"(?<=and )|(?<=between )|(?<=through )|(?<=to )){_MONTH}"
        rf"(?! \d)",
        meanings.month_of,
    ),
)
"""Months by name."""
_RELATIVE: tuple[Rule, ...] = (
    _rule(
        rf"(?:the )?(?P<rel>last|past|previous|prior|trailing|rolling) (?P<count>{COUNT})"
        rf"(?: full| complete| calendar)? (?P<unit>{_UNIT})s?",
        meanings.last_many,
        relative=True,
    ),
    _rule(
        rf"(?:the )?next (?P<count>{COUNT}) (?P<unit>{_UNIT})s?", meanings.next_many, relative=True
    ),
    _rule(rf"(?P<count>{COUNT}) (?P<unit>{_UNIT})s? ago", meanings.ago, relative=True),
    _rule(rf"(?:the )?{_REL} (?:calendar )?(?P<unit>{_UNIT})", meanings.relative, relative=True),
    _rule(rf"(?:the )?{_REL} weekend", meanings.weekend, relative=True),
    _rule(rf"last (?P<weekday>{'|'.join(WEEKDAYS)})", meanings.weekday, relative=True),
    _rule(r"(?:the )?day before yesterday", meanings.single(-2), relative=True),
    _rule(r"yesterday", meanings.single(-1), relative=True),
    _rule(r"today(?! and\b)", meanings.single(0), relative=True),
    _rule(r"tomorrow", meanings.single(1), relative=True),
)
"""What depends on the day on which it is asked."""
_YEARS: tuple[Rule, ...] = (
    _rule(r"(?<=the )(?P<decade>(?:19|20)\d0)'?s", meanings.decade),
    _rule(
        rf"(?:(?<=in )|(?<=during )|(?<=since )|(?<=before )|(?<=after )|(?<=until )|(?<=year )|"
        rf"(?<=from )|(?<=between )|(?<=through )|(?<=prior to )|(?<=throughout )|"
        rf"(?<=later than )|(?<=earlier than )|(?<=compare )|(?<=versus )|(?<=vs )|"
        rf"(?<=or )|(?<=and )|(?<=to ))(?:the year )?{_YEAR}(?![\d,.]\d|-\d| ?%)",
        meanings.year,
    ),
)
"""Decades and years."""
RULES: tuple[Rule, ...] = (*_DATES, *_FISCAL, *_PARTS, *_MONTHS, *_RELATIVE, *_YEARS)
"""In the order in which they take words."""
