"""Stage: the gate and the checks. No model, no engine."""

from dataclasses import replace

from langgraph.runtime import Runtime

from querymend.events import FindingMade
from querymend.loop.foreign import FOREIGN, foreign_to_data
from querymend.loop.judge import blocked, held_against_question, judge
from querymend.loop.state import State, Update
from querymend.loop.stepwise import name_steps
from querymend.loop.trip import Trip
from querymend.loop.weighing import priced


def validate(state: State, runtime: Runtime[Trip]) -> Update:
    """Hold the SQL at hand against the gate, the catalog and the scope."""
    trip = runtime.context
    trip.begin("validate")
    attempt = state.at_hand
    found = priced(judge(attempt.sql, trip), attempt.sql, trip) if attempt.sql else ()
    if attempt.sql and not blocked(found):
        found = (*found, *held_against_question(attempt.sql, state, trip))
    if attempt.sql:
        found = (*found, *foreign_to_data(attempt.sql, state, trip))
    found = name_steps(found, attempt.sql, trip)
    for finding in found:
        trip.emit(FindingMade(finding=finding))
    trip.note("validate", findings=[(f.severity, f.code, f.message) for f in found])
    findings = (*attempt.findings, *found)
    update: Update = {"attempts": (*state.attempts[:-1], replace(attempt, findings=findings))}
    if foreign := next((f for f in found if f.code == FOREIGN), None):
        update |= {"ending": "refused", "reason": foreign.message, "notes": (foreign,)}
    return update
