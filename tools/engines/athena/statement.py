"""One statement on Athena: started, watched, stopped where it must be, and fetched."""

import threading
import time
from dataclasses import dataclass
from typing import Any

from pyathena.connection import Connection
from pyathena.cursor import Cursor
from pyathena.model import AthenaCalculationExecutionStatus, AthenaQueryExecution
from pyathena.util import RetryConfig

from querymend.tools.catalog.model import Cell
from querymend.tools.engines.athena.errors import RAISED, Statement, translate
from querymend.tools.engines.athena.price import price
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.execution import Execution
from querymend.tools.errors import BudgetExceeded, QuerymendError

PAGE = 1_000
"""Rows that Athena gives at once at most."""
READS = 5
"""Tries of reading a running query's state and rows, where the account is throttled."""
ENDED = ("SUCCEEDED", "FAILED", "CANCELLED")
Polled = AthenaQueryExecution | AthenaCalculationExecutionStatus


class _ReadsOnly(RetryConfig):
    """Tries reads again, and never the start: a start that failed is the client's to repeat."""

    def __init__(self) -> None:
        super().__init__(attempt=1, max_delay=8)

    def started(self, query_id: str) -> None:
        self.attempt = READS


class _Stop(Exception):
    """Leaves pyathena's loop; the reason is with the statement."""


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """What one statement brought."""

    description: tuple[tuple[str, str, int, int], ...]
    """Name, type, precision and scale of each column."""
    rows: list[tuple[Cell, ...]]
    execution: Execution


class Running:
    """One statement from start to last row. Its methods may be called from other threads."""

    def __init__(
        self, connection: "Connection[Cursor]", limits: Limits, *, usd_per_tb: float
    ) -> None:
        self._connection = connection
        self._limits = limits
        self._usd_per_tb = usd_per_tb
        self._retries = _ReadsOnly()
        self._polled: AthenaQueryExecution | None = None
        self._reason = ""
        self._stopped = threading.Event()
        self._began = time.monotonic()
        self.query_id = ""

    def stop(self, reason: str) -> None:
        """Stop it on the server, from any thread; the thread that runs it raises."""
        self._reason = self._reason or reason
        self._send_stop()

    def run(self, text: str, statement: Statement, *, reuse_minutes: int = 0) -> Fetched:
        """Run a text and fetch its rows, one more than the limit at most.

        Raises:
            QuerymendError: as ``Engine.run``, with what the server told in ``execution``.
        """
        cursor = self._connection.cursor(
            on_poll=self._look, retry_config=self._retries, arraysize=self._page()
        )
        try:
            self._check()
            cursor.execute(
                text,
                on_start_query_execution=self._note_id,
                result_reuse_enable=reuse_minutes > 0,
                result_reuse_minutes=reuse_minutes or None,
            )
            rows = self._fetch(cursor)
            return Fetched(
                description=tuple((d[0], d[1], d[4], d[5]) for d in cursor.description or ()),
                rows=rows,
                execution=self.execution(),
            )
        except (_Stop, BudgetExceeded) as error:
            raise self._ended() from error
        except RAISED as error:
            raise self._failed(error, statement) from error
        except BaseException:  # whatever ends this thread's work ends the query too
            self._send_stop()
            raise
        finally:
            cursor.close()

    def execution(self) -> Execution:
        """Return what the server told last."""
        seen = self._polled
        if seen is None:
            return Execution(query_id=self.query_id)
        scanned = seen.data_scanned_in_bytes
        return Execution(
            query_id=self.query_id,
            state=seen.state or "",
            bytes_scanned=scanned,
            usd=price(scanned, usd_per_tb=self._usd_per_tb, state=seen.state or ""),
            reused=bool(seen.reused_previous_result),
            queue_seconds=_seconds(seen.query_queue_time_in_millis),
            planning_seconds=_seconds(seen.query_planning_time_in_millis),
            engine_seconds=_seconds(seen.engine_execution_time_in_millis),
            total_seconds=_seconds(seen.total_execution_time_in_millis),
            error_category=seen.error_category,
            error_type=seen.error_type,
            retryable=seen.retryable,
        )

    def _note_id(self, query_id: str) -> None:
        self.query_id = query_id
        self._retries.started(query_id)
        self._check()

    def _look(self, polled: Polled) -> None:
        """Keep what the server says, and leave where something is used up."""
        if isinstance(polled, AthenaQueryExecution):
            self._polled = polled
            if polled.state not in ENDED:
                self._check()

    def _check(self) -> None:
        limits = self._limits
        if limits.cancelled is not None and limits.cancelled.is_set():
            self._reason = self._reason or "The question was cancelled."
        if limits.seconds is not None and time.monotonic() - self._began >= limits.seconds:
            self._reason = (
                self._reason or f"The query did not finish in {limits.seconds:g} seconds."
            )
        scanned = self._polled.data_scanned_in_bytes if self._polled else None
        if limits.bytes is not None and scanned is not None and scanned > limits.bytes:
            self._reason = self._reason or (
                f"The query scanned {scanned:,} bytes, over the {limits.bytes:,} that were left of"
                " the budget (QUERYMEND_BUDGET__BYTES)."
            )
        if self._reason:
            raise _Stop

    def _fetch(self, cursor: Cursor) -> list[tuple[Cell, ...]]:
        """Fetch one row more than the limit, which shows that there are more."""
        most = self._limits.rows
        rows: list[tuple[Cell, ...]] = []
        while most is None or len(rows) <= most:
            self._check()
            part = cursor.fetchmany(PAGE if most is None else min(PAGE, most + 1 - len(rows)))
            if not part:
                break
            rows += (tuple(r) for r in part)
        return rows

    def _page(self) -> int:
        """Return how many rows to ask for at once; the first page holds the header too."""
        most = self._limits.rows
        return PAGE if most is None else max(1, min(PAGE, most + 2))

    def _ended(self) -> QuerymendError:
        """Stop the query on the server and say why."""
        self._send_stop()
        self._see_again()
        ours = BudgetExceeded(self._reason)
        ours.execution = self.execution()
        return ours

    def _failed(self, error: BaseException, statement: Statement) -> QuerymendError:
        running = self._polled is None or self._polled.state not in ENDED
        if self.query_id and running:
            self._send_stop()
        if self._reason:
            return self._ended()
        reason = self._polled.state_change_reason if self._polled else ""
        return translate(
            error, statement=statement, execution=self.execution(), reason=reason or ""
        )

    def _send_stop(self) -> None:
        """Ask the server once to stop the query, if it has begun."""
        if not self.query_id or self._stopped.is_set():
            return
        self._stopped.set()
        try:
            self._client.stop_query_execution(QueryExecutionId=self.query_id)
        except RAISED:  # it ended meanwhile, or AWS is not there: nothing more can be done
            self._stopped.clear()

    def _see_again(self) -> None:
        """Read what a stopped query scanned: it is charged for."""
        if not self.query_id:
            return
        try:
            told = self._client.get_query_execution(QueryExecutionId=self.query_id)
        except RAISED:
            return
        self._polled = AthenaQueryExecution(told)

    @property
    def _client(self) -> Any:  # boto3 makes its clients at run time
        return self._connection.client


def _seconds(millis: int | None) -> float | None:
    return None if millis is None else millis / 1000
