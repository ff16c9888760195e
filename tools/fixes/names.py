"""How alike two names are: case, underscores, plurals, the table's own name, typing errors."""

import re
from functools import lru_cache

from rapidfuzz import fuzz

_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WEAK = frozenset({"id", "name", "code", "no", "number", "num", "type", "value", "key", "date"})
_SAME = (
    frozenset({"number", "num", "no"}),
    frozenset({"description", "desc", "detail"}),
    frozenset({"id", "uid", "identifier", "key"}),
    frozenset({"zip", "postcode", "postal"}),
    frozenset({"color", "colour"}),
    frozenset({"abbreviation", "abbrev", "abbr"}),
    frozenset({"name", "title"}),
)


@lru_cache(maxsize=20_000)
def words(text: str) -> tuple[str, ...]:
    """Split a name or a sentence into lower-case singular words."""
    return tuple(singular(p.lower()) for p in _PART.findall(text))


def singular(word: str) -> str:
    """Take off a plural ending, roughly."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    long_enough = len(word) > 3 or word == "ids"
    plural = long_enough and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


@lru_cache(maxsize=50_000)
def likeness(wanted: str, real: str, table: str = "") -> float:
    """Return how likely a wanted name means a real one, 0 to 1; the table's words don't count."""
    mine, theirs = words(wanted), words(real)
    if not mine or not theirs:
        return 0.0
    if "".join(mine) == "".join(theirs):
        return 1.0
    typed = _typed("".join(mine), "".join(theirs))
    return max(typed, _without(mine, theirs, words(table)), _overlap(mine, theirs))


def _typed(a: str, b: str) -> float:
    """Likeness as spelt: only near ones count."""
    ratio = fuzz.ratio(a, b) / 100
    return ratio if ratio >= 0.8 and min(len(a), len(b)) > 3 else 0.0


def _without(mine: tuple[str, ...], theirs: tuple[str, ...], table: tuple[str, ...]) -> float:
    """Likeness after the words of the table are taken from both: ``race_name`` is ``race.race``."""
    left = [w for w in mine if w not in table]
    right = [w for w in theirs if w not in table]
    if left and left == right:
        return 0.95
    if left in ([], ["name"]) and right in ([], ["name"]):
        return 0.85
    return 0.0


def _overlap(mine: tuple[str, ...], theirs: tuple[str, ...]) -> float:
    """Share of common words, weak ones counting little."""
    shared = [w for w in mine if any(_akin(w, x) for x in theirs)]
    total = {*mine, *(x for x in theirs if not any(_akin(w, x) for w in mine))}
    if not shared:
        return 0.0
    return 0.9 * sum(map(_weight, shared)) / sum(map(_weight, total))


def _weight(word: str) -> float:
    return 0.35 if word in _WEAK else 1.0


def _akin(a: str, b: str) -> bool:
    if a == b or any(a in s and b in s for s in _SAME):
        return True
    short, long = sorted((a, b), key=len)
    if len(short) < 3:
        return False
    return long.startswith(short) or (len(short) > 3 and fuzz.ratio(a, b) >= 85)
