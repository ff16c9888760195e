"""A statement's own steps: named in findings, and run one by one, bounded, before the whole."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from querymend.events import FindingMade, StepRan
from querymend.loop.calling import ended_by
from querymend.loop.execute import engine_error, fetch
from querymend.loop.judge import judge
from querymend.loop.state import State, Update
from querymend.loop.trip import Trip
from querymend.loop.weighing import ApprovalNeeded, approval
from querymend.tools.engines.engine import Result
from querymend.tools.engines.estimate import Charges
from querymend.tools.errors import Final, QueryError, Unavailable
from querymend.tools.findings import Finding, acting, in_step
from querymend.tools.questions.period import Period, resolve_periods
from querymend.tools.questions.reading import read_question
from querymend.tools.results.expectation import Expectation
from querymend.tools.results.inspect import inspect as inspect_result
from querymend.tools.sql.limits import cap
from querymend.tools.sql.parse import parse
from querymend.tools.sql.subject import Subject
from querymend.tools.steps.build import Build
from querymend.tools.steps.places import by_step
from querymend.tools.steps.repeats import repeated_rows

_NESTED = re.compile(r"\bwith\b|\(\s*select\b", re.IGNORECASE)
ROWS = 200
"""Rows of a step that are looked at."""
BUILT = "built_by_steps"
MOST = 6
"""Steps of a statement that run by themselves."""
EMPTY = frozenset(("empty_result", "null_aggregate", "zero_count", "all_null"))
FAILED = EMPTY | {"engine_error"}
"""Findings of a whole whose steps are looked at, where every run costs money."""


def bounded(sql: str, trip: Trip) -> str:
    """Return the text that runs for a step's first rows, and no more."""
    return cap(sql, ROWS + 1, trip.deps.engine.dialect)


def periods_of(question: str, trip: Trip) -> tuple[Period, ...]:
    """Return the periods that a step's own question names."""
    months = trip.deps.settings.fiscal_start_month
    return resolve_periods(question, trip.today, fiscal_start_month=months)


def name_steps(findings: Sequence[Finding], sql: str, trip: Trip) -> tuple[Finding, ...]:
    """Say of each finding which step of the statement it is about, where there are several."""
    if all(f.severity == "note" for f in findings) or not _NESTED.search(sql):
        return tuple(findings)
    parsed = parse(sql, trip.deps.engine.dialect)
    if parsed.tree is None:
        return tuple(findings)
    return tuple(by_step(findings, Subject(parsed=parsed, catalog=trip.catalog)))


def steps(state: State, runtime: Runtime[Trip]) -> Update:
    """Run the steps before the last, in order, until one of them is at fault."""
    trip = runtime.context
    trip.begin("steps")
    attempt = state.at_hand
    try:
        found = look_at_steps(attempt.sql, trip)
    except ApprovalNeeded as error:
        return {"ending": "approval", "reason": str(error), "notes": (approval(error),)}
    except (Unavailable, Final) as error:
        trip.note("steps", error=str(error))
        return {"ending": "failed", "reason": str(error), "notes": (ended_by(error),)}
    for finding in found:
        trip.emit(FindingMade(finding=finding))
    trip.note("steps", findings=[(f.severity, f.code, f.message) for f in found])
    seen = replace(attempt, findings=(*attempt.findings, *found))
    return {"attempts": (*state.attempts[:-1], seen)}


def run_before(state: State, trip: Trip) -> bool:
    """Tell whether the steps run before the whole: where that costs no money."""
    return _has_steps(state, trip) and not isinstance(trip.deps.engine, Charges)


def run_after(state: State, trip: Trip) -> bool:
    """Tell whether the steps run to find out which is at fault, the whole having failed."""
    if not _has_steps(state, trip) or not isinstance(trip.deps.engine, Charges):
        return False
    if any(f.step for f in state.at_hand.findings):
        return False
    return any(f.code in FAILED for f in state.at_hand.findings if f.severity != "note")


def _has_steps(state: State, trip: Trip) -> bool:
    """Tell whether question and statement have several steps, and the loop may act on them."""
    asked = state.expectation is not None and state.expectation.steps is not None
    if not asked or trip.single_pass or not trip.deps.settings.steps or not trip.run:
        return False
    if any(f.code == BUILT for f in state.at_hand.findings):  # its steps ran as they were made
        return False
    build = Build.of(state.at_hand.sql, trip.deps.engine.dialect)
    return build is not None and len(build.steps) > 1


def look_at_steps(sql: str, trip: Trip) -> tuple[Finding, ...]:
    """Run each step of a statement but the last, bounded, through the gate.

    Raises:
        Final: the budget is spent, access is denied, or a scan waits for leave.
        Unavailable: the engine stayed away.
    """
    build = Build.of(sql, trip.deps.engine.dialect)
    found: list[Finding] = []
    for place in range(min(len(build.steps) - 1, MOST) if build else 0):
        assert build is not None
        found += _looked_at(build, place, trip)
        if acting(found):
            break
    return tuple(found)


def _looked_at(build: Build, place: int, trip: Trip) -> Iterator[Finding]:
    """Run one step and yield what is wrong with it."""
    step, sql = build.steps[place], build.upto(place)
    try:
        result = fetch(bounded(sql, trip), trip)
    except QueryError as error:
        yield in_step(engine_error(error), step.name)
        return
    tell_run(step.name, result, trip)
    trip.note("step", step=step.name, rows=len(result.rows), seconds=round(result.seconds, 3))
    yield from (_of_whole(f, build, place) for f in _empty(result, sql, trip) if f.code in EMPTY)
    yield from (in_step(f, step.name) for f in repeated_rows(build, place, result))


def tell_run(name: str, result: Result, trip: Trip) -> None:
    """Tell whoever listens that a step ran."""
    columns = tuple(c.name for c in result.columns)
    trip.emit(
        StepRan(step=name, columns=columns, row_count=result.row_count, seconds=result.seconds)
    )


def _empty(result: Result, sql: str, trip: Trip) -> list[Finding]:
    """Return what makes a step empty."""
    return inspect_result(
        result,
        sql=sql,
        dialect=trip.deps.engine.dialect,
        reading=read_question(""),
        expectation=Expectation(),
        catalog=trip.catalog,
        values=trip.values,
    )


def _of_whole(finding: Finding, build: Build, place: int) -> Finding:
    """Put the fix of a step in its place in the whole."""
    fixed = Build.of(finding.fix, build.dialect) if finding.fix else None
    fix = build.put(place, fixed).sql() if fixed else None
    return in_step(replace(finding, fix=fix, position=None), build.steps[place].name)


def first_at_fault(build: Build, trip: Trip) -> tuple[int, tuple[Finding, ...]] | None:
    """Return the first step that the gate or a check blocks, with why; None where none is."""
    for place in range(len(build.steps)):
        found = tuple(f for f in judge(build.upto(place), trip) if f.severity == "block")
        if found:
            return place, found
    return None
