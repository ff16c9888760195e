"""Which tables a question is about: several rankings, fused."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from querymend.tools.index.fusion import Ranking, fuse, ranked
from querymend.tools.index.model import Fact, Scored, ValueHit
from querymend.tools.index.view import View, reads


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How much each ranking counts; tuned by tests/bench/retrieval.py on half of the databases."""

    dense: float = 0.3
    cards: float = 1.0
    names: float = 0.5
    columns: float = 1.0
    values: float = 1.0
    examples: float = 1.0
    facts: float = 2.0
    damping: float = 5.0


WEIGHTS = Weights()
SECOND_LOOK = 40
"""Tables whose columns are compared one by one."""
BEST = 3
"""Columns that speak for a table."""


@dataclass(frozen=True, kw_only=True)
class Hints:
    """What else points at tables."""

    values: Sequence[ValueHit] = ()
    examples: Sequence[Scored] = ()
    facts: Sequence[Fact] = ()


def rank_tables(
    view: View,
    question: str,
    vector: Sequence[float],
    hints: Hints,
    weights: Weights = WEIGHTS,
) -> list[tuple[str, float]]:
    """Rank every table of the view, best first, with scores between 0 and 1."""
    found = combine(rankings(view, question, vector, hints, weights), weights)
    known = {name for name, _ in found}
    return found + [(name, 0.0) for name in view.names if name not in known]


def rankings(
    view: View,
    question: str,
    vector: Sequence[float],
    hints: Hints,
    weights: Weights = WEIGHTS,
) -> dict[str, list[str]]:
    """Rank the view's tables in each way that there is, by the names of the weights.

    Two tiers: whole tables first, then the columns of the best of these, since the mean of a
    wide table's words says little about any of its columns.
    """
    first = {
        "dense": ranked(view.dense(vector), above=-1.0),
        "cards": _by_words(view.names, view.cards.scores(question)),
        "names": _by_words(view.names, view.spelt.scores(question)),
        "values": _once(h.table for h in hints.values),
        "examples": _of_examples(view, hints.examples),
        "facts": _of_facts(view, hints.facts),
    }
    near = [name for name, _ in combine(first, weights)[:SECOND_LOOK]]
    cosines = view.similar_columns(near, vector)
    best = {name: _mean(sorted(found)[-BEST:]) for name, found in cosines.items()}
    return first | {"columns": ranked(best, above=-1.0)}


def combine(rankings: Mapping[str, Sequence[str]], weights: Weights) -> list[tuple[str, float]]:
    """Fuse the rankings by their weights."""
    weighted = [Ranking(names=r, weight=getattr(weights, kind)) for kind, r in rankings.items()]
    return fuse(weighted, damping=weights.damping)


def _by_words(names: Sequence[str], scores: Sequence[float]) -> list[str]:
    return ranked(dict(zip(names, scores, strict=True)))


def _of_examples(view: View, examples: Sequence[Scored]) -> list[str]:
    return _once(n for s in examples for n in view.named(reads(s.example)))


def _of_facts(view: View, facts: Sequence[Fact]) -> list[str]:
    return _once(n for fact in facts for n in view.named(fact.tables))


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
