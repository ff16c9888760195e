"""Words of questions and of names: tokens, singular forms, numbers, likeness."""

import re
from functools import lru_cache

from rapidfuzz.fuzz import ratio


def words_of(text: str) -> frozenset[str]:
    """Split a list of words that is written as one text."""
    return frozenset(text.split())


STOP_WORDS = words_of(
    "a about above after again all also am among an and any are around as ask at be been being "
    "below between both but by can could did do does doing done down during each either every "
    "few find for from get give given had has have having he her here his how i if in into is "
    "it its itself just let like list many may me more most much my name need no nor not of off "
    "on only or other our out over own please provide query question return same she should "
    "show so some such table tell than that the their them then there these they this those "
    "through to too under until up us use used using very want was we were what when where "
    "which while who whom whose why will with without would you your yes least less per there's "
    "what's whats who's how's count number total average mean sum maximum minimum max min "
    "highest lowest largest smallest different distinct unique order ordered sort sorted "
    "ascending descending top bottom first last"
)
"""Words that say nothing about what a warehouse holds."""

_NUMBERS = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    "fifteen|sixteen|seventeen|eighteen|nineteen|twenty"
)
NUMBER_WORDS = {
    **{word: n for n, word in enumerate(_NUMBERS.split("|"))},
    **{"thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "dozen": 12},
}
COUNT = rf"(?:\d{{1,4}}|{_NUMBERS.removeprefix('zero|')}|thirty|fifty)"
"""A regular expression for a small whole number, in digits or in words."""

LIKENESS = 88.0
ROLES = words_of("dim fact table master info tbl data list")
"""Words of a table's name that say what part it plays, not what its rows are."""
_AGENT = re.compile(r"s?(person|people|woman|women|man|men)$")
"""What makes a person of a thing: a salesperson is no sale."""
_WORD = re.compile("[^\\W_]+(?:['\u2019][^\\W\\d_]+)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IRREGULAR = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "cities": "city",
    "series": "series",
    "species": "species",
    "indices": "index",
    "status": "status",
    "news": "news",
    "data": "data",
    "movies": "movie",
    "cookies": "cookie",
    "analyses": "analysis",
    "quizzes": "quiz",
}


def count_of(text: str) -> int:
    """Return the whole number that digits or a number word stand for.

    Raises:
        KeyError: the text is neither.
    """
    return int(text) if text.isdigit() else NUMBER_WORDS[text.lower()]


def tokens(text: str) -> list[str]:
    """Split a question into lower-case words, possessive endings cut off."""
    found = (m.group().lower().replace("\u2019", "'") for m in _WORD.finditer(text))
    return [w[:-2] if w.endswith("'s") else w.rstrip("'") for w in found]


def content_words(text: str) -> list[str]:
    """Return the words that may name something in a warehouse, singular, in order."""
    return [singular(w) for w in tokens(text) if w not in STOP_WORDS and not w.isdigit()]


@lru_cache(maxsize=20_000)
def name_words(name: str) -> tuple[str, ...]:
    """Split an identifier into singular words: ``HeadOfState`` → head, of, state."""
    spaced = _CAMEL.sub(" ", re.sub(r"[_\W]+", " ", name))
    return tuple(singular(w.lower()) for w in spaced.split())


def thing_words(table: str) -> tuple[str, ...]:
    """Return the words of a table's name that say what its rows are, its schema left out."""
    return tuple(w for w in name_words(table.rpartition(".")[2]) if w not in ROLES)


def kind_of(noun: str) -> str:
    """Return what a noun is a kind of, by its end: a salesperson is a person, and no sale."""
    found = _AGENT.search(noun)
    return singular(found[1]) if found and found.start() else noun


@lru_cache(maxsize=20_000)
def singular(word: str) -> str:
    """Return a noun's singular by rule; other words mostly as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return word[:-2]
    return word[:-1]


def is_plural(word: str) -> bool:
    """Tell whether a word looks like a plural noun."""
    return word in {"people", "men", "women", "children"} or singular(word) != word


@lru_cache(maxsize=100_000)
def alike(a: str, b: str) -> bool:
    """Tell whether two words (lower case) may mean one thing: one stem, or a slip of the pen."""
    a, b = singular(a), singular(b)
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    if len(short) < 4:
        return False
    if long.startswith(short):
        return not _AGENT.match(long[len(short) :])
    return _stem(a) == _stem(b) or ratio(a, b) >= LIKENESS


def _stem(word: str) -> str:
    """Cut the ending that grammar adds: ordering, ordered, orders → order."""
    for ending in ("ation", "ment", "ing", "ions", "ion", "ers", "er", "ed", "es", "al", "ly", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
