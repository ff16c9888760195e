"""Which tables a question is about: several rankings, fused."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from querymend.tools.index.fusion import Ranking, fuse, ranked
from querymend.tools.index.model import Fact, Scored, ValueHit
from querymend.tools.index.view import View, reads


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How much each ranking counts; tuned by tests/bench/retrieval.py on half of the databases."""

    dense: float = 1.0
    cards: float = 1.0
    names: float = 1.0
    values: float = 1.0
    examples: float = 1.0
    facts: float = 1.5
    damping: float = 10.0


WEIGHTS = Weights()


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
    rankings = [
        Ranking(names=ranked(view.dense(vector), above=-1.0), weight=weights.dense),
        Ranking(names=_by_words(view.names, view.cards.scores(question)), weight=weights.cards),
        Ranking(names=_by_words(view.names, view.spelt.scores(question)), weight=weights.names),
        Ranking(names=_once(h.table for h in hints.values), weight=weights.values),
        Ranking(names=_of_examples(view, hints.examples), weight=weights.examples),
        Ranking(names=_of_facts(view, hints.facts), weight=weights.facts),
    ]
    found = fuse(rankings, damping=weights.damping)
    known = {name for name, _ in found}
    return found + [(name, 0.0) for name in view.names if name not in known]


def _by_words(names: Sequence[str], scores: Sequence[float]) -> list[str]:
    return ranked(dict(zip(names, scores, strict=True)))


def _of_examples(view: View, examples: Sequence[Scored]) -> list[str]:
    return _once(n for s in examples for n in view.named(reads(s.example)))


def _of_facts(view: View, facts: Sequence[Fact]) -> list[str]:
    return _once(n for fact in facts for n in view.named(fact.tables))


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
