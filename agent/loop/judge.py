"""Findings before the engine: the gate and every check, for whatever SQL text is at hand."""

from collections.abc import Sequence
from dataclasses import replace

from querymend.loop.state import State
from querymend.loop.trip import Trip
from querymend.tools.checks.check import check_question
from querymend.tools.errors import Final, QueryError, Unavailable
from querymend.tools.findings import Finding, acting
from querymend.tools.grain.fanout import check_grain
from querymend.tools.grain.proof import Run, resolve
from querymend.tools.questions.reading import read_question
from querymend.tools.sql.checks import check


def judge(sql: str, trip: Trip) -> tuple[Finding, ...]:
    """Return what the gate and the checks say of a text, within the trip's scope."""
    return check(sql, dialect=trip.deps.engine.dialect, catalog=trip.deps.catalog, scope=trip.scope)


def held_against_question(sql: str, state: State, trip: Trip) -> list[Finding]:
    """Return what does not fit between a text that may run and the question behind it."""
    facts = state.context.facts if state.context else ()
    return check_question(
        sql,
        dialect=trip.deps.engine.dialect,
        catalog=trip.catalog,
        question=state.question,
        reading=state.reading or read_question(state.question),
        periods=state.periods,
        values=trip.values,
        facts=[f.text for f in facts],
        today=trip.today if trip.today_set else None,
    )


def grain_findings(sql: str, state: State, trip: Trip, run: Run) -> list[Finding]:
    """Return what joins repeat under an aggregate, each confirmed or cleared by a probe.

    Where a probe cannot run the doubt stays, as a warning: the statement alone is no proof.

    Args:
        sql: a text that ran.
        state: holds the question.
        trip: holds the catalog.
        run: runs a probe through the gate, within the budget.
    """
    dialect, question = trip.deps.engine.dialect, state.question
    found = check_grain(sql, dialect=dialect, catalog=trip.catalog, question=question)
    if not found:
        return []
    try:
        return resolve(
            found, run, sql=sql, dialect=dialect, catalog=trip.catalog, question=question
        )
    except (QueryError, Unavailable, Final) as error:
        trip.note("inspect", probe=str(error))
        return [replace(f, severity="warn") if f.severity == "repair" else f for f in found]


def blocked(findings: Sequence[Finding]) -> bool:
    """Tell whether a text with these findings must not run."""
    return any(f.severity == "block" for f in findings)


def needs_repair(state: State) -> bool:
    """Tell whether the attempt at hand has anything that the loop acts on."""
    return bool(acting(state.at_hand.findings))
