"""Retrieval: what the model needs to know for one question, within a token budget."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.index.asked import Asked, column_order
from querymend.tools.index.embeddings import Embedder
from querymend.tools.index.fit import Fitted, fit
from querymend.tools.index.matching import match
from querymend.tools.index.model import Context, Fact, Scored
from querymend.tools.index.nearest import (
    called_for,
    masked,
    near_examples,
    near_facts,
    same_dialect,
)
from querymend.tools.index.rank import WEIGHTS, Hints, Weights, rank_tables
from querymend.tools.index.store import Store
from querymend.tools.index.tokens import estimate
from querymend.tools.index.values import ValueIndex
from querymend.tools.index.view import View, reads

VIEWS = 16
"""Narrowed catalogs kept ready."""
READ = 4_000
"""Characters of a question that are searched with."""
EXAMPLES_SHARE = 0.3
FACTS_SHARE = 0.3
MAX_VALUES = 10
Entry = TypeVar("Entry")


class Retriever:
    """Searches one warehouse's index. Serves many threads at once; holds no connection open."""

    def __init__(
        self, store: Store, embedder: Embedder, values: ValueIndex, weights: Weights = WEIGHTS
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._values = values
        self._weights = weights
        self._views: list[tuple[Catalog, str, View]] = []
        self._lock = threading.Lock()

    def retrieve(
        self,
        question: str,
        *,
        catalog: Catalog,
        budget_tokens: int,
        max_examples: int = 3,
        min_example_score: float = 0.6,
        max_facts: int = 6,
        samples: int = 3,
        dialect: str = "duckdb",
    ) -> Context:
        """Return tables, joins, facts, examples and values for a question.

        Every table is taken if all fit, in the catalog's order; otherwise those that dense
        search, words, values, examples and facts point at, with the bridges between them. What
        did not fit is named in ``left_out``.

        Args:
            question: what was asked.
            catalog: what the caller may see; nothing outside it is returned.
            budget_tokens: tokens of tables, facts and examples together, at most.
            max_examples: examples at most.
            min_example_score: examples further away are not returned.
            max_facts: facts at most.
            samples: sample rows of each table at most.
            dialect: examples of others are not returned.
        """
        view = self._view(catalog)
        asked = self._asked(view, question[:READ], dialect, min_example_score)
        facts, spent = _within(asked.facts[:max_facts], budget_tokens * FACTS_SHARE, _fact_cost)
        fitted = self._fitted(view, asked, budget_tokens, spent, samples, max_examples)
        examples, _ = _within(
            asked.examples[:max_examples], budget_tokens - spent - fitted.tokens, _example_cost
        )
        return _context(view, asked, fitted, facts, examples, dialect)

    def rank(self, question: str, *, catalog: Catalog) -> list[tuple[str, float]]:
        """Return every table of the catalog with its score, best first."""
        view = self._view(catalog)
        asked = self._asked(view, question[:READ], "", 1.1)
        return rank_tables(view, asked.text, asked.vector, _hints(asked), self._weights)

    def _view(self, catalog: Catalog) -> View:
        """Return the catalog's view, made anew when the index was written."""
        revision = self._store.revision()
        with self._lock:
            for place, (known, of, view) in enumerate(self._views):
                if of == revision and (known is catalog or known == catalog):
                    self._views.insert(0, self._views.pop(place))
                    return view
        view = View(catalog, self._store, self._embedder)
        with self._lock:
            self._views = [(catalog, revision, view), *self._views[: VIEWS - 1]]
        return view

    def _asked(self, view: View, text: str, dialect: str, min_score: float) -> Asked:
        """Embed the question and find the values, examples and facts that it calls for."""
        values = match(text, self._values, view.catalog, known=view.words)
        bare = masked(text, values)
        vector, bare_vector = self._embedder.embed([text, bare])
        near = near_examples(view, self._store, bare, bare_vector, dialect=dialect)
        called = called_for(view, text)
        others = near_facts(view, self._store, text, vector)
        return Asked(
            text=text,
            vector=vector,
            values=values,
            examples=[s for s in near if s.score >= min_score],
            facts=[*called, *(f for f in others if f not in called)],
        )

    def _fitted(
        self, view: View, asked: Asked, budget: int, spent: int, samples: int, examples: int
    ) -> Fitted:
        """Choose tables; examples give way only where every table fits without them."""
        ranking = rank_tables(view, asked.text, asked.vector, _hints(asked), self._weights)
        wanted = _within(asked.examples[:examples], budget * EXAMPLES_SHARE, _example_cost)[1]

        def columns(table: Table) -> list[str]:
            return column_order(view, table, asked)

        whole = view.fits(samples, budget - spent)
        room = budget - spent - (0 if whole else wanted)
        return fit(view, ranking, budget=room, samples=samples, columns=columns)


def _hints(asked: Asked) -> Hints:
    return Hints(values=asked.values, examples=asked.examples, facts=asked.facts)


def _context(
    view: View,
    asked: Asked,
    fitted: Fitted,
    facts: Sequence[Fact],
    examples: Sequence[Scored],
    dialect: str,
) -> Context:
    """Put together what belongs to the tables taken, and say what was left out."""
    taken = {t.qualified_name: t for t in fitted.tables}
    facts = [f for f in facts if taken.keys() >= set(view.named(f.tables))]
    examples = [s for s in examples if taken.keys() >= set(view.named(reads(s.example)))]
    shown = {h for h in asked.values if h.table in taken and taken[h.table].column(h.column)}
    return Context(
        tables=fitted.tables,
        joins=view.joins(taken),
        facts=tuple(facts),
        examples=tuple(examples),
        values=tuple([h for h in asked.values if h in shown][:MAX_VALUES]),
        left_out=(
            *fitted.left_out,
            *(f"fact {f.id}" for f in asked.facts if f not in facts),
            *(f"example {s.example.id}" for s in asked.examples if s not in examples),
            *_other_dialects(view, dialect),
        ),
        margin=fitted.margin,
    )


def _other_dialects(view: View, dialect: str) -> list[str]:
    others = [e.dialect for e in view.examples.values() if not same_dialect(e, dialect)]
    return [f"{others.count(d)} examples in {d}" for d in sorted(set(others))]


def _within(
    entries: Sequence[Entry], room: float, cost: Callable[[Entry], int]
) -> tuple[list[Entry], int]:
    """Take entries in order while they fit; return them with what they cost."""
    taken: list[Entry] = []
    spent = 0
    for entry in entries:
        if spent + cost(entry) <= room:
            taken.append(entry)
            spent += cost(entry)
    return taken, spent


def _fact_cost(fact: Fact) -> int:
    return estimate(fact.text) + 2


def _example_cost(scored: Scored) -> int:
    return estimate(f"{scored.example.question}\n{scored.example.sql}") + 8
