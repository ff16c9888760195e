"""What a statement would scan, before it runs: leave is asked for, or the budget says no.

Only engines whose scans cost money are weighed; for the others nothing here does anything.
"""

from collections.abc import Sequence
from dataclasses import replace

from querymend.loop.calling import retried
from querymend.loop.trip import Trip
from querymend.tools.engines.estimate import Charges, Estimate
from querymend.tools.errors import BudgetExceeded, Final, Unavailable
from querymend.tools.findings import Finding
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.gate import admit
from querymend.tools.sql.partitions import COSTLY

PARTITIONS = (*COSTLY, "partition_type")
"""Findings about predicates on partition keys."""


class ApprovalNeeded(Final):
    """The scan is larger than what runs without leave."""

    def __init__(self, estimate: Estimate, threshold: int) -> None:
        self.estimate = estimate
        super().__init__(
            f"Not run yet: it would scan {size(estimate.bytes)}{_dollars(estimate)}; more than"
            f" {size(threshold)} waits for leave (QUERYMEND_BUDGET__APPROVAL_BYTES)."
        )


def weigh(sql: Admitted, trip: Trip) -> None:
    """Let the statement pass, if its scan is within what the question may spend.

    A scan that is not small is put before the engine's own judge first, which reads no data.

    Raises:
        ApprovalNeeded: it waits for leave.
        BudgetExceeded: it would scan more than is left.
        QueryError: the engine's judge refuses it.
    """
    estimate, engine = estimated(sql, trip), trip.deps.engine
    if estimate is None or not isinstance(engine, Charges):
        return
    _within_budget(estimate, trip)
    threshold = trip.meter.budget.approval_bytes
    if threshold is not None and (estimate.bytes is None or estimate.bytes > threshold):
        raise ApprovalNeeded(estimate, threshold)
    if estimate.bytes is None or estimate.bytes > trip.deps.settings.athena.explain_bytes:
        retried(lambda: engine.judge(sql, limits=trip.limits()), meter=trip.meter)


def estimated(sql: str, trip: Trip) -> Estimate | None:
    """Return a text's estimate, made once; None where scans are free or it may not run."""
    engine = trip.deps.engine
    if not isinstance(engine, Charges):
        return None
    if sql not in trip.estimates:
        verdict = admit(sql, dialect=engine.dialect, catalog=trip.deps.catalog, scope=trip.scope)
        if verdict.sql is None:
            return None
        try:
            trip.estimates[sql] = engine.estimate(verdict.sql)
        except (Unavailable, Final):  # an estimate is no reason to fail
            trip.estimates[sql] = Estimate()
    return trip.estimates[sql]


def priced(findings: Sequence[Finding], sql: str, trip: Trip) -> tuple[Finding, ...]:
    """Give findings about a scan's cost the weight that the cost has here.

    Above what is left of the bytes they are repaired; a scan that fits is only noted.
    """
    if not any(f.code in PARTITIONS for f in findings):
        return tuple(findings)
    estimate = estimated(sql, trip)
    if estimate is None:
        return tuple(findings)
    return tuple(_priced(f, estimate, trip) for f in findings)


def affordable(findings: Sequence[Finding]) -> bool:
    """Tell whether a text may run as it is: one that reads too much is mended before, not after."""
    return not any(f.severity == "repair" and f.code in PARTITIONS for f in findings)


def _priced(finding: Finding, estimate: Estimate, trip: Trip) -> Finding:
    if finding.code == "partition_type":
        return replace(finding, severity="repair")
    if finding.code not in COSTLY or estimate.bytes is None:
        return finding
    evidence = f"it would scan {size(estimate.bytes)}{_dollars(estimate)}"
    over = estimate.bytes > _left(trip)
    return replace(finding, severity="repair" if over else "note", evidence=evidence)


def approval(error: ApprovalNeeded) -> Finding:
    """Make a finding of the leave that is needed."""
    return Finding(
        code="approval_needed",
        kind="engine",
        severity="warn",
        message=str(error),
        evidence=told(error.estimate),
        hint="Go on with Agent.approve(answer), or ask for less.",
    )


def told(estimate: Estimate) -> str:
    """Describe an estimate on one line: bytes, cost, partitions."""
    parts = [f"{size(estimate.bytes)}{_dollars(estimate)}"]
    for scan in estimate.scans:
        if scan.partitions is not None:
            of = f" of {scan.of:,}" if scan.of is not None else ""
            parts.append(f"{scan.table}: {scan.partitions:,}{of} partitions")
    return "; ".join(parts)


def size(count: int | None) -> str:
    """Write a number of bytes as people do."""
    if count is None:
        return "an unknown amount of data"
    for unit, many in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= many:
            return f"about {count / many:.3g} {unit}"
    return f"about {count} bytes"


def _dollars(estimate: Estimate) -> str:
    return "" if estimate.usd is None else f" (about ${estimate.usd:.4f})"


def _within_budget(estimate: Estimate, trip: Trip) -> None:
    trip.meter.check_bytes()
    left = _left(trip)
    if estimate.bytes is not None and estimate.bytes > left:
        raise BudgetExceeded(
            f"It would scan {size(estimate.bytes)}, and {size(int(left))} are left of the budget"
            " (QUERYMEND_BUDGET__BYTES, or Budget(bytes=…) for one question)."
        )


def _left(trip: Trip) -> float:
    allowed = trip.meter.budget.bytes
    return float("inf") if allowed is None else allowed - (trip.meter.bytes_scanned or 0)
