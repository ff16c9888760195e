"""Stage: hold the result against what a right one must look like."""

from dataclasses import replace

from langgraph.runtime import Runtime

from querymend.answer import Attempt
from querymend.events import FindingMade
from querymend.loop.execute import fetch
from querymend.loop.judge import grain_findings
from querymend.loop.state import State, Update
from querymend.loop.trip import Trip
from querymend.tools.engines.engine import Result
from querymend.tools.findings import Finding
from querymend.tools.questions.reading import read_question
from querymend.tools.results.expectation import expect
from querymend.tools.results.inspect import inspect as inspect_result


def inspect(state: State, runtime: Runtime[Trip]) -> Update:
    """Add the findings of the result to the attempt at hand."""
    trip = runtime.context
    trip.begin("inspect")
    attempt = state.at_hand
    found = (
        *look_at(fetch(attempt.sql, trip), attempt, state, trip),
        *grain_findings(attempt.sql, state, trip, lambda probe: fetch(probe, trip).rows),
    )
    for finding in found:
        trip.emit(FindingMade(finding=finding))
    trip.note("inspect", findings=[(f.severity, f.code, f.message) for f in found])
    done = replace(attempt, findings=(*attempt.findings, *found))
    return {"attempts": (*state.attempts[:-1], done)}


def look_at(result: Result, attempt: Attempt, state: State, trip: Trip) -> tuple[Finding, ...]:
    """Return what is wrong or doubtful with a result."""
    reading = state.reading or read_question(state.question)
    expectation = state.expectation or expect(state.question, reading, state.periods)
    return tuple(
        inspect_result(
            result,
            sql=attempt.sql,
            dialect=trip.deps.engine.dialect,
            question=state.question,
            reading=reading,
            expectation=expectation,
            catalog=trip.catalog,
            values=trip.values,
        )
    )
