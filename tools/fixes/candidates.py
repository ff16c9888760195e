"""Candidates: steps put together, surest first, until no rule sees anything left to do."""

import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

from sqlglot import exp

from querymend.tools.fixes import (
    bindings,
    bounds,
    calendars,
    counting,
    dialect,
    duplicates,
    grouping,
    literals,
    offkey,
    shared,
    strings,
    tables,
    windows,
)
from querymend.tools.fixes.fix import Fix, Known, Step
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.syntax import readings
from querymend.tools.fixes.view import View, look

MOST = 12
"""Candidates that are given back."""
EXPANSIONS = 60
HOPELESS = 0.004
"""Chains less certain than this are not followed."""

Family = Callable[[View, Known, frozenset[str]], Iterator[Step]]
FAMILIES: tuple[Family, ...] = (
    strings.steps,
    shared.steps,
    tables.steps,
    calendars.steps,
    bindings.steps,
    dialect.steps,
    windows.steps,
    grouping.steps,
    bounds.counted,
    bounds.steps,
    offkey.steps,
    counting.steps,
    duplicates.steps,
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
        """Return the state that a step leads to."""
        taken = (*self.steps, step) if step.code else self.steps
        return State(
            tree=step.tree,
            certainty=self.certainty * step.certainty,
            steps=taken,
            settled=self.settled | step.settled,
        )


def candidates(sql: str, known: Known) -> list[Fix]:
    """Return whole SQL texts that may mend this one, best first, no two with the same tree."""
    starts = _starts(sql, known)
    before = {s.tree.sql(dialect=known.dialect) for s in starts if not s.steps}
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


def _starts(sql: str, known: Known) -> list[State]:
    """Return the states to begin with: one for each way to read the text."""
    states = []
    for reading in readings(sql, known.dialect):
        step = Step(
            code=reading.code, why=reading.why, certainty=reading.certainty, tree=reading.tree
        )
        states.append(State(tree=reading.tree).after(step))
    return _respelt(sql, states, known) or states


def _respelt(sql: str, states: Sequence[State], known: Known) -> list[State]:
    """A text that failed may do as the parser spells it: other brackets, other function names."""
    if not known.error or len(states) != 1 or states[0].steps:
        return []
    tree = states[0].tree
    if spelling(tree.sql(dialect=known.dialect)) == spelling(sql):
        return []
    step = Step(
        code="respelt", why="spelt as this engine wants it", certainty=prior("respelt"), tree=tree
    )
    return [states[0].after(step)]


def spelling(sql: str) -> str:
    """Return a text without what does not matter: blanks, case, ``AS``, the last semicolon."""
    bare = re.sub(r"\bas\b|\binner\b|\basc\b", " ", sql.lower())
    return re.sub(r"[\s`\"\[\];]|<>|!=", "", bare)


def _fix(state: State, text: str) -> Fix:
    steps = state.steps
    return Fix(
        code="+".join(s.code for s in steps),
        sql=text,
        why="; ".join(s.why for s in steps),
        edits=sum(s.edits for s in steps),
        certainty=state.certainty,
    )
