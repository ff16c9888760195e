"""A question of several steps, answered step by step: each is checked and run before the next.

Each step is a question of its own, which a small model answers where the whole was too much for
it. A rule puts the steps together as named CTEs. Every model call counts as a repair.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from querymend.answer import Attempt
from querymend.events import SqlWritten
from querymend.loop.calling import call_model
from querymend.loop.generate import attempt_of
from querymend.loop.prompting import first_prompt
from querymend.loop.state import State
from querymend.loop.step_trial import made_in, settled
from querymend.loop.stepwise import BUILT as CODE
from querymend.loop.stepwise import periods_of
from querymend.loop.trip import Trip
from querymend.model.reply import read_reply
from querymend.tools.errors import Final, Unavailable
from querymend.tools.findings import Finding, in_step
from querymend.tools.questions.reading import read_question
from querymend.tools.questions.steps import Steps, Task
from querymend.tools.results.expectation import expect
from querymend.tools.steps.choices import choices
from querymend.tools.steps.finish import finish
from querymend.tools.steps.made import Made

BUILT = Finding(
    code=CODE,
    kind="question",
    severity="note",
    message="The first query was at fault; this one was put together from steps, each of which"
    " was checked and ran.",
)
"""A note: a step is a plain question with a first answer of its own; its doubts stay with it."""
UNSURE = "percentage"
"""Of these a warning: which rows are the whole of a percentage the rules only guess."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """What became of building a statement step by step."""

    attempts: tuple[Attempt, ...] = ()
    """Those at the steps; the one at the whole, where there is one, comes last."""
    calls: int = 0

    @property
    def whole(self) -> bool:
        """Whether there is a statement that answers the whole question."""
        return bool(self.attempts) and not self.attempts[-1].step


def build_by_steps(state: State, trip: Trip) -> Built:
    """Answer the steps of the question in order, and put the answer together.

    It ends at the first step that cannot be mended, or that the budget has no room for; nothing
    is written after it.
    """
    steps = _steps(state, trip)
    attempts: list[Attempt] = []
    calls = trip.meter.model_calls
    try:
        for attempt in _climbed(steps, state, trip) if steps else ():
            attempts.append(attempt)
    except (Unavailable, Final) as error:
        trip.note("step", stopped=str(error))
    return Built(attempts=tuple(attempts), calls=trip.meter.model_calls - calls)


def _climbed(steps: Steps, state: State, trip: Trip) -> Iterator[Attempt]:
    """Yield the attempts at each step, and at the end the one at the whole."""
    made: list[Made] = []
    doubts: list[Finding] = []
    for task in steps.tasks:
        sub = asked_alone(_joining(task, steps, made), state, trip)
        found = None
        for tries in _ways(task, steps, sub, state, trip):
            tried = list(tries)
            yield from (_told(a, task) for a in tried)
            found = made_in(task, tried[-1], trip)
            if found is not None:
                break
        if found is None:
            return
        made.append(found)
        doubts += [f for f in _told(tried[-1], task).findings if f.severity == "warn"]
    yield from _whole(steps, made, doubts, trip)


def _ways(
    task: Task, steps: Steps, sub: State, state: State, trip: Trip
) -> Iterator[Iterator[Attempt]]:
    """Yield the ways to a step's text: it is there already, or the model writes it."""
    if steps.finish == "split":
        why = f"step {task.name}: it stands in the query before"
        yield from _chosen(state.at_hand.sql, task, why, sub, trip)
    if not _has_room(steps, state, trip):
        return
    written = call_model(trip, replace(first_prompt(sub, trip), kind="step"))
    reply = read_reply(written.text, finished=written.finished)
    why = f"step {task.name}: {task.asks}"
    yield settled(task, attempt_of(reply.sql, reply.reason, why), sub, trip)
    if steps.finish == "split":
        yield from _chosen(reply.sql or "", task, why, sub, trip)


def _chosen(sql: str, task: Task, why: str, sub: State, trip: Trip) -> Iterator[Iterator[Attempt]]:
    """Yield the choices that stand in a text already, each put to the test."""
    for choice in choices(sql, task, trip.deps.engine.dialect):
        yield settled(task, Attempt(sql=choice, author="model", reason=why), sub, trip)


def _steps(state: State, trip: Trip) -> Steps | None:
    """Return the steps, if they are still to be tried."""
    steps = state.expectation.steps if state.expectation else None
    tried = any(a.step for a in state.attempts)
    return steps if trip.deps.settings.steps and trip.run and not tried else None


def _has_room(steps: Steps, state: State, trip: Trip) -> bool:
    """Tell whether the budget has room for all the steps; some of them may be made already."""
    meter, need = trip.meter, len(steps.tasks)
    before = 1 + state.model_repairs
    repairs = meter.budget.max_repairs or 0
    calls = meter.budget.model_calls
    return repairs >= state.model_repairs + need and (calls is None or before + need <= calls)


def asked_alone(task: Task, state: State, trip: Trip) -> State:
    """Return the state of a question that is the step alone; what was retrieved stays."""
    periods = periods_of(task.asks, trip)
    reading = read_question(task.asks)
    return replace(
        state,
        question=task.asks,
        periods=periods,
        reading=reading,
        expectation=expect(task.asks, reading, periods),
        attempts=(),
    )


def _joining(task: Task, steps: Steps, made: list[Made]) -> Task:
    """Ask later steps for the column that the first one tells its rows apart by."""
    if not made or not made[0].keys or steps.finish not in ("beside", "compared", "without"):
        return task
    return replace(task, asks=f"{task.asks} Name each {task.grain[0]} by {made[0].keys[0]}.")


def _whole(
    steps: Steps, made: list[Made], doubts: list[Finding], trip: Trip
) -> tuple[Attempt, ...]:
    """Put the steps together; nothing where no rule can. What is doubtful in one stays so."""
    build = finish(steps, made, trip.catalog)
    if build is None:
        return ()
    why = f"put together from steps: {', then '.join(m.task.name for m in made)}"
    sql = build.sql(pretty=True)
    trip.emit(SqlWritten(sql=sql, author="rule", reason=why))
    trip.note("repair", author="rule", sql=sql, reason=why)
    told = replace(BUILT, severity="warn") if steps.finish == UNSURE else BUILT
    return (Attempt(sql=sql, author="rule", reason=why, findings=(*doubts, told)),)


def _told(attempt: Attempt, task: Task) -> Attempt:
    findings = tuple(in_step(f, task.name) for f in attempt.findings)
    return replace(attempt, step=task.name, findings=findings)
