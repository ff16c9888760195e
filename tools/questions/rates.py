"""Rates that a question names: ``revenue per day``, ``the number of sales per customer``."""

import re
from dataclasses import dataclass

from querymend.tools.questions.words import singular

_PER = re.compile(
    r"\b((?:[a-z-]+ ){1,6})(?:per|for each|for every|in each|on each) ([a-z-]+)(?=((?: [a-z-]+)?))"
)
_AVERAGED = re.compile(r"\b(?:average|mean|avg|on average)\b")
_ADVERBS = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annual": "year",
}
_BY_ADVERB = re.compile(
    rf"\b(?:(?:average|mean) ({'|'.join(_ADVERBS)})|"
    rf"({'|'.join(_ADVERBS)}) (?:average|mean)(?: of)?)"
    r" ((?:(?!(?:of|in|for|per|from|by|on|at|during|since)\b)[a-z-]+ ?){1,3})"
)
_COUNTED = re.compile(r"\b(?:how many|number of|count of)\b")
_LEADING = re.compile(
    r"^.*\b(?:how|many|much|number|count|average|mean|total|of|the|what|in|and|an?)\b"
)
_TRAILING = re.compile(
    r" (?:are there|were there|is there|was there|do we have|did we (?:make|have|get|sell)|"
    r"(?:are|were|is|was) \w+(?:ed|en|ld|de)|were|are|was|is|made|sold|there|have|has|had|did|do|"
    r"we|make|get)$"
)


@dataclass(frozen=True, kw_only=True)
class Rate:
    """``A per B``."""

    what: tuple[str, ...]
    """A's words, singular: ``sale``; none where A stands elsewhere."""
    unit: str
    """B's first word, singular: ``day``."""
    unit_rest: str
    """The word after it, where there is one: ``mile`` of ``square mile``."""
    counted: bool
    """A number of things is asked for."""
    averaged: bool
    """The words average or mean stand in the question."""


def rates(question: str) -> tuple[Rate, ...]:
    """Return the rates that a question names, in its order."""
    text = " ".join(question.lower().split())
    averaged = bool(_AVERAGED.search(text))
    plain = [(m.start(), m.end(2), m.group(1), m.group(2), m.group(3)) for m in _PER.finditer(text)]
    spoken = [
        (m.start(), m.end(), m.group(3), _ADVERBS[m.group(1) or m.group(2)], "")
        for m in _BY_ADVERB.finditer(text)
    ]
    return tuple(_rate(text, one, averaged) for one in (*plain, *spoken))


def _rate(text: str, found: tuple[int, int, str, str, str], averaged: bool) -> Rate:
    start, end, what, unit, rest = found
    counted = bool(_COUNTED.search(text[max(0, start - 12) : end]))
    return Rate(
        what=_core(what),
        unit=singular(unit),
        unit_rest=singular(rest.strip()),
        counted=counted,
        averaged=averaged,
    )


def _core(text: str) -> tuple[str, ...]:
    """Cut what leads to the noun, and the verb behind it."""
    plain = _LEADING.sub("", text.strip()).strip()
    while (shorter := _TRAILING.sub("", plain)) != plain:
        plain = shorter
    return tuple(singular(w) for w in plain.split())
