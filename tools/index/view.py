"""What one caller's catalog looks like to search: cards, vectors, and what the scope leaves.

A view is made from the narrowed catalog, never from the index's own texts: a column that the
caller may not see takes no part in ranking, and a table that changed since it was indexed is
searched as it is now.
"""

import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from json import loads
from typing import TYPE_CHECKING, cast

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.catalog.paths import closure, join_path
from querymend.tools.chunks.cards import column_card, names_card
from querymend.tools.chunks.ddl import create_table
from querymend.tools.index.embeddings import Embedder
from querymend.tools.index.lexical import Lexical
from querymend.tools.index.matching import schema_words
from querymend.tools.index.model import Example, Fact, Join
from querymend.tools.index.store import Store
from querymend.tools.index.sync import read_example, read_fact, table_chunk
from querymend.tools.index.tokens import estimate
from querymend.tools.index.words import spelled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNREADABLE = "?"
BARE = -1
DENSE = 60
"""Tables that the dense search ranks at most."""


class View:
    """A narrowed catalog, ready to be searched. Shared by threads; what it caches is pure."""

    def __init__(self, catalog: Catalog, store: Store, embedder: Embedder) -> None:
        self.catalog = catalog
        self.tables = {t.qualified_name: t for t in catalog.tables}
        self.names = tuple(self.tables)
        self._store = store
        self._embedder = embedder
        self._lock = threading.Lock()
        self._costs: dict[tuple[str, int | str], int] = {}
        self._closures: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._joins: dict[tuple[str, ...], tuple[Join, ...]] = {}
        self._columns: dict[str, NDArray[np.float32]] = {}
        chunks = {t.qualified_name: table_chunk(t) for t in catalog.tables}
        held = {c.id: c for c in store.chunks("tables")}
        self._indexed = [n for n, c in chunks.items() if n in held and held[n].hash == c.hash]
        self._others = [n for n in self.names if n not in set(self._indexed)]
        self._vectors = unit(embedder.embed([chunks[n].text for n in self._others]))
        self._hidden = _hidden(catalog, [loads(c.payload) for c in held.values()])
        self.cards = Lexical([chunks[n].text for n in self.names])
        self.spelt = Lexical([names_card(t) for t in catalog.tables])
        examples = store.chunks("examples")
        read = {c.id: read_example(c) for c in examples}
        self.examples = {i: e for i, e in read.items() if self.allows(e)}
        self.masked = {c.id: c.text for c in examples}
        self.facts = {f.id: f for f in map(read_fact, store.chunks("facts")) if self.allows(f)}
        self.fact_words = Lexical([" ".join([f.text, *f.terms]) for f in self.facts.values()])

    def dense(self, vector: Sequence[float]) -> dict[str, float]:
        """Return each table's cosine with the question; far tables of large catalogs lack."""
        found = dict(
            self._store.search("tables", vector, limit=DENSE, ids=self._indexed)
            if self._indexed
            else []
        )
        if not self._others:
            return found
        ours = (self._vectors @ unit([vector])[0]).tolist()
        return found | dict(zip(self._others, ours, strict=True))

    def similar_columns(
        self, names: Sequence[str], vector: Sequence[float]
    ) -> dict[str, list[float]]:
        """Return the cosines of each table's columns with the question, in the tables' order."""
        missing = [n for n in names if n not in self._columns]
        cards = {n: _column_cards(self.tables[n]) for n in missing}
        vectors = self._embedder.embed([card for n in missing for card in cards[n]])
        with self._lock:
            for name in missing:
                self._columns[name] = unit(vectors[: len(cards[name])])
                vectors = vectors[len(cards[name]) :]
        asked = unit([vector])[0]
        return {n: (self._columns[n] @ asked).tolist() for n in names}

    def cost(self, name: str, samples: int) -> int:
        """Return about how many tokens a table's DDL is."""
        table = self.tables[name]
        return self._cost_of((name, samples), replace(table, sample=table.sample[:samples]))

    def fits(self, samples: int, budget: float) -> bool:
        """Tell whether every table's DDL fits; stops counting where it does not."""
        left = budget
        for name in self.names:
            left -= self.cost(name, samples)
            if left < 0:
                return False
        return True

    def bare_cost(self, name: str) -> int:
        """Return about how many tokens a table's DDL is with its first column alone."""
        table = replace(self.tables[name], sample=())
        return self._cost_of((name, BARE), narrowed(table, [table.columns[0].name]))

    def column_cost(self, name: str, column: str) -> int:
        """Return about how many tokens one more column adds, its key included."""
        table = replace(self.tables[name], sample=())
        first = table.columns[0].name
        alone = narrowed(table, [first])
        bare = self._cost_of((name, BARE), alone)
        return self._cost_of((name, column), narrowed(table, [first, column])) - bare

    def _cost_of(self, key: tuple[str, int | str], table: Table) -> int:
        if key not in self._costs:
            cost = estimate(create_table(table, samples=len(table.sample))) + 1
            with self._lock:
                self._costs[key] = cost
        return self._costs[key]

    def closed(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the tables and the bridges between them, in the catalog's order."""
        key = tuple(sorted(set(names)))
        if key not in self._closures:
            found = closure(self.catalog, key) if len(key) > 1 else key
            with self._lock:
                self._closures[key] = found
        return self._closures[key]

    def joins(self, names: Iterable[str]) -> tuple[Join, ...]:
        """Return the joins that connect the tables."""
        key = tuple(sorted(set(names)))
        if key not in self._joins:
            found = join_path(self.catalog, key)
            with self._lock:
                self._joins[key] = found
        return self._joins[key]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the tables' and the columns' names."""
        return schema_words(self.catalog)

    @cached_property
    def in_order(self) -> dict[str, int]:
        """Each table's place in the catalog."""
        return {name: place for place, name in enumerate(self.names)}

    def named(self, tables: Iterable[str]) -> list[str]:
        """Return qualified names of those tables that the caller may see."""
        found = (self.catalog.table(name) for name in tables)
        return [t.qualified_name for t in found if t is not None]

    def allows(self, entry: Example | Fact) -> bool:
        """Tell whether an example or a fact speaks of nothing that the caller may not see."""
        if isinstance(entry, Fact):
            tables, text = entry.tables, " ".join([entry.text, *entry.terms])
        else:
            tables = reads(entry)
            text = f"{entry.question} {entry.sql} {entry.note}"
        known = all(self.catalog.table(name) is not None for name in tables)
        return known and not _says(text, self._hidden)


def unit(vectors: Sequence[Sequence[float]]) -> "NDArray[np.float32]":
    """Return the vectors at length 1, as rows; one without length stays as it is."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float32).reshape(len(vectors), -1 if vectors else 1)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return cast("NDArray[np.float32]", rows / np.where(lengths > 0, lengths, 1))


def _column_cards(table: Table) -> list[str]:
    return [f"{spelled(table.name)} {column_card(c)}" for c in table.columns]


def narrowed(table: Table, keep: Iterable[str]) -> Table:
    """Return the table with some of its columns, and the keys that these allow."""
    kept = set(keep)
    places = [i for i, c in enumerate(table.columns) if c.name in kept]
    return replace(
        table,
        columns=tuple(table.columns[i] for i in places),
        sample=tuple(tuple(row[i] for i in places) for row in table.sample),
        primary_key=table.primary_key if set(table.primary_key) <= kept else (),
        unique=tuple(u for u in table.unique if set(u) <= kept),
        partitions=tuple(p for p in table.partitions if p in kept),
        keys=tuple(k for k in table.keys if set(k.columns) <= kept),
    )


def _hidden(catalog: Catalog, indexed: list[dict[str, list[str] | str]]) -> set[str]:
    """Return the names that the index knows and the caller may not see anywhere."""
    everything: set[str] = set()
    for entry in indexed:
        everything |= {part.lower() for part in str(entry["table"]).split(".")}
        everything |= {str(column).lower() for column in entry["columns"]}
    seen = {part.lower() for t in catalog.tables for part in t.qualified_name.split(".")}
    seen |= {c.name.lower() for t in catalog.tables for c in t.columns}
    return everything - seen


def _says(text: str, names: set[str]) -> bool:
    """Tell whether a text holds one of the names as a whole word, or a longer name anywhere."""
    if not names:
        return False
    low = text.lower()
    odd = (name for name in names if not re.fullmatch(r"\w+", name))
    return not names.isdisjoint(re.findall(r"\w+", low)) or any(name in low for name in odd)


def reads(example: Example) -> tuple[str, ...]:
    """Return the tables that an example uses, as it says and as its SQL says."""
    return tuple(dict.fromkeys([*example.tables, *_read_by(example.sql, example.dialect)]))


@lru_cache(maxsize=4_096)
def _read_by(sql: str, dialect: str) -> tuple[str, ...]:
    """Return the tables that a statement reads, CTEs left out; UNREADABLE where it cannot tell."""
    try:
        trees = [tree for tree in parse(sql, read=dialect) if tree]
    except (SqlglotError, ValueError):
        return (UNREADABLE,)
    ctes = {c.alias_or_name.lower() for tree in trees for c in tree.find_all(exp.CTE)}
    tables = (t for tree in trees for t in tree.find_all(exp.Table))
    names = {f"{t.db}.{t.name}" if t.db else t.name for t in tables}
    return tuple(sorted(n for n in names if n and n.lower() not in ctes))
