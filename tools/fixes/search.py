"""The search: steps put together until every name resolves, then tried in order of certainty."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.catalog.model import Catalog
from querymend.tools.findings import Finding
from querymend.tools.fixes import bindings, literals, strings, tables
from querymend.tools.fixes.fix import Fix, Known, Step
from querymend.tools.fixes.graph import Graph
from querymend.tools.fixes.view import View, look
from querymend.tools.index.model import ValueLookup

MOST = 12
"""Candidates that are given back."""
EXPANSIONS = 60
HOPELESS = 0.004
"""Chains less certain than this are not followed."""

Family = Callable[[View, Known, frozenset[str]], Iterator[Step]]
FAMILIES: tuple[Family, ...] = (
    strings.steps,
    tables.steps,
    bindings.steps,
    literals.steps,
)


@dataclass(frozen=True, kw_only=True)
class State:
    """A tree on the way, with the steps that led there."""

    tree: exp.Expr
    certainty: float = 1.0
    steps: tuple[Step, ...] = ()
    settled: frozenset[str] = frozenset()

    def after(self, step: Step) -> "State":
        taken = (*self.steps, step) if step.code else self.steps
        return State(
            tree=step.tree,
            certainty=self.certainty * step.certainty,
            steps=taken,
            settled=self.settled | step.settled,
        )


def propose(
    sql: str,
    *,
    dialect: str,
    catalog: Catalog,
    question: str = "",
    facts: Sequence[str] = (),
    values: ValueLookup | None = None,
    findings: Sequence[Finding] = (),
    error: str = "",
    empty: bool = False,
) -> list[Fix]:
    """Return whole SQL texts that may mend this one, best first, no two with the same tree."""
    known = Known(
        catalog=catalog,
        graph=Graph(catalog=catalog),
        dialect=dialect,
        question=question,
        facts=tuple(facts),
        values=values,
        error=error,
        empty=empty,
        codes=frozenset(f.code for f in findings),
    )
    return candidates(sql, known)


def candidates(sql: str, known: Known) -> list[Fix]:
    """Return the candidates for one text, best first."""
    starts = [State(tree=t) for t in _parsed(sql, known.dialect)]
    before = {_canonical(s.tree, known.dialect) for s in starts}
    found: dict[str, Fix] = {}
    for state in islice(complete(starts, known), MOST):
        text = state.tree.sql(dialect=known.dialect)
        if text not in found and text not in before:
            found[text] = _fix(state, text)
    return sorted(found.values(), key=lambda f: f.certainty, reverse=True)


def complete(starts: Iterable[State], known: Known) -> Iterator[State]:
    """Yield states in which no family sees anything left to do, surest first."""
    order = count()
    heap = [(-s.certainty, next(order), s) for s in starts]
    heapq.heapify(heap)
    expansions = 0
    while heap and expansions < EXPANSIONS:
        _, _, state = heapq.heappop(heap)
        expansions += 1
        following = _following(state, known)
        if not following:
            yield state
        for after in following:
            if after.certainty >= HOPELESS:
                heapq.heappush(heap, (-after.certainty, next(order), after))


def _following(state: State, known: Known) -> list[State]:
    """Return what the first family with something to do makes of a state."""
    view = look(state.tree, known.catalog)
    for family in FAMILIES:
        after = [state.after(s) for s in family(view, known, state.settled)]
        if after:
            return after
    return []


def _parsed(sql: str, dialect: str) -> list[exp.Expr]:
    try:
        return [t for t in [sqlglot.parse_one(sql, read=dialect)] if t is not None]
    except SqlglotError:
        return []


def _canonical(tree: exp.Expr, dialect: str) -> str:
    return tree.sql(dialect=dialect)


def _fix(state: State, text: str) -> Fix:
    steps = state.steps
    return Fix(
        code="+".join(s.code for s in steps),
        sql=text,
        why="; ".join(s.why for s in steps),
        edits=sum(s.edits for s in steps),
        certainty=state.certainty,
    )
