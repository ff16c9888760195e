"""How sure the loop is of an answer: the evidence of one question, put together and weighed."""

from collections.abc import Sequence

from querymend.loop.state import State
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

    None where the statement cannot be read.
    """
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
    return None if evidence is None else round(confidence(evidence), 4)
