"""How likely an answer is right: a logistic model over its traits.

The coefficients are data, ``weights.json``, written by ``tests/bench/confidence.py DATA --fit``.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from querymend.tools.confidence.evidence import Evidence, Traits
from querymend.tools.confidence.outcomes import (
    Candidate,
    candidate_traits,
    finding_traits,
    result_traits,
)
from querymend.tools.confidence.statements import statement_traits
from querymend.tools.confidence.wishes import wish_traits
from querymend.tools.confidence.wording import wording_traits

LOWERING = (
    "found_",
    "doubted_",
    "noted_",
    "grave_",
    "warned_",
    "lacks_",
    "extra_",
    "words_",
    "shown_",
    "sorted_",
    "tables_",
    "texts_",
    "numbers_",
    "rows_repeated",
    "rows_many",
    "rows_one_",
    "cells_",
    "lone_zero",
    "lone_null",
    "candidate_",
)
"""Beginnings of the traits that speak against an answer: their weights are never above zero."""


@dataclass(frozen=True, kw_only=True)
class Weights:
    """One fitted model."""

    intercept: float
    weights: Mapping[str, float]
    """By trait; a trait that is not listed weighs nothing."""

    def of(self, traits: Traits) -> float:
        """Return the probability that an answer with these traits is right."""
        score = self.intercept + sum(w * traits.get(n, 0.0) for n, w in self.weights.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def confidence(evidence: Evidence, candidate: Candidate | None = None) -> float:
    """Return how likely the rows are right, between 0 and 1 (issue 4 §5).

    Args:
        evidence: the statement, its result, its question, and what was found.
        candidate: what a second statement for the same question gave, where one was made.
    """
    alone, accompanied = shipped()
    return (alone if candidate is None else accompanied).of(traits_of(evidence, candidate))


def traits_of(evidence: Evidence, candidate: Candidate | None = None) -> Traits:
    """Return every trait of an answer, by name."""
    seen = evidence.seen
    alone = {
        **statement_traits(seen),
        **wish_traits(seen),
        **wording_traits(seen),
        **result_traits(seen, evidence.result),
        **finding_traits(evidence.findings),
    }
    return {**alone, **candidate_traits(candidate, alone)}


def lowers(trait: str) -> bool:
    """Tell whether a trait may only speak against an answer."""
    return trait.startswith(LOWERING)


@cache
def shipped() -> tuple[Weights, Weights]:
    """Return the coefficients without a second candidate, and with one."""
    text = files("querymend.tools.confidence").joinpath("weights.json").read_text("utf-8")
    told = json.loads(text)
    alone, accompanied = (
        Weights(intercept=float(told[k]["intercept"]), weights=told[k]["weights"])
        for k in ("alone", "with_candidate")
    )
    return alone, accompanied
