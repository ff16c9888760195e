"""The words for spans of time, each rule a pattern and what it means."""

import re
from collections.abc import Callable, Iterator
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


Rule = tuple[re.Pattern[str], Callable[[re.Match[str], meanings.Clock], Span | None], bool]


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


def _read(
    meaning: Callable[[re.Match[str], meanings.Clock], Span | None],
    match: re.Match[str],
    clock: meanings.Clock,
) -> Span | None:
    """Read one match; a day that no calendar has is no date."""
    try:
        return meaning(match, clock)
    except (ValueError, OverflowError):
        return None


def _rules() -> Iterator[Rule]:
    def rule(
        pattern: str,
        meaning: Callable[[re.Match[str], meanings.Clock], Span | None],
        *,
        relative: bool = False,
    ) -> Rule:
        return re.compile(rf"\b(?:{pattern})\b"), meaning, relative

    yield rule(r"(?P<y>\d{4})-(?P<m>[01]\d)-(?P<d>[0-3]\d)", meanings.iso)
    yield rule(
        rf"{_FIRST}(?: to | through | and | ?[-\u2013] ?)(?:the )?{_DAY}(?: of)? {_MONTH}"
        rf"(?:,? {_YEAR})?",
        meanings.days_of_month,
    )
    yield rule(
        rf"{_MONTH} {_FIRST}(?: to | through | ?[-\u2013] ?){_DAY}(?:,? {_YEAR})(?![\w%])",
        meanings.days_of_month,
    )
    yield rule(rf"{_MONTH} {_DAY}(?!\d)(?:,? {_YEAR})?(?![\w%])", meanings.full_date)
    yield rule(rf"(?<!\d ){_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?", meanings.full_date)
    yield rule(r"(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])(?!-?\d)", meanings.iso_month)
    yield rule(
        r"(?:the )?(?P<nth>first|second|third|fourth|last|final) quarter(?: of|,)?(?: the)? "
        r"(?:fy|fiscal(?: year)?) ?(?P<fy>\d{4}|\d\d)",
        meanings.fiscal,
    )
    yield rule(
        r"(?:fiscal )?q(?P<q1>[1-4])(?: of)? (?:fy|fiscal(?: year)?) ?(?P<fy>\d{4}|\d\d)",
        meanings.fiscal,
    )
    yield rule(
        r"(?:fy|fiscal(?: year)?) ?(?P<fy>\d{4}|\d\d)(?:[ -]?q(?P<q2>[1-4]))?", meanings.fiscal
    )
    yield rule(r"fiscal q(?P<q1>[1-4])(?: of)? (?P<fy>\d{4})", meanings.fiscal)
    yield rule(rf"{_REL} fiscal (?P<unit>year|quarter)", meanings.fiscal_relative, relative=True)
    yield rule(
        rf"(year|quarter|month|week)[ -]to[ -]date|(ytd|qtd|mtd|wtd)|so far this ({_UNIT})|"
        rf"this ({_UNIT}) so far",
        meanings.to_date,
        relative=True,
    )
    yield rule(
        rf"(?:the )?same (?P<unit>{_UNIT}) (?:of )?last year",
        meanings.same_last_year,
        relative=True,
    )
    yield rule(
        rf"(?:q(?P<q>[1-4])|(?:the )?(?P<nth>{_NTH}) quarter(?= (?:of|in) )){_WHICH}",
        meanings.quarter,
    )
    yield rule(rf"(?:the )?(?P<nth>first|second|third|fourth) quarter{_WHICH}", meanings.quarter)
    yield rule(rf"(?:h(?P<h>[12])|(?:the )?(?P<nth>{_NTH}) half){_WHICH}", meanings.half)
    yield rule(rf"{_REL} {_MONTH}(?! \d)", meanings.relative_month, relative=True)
    yield rule(rf"(?<!\d ){_MONTH}(?:,| of)? (?:{_YEAR}|{_REL} year)", meanings.month_of)
    yield rule(rf"(?<=in |of )(?:the month of )?{_MONTH}(?! \d)", meanings.month_of)
    yield rule(
        rf"(?:(?<=since )|(?<=during )|(?<=before )|(?<=after )|(?<=until )|(?<=for )|(?<=from )|"
        rf"(?<=and )|(?<=between )|(?<=through )|(?<=to )){_MONTH}"
        rf"(?! \d)",
        meanings.month_of,
    )
    yield rule(
        rf"(?:the )?(?P<rel>last|past|previous|prior|trailing|rolling) (?P<count>{COUNT})"
        rf"(?: full| complete| calendar)? (?P<unit>{_UNIT})s?",
        meanings.last_many,
        relative=True,
    )
    yield rule(
        rf"(?:the )?next (?P<count>{COUNT}) (?P<unit>{_UNIT})s?", meanings.next_many, relative=True
    )
    yield rule(rf"(?P<count>{COUNT}) (?P<unit>{_UNIT})s? ago", meanings.ago, relative=True)
    yield rule(
        rf"(?:the )?{_REL} (?:calendar )?(?P<unit>{_UNIT})", meanings.relative, relative=True
    )
    yield rule(rf"(?:the )?{_REL} weekend", meanings.weekend, relative=True)
    yield rule(rf"last (?P<weekday>{'|'.join(WEEKDAYS)})", meanings.weekday, relative=True)
    yield rule(r"(?:the )?day before yesterday", meanings.single(-2), relative=True)
    yield rule(r"yesterday", meanings.single(-1), relative=True)
    yield rule(r"today(?! and\b)", meanings.single(0), relative=True)
    yield rule(r"tomorrow", meanings.single(1), relative=True)
    yield rule(r"(?<=the )(?P<decade>(?:19|20)\d0)'?s", meanings.decade)
    yield rule(
        rf"(?:(?<=in )|(?<=during )|(?<=since )|(?<=before )|(?<=after )|(?<=until )|(?<=year )|"
        rf"(?<=from )|(?<=between )|(?<=through )|(?<=prior to )|(?<=throughout )|"
        rf"(?<=later than )|(?<=earlier than )|(?<=compare )|(?<=versus )|(?<=vs )|"
        rf"(?<=or )|(?<=and )|(?<=to ))(?:the year )?{_YEAR}(?![\d,.]\d|-\d| ?%)",
        meanings.year,
    )


RULES: tuple[Rule, ...] = tuple(_rules())
