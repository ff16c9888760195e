"""Runs queries: waits for an engine, passes the gate, reckons bytes, runs, writes the file."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.engine import Engine, Limits, Result, ResultColumn
from querymend.tools.engines.wire import translate
from querymend.tools.engines.wire.aws import Beneath
from querymend.tools.engines.wire.executions import Execution, Executions
from querymend.tools.engines.wire.failures import (
    CUTOFF,
    STOPPED,
    SYSTEM,
    Failure,
    Refusal,
    failure,
)
from querymend.tools.engines.wire.faults import Faults
from querymend.tools.engines.wire.glue import GlueTable
from querymend.tools.engines.wire.pool import Lent, Pool
from querymend.tools.engines.wire.scan import Read, Scans, reads
from querymend.tools.engines.wire.shapes import cell_text, shape
from querymend.tools.engines.wire.statement import placed
from querymend.tools.errors import QuerymendError
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.gate import admit
from querymend.tools.sql.parse import Parsed, parse

DML_SECONDS = 1_800.0
"""Athena's own limit on a query."""
STOP_SECONDS = 5.0
EVERYTHING = Limits(rows=None, seconds=DML_SECONDS, bytes=None)


class _Ended(Exception):
    """The query ends here."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


@dataclass(frozen=True, kw_only=True)
class Behind:
    """What queries run on, and what is known of it."""

    pool: Pool
    catalog: Catalog
    known: Mapping[str, GlueTable]
    """What Glue knows, by qualified table name."""
    dialect: str
    home: Callable[[str], str]
    """Given the client's database, tells in which one the engine looks for bare names."""

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """Partition keys by qualified table name."""
        return {name: table.partitions for name, table in self.known.items()}


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
        clock: Callable[[], float] = time.time,
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

    def stop(self, execution: Execution, failure: Failure = STOPPED) -> None:
        """Cancel a query; returns when nothing works on it any more."""
        execution.end("CANCELLED", self._clock(), failure)
        execution.stop.set()
        self.behind.pool.wake()
        lent = self._lent.get(execution.id)
        if lent is not None:
            lent.cancel(seconds=STOP_SECONDS)
        execution.finished.wait(STOP_SECONDS)

    def _whole(self, execution: Execution) -> None:
        try:
            self._befall(execution)
            self._reuse_or_run(execution)
            execution.end("SUCCEEDED", self._clock())
        except _Ended as ended:
            self._end(execution, ended.failure)
        except QuerymendError as error:
            self._end(execution, translate.failed(error, execution.asked.database))
        except Refusal as refused:
            self._end(execution, Failure(text=str(refused), type=1306))
        except Exception as error:  # a worker's boundary: a client polls for this query's end
            self._end(
                execution,
                Failure(text=f"GENERIC_INTERNAL_ERROR: {error!r}", category=SYSTEM, type=100),
            )
        finally:
            execution.finished.set()

    def _end(self, execution: Execution, why: Failure) -> None:
        execution.end("CANCELLED" if why.cancelled else "FAILED", self._clock(), why)

    def _befall(self, execution: Execution) -> None:
        """Let an armed fault happen to this query."""
        fault = self._faults.in_query(execution.asked.sql)
        if fault is None:
            return
        if fault.kind == "queued":
            execution.stop.wait()
            return
        execution.begin(self._clock())
        if fault.kind == "slow":
            execution.stop.wait()
            return
        if fault.kind == "cutoff":
            execution.bytes_scanned = self._cutoff(execution.asked.workgroup) or 10_000_000
        raise _Ended(failure(fault))

    def _reuse_or_run(self, execution: Execution) -> None:
        earlier = self._executions.reusable(execution.asked, self._clock())
        if earlier is not None and execution.begin(self._clock()):
            execution.reused, execution.result = True, earlier.result
            self._write(execution)
            return
        home = self.behind.home(execution.asked.database)
        with self.behind.pool.lend(home, execution.stop) as engine:
            if engine is not None:
                self._run(execution, engine)

    def _run(self, execution: Execution, engine: Engine) -> None:
        lent = self._lent[execution.id] = Lent(engine)
        try:
            if execution.begin(self._clock()):
                execution.result = self._result(execution, engine)
                self._write(execution)
        finally:
            lent.over()
            del self._lent[execution.id]

    def _result(self, execution: Execution, engine: Engine) -> Result:
        parsed = self._placed(execution)
        admitted = self._admitted(parsed, execution)
        found = reads(parsed, self.behind.catalog, self.behind.keys)
        self._check_injected(found)
        scanned = self._scans.bytes(
            found, self.behind.dialect, lambda query: self._count(query, engine)
        )
        if execution.statement.explain:
            return _explained(execution, engine.explain(admitted), found, scanned)
        self._check_cutoff(execution, scanned)
        execution.bytes_scanned = scanned
        return engine.run(admitted, limits=EVERYTHING)

    def _placed(self, execution: Execution) -> Parsed:
        parsed = parse(execution.statement.body, self.behind.dialect)
        if parsed.tree is None:
            raise _Ended(translate.refused_by_gate(parsed.findings, execution.asked.database))
        database = execution.asked.database
        return placed(
            parsed,
            database=database,
            home=self.behind.home(database),
            catalog=self.behind.catalog,
        )

    def _admitted(self, parsed: Parsed, execution: Execution) -> Admitted:
        verdict = admit(parsed.text, dialect=self.behind.dialect, catalog=self.behind.catalog)
        if verdict.sql is None:
            raise _Ended(
                translate.refused_by_gate(verdict.findings, execution.asked.database.lower())
            )
        return verdict.sql

    def _check_injected(self, found: list[Read]) -> None:
        for read in found:
            for key in self.behind.known[read.table.qualified_name].injected:
                if not any(_gives(c, key) for c in read.conditions):
                    raise _Ended(
                        Failure(
                            text="CONSTRAINT_VIOLATION: For the injected projected partition"
                            f" column {key}, the WHERE clause must contain only static equality"
                            " conditions, and at least one such condition must be present."
                        )
                    )

    def _check_cutoff(self, execution: Execution, scanned: int) -> None:
        cutoff = self._cutoff(execution.asked.workgroup)
        if cutoff is not None and scanned > cutoff:
            execution.bytes_scanned = cutoff
            raise _Ended(CUTOFF)

    def _count(self, query: exp.Select, engine: Engine) -> int:
        verdict = admit(
            query.sql(self.behind.dialect), dialect=self.behind.dialect, catalog=self.behind.catalog
        )
        if verdict.sql is None:
            return 0
        value = engine.run(verdict.sql, limits=EVERYTHING).rows[0][0]
        return int(str(value))

    def _write(self, execution: Execution) -> None:
        """Write the result where Athena does: everything quoted, a NULL is nothing at all."""
        if not execution.asked.managed and execution.result is not None:
            content = result_file(
                execution.result, self.behind.dialect, execution.statement.explain
            )
            self._beneath.write(execution.location, content)


def _gives(condition: exp.Expr, key: str) -> bool:
    """Tell whether a predicate names the values of a key one by one."""
    column = condition.this if isinstance(condition, exp.EQ | exp.In) else None
    given = [condition.args.get("expression"), *condition.args.get("expressions", [])]
    values = [v for v in given if v is not None]
    named = isinstance(column, exp.Column) and column.name.lower() == key.lower()
    return named and bool(values) and all(isinstance(v, exp.Literal | exp.Cast) for v in values)


def _explained(execution: Execution, plan: str, found: list[Read], scanned: int) -> Result:
    kind = execution.statement.explain
    if kind == "validate":
        return _column("Valid", "boolean", [True])
    if kind == "io":
        return _column("Query Plan", "varchar", [_io(found, execution.asked.database, scanned)])
    return _column("Query Plan", "varchar", plan.splitlines())


def _column(name: str, kind: str, values: list[str] | list[bool]) -> Result:
    return Result(
        columns=(ResultColumn(name=name, type=kind),), rows=tuple((value,) for value in values)
    )


def _io(found: list[Read], database: str, scanned: int) -> str:
    """Tell the tables that are read and the conditions on their partition keys, as Trino does."""
    tables = [
        {
            "table": {
                "catalog": "awsdatacatalog",
                "schemaTable": {
                    "schema": read.table.schema or database,
                    "table": read.table.name.lower(),
                },
            },
            "constraint": {
                "none": False,
                "columnConstraints": [
                    {"columnName": c.name.lower(), "condition": condition.sql("trino")}
                    for condition in read.conditions
                    for c in condition.find_all(exp.Column)
                ],
            },
        }
        for read in found
    ]
    whole = {"inputTableColumnInfos": tables, "estimate": {"outputSizeInBytes": scanned}}
    return json.dumps(whole, indent=2)


def named_as_athena(result: Result) -> Result:
    """Name columns as Athena does where the engine behind shows an expression."""
    return replace(
        result,
        columns=tuple(
            replace(c, name=f"_col{i}") if "(" in c.name else c
            for i, c in enumerate(result.columns)
        ),
    )


def result_file(result: Result, dialect: str, explain: str) -> bytes:
    """Return the file of a result: CSV with a header, or the plain text of an EXPLAIN."""
    if explain:
        return "\n".join(str(row[0]) for row in result.rows).encode()
    kinds = [shape(c.type, dialect) for c in result.columns]
    lines = [_line([c.name for c in result.columns])]
    lines += [
        _line([cell_text(v, k) for v, k in zip(row, kinds, strict=True)]) for row in result.rows
    ]
    return "".join(lines).encode()


def _line(values: list[str] | list[str | None]) -> str:
    quoted = ('"' + v.replace('"', '""') + '"' if v is not None else "" for v in values)
    return ",".join(quoted) + "\n"
