"""Works on queries: waits for an engine, lets faults happen, runs or reuses, stops."""

import threading
from collections.abc import Callable

from querymend.tools.engines.engine import Engine
from querymend.tools.engines.wire import translate
from querymend.tools.engines.wire.aws import Beneath
from querymend.tools.engines.wire.behind import Behind, Place
from querymend.tools.engines.wire.executions import Execution, Executions
from querymend.tools.engines.wire.failures import STOPPED, SYSTEM, Failure, Refusal, failure
from querymend.tools.engines.wire.faults import Fault, Faults
from querymend.tools.engines.wire.pool import Lent
from querymend.tools.engines.wire.results import result_file
from querymend.tools.engines.wire.run import Ended, Run
from querymend.tools.engines.wire.scan import Scans
from querymend.tools.engines.wire.workgroups import LEAST_CUTOFF
from querymend.tools.errors import QuerymendError

STOP_SECONDS = 5.0


class Work:
    """Works on queries, each in a thread of its own."""

    def __init__(
        self,
        behind: Behind,
        *,
        beneath: Beneath,
        executions: Executions,
        faults: Faults,
        scans: Scans,
        cutoff: Callable[[str], int | None],
        clock: Callable[[], float],
    ) -> None:
        self.behind = behind
        self._beneath = beneath
        self._executions = executions
        self._faults = faults
        self._scans = scans
        self._cutoff = cutoff
        self._clock = clock
        self._lent: dict[str, Lent] = {}

    def start(self, execution: Execution) -> None:
        """Begin to work on a query that was just asked for."""
        name = f"querymend-athena-{execution.id[:8]}"
        threading.Thread(target=self._whole, args=(execution,), name=name, daemon=True).start()

    def stop(self, execution: Execution) -> None:
        """Cancel a query; returns when nothing works on it any more."""
        execution.end("CANCELLED", self._clock(), STOPPED)
        execution.stop.set()
        self.behind.places.wake()
        lent = self._lent.get(execution.id)
        if lent is not None:
            lent.cancel(seconds=STOP_SECONDS)
        execution.finished.wait(STOP_SECONDS)

    def _whole(self, execution: Execution) -> None:
        why = self._worked(execution)
        if why is None:
            execution.end("SUCCEEDED", self._clock())
        else:
            execution.end("CANCELLED" if why.cancelled else "FAILED", self._clock(), why)
        execution.finished.set()

    def _worked(self, execution: Execution) -> Failure | None:
        """Work on a query to its end, and say why it failed if it did."""
        try:
            fault = self._faults.in_query(execution.asked.sql)
            if fault is not None:
                self._befall(execution, fault)
            self._reuse_or_run(execution)
        except Ended as ended:
            return ended.failure
        except QuerymendError as error:
            return translate.failed(error, execution.asked.database.lower())
        except Refusal as refused:
            return Failure(text=str(refused), type=1306)
        except Exception as error:  # the thread's boundary: a client waits for this query's end
            return Failure(text=f"GENERIC_INTERNAL_ERROR: {error!r}", category=SYSTEM, type=100)
        return None

    def _befall(self, execution: Execution, fault: Fault) -> None:
        """Let a fault happen to a query."""
        if fault.kind != "queued":
            execution.begin(self._clock())
        if fault.kind in {"queued", "slow"}:
            execution.stop.wait()
            return
        if fault.kind == "cutoff":
            execution.bytes_scanned = self._cutoff(execution.asked.workgroup) or LEAST_CUTOFF
        raise Ended(failure(fault))

    def _reuse_or_run(self, execution: Execution) -> None:
        earlier = self._executions.reusable(execution, self._clock())
        if earlier is not None and execution.begin(self._clock()):
            execution.reused, execution.result = True, earlier.result
            self._write(execution)
            return
        place = self.behind.places.of(execution.asked.database)
        with place.pool.lend(execution.stop) as engine:
            if engine is not None and execution.begin(self._clock()):
                self._run(execution, place, engine)

    def _run(self, execution: Execution, place: Place, engine: Engine) -> None:
        lent = self._lent[execution.id] = Lent(engine)
        try:
            if execution.stop.is_set():  # stopped before there was anything to cancel
                return
            execution.result = Run(
                execution=execution,
                behind=self.behind,
                place=place,
                engine=engine,
                scans=self._scans,
                cutoff=self._cutoff(execution.asked.workgroup),
            ).result()
        finally:
            lent.over()
            del self._lent[execution.id]
        self._write(execution)

    def _write(self, execution: Execution) -> None:
        if execution.result is None or execution.asked.managed:
            return
        explain = execution.statement.explain
        content = result_file(execution.result, self.behind.dialect, explain)
        self._beneath.write(execution.location, content)
