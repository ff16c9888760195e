"""Words of names, questions and values, brought to one form so that they can meet."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"\w+")
_ACRONYMS = re.compile(r"\b([A-Z]{2,})s\b")
_PARTS = re.compile(r"[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")

_STOP = (
    "a about above across after again all also am an and any are as at be been before "
    "being below between both but by can could did do does doing down during each either "
    "every few find following for from further get give given had has have having he her "
    "here hers him his how i if in into is it its itself just let list many may me might "
    "more most much must my no nor not of off on once only or other our out over own per "
    "please return same shall she should show so some such tell than that the their them "
    "then there these they this those through to too under until up us very was we were "
    "what when where whether which while who whom whose why will with would you your"
)
STOP = frozenset(_STOP.split())
"""Words that say nothing about what is asked for."""


def fold(text: str) -> str:
    """Return the text without case and diacritics: ``Malmö`` is ``malmo``."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=65_536)
def singular(word: str) -> str:
    """Return an English noun's singular by its ending; other words as they are."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]


def words(text: str) -> list[str]:
    """Return the words of a text in order, folded and singular."""
    return [singular(w) for w in _WORD.findall(fold(_ACRONYMS.sub(r"\1", text)))]


def parts(text: str) -> list[str]:
    """Return the words of a text, names split at case, digits and underscores, and stop words out.

    ``unitPrice_USD2`` has the parts unit, price, usd and 2.
    """
    found = (singular(fold(p)) for p in _PARTS.findall(text))
    return [p for p in found if p and p not in STOP and p != "s"]


def spelled(name: str) -> str:
    """Write a name as words: ``cust_orderDate`` is ``cust order date``."""
    return " ".join(fold(p) for p in _PARTS.findall(name))
