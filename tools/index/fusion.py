"""Reciprocal rank fusion: rankings whose scores cannot be compared become one.

Source: Cormack, Clarke and Büttcher, SIGIR 2009.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

DAMPING = 60.0
"""The paper's k: how little the first ranks differ from the next."""


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Names, best first, and how much this ranking counts."""

    names: Sequence[str]
    weight: float = 1.0


def fuse(rankings: Iterable[Ranking], *, damping: float = DAMPING) -> list[tuple[str, float]]:
    """Return every ranked name with its fused score, best first.

    A score is between 0 and 1: the share of what a name that leads every ranking would have.
    Equal scores keep the order in which the names were first seen.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    best = 0.0
    for ranking in rankings:
        best += ranking.weight / (damping + 1) if ranking.names else 0.0
        for place, name in enumerate(ranking.names, start=1):
            scores[name] += ranking.weight / (damping + place)
    return sorted(((n, s / best) for n, s in scores.items()), key=lambda pair: -pair[1])


def ranked(scores: Mapping[str, float], *, above: float = 0.0) -> list[str]:
    """Return the names whose score is above a threshold, best first; ties keep their order."""
    kept = [name for name, score in scores.items() if score > above]
    return sorted(kept, key=lambda name: -scores[name])
