"""Traits of where question and statement ask for different things, in either direction."""

import re
from functools import lru_cache

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.confidence.evidence import Traits
from querymend.tools.questions.reading import Reading

_BOUND = re.compile(
    r"\b(?:more|less|fewer|greater|larger|higher|lower|older|younger|bigger|smaller|longer|shorter|"
    r"above|below|over|under|before|after|between|at least|at most|exceed\w*)\b"
)
_GROUP = re.compile(r"\b(?:each|every|per|most|by)\b")


def wish_traits(seen: Seen) -> Traits:
    """Return what the question wishes and the statement lacks, and the other way round."""
    asked, done = _asked(seen.reading), _done(seen)
    lacks = {f"lacks_{wish}": float(w and not done[wish]) for wish, w in asked.items()}
    extra = {f"extra_{wish}": float(done[wish] and not w) for wish, w in asked.items()}
    return {**lacks, **extra}


@lru_cache(maxsize=1_000)
def _asked(reading: Reading) -> dict[str, bool]:
    text, aggregates = reading.question.lower(), set(reading.aggregates)
    return {
        "count": "count" in aggregates or reading.counts,
        "average": "average" in aggregates,
        "sum": "total" in aggregates,
        "extreme": bool(reading.superlatives or reading.top or aggregates & {"maximum", "minimum"}),
        "group": bool(reading.group_by or _GROUP.search(text)),
        "distinct": reading.distinct,
        "negation": reading.negated,
        "order": reading.order is not None,
        "bound": bool(_BOUND.search(text)),
        "both": reading.both is not None,
        "either": " or " in text,
    }


def _done(seen: Seen) -> dict[str, bool]:
    kinds = {type(n) for n in seen.nodes}

    def holds(*classes: type[exp.Expr]) -> bool:
        return any(c in kinds for c in classes)

    return {
        "count": holds(exp.Count),
        "average": holds(exp.Avg),
        "sum": holds(exp.Sum),
        "extreme": holds(exp.Max, exp.Min, exp.Window, exp.Limit, exp.Fetch),
        "group": holds(exp.Group, exp.Window),
        "distinct": holds(exp.Distinct, exp.Group),
        "negation": holds(exp.Not, exp.NEQ, exp.Except),
        "order": holds(exp.Order),
        "bound": holds(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between),
        "both": holds(exp.Intersect) or sum(1 for _ in seen.all(exp.Select)) > 1,
        "either": holds(exp.Or, exp.In, exp.Union),
    }
