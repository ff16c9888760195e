"""Queries and their states: QUEUED, RUNNING, then SUCCEEDED, FAILED or CANCELLED for good."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from querymend.tools.engines.engine import Result
from querymend.tools.engines.wire.failures import Failure

State = Literal["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"]
ENDED = ("SUCCEEDED", "FAILED", "CANCELLED")
MEGABYTE = 1_000_000
LEAST_BILLED = 10 * MEGABYTE


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What StartQueryExecution was given, with the workgroup's own settings applied."""

    sql: str
    database: str
    catalog: str = "AwsDataCatalog"
    workgroup: str = "primary"
    output: str = ""
    """Where results go; empty with managed results."""
    managed: bool = False
    parameters: tuple[str, ...] = ()
    reuse_minutes: int | None = None
    token: str = ""

    def same_result(self, other: "Asked") -> bool:
        """Tell whether Athena may give one's result for the other."""
        mine = (self.sql, self.database, self.catalog, self.workgroup, self.output, self.parameters)
        theirs = (other.sql, other.database, other.catalog, other.workgroup, other.output)
        return mine == (*theirs, other.parameters)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What kind of statement the text is, and what is left without its EXPLAIN."""

    body: str
    explain: str = ""
    """Empty, or the kind of EXPLAIN: ``plan``, ``validate``, ``io``."""
    substatement: str = "SELECT"
    is_repeatable: bool = True
    """Whether it gives the same rows again, so that its result may be reused."""

    @property
    def type(self) -> str:
        """Athena's StatementType."""
        return "UTILITY" if self.explain else "DML"


@dataclass(kw_only=True)
class Execution:
    """One query; changed by its worker and by whoever stops it, under its lock."""

    id: str
    asked: Asked
    statement: Statement
    submitted: float
    """Seconds since 1970, by the server's clock."""
    state: State = "QUEUED"
    failure: Failure | None = None
    result: Result | None = None
    bytes_scanned: int = 0
    reused: bool = False
    started: float | None = None
    completed: float | None = None
    began: threading.Event = field(default_factory=threading.Event, repr=False)
    """Set when it runs."""
    stop: threading.Event = field(default_factory=threading.Event, repr=False)
    """Set when someone stopped it."""
    ended: threading.Event = field(default_factory=threading.Event, repr=False)
    """Set when its state is final."""
    finished: threading.Event = field(default_factory=threading.Event, repr=False)
    """Set when nothing works on it any more."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def is_running(self) -> bool:
        """Whether Athena would show it as QUEUED or RUNNING."""
        return self.state not in ENDED

    def begin(self, now: float) -> bool:
        """Go from QUEUED to RUNNING; False if it ended before."""
        with self._lock:
            if not self.is_running:
                return False
            self.state, self.started = "RUNNING", now
        self.began.set()
        return True

    def end(self, state: State, now: float, failure: Failure | None = None) -> bool:
        """Go into a final state, once; False if it had ended before."""
        with self._lock:
            if not self.is_running:
                return False
            self.state, self.failure, self.completed = state, failure, now
        self.ended.set()
        return True

    def billed_bytes(self) -> int:
        """Return what Athena charges: whole megabytes, ten at least; nothing for a failed query.

        A cancelled query is billed for what it scanned, a reused result and an EXPLAIN cost
        nothing (Amazon Athena user guide, pricing page).
        """
        free = self.state == "FAILED" or self.is_running or self.reused or self.statement.explain
        if free or (self.state == "CANCELLED" and not self.bytes_scanned):
            return 0
        whole = -(-self.bytes_scanned // MEGABYTE) * MEGABYTE
        return max(whole, LEAST_BILLED)

    def described(self) -> dict[str, object]:
        """Return GetQueryExecution's QueryExecution."""
        asked = self.asked
        described: dict[str, object] = {
            "QueryExecutionId": self.id,
            "Query": asked.sql,
            "StatementType": self.statement.type,
            "SubstatementType": self.statement.substatement,
            "ResultReuseConfiguration": _reuse(asked.reuse_minutes),
            "QueryExecutionContext": {"Database": asked.database, "Catalog": asked.catalog},
            "Status": self._status(),
            "Statistics": self._statistics(),
            "WorkGroup": asked.workgroup,
            "EngineVersion": ENGINE_VERSION,
        }
        if asked.managed:
            described["ManagedQueryResultsConfiguration"] = {"Enabled": True}
        else:
            described["ResultConfiguration"] = {"OutputLocation": self.location}
        if asked.parameters:
            described["ExecutionParameters"] = list(asked.parameters)
        return described

    @property
    def location(self) -> str:
        """Where the result's file is, or will be: ``s3://bucket/prefix/<id>.csv``."""
        ending = "txt" if self.statement.explain else "csv"
        return f"{self.asked.output.rstrip('/')}/{self.id}.{ending}"

    def _status(self) -> dict[str, object]:
        status: dict[str, object] = {"State": self.state, "SubmissionDateTime": self.submitted}
        if self.completed is not None:
            status["CompletionDateTime"] = self.completed
        if self.failure is not None:
            status["StateChangeReason"] = self.failure.text
            status["AthenaError"] = self.failure.error()
        return status

    def _statistics(self) -> dict[str, object]:
        queued = _millis(self.submitted, self.started)
        engine = _millis(self.started, self.completed)
        return {
            "DataScannedInBytes": self.bytes_scanned,
            "EngineExecutionTimeInMillis": engine,
            "QueryQueueTimeInMillis": queued,
            "QueryPlanningTimeInMillis": min(engine, 1),
            "ServicePreProcessingTimeInMillis": 0,
            "ServiceProcessingTimeInMillis": 0,
            "TotalExecutionTimeInMillis": queued + engine,
            "ResultReuseInformation": {"ReusedPreviousResult": self.reused},
        }


ENGINE_VERSION = {
    "SelectedEngineVersion": "AUTO",
    "EffectiveEngineVersion": "Athena engine version 3",
}


def _reuse(minutes: int | None) -> dict[str, object]:
    enabled: dict[str, object] = {"Enabled": minutes is not None}
    if minutes is not None:
        enabled["MaxAgeInMinutes"] = minutes
    return {"ResultReuseByAgeConfiguration": enabled}


def _millis(start: float | None, end: float | None) -> int:
    return 0 if start is None or end is None else max(round((end - start) * 1_000), 0)


class Executions:
    """All queries of one server, oldest first."""

    def __init__(self) -> None:
        self._by_id: dict[str, Execution] = {}
        self._tokens: dict[str, Execution] = {}
        self._lock = threading.Lock()

    def add(self, execution: Execution) -> None:
        """Keep a query, and the token that it was asked with."""
        with self._lock:
            self._by_id[execution.id] = execution
            if execution.asked.token:
                self._tokens[execution.asked.token] = execution

    def get(self, identifier: str) -> Execution | None:
        """Return the query of that id, or None."""
        return self._by_id.get(identifier)

    def of_token(self, token: str) -> Execution | None:
        """Return the query that was asked for with this token, or None."""
        return self._tokens.get(token)

    def running(self) -> list[Execution]:
        """Return the queries that are QUEUED or RUNNING."""
        return [e for e in self if e.is_running]

    def reusable(self, wanted: Execution, now: float) -> Execution | None:
        """Return the newest query whose result may be given for this one, or None."""
        asked = wanted.asked
        if asked.reuse_minutes is None or not wanted.statement.is_repeatable:
            return None
        oldest = now - 60 * asked.reuse_minutes
        fits = [
            e
            for e in self
            if e.state == "SUCCEEDED"
            and not e.reused
            and (e.completed or 0) >= oldest
            and e.asked.same_result(asked)
        ]
        return fits[-1] if fits else None

    def __iter__(self) -> Iterator[Execution]:
        with self._lock:
            return iter(list(self._by_id.values()))
