"""Stage: run the SQL at hand, through the gate, within what is left of the budget."""

import hashlib
import time
from dataclasses import replace

from langgraph.runtime import Runtime

from querymend.answer import Attempt, Summary
from querymend.events import FindingMade, RowsReturned
from querymend.loop.calling import ended_by, retried
from querymend.loop.state import State, Update
from querymend.loop.trip import Trip
from querymend.loop.weighing import ApprovalNeeded, approval, weigh
from querymend.tools.engines.engine import Result
from querymend.tools.engines.execution import Execution
from querymend.tools.errors import Final, QueryError, QuerymendError, Unavailable
from querymend.tools.findings import Finding
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.gate import admit

SHOWN = 5
"""Rows in the event; the answer has them all."""


def execute(state: State, runtime: Runtime[Trip]) -> Update:
    """Run the attempt at hand; what the engine says against it becomes a finding."""
    trip = runtime.context
    trip.begin("execute")
    attempt = state.at_hand
    try:
        result = fetch(attempt.sql, trip)
    except QueryError as error:
        finding = engine_error(error)
        trip.emit(FindingMade(finding=finding))
        trip.note("execute", error=finding.message, code=finding.evidence)
        return _with(state, refused(attempt, finding, error.execution or Execution()))
    except ApprovalNeeded as error:
        trip.note("execute", waits=str(error))
        return {"ending": "approval", "reason": str(error), "notes": (approval(error),)}
    except (Unavailable, Final) as error:
        trip.note("execute", error=str(error))
        return {"ending": "failed", "reason": str(error), "notes": (ended_by(error),)}
    trip.emit(_event(result))
    trip.note(
        "execute",
        rows=len(result.rows),
        truncated=result.truncated,
        seconds=round(result.seconds, 3),
        bytes_scanned=result.bytes_scanned,
        query_id=result.query_id,
    )
    return _with(state, ran(attempt, result))


def reused(result: Result) -> tuple[Finding, ...]:
    """Tell that the rows are an earlier run's: the data may have changed since."""
    if result.execution is None or not result.execution.reused:
        return ()
    told = "The rows are those of an equal query that ran before, within the time set for that."
    hint = "QUERYMEND_ATHENA__REUSE_MINUTES=0 runs every query anew."
    return (Finding(code="reused_result", kind="engine", severity="note", message=told, hint=hint),)


def fetch(sql: str, trip: Trip) -> Result:
    """Run a text once; the same text again gives the rows that are already there.

    Raises:
        QueryError: the gate or the engine refuses the text.
        Unavailable: the engine stayed away after the retries.
        Final: the budget is spent or access is denied.
    """
    if sql in trip.results:
        return trip.results[sql]
    verdict = admit(
        sql, dialect=trip.deps.engine.dialect, catalog=trip.deps.catalog, scope=trip.scope
    )
    if verdict.sql is None:
        raise QueryError(verdict.findings[0].message, code="refused")
    admitted = verdict.sql
    weigh(admitted, trip)
    result = retried(lambda: _once(admitted, trip), meter=trip.meter)
    trip.results[sql] = result
    return result


def _once(sql: Admitted, trip: Trip) -> Result:
    """Run a text and count what it took, whether it brings rows or not."""
    limits, started = trip.limits(), time.monotonic()
    try:
        result = trip.deps.engine.run(sql, limits=limits)
    except QuerymendError as error:
        if isinstance(error, QueryError) or error.execution is not None:
            _count(trip, time.monotonic() - started, error.execution or Execution())
        raise
    told = Execution(bytes_scanned=result.bytes_scanned, query_id=result.query_id)
    _count(trip, time.monotonic() - started, result.execution or told)
    return result


def refused(attempt: Attempt, finding: Finding, told: Execution) -> Attempt:
    """Note in an attempt what the engine said against it, and what that took."""
    return replace(
        attempt,
        findings=(*attempt.findings, finding),
        seconds=told.total_seconds or 0.0,
        bytes_scanned=told.bytes_scanned,
        query_id=told.query_id,
    )


def ran(attempt: Attempt, result: Result) -> Attempt:
    """Note in an attempt what came back."""
    return replace(
        attempt,
        findings=(*attempt.findings, *reused(result)),
        summary=Summary(
            rows=len(result.rows),
            truncated=result.truncated,
            columns=result.columns,
            digest=digest(result),
        ),
        seconds=result.seconds,
        bytes_scanned=result.bytes_scanned,
        query_id=result.query_id,
    )


def digest(result: Result) -> str:
    """Return a hash that two results share if their rows are equal, in order."""
    return hashlib.sha256(repr(result.rows).encode()).hexdigest()[:16]


def engine_error(error: QueryError) -> Finding:
    """Make a finding of what the engine said."""
    return Finding(
        code="engine_error",
        kind="engine",
        severity="block",
        message=f"The engine refused the query: {error}",
        evidence=error.code,
        hint=error.hint,
        position=error.position,
    )


def _count(trip: Trip, seconds: float, told: Execution) -> None:
    trip.meter.count_query(
        seconds=seconds,
        scanned=told.bytes_scanned,
        query_id=told.query_id,
        usd=told.usd,
        reused=told.reused,
    )


def _event(result: Result) -> RowsReturned:
    return RowsReturned(
        columns=tuple(c.name for c in result.columns),
        rows=result.rows[:SHOWN],
        row_count=result.row_count,
        seconds=result.seconds,
    )


def _with(state: State, attempt: Attempt) -> Update:
    return {"attempts": (*state.attempts[:-1], attempt)}
