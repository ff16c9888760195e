"""The words that a warehouse answers to: its names, descriptions, facts and known values."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from querymend.tools.catalog.model import Catalog, Column
from querymend.tools.index.model import Fact, ValueLookup
from querymend.tools.questions.words import alike, content_words, name_words, tokens, words_of

LONGEST_VALUE = 4
"""Words of a value at most that are looked up together."""

_GENERIC = words_of(
    "day week month quarter year date time today yesterday tomorrow current currently now past "
    "previous next recent recently latest period hour minute second daily weekly monthly yearly "
    "annual inclusive exclusive include including excluding exclude percent percentage ratio "
    "proportion rate share change difference compare comparison calculate compute identify "
    "enumerate tally rank sorted ascending descending alphabetical answer value data database "
    "record row entry detail information info result overall respective corresponding various "
    "decimal place integer format one two three four five six seven eight nine ten hundred "
    "thousand million billion longest shortest oldest youngest biggest highest lowest common "
    "frequent most least popular greater fewer higher lower better best worst old young long "
    "short big small large new exist available currently"
)


@dataclass(frozen=True, kw_only=True)
class Cover:
    """How much of a question the warehouse knows of."""

    known: tuple[str, ...]
    """Content words that name something in the catalog, a fact or a value."""
    unknown: tuple[str, ...]

    @property
    def share(self) -> float:
        """Known words among the content words; 1 where there are none."""
        whole = len(self.known) + len(self.unknown)
        return len(self.known) / whole if whole else 1.0


def cover(
    question: str,
    catalog: Catalog,
    *,
    facts: Sequence[Fact] = (),
    values: ValueLookup | None = None,
) -> Cover:
    """Sort a question's content words by whether the warehouse knows them."""
    words = [w for w in dict.fromkeys(content_words(question)) if w not in _GENERIC]
    names, shown = _names(catalog), _values(catalog)
    said = {w for f in facts for text in (f.text, *f.terms) for w in content_words(text)}
    held = _held(question, values)
    known = [w for w in words if w in shown or w in held or _near(w, names) or _near(w, said)]
    return Cover(known=tuple(known), unknown=tuple(w for w in words if w not in known))


def _near(word: str, others: Iterable[str]) -> bool:
    return any(alike(word, other) for other in others)


class Nearness:
    """How near words are to the names of one catalog, by word vectors: vehicle to car."""

    def __init__(
        self, catalog: Catalog, embed: Callable[[Sequence[str]], list[list[float]]]
    ) -> None:
        self._names = sorted(_names(catalog))
        self._embed = embed
        self._vectors: list[list[float]] | None = None

    def __call__(self, words: Sequence[str]) -> float:
        """Return the likeness (cosine) of the nearest pair of word and name, 0 without any."""
        if not words or not self._names:
            return 0.0
        if self._vectors is None:
            self._vectors = self._embed(self._names)
        return _nearest(self._embed(words), self._vectors)

    def to(self, words: Sequence[str], names: Iterable[str]) -> float:
        """Return the likeness of the nearest pair of a word and one of these names."""
        parts = sorted({w for n in names for w in name_words(n)})
        return _nearest(self._embed(words), self._embed(parts)) if words and parts else 0.0


def _nearest(one: list[list[float]], other: list[list[float]]) -> float:
    import numpy as np

    return float((np.array(one) @ np.array(other).T).max())


@lru_cache(maxsize=8)
def _names_of(names: tuple[str, ...], texts: tuple[str, ...]) -> frozenset[str]:
    found = {w for n in names for w in name_words(n) if len(w) > 1 and not w.isdigit()}
    return frozenset(found | {w for t in texts for w in content_words(t)})


def _names(catalog: Catalog) -> frozenset[str]:
    columns = [c for t in catalog.tables for c in t.columns]
    names = (*(t.name for t in catalog.tables), *(c.name for c in columns))
    texts = (*(t.description for t in catalog.tables), *(c.description for c in columns))
    return _names_of(names, texts)


def _values(catalog: Catalog) -> set[str]:
    """Words of the values that the catalog's profiles and samples show."""
    texts: set[str] = set()
    for table in catalog.tables:
        for place, column in enumerate(table.columns):
            texts |= _shown(column)
            if not column.private:
                cells = (r[place] for r in table.sample if place < len(r))
                texts |= {c for c in cells if isinstance(c, str)}
    return {w for text in texts for w in content_words(text)}


def _shown(column: Column) -> set[str]:
    if column.private or column.profile is None:
        return set()
    return {v for v, _ in column.profile.frequent if isinstance(v, str)}


def _held(question: str, values: ValueLookup | None) -> set[str]:
    """Words of the question that stand, alone or together, as a value in the warehouse."""
    if values is None:
        return set()
    words, found = tokens(question)[:200], set()
    for size in range(1, LONGEST_VALUE + 1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            if (size > 1 or len(run[0]) > 2) and values.holding(" ".join(run)):
                found |= set(content_words(" ".join(run)))
    return found
