"""Which examples and facts a question calls for."""

from collections.abc import Sequence

from querymend.tools.index.masking import mask
from querymend.tools.index.model import Example, Fact, Scored, ValueHit
from querymend.tools.index.store import Store
from querymend.tools.index.values import normal
from querymend.tools.index.view import View
from querymend.tools.index.words import parts

CANDIDATES = 40
MEANING = 0.7
"""How much of an example's score is the cosine; the rest is shared words."""
RELEVANT = 0.55
"""A fact that no term calls for is shown from this score upwards."""
_FAMILY = {"athena": "trino", "presto": "trino"}


def near_examples(
    view: View, store: Store, masked: str, vector: Sequence[float], *, dialect: str
) -> list[Scored]:
    """Return the examples of this dialect with how near they are, nearest first.

    A score is between 0 and 1, made of the cosine and the shared words of the masked questions.
    """
    allowed = [i for i, e in view.examples.items() if same_dialect(e, dialect)]
    if not allowed:
        return []
    found = store.search("examples", vector, limit=CANDIDATES, ids=allowed)
    scored = [
        Scored(example=example, score=_score(cosine, masked, view.masked[i]))
        for i, cosine in found
        if (example := view.examples.get(i))
    ]
    return sorted(scored, key=lambda s: (-s.score, s.example.id))


def called_for(view: View, question: str) -> list[Fact]:
    """Return the facts whose terms the question holds, in the order of the index."""
    asked = f" {normal(question)} "
    return [
        fact
        for fact in view.facts.values()
        if any(f" {normal(term)} " in asked for term in fact.terms if term.strip())
    ]


def near_facts(view: View, store: Store, question: str, vector: Sequence[float]) -> list[Fact]:
    """Return the facts that are about what is asked although no term of theirs is in it."""
    if not view.facts:
        return []
    found = store.search("facts", vector, limit=CANDIDATES, ids=list(view.facts))
    scored = [
        (_score(cosine, question, f"{' '.join(fact.terms)} {fact.text}"), fact)
        for i, cosine in found
        if (fact := view.facts.get(i))
    ]
    near = [(score, fact) for score, fact in scored if score >= RELEVANT]
    return [fact for _, fact in sorted(near, key=lambda pair: (-pair[0], pair[1].id))]


def masked(question: str, values: Sequence[ValueHit]) -> str:
    """Return the question without quoted strings, numbers and known values."""
    return mask(question, [hit.phrase for hit in values])


def same_dialect(example: Example, dialect: str) -> bool:
    """Tell whether the example's SQL is of this dialect; Athena's is Trino's."""
    here, there = (_FAMILY.get(d, d) for d in (example.dialect, dialect))
    return here == there


def _score(cosine: float, one: str, other: str) -> float:
    here, there = set(parts(one)), set(parts(other))
    shared = 2 * len(here & there) / (len(here) + len(there)) if here or there else 0.0
    return max(0.0, min(1.0, MEANING * cosine + (1 - MEANING) * shared))
