"""Traits of how far names and values of a statement are those that the question speaks of."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.confidence.evidence import Traits, capped
from querymend.tools.questions.words import (
    STOP_WORDS,
    alike,
    content_words,
    name_words,
    singular,
    tokens,
)

_KEY = frozenset({"id", "code", "key", "no", "number"})


def wording_traits(seen: Seen) -> Traits:
    """Return how names and values fit the question's words."""
    return {**_words(seen), **_columns(seen), **_values(seen), **_tables(seen)}


def _words(seen: Seen) -> Traits:
    """Weigh the words of the question that nothing in the statement stands for."""
    asked = list(dict.fromkeys(content_words(seen.question)))
    values = (singular(w) for t in seen.literals for w in tokens(t.value))
    used = {*seen.name_words_used(), *values}
    free = sum(not _met(w, used) for w in asked)
    return {"words_unmet": free / max(len(asked), 1), "words_unmet_many": capped(free, 5)}


def _met(word: str, others: Iterable[str]) -> bool:
    return word in others or any(alike(word, other) for other in others)


def _columns(seen: Seen) -> Traits:
    """Weigh the columns that the question does not name."""
    shown = [u for u in seen.used if u.ref.clause == "select" and u.ref.block is seen.block]
    sorting = [u for u in seen.used if u.ref.clause in ("order", "group")]
    return {
        "shown_unasked": _unasked(seen, shown),
        "shown_namesakes": _namesakes(seen, shown),
        "shown_reference": float(any(_refers(seen, u) for u in shown)),
        "shown_id": float(not _asks_id(seen) and any(_is_id(u) for u in shown)),
        "sorted_unasked": _unasked(seen, sorting),
    }


def _refers(seen: Seen, used: Used) -> bool:
    """The column stands for a row of another table, which is not read: no name, but a key to it."""
    read = {t.name.lower() for t in seen.tables}
    name = used.column.name.lower()
    return any(
        name in (c.lower() for c in key.columns) and key.table.split(".")[-1].lower() not in read
        for key in used.table.keys
    )


def _is_id(used: Used) -> bool:
    return name_words(used.column.name)[-1:] == ("id",)


def _asks_id(seen: Seen) -> bool:
    return not _KEY.isdisjoint(seen.words)


def _unasked(seen: Seen, used: list[Used]) -> float:
    return sum(1 - _fit(seen, u.table, u.column) for u in used) / max(len(used), 1)


def _fit(seen: Seen, table: Table, column: Column) -> float:
    """Return the share of a column's words that the question or the facts hold."""
    words = set(name_words(column.name)) - _KEY or set(name_words(table.name))
    return sum(_met(w, seen.words) for w in words) / max(len(words), 1)


def _namesakes(seen: Seen, used: list[Used]) -> float:
    """Count the other tables with a column of the same name as one that is shown."""
    counts = [
        sum(t.column(name) is not None for t in seen.catalog.tables) - 1
        for name in {u.column.name.lower() for u in used} - _KEY
    ]
    return capped(max(counts, default=0), 3)


def _values(seen: Seen) -> Traits:
    """Weigh the literals that the question does not name, and its numbers that are missing."""
    said = " ".join((seen.question, *seen.facts)).lower()
    texts = [text for t in seen.literals if (text := t.value.strip(" %").lower())]
    numbers = {*_numbers(seen), *(float(w) for t in texts for w in _digits(t))}
    return {
        "texts": capped(len(texts), 3),
        "texts_unasked": sum(t not in said for t in texts) / max(len(texts), 1),
        "texts_inexact": float(any(t.value not in seen.question for t in seen.literals)),
        "numbers_missing": capped(len(set(seen.reading.numbers) - numbers), 2),
    }


def _numbers(seen: Seen) -> Iterator[float]:
    for literal in seen.all(exp.Literal):
        if not literal.is_string:
            yield float(literal.this)


def _digits(text: str) -> Iterator[str]:
    return (w for w in text.replace("-", " ").split() if w.isascii() and w.isdigit())


def _tables(seen: Seen) -> Traits:
    """Weigh tables that the question does not name, and those that it names and that are out."""
    words = {w for w in seen.asked if w not in STOP_WORDS}
    used = {t.qualified_name for t in seen.tables}
    unnamed = sum(not any(_met(n, words) for n in name_words(t.name)) for t in seen.tables)
    left = (t for t in seen.catalog.tables if words.issuperset(name_words(t.name)))
    return {
        "tables_unasked": unnamed / max(len(seen.tables), 1),
        "tables_missing": capped(sum(t.qualified_name not in used for t in left), 2),
    }
