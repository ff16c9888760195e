"""Rule fixes in the loop: candidates are tried on the engine, within the budget.

A fix that runs is no proof that it is what was meant; one whose evidence is not strong enough
carries the warning ``unverified_fix`` with it.
"""

import hashlib

from querymend.answer import Attempt
from querymend.loop.execute import fetch
from querymend.loop.judge import blocked, judge
from querymend.loop.state import State
from querymend.loop.trip import Trip
from querymend.loop.weighing import ApprovalNeeded
from querymend.tools.engines.engine import Result
from querymend.tools.errors import QueryError
from querymend.tools.findings import Finding, acting, in_repair_order
from querymend.tools.fixes.fix import Known
from querymend.tools.fixes.search import Chosen, Trial, choose
from querymend.tools.fixes.syntax import statements

DOUBTS = ("unverified_fix", "second_try", "built_by_steps")
"""Warnings that stay with every text made from one that carries them."""
EMPTY = ("empty_result", "null_aggregate", "zero_count")
"""Findings of a result that holds nothing."""
REACHING = frozenset(
    ("not_a_read", "function_not_allowed", "table_function_not_allowed", "table_not_allowed")
)
"""Findings of a text that writes, or reaches for files, settings or another's tables."""


def mend(attempt: Attempt, state: State, trip: Trip) -> Attempt | None:
    """Return the attempt that the rules make of this one, or None if they know no better.

    Raises:
        Final: the budget is spent, or access is denied.
        EngineUnavailable: the engine stayed away.
    """
    return surely(attempt, state, trip) or perhaps(attempt, state, trip)


def surely(attempt: Attempt, state: State, trip: Trip) -> Attempt | None:
    """Return what a finding's own fix makes of an attempt: it is sure of it.

    Raises:
        Final: as `mend`.
        EngineUnavailable: as `mend`.
    """
    tried = {a.sql for a in state.attempts}
    for finding in in_repair_order(acting(attempt.findings)):
        if finding.fix and finding.fix not in tried and _holds(finding.fix, trip):
            doubts = _doubts(attempt)
            return Attempt(sql=finding.fix, author="rule", reason=finding.message, findings=doubts)
    return None


def perhaps(attempt: Attempt, state: State, trip: Trip) -> Attempt | None:
    """Return what a search over candidates makes of a text that no rule has written yet.

    Raises:
        Final: as `mend`.
        EngineUnavailable: as `mend`.
    """
    found = acting(attempt.findings)
    if attempt.author == "rule" or _reaches_out(attempt.sql, found, trip):
        return None
    return _search(attempt, found, state, trip)


def _reaches_out(sql: str, found: list[Finding], trip: Trip) -> bool:
    """Tell whether a text wanted more than to read: what was meant is no rule's to guess."""
    codes = {f.code for f in found}
    if "many_statements" in codes and not statements(sql, trip.deps.engine.dialect):
        return True
    return bool(codes & REACHING)


def _holds(sql: str, trip: Trip) -> bool:
    """Tell whether a text runs and finds something."""
    return _try(sql, trip).outcome in ("rows", "hollow")


def _search(attempt: Attempt, found: list[Finding], state: State, trip: Trip) -> Attempt | None:
    known = Known.of(
        trip.catalog,
        dialect=trip.deps.engine.dialect,
        question=state.question,
        facts=[f.text for f in state.context.facts] if state.context else (),
        values=trip.values,
        findings=found,
        error=_error(found),
        empty=any(f.code in EMPTY for f in found),
        periods=state.periods,
    )
    chosen = choose(attempt.sql, known, try_=lambda sql: _try(sql, trip))
    return _attempt(chosen, _doubts(attempt)) if chosen else None


def _doubts(attempt: Attempt) -> tuple[Finding, ...]:
    return tuple(f for f in attempt.findings if f.code in DOUBTS)


def _error(found: list[Finding]) -> str:
    """Return what would keep the text from running, in the words of engine or checks."""
    return next((f.message for f in found if f.severity == "block"), "")


def _attempt(chosen: Chosen, carried: tuple[Finding, ...]) -> Attempt:
    doubt = Finding(
        code="unverified_fix",
        kind="question",
        severity="warn",
        message=f"The query was mended by rule, which could not be verified: {chosen.why}.",
        evidence=f"certainty {chosen.certainty:.2f}",
        hint="Check that this is what was meant.",
    )
    return Attempt(
        sql=chosen.sql,
        author="rule",
        reason=chosen.why,
        findings=carried if chosen.plain else (*carried, doubt),
    )


def _try(sql: str, trip: Trip) -> Trial:
    """Run a candidate like any other text; without leave to run, the checks alone decide."""
    findings = judge(sql, trip)
    if blocked(findings):
        return Trial(outcome="error", error=findings[0].message)
    if not trip.run:
        return Trial(outcome="rows", key=sql)
    try:
        return _told(fetch(sql, trip))
    except (QueryError, ApprovalNeeded) as error:
        return Trial(outcome="error", error=str(error))


def _told(result: Result) -> Trial:
    if not result.rows:
        return Trial(outcome="empty")
    hollow = len(result.rows) == 1 and not any(result.rows[0])
    rows = sorted(map(repr, result.rows))
    return Trial(
        outcome="hollow" if hollow else "rows",
        key=hashlib.sha256("\n".join(rows).encode()).hexdigest(),
        repeated=len(set(rows)) < len(rows),
    )
