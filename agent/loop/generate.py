"""Stage: one model call, from context to SQL."""

from langgraph.runtime import Runtime

from querymend.answer import Attempt
from querymend.events import SqlWritten
from querymend.loop.calling import call_model, ended_by
from querymend.loop.prompting import first_prompt
from querymend.loop.state import State, Update
from querymend.loop.trip import Trip
from querymend.model.reply import read_reply
from querymend.tools.errors import BudgetExceeded, ModelUnavailable
from querymend.tools.findings import Finding


def generate(state: State, runtime: Runtime[Trip]) -> Update:
    """Write the first SQL text, or end the trip and say why there is none."""
    trip = runtime.context
    trip.begin("generate")
    if state.given_sql:
        return {"attempts": (Attempt(sql=state.given_sql, author="caller"),)}
    try:
        written = call_model(trip, first_prompt(state, trip))
    except (ModelUnavailable, BudgetExceeded) as error:
        return {"ending": "failed", "reason": str(error), "notes": (ended_by(error),)}
    reply = read_reply(written.text, finished=written.finished)
    if reply.declined:
        return {"ending": "refused", "reason": f"The data do not hold this: {reply.declined}"}
    trip.emit(SqlWritten(sql=reply.sql or "", author="model"))
    return {"attempts": (attempt_of(reply.sql, reply.reason),)}


def attempt_of(sql: str | None, reason: str, why: str = "") -> Attempt:
    """Make an attempt of a reply; one without whole SQL carries the finding that says so."""
    if sql and not reason:
        return Attempt(sql=sql, author="model", reason=why)
    told = {"cut": "The reply was cut off before the query ended."}
    finding = Finding(
        code="no_sql",
        kind="syntax",
        severity="block",
        message=told.get(reason, f"The reply held no SQL query ({reason or 'empty'})."),
        hint="Reply with one SQL query alone in a ```sql block.",
    )
    return Attempt(sql=sql or "", author="model", reason=why, findings=(finding,))
