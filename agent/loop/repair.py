"""Stage: a new attempt, or the end. Rule fixes first, with no model; then the model, bounded.

A rule fix uses none of the repairs. Whatever a new attempt brings, the best attempt is kept:
repair is monotone (DESIGN §2).
"""

from dataclasses import replace

from langgraph.runtime import Runtime

from querymend.answer import Attempt
from querymend.events import SqlWritten
from querymend.loop.by_steps import build_by_steps
from querymend.loop.calling import call_model
from querymend.loop.generate import attempt_of
from querymend.loop.one_step import mend_step, write_step
from querymend.loop.progress import no_progress, repaired_empty_before, whole
from querymend.loop.prompting import one_class, repair_prompt
from querymend.loop.state import State, Update
from querymend.loop.trial import DOUBTS, perhaps, surely
from querymend.loop.trip import Trip
from querymend.model.reply import read_reply
from querymend.tools.errors import Final, Unavailable
from querymend.tools.findings import Finding

SECOND_TRY = Finding(
    code="second_try",
    kind="question",
    severity="warn",
    message="The first query was at fault; the model wrote this one instead, which is no proof"
    " that it is right.",
    hint="Check that this is what was meant.",
)
MOST_RULE_FIXES = 5
"""Attempts that rules may write for one question."""


def repair(state: State, runtime: Runtime[Trip]) -> Update:
    """Write a better SQL text than the one at hand, or say why there will be none."""
    trip = runtime.context
    trip.begin("repair")
    try:
        return _by_rule(state, trip) or _by_steps(state, trip)
    except (Unavailable, Final) as error:
        trip.note("repair", stopped=str(error))
        return {"stopped": str(error)}


def _by_steps(state: State, trip: Trip) -> Update:
    """Answer a question of several steps step by step; else by a doubtful rule, else by the model.

    What no rule mends for certain is not yet given up: a doubtful fix is kept for the case that
    the steps lead nowhere.
    """
    doubtful = perhaps(state.at_hand, state, trip) if _may_rule(state) else None
    if doubtful is not None and not any(f.code in DOUBTS for f in doubtful.findings):
        return _ruled(doubtful, state, trip)
    built = build_by_steps(state, trip)
    tried = replace(
        state,
        attempts=(*state.attempts, *built.attempts),
        model_repairs=state.model_repairs + built.calls,
    )
    so_far: Update = {"attempts": tried.attempts, "model_repairs": tried.model_repairs}
    if built.whole:
        return so_far
    doubtful = doubtful or (mend_step(state, trip) if _may_rule(state) else None)
    return so_far | (_ruled(doubtful, tried, trip) if doubtful else _by_model(tried, trip))


def _by_rule(state: State, trip: Trip) -> Update | None:
    """Let the rules that are sure try, a bounded number of times."""
    mended = surely(state.at_hand, state, trip) if _may_rule(state) else None
    return _ruled(mended, state, trip) if mended else None


def _may_rule(state: State) -> bool:
    used = sum(a.author == "rule" for a in whole(state.attempts))
    return used < MOST_RULE_FIXES and bool(state.at_hand.sql)


def _ruled(mended: Attempt, state: State, trip: Trip) -> Update:
    trip.emit(SqlWritten(sql=mended.sql, author="rule", reason=mended.reason))
    trip.note("repair", author="rule", sql=mended.sql, reason=mended.reason)
    return {"attempts": (*state.attempts, mended)}


def _by_model(state: State, trip: Trip) -> Update:
    """Show the model one class of findings, unless that is useless or over the budget."""
    reason = _over(state, trip)
    if reason:
        trip.note("repair", stopped=reason)
        return {"stopped": reason}
    if (stepped := write_step(state, trip)) is not None:
        trip.emit(SqlWritten(sql=stepped.sql, author="model", reason=stepped.reason))
        return _next(replace(stepped, findings=(SECOND_TRY,)), state)
    if not trip.meter.may_call_model():
        return {"stopped": f"{trip.meter.budget.model_calls} model calls were made"}
    written = call_model(trip, repair_prompt(state, trip))
    reply = read_reply(written.text, finished=written.finished)
    why = "; ".join(f.message for f in one_class(state.at_hand.findings))
    trip.emit(SqlWritten(sql=reply.sql or "", author="model", reason=why))
    attempt = attempt_of(reply.sql, reply.reason, why)
    if reply.sql and not _was_only_form(state):
        attempt = replace(attempt, findings=(*attempt.findings, SECOND_TRY))
    return _next(attempt, state)


def _next(attempt: Attempt, state: State) -> Update:
    return {"attempts": (*state.attempts, attempt), "model_repairs": state.model_repairs + 1}


def _was_only_form(state: State) -> bool:
    """Tell whether the text at hand was at fault in its form alone, not in what it asks."""
    acting = one_class(state.at_hand.findings)
    return all(f.kind == "syntax" for f in acting) and len(state.attempts) == 1


def _over(state: State, trip: Trip) -> str:
    """Tell why the model is not asked again, or return an empty text."""
    allowed = trip.meter.budget.max_repairs or 0
    if state.model_repairs >= allowed:
        return f"{allowed} repairs were tried"
    if not trip.meter.may_call_model():
        return f"{trip.meter.budget.model_calls} model calls were made"
    if repaired_empty_before(state.attempts):
        return "the result stayed empty"
    return no_progress(state.attempts, trip.deps.engine.dialect)
