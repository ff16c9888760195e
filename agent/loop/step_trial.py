"""One step of a question put to the test: held against its own question, run bounded, mended."""

from collections.abc import Iterator
from dataclasses import replace

from querymend.answer import Attempt
from querymend.events import FindingMade, SqlWritten
from querymend.loop.execute import engine_error, fetch, ran, refused
from querymend.loop.inspect import look_at
from querymend.loop.judge import blocked, grain_findings, held_against_question, judge
from querymend.loop.state import State
from querymend.loop.stepwise import bounded, tell_run
from querymend.loop.trial import mend
from querymend.loop.trip import Trip
from querymend.loop.weighing import ApprovalNeeded, affordable, priced
from querymend.tools.engines.execution import Execution
from querymend.tools.errors import QueryError
from querymend.tools.findings import acting, in_step
from querymend.tools.questions.steps import Task
from querymend.tools.steps.made import Made, made_of, repeated

MENDED = 3
"""Rule fixes of one step, at most."""
SHOWN = ("key_shown", "key_beside")
"""What is wrong with a result that a person sees: a step's is seen by the next alone."""


def settled(task: Task, first: Attempt, sub: State, trip: Trip) -> Iterator[Attempt]:
    """Yield a text for a step and what the rules make of it, each checked and run.

    Args:
        task: the step.
        first: the text, not yet checked.
        sub: the state of a question that is the step alone.
        trip: what the whole question travels with.

    Raises:
        Final: the budget is spent, or access is denied.
        Unavailable: the engine stayed away.
    """
    attempt: Attempt | None = first
    done: list[Attempt] = []
    while attempt is not None and len(done) <= MENDED:
        trip.emit(SqlWritten(sql=attempt.sql, author=attempt.author, reason=attempt.reason))
        done.append(_checked(task, attempt, sub, trip))
        yield done[-1]
        fine = not acting(done[-1].findings)
        attempt = None if fine else mend(done[-1], replace(sub, attempts=tuple(done)), trip)


def _checked(task: Task, attempt: Attempt, sub: State, trip: Trip) -> Attempt:
    """Hold a step's text against its own question, run it bounded, and look at what came."""
    if not attempt.sql:
        return attempt
    found = priced(judge(attempt.sql, trip), attempt.sql, trip)
    if not blocked(found):
        asked = held_against_question(attempt.sql, sub, trip)
        found = (*found, *(f for f in asked if f.code not in SHOWN))
    checked = replace(attempt, findings=(*attempt.findings, *found))
    if blocked(checked.findings) or not affordable(checked.findings):
        return _noted(task, checked, trip)
    return _noted(task, _run(task, checked, sub, trip), trip)


def _run(task: Task, attempt: Attempt, sub: State, trip: Trip) -> Attempt:
    """Run a step for its first rows, through the gate and within the budget."""
    try:
        result = fetch(bounded(attempt.sql, trip), trip)
    except (QueryError, ApprovalNeeded) as error:
        told = error if isinstance(error, QueryError) else QueryError(str(error))
        return refused(attempt, engine_error(told), error.execution or Execution())
    done = ran(attempt, result)
    tell_run(task.name, result, trip)
    seen = (
        *look_at(result, done, sub, trip),
        *repeated(task, done.sql, result, _dialect(trip)),
        *grain_findings(done.sql, sub, trip, lambda probe: fetch(probe, trip).rows),
    )
    return replace(done, findings=(*done.findings, *seen))


def _noted(task: Task, attempt: Attempt, trip: Trip) -> Attempt:
    for finding in attempt.findings:
        trip.emit(FindingMade(finding=in_step(finding, task.name)))
    trip.note(
        "step",
        step=task.name,
        sql=attempt.sql,
        rows=attempt.summary.rows if attempt.summary else None,
        seconds=round(attempt.seconds, 3),
        findings=[(f.severity, f.code, f.message) for f in attempt.findings],
    )
    return attempt


def made_in(task: Task, attempt: Attempt, trip: Trip) -> Made | None:
    """Read what a step offers; None where it is at fault, or came back empty."""
    if attempt.summary is None or acting(attempt.findings):
        return None
    result = trip.results[bounded(attempt.sql, trip)]
    return made_of(task, attempt.sql, result, _dialect(trip)) if result.rows else None


def _dialect(trip: Trip) -> str:
    return trip.deps.engine.dialect
