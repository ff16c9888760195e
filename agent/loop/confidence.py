"""How sure the loop is of an answer: the evidence of one question, put together and weighed."""

from collections.abc import Iterator, Sequence
from math import prod

from querymend.loop.by_steps import asked_alone
from querymend.loop.state import State
from querymend.loop.stepwise import BUILT, bounded
from querymend.loop.trip import Trip
from querymend.tools.confidence.evidence import evidence_of
from querymend.tools.confidence.model import confidence
from querymend.tools.engines.engine import Result
from querymend.tools.findings import Finding
from querymend.tools.questions.reading import read_question


def confidence_in(
    sql: str, result: Result, findings: Sequence[Finding], state: State, trip: Trip
) -> float | None:
    """Return how likely the rows of a statement answer the question, between 0 and 1.

    What was put together from steps is as sure as all of them are: each is a plain question with
    an answer of its own. None where the statement cannot be read.
    """
    built = any(f.code == BUILT for f in findings)
    parts = list(_of_steps(state, trip)) if built else []
    sure = prod(parts) if parts else _sure(sql, result, findings, state, trip)
    return None if sure is None else round(sure, 4)


def _of_steps(state: State, trip: Trip) -> Iterator[float]:
    """Yield how sure each step is that the answer was put together from."""
    steps = state.expectation.steps if state.expectation else None
    last = {a.step: a for a in state.attempts if a.step}
    for task in steps.tasks if steps else ():
        attempt = last.get(task.name)
        result = trip.results.get(bounded(attempt.sql, trip)) if attempt else None
        if attempt is None or result is None:
            continue
        alone = asked_alone(task, state, trip)
        sure = _sure(attempt.sql, result, attempt.findings, alone, trip)
        if sure is not None:
            yield sure


def _sure(
    sql: str, result: Result, findings: Sequence[Finding], state: State, trip: Trip
) -> float | None:
    evidence = evidence_of(
        sql,
        result,
        findings,
        dialect=trip.deps.engine.dialect,
        catalog=trip.catalog,
        reading=state.reading or read_question(state.question),
        periods=state.periods,
        values=trip.values,
        facts=[f.text for f in state.context.facts] if state.context else (),
    )
    return None if evidence is None else confidence(evidence)
