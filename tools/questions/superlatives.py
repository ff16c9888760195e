"""Superlatives and orders that a question asks for."""

import re
from dataclasses import dataclass
from typing import Literal

Direction = Literal["high", "low", "unsure"]
Order = Literal["ascending", "descending", "some"]

HIGH = (
    "most|highest|largest|biggest|greatest|maximum|maximal|max|tallest|longest|heaviest|latest|"
    "newest|best|richest|fastest|strongest|widest|deepest|priciest|busiest|hottest|hardest|"
    "farthest|furthest|loudest|brightest"
)
LOW = (
    "least|lowest|smallest|minimum|minimal|min|fewest|shortest|lightest|earliest|cheapest|worst|"
    "slowest|nearest|closest|poorest|weakest|coldest|narrowest|shallowest"
)
UNSURE = "oldest|youngest"
"""Old is a high age, and a low year of birth."""

_SUPERLATIVE = re.compile(rf"\b(?:({HIGH})|({LOW})|({UNSURE}))\b")
_NO_SUPERLATIVE = re.compile(
    r"\b(?:at (?:the )?(?:least|most|latest|earliest|best|max|maximum|minimum)|most(?:ly)? of|"
    r"least[- ]squares|(?:min|max)(?:imum|imal)? (?:of )?\d+)\b"
)
_FROM_TO = re.compile(r"\b(?:starting )?(?:from|with) ((?:\w+ ){1,4}?)to ((?:the )?\w+(?: \w+)?)\b")
_ORDER = re.compile(
    r"(?:(?:^|[,.;:?!] |\b(?:and|then|please|to|also|results?|them|it) )"
    r"(?:order|sort|rank|arrange) (?:\w+ ){0,6}?(?:by|in|from|on)"
    r"|\b(?:order|sort|rank|arrang)(?:ed|ing) (?:\w+ ){0,6}?(?:by|in|from|on)"
    r"|\b(?:order|sort|rank)ed\b|^(?:rank|sort|order)\b"
    r"|\b(?:in|by) (?:\w+ )?(?:ascending|descending|alpha\w+|reverse|chronological|lexico\w+)"
    r"(?: \w+)? order|in order of|in (?:ascending|descending)|alphabetically|chronologically"
    r"|(?:ascending|descending)(?:ly)? (?:by|order)"
    r"|(?:most|least|highest|lowest|largest|smallest|newest|oldest|latest|earliest|longest|"
    r"shortest|youngest|cheapest|best|biggest)(?: \w+){0,2}? first)\b"
)
_UP = re.compile(r"\b(?:ascending|asc|alpha\w+|increasing|chronological\w*)\b")
_DOWN = re.compile(r"\b(?:descending|desc|reverse|decreasing)\b")
_POLES = {
    **dict.fromkeys(f"{HIGH}|high|large|big|old|long|top|new".split("|"), 1),
    **dict.fromkeys(f"{LOW}|low|small|young|short|bottom|few".split("|"), -1),
    **{"oldest": 1, "youngest": -1, "first": 0, "recent": 1, "expensive": 1, "cheap": -1},
}


@dataclass(frozen=True, kw_only=True)
class Superlative:
    """A word that asks for an extreme."""

    word: str
    direction: Direction
    singular: bool
    """One thing is asked for (``the singer with the largest``), so far as its noun tells."""


def order_asked(text: str) -> Order | None:
    """Return how the rows shall be ordered, or None where nothing asks for an order."""
    pole = _first_pole(text)
    if pole is None and not _ORDER.search(text):
        return None
    if _DOWN.search(text):
        return "descending"
    if _UP.search(text):
        return "ascending"
    by_pole: dict[int, Order] = {1: "descending", -1: "ascending"}
    return by_pole.get(pole or 0, "some")


def superlatives(text: str) -> tuple[Superlative, ...]:
    """Return the superlatives of a question (lower case, without quoted phrases)."""
    text = _NO_SUPERLATIVE.sub("", _without_orders(text))
    return tuple(_superlative(m, text) for m in _SUPERLATIVE.finditer(text))


def _superlative(found: re.Match[str], text: str) -> Superlative:
    high, low, _ = found.groups()
    direction: Direction = "high" if high else "low" if low else "unsure"
    return Superlative(word=found.group(), direction=direction, singular=bool(_ONE.search(text)))


_ONE = re.compile(
    r"^(?:what|which) (?:is|was)\b|^who (?:is|was|has|had)\b|^(?:what|which) (?!are|were)"
    r"(?:\w+ )*?(?:is|was|has|had)\b|\bthe (?:\w+ )?(?!\w+s\b)\w+ (?:with|that has|who has|"
    r"which has|that is|who is) the\b"
)


def _first_pole(text: str) -> int | None:
    """Read ``from the oldest to the youngest``: the pole that comes first."""
    for found in _FROM_TO.finditer(text):
        one, other = (_pole(words) for words in found.groups())
        if one is not None and other is not None and one != other:
            return one
    first = re.search(r"\b(\w+)(?: \w+){0,2}? first\b", text)
    return _POLES.get(first.group(1)) if first else None


def _pole(words: str) -> int | None:
    return next((_POLES[w] for w in words.split() if w in _POLES), None)


def _without_orders(text: str) -> str:
    """Cut the words by which an order is asked for: they name no extreme."""
    text = _FROM_TO.sub(lambda m: "" if _first_pole(m.group()) is not None else m.group(), text)
    return re.sub(r"\b\w+(?: \w+){0,2}? first\b", "", text) if _first_pole(text) else text
