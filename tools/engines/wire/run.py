"""Runs one query on the engine behind: parameters, names, gate, partitions, bytes, rows."""

from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.engines.engine import Engine, Limits, Result
from querymend.tools.engines.wire import translate
from querymend.tools.engines.wire.behind import Behind, Place
from querymend.tools.engines.wire.executions import Execution
from querymend.tools.engines.wire.failures import CUTOFF, Failure, not_given
from querymend.tools.engines.wire.results import explained
from querymend.tools.engines.wire.scan import Read, Scans, missing_values, reads
from querymend.tools.engines.wire.statement import filled, placed
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.checks import check
from querymend.tools.sql.gate import admit
from querymend.tools.sql.parse import Parsed, parse

DML_SECONDS = 1_800.0
"""Athena's own limit on a query."""
STAND_IN = "athena"
"""The dialect of an engine that leaves it to the static checks to refuse what Athena does."""
EVERYTHING = Limits(rows=None, seconds=DML_SECONDS, bytes=None)


class Ended(Exception):
    """A query ends here, and this is why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.text)
        self.failure = failure


@dataclass(frozen=True, kw_only=True)
class Run:
    """One query's run on one engine."""

    execution: Execution
    behind: Behind
    place: Place
    engine: Engine
    scans: Scans
    cutoff: int | None
    """Bytes that it may scan."""

    def result(self) -> Result:
        """Run the query, or explain it.

        Raises:
            Ended: Athena would fail or cancel it.
            QuerymendError: the engine behind refused it or gave up.
        """
        parsed = self._parsed()
        admitted = self._admitted(parsed)
        found = reads(parsed, self.place.catalog, self.behind.keys)
        missing = missing_values(found, self.behind.injected)
        if missing:
            raise Ended(not_given(missing))
        scanned = self.scans.bytes(found, self.behind.dialect, self._count)
        if self.execution.statement.explain:
            return self._explained(admitted, found, scanned)
        self._check_cutoff(scanned)
        self.execution.bytes_scanned = scanned
        return self.engine.run(admitted, limits=EVERYTHING)

    def _parsed(self) -> Parsed:
        asked = self.execution.asked
        parsed = parse(self.execution.statement.body, self.behind.dialect)
        if parsed.tree is None:
            raise Ended(translate.refused_statement(parsed.findings[0], asked.database))
        if asked.parameters:
            parsed = filled(parsed, asked.parameters)
        place = self.place
        return placed(parsed, database=asked.database, home=place.home, catalog=place.catalog)

    def _admitted(self, parsed: Parsed) -> Admitted:
        """Let a statement through that the gate, and Athena's own checks, have nothing against."""
        dialect, catalog = self.behind.dialect, self.place.catalog
        verdict = admit(parsed.text, dialect=dialect, catalog=catalog)
        findings = verdict.findings
        if verdict.sql is not None and dialect == STAND_IN:
            findings = check(parsed.text, dialect=dialect, catalog=catalog)
        faults = [f for f in findings if f.severity == "block"]
        if faults or verdict.sql is None:
            database = self.execution.asked.database.lower()
            databases = {self.place.home, *(t.schema.lower() for t in catalog.tables)}
            first = (faults or findings)[0]
            raise Ended(translate.refused_statement(first, database, databases))
        return verdict.sql

    def _count(self, query: exp.Select) -> int:
        text = query.sql(self.behind.dialect)
        verdict = admit(text, dialect=self.behind.dialect, catalog=self.place.catalog)
        if verdict.sql is None:
            return 0
        return int(str(self.engine.run(verdict.sql, limits=EVERYTHING).rows[0][0]))

    def _check_cutoff(self, scanned: int) -> None:
        if self.cutoff is not None and scanned > self.cutoff:
            self.execution.bytes_scanned = self.cutoff
            raise Ended(CUTOFF)

    def _explained(self, admitted: Admitted, found: list[Read], scanned: int) -> Result:
        return explained(self.execution, self.engine.explain(admitted), found, scanned)
