"""What a question counts or averages: the nouns of it that are tables."""

import re
from collections.abc import Iterable, Iterator, Sequence

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.questions.words import STOP_WORDS, is_plural, name_words, singular, tokens

_COUNTED = re.compile(r"\b(?:how many|numbers? of|counts? of|count|tally of|tally)\b", re.I)
_AVERAGED = re.compile(r"\b(?:average|mean|median|avg|typical|total|sum)\b", re.I)
_OF = re.compile(r"\b(?:of|across|over)\b", re.I)
_PAIRS = re.compile(r"\b(?:pairs?|combinations?|pairings?)\b", re.I)
MOST_WORDS = 4
"""Words of what is averaged: ``average list price of …``."""
_AFFIXES = {"dim", "fact", "tbl", "table", "info", "data", "detail", "record", "list"}
_ENDS = STOP_WORDS | {"made", "sold", "and", "or", "but", "per", "each", "every"}
_SENTENCE = re.compile(r"[.?!;:,()]")
_ROW_PER = re.compile(r"\b(?:one|a) row (?:per|for each) (\w+)", re.I)


class Asked:
    """A question held against the tables of a catalog."""

    def __init__(self, question: str, catalog: Catalog) -> None:
        self.question = question
        self._catalog = catalog

    def counted(self) -> tuple[Table, ...]:
        """Return the tables whose rows the question counts: ``how many customers``."""
        runs = (_first_run(self.question[m.end() :]) for m in _COUNTED.finditer(self.question))
        return tuple(t for run in runs for t in self._head(run))

    def pairs(self) -> bool:
        """Tell whether the question counts pairs of things."""
        return _PAIRS.search(self.question) is not None

    def weighs(self, many: Iterable[Table], one: Iterable[Table]) -> bool:
        """Tell whether a sum or an average is asked over rows of the repeating tables.

        ``average list price of the sales``, ``average price per sale``, ``each sale counts``.

        Args:
            many: the tables that repeat rows.
            one: the tables whose rows are repeated; a word that names one of them is theirs.
        """
        wanted = {t.qualified_name for t in many}
        theirs = {t.qualified_name for t in one}
        named = (
            {t.qualified_name for t in tables} for tables in (*self._averaged(), *self._each())
        )
        return any(names & wanted and not names & theirs for names in named)

    def _averaged(self) -> Iterator[list[Table]]:
        """Yield the tables of the first noun after ``average … of``: what is averaged over."""
        for match in _AVERAGED.finditer(self.question):
            phrase = _SENTENCE.split(self.question[match.end() :])[0]
            measure, *rest = _OF.split(phrase, maxsplit=1)
            if rest and len(tokens(measure)) <= MOST_WORDS:
                yield self._head(_first_run(rest[0]))

    def _each(self) -> Iterator[list[Table]]:
        pattern = r"\b(?:per|(?:each|every) single|counting (?:each|every)|weighted by|once per)\b"
        for match in re.finditer(pattern, self.question, re.I):
            run = _first_run(self.question[match.end() :])
            yield self._spelt_out(run) or (self._tables(run[-1]) if run else [])
        for match in re.finditer(r"\b(?:each|every) (\w+) counts?\b", self.question, re.I):
            yield self._tables(match[1].lower())

    def _head(self, run: Sequence[str]) -> list[Table]:
        """Return the tables that the first plural noun names, or the last word of all."""
        whole = self._spelt_out(run)
        if whole:
            return whole
        plural = next((w for w in run if is_plural(w) or w.endswith("us")), None)
        word = plural or (run[-1] if run else None)
        return self._tables(word) if word else []

    def _spelt_out(self, run: Sequence[str]) -> list[Table]:
        """Return the tables of two words or more that are all there: ``support tickets``."""
        words = {singular(w) for w in run}
        named = ((t, _content(t)) for t in self._catalog.tables)
        return [t for t, name in named if len(name) > 1 and words >= set(name)]

    def _tables(self, word: str) -> list[Table]:
        """Return the tables that are called so; those by name before those by description."""
        words = {singular(word), word.removesuffix("s")}
        for names in (_own_names, _key_names, _described_names):
            found = [t for t in self._catalog.tables if words & names(t)]
            if found:
                return found
        return []


def _first_run(text: str) -> list[str]:
    """Return the words of the first noun phrase: up to a verb, a preposition, a comma."""
    words = tokens(_SENTENCE.split(text)[0])
    while words and words[0] in STOP_WORDS:
        words = words[1:]
    run: list[str] = []
    for word in words:
        if word in _ENDS:
            break
        run.append(word)
    return run


def _own_names(table: Table) -> set[str]:
    words = _content(table)
    return {words[-1]} if words else set()


def _content(table: Table) -> list[str]:
    return [w for w in name_words(table.name) if w not in _AFFIXES]


def _key_names(table: Table) -> set[str]:
    keys = [k for k in (table.primary_key, *table.unique) if len(k) == 1]
    words = [[w for w in name_words(k[0]) if w not in ("id", "key", "code", "no")] for k in keys]
    return {w[-1] for w in words if w}


def _described_names(table: Table) -> set[str]:
    found = _ROW_PER.search(table.description)
    first = next((w for w in tokens(table.description) if is_plural(w)), "")
    return {singular(w) for w in (found[1].lower() if found else "", first) if w}
