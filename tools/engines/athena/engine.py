"""The Athena engine: one workgroup, some databases, many threads."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from pyathena.connection import Connection
from pyathena.cursor import Cursor

from querymend.tools.catalog.glue import GlueCatalog, read_glue
from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.athena.cells import row, type_name
from querymend.tools.engines.athena.errors import RAISED, LoginExpired, Statement, translate
from querymend.tools.engines.athena.estimating import Listing, estimate
from querymend.tools.engines.athena.nested import shown_as_json
from querymend.tools.engines.athena.normal import Normal, normal
from querymend.tools.engines.athena.place import AthenaPlace, checked
from querymend.tools.engines.athena.session import Clients, connect
from querymend.tools.engines.athena.statement import Fetched, Running
from querymend.tools.engines.athena.workgroup import Workgroup, read_workgroup
from querymend.tools.engines.engine import Limits, Result, ResultColumn, capped
from querymend.tools.engines.estimate import Estimate
from querymend.tools.engines.under_way import UnderWay
from querymend.tools.errors import QuerymendError
from querymend.tools.sql.admitted import Admitted, require_admitted

EXPLAIN_SECONDS = 30.0
T = TypeVar("T")


class AthenaEngine:
    """Runs admitted SQL on Athena; safe to use from many threads at once."""

    dialect = "athena"

    def __init__(self, place: AthenaPlace) -> None:
        self.place = checked(place)
        self.name = place.name
        self._lock = threading.Lock()
        self._under_way = UnderWay()
        self._clients = Clients(place)
        self._connection: Connection[Cursor] | None = None
        self._glue: GlueCatalog | None = None
        self._workgroup: Workgroup | None = None
        self._listing = Listing()

    def catalog(self) -> Catalog:
        """Read tables, columns, comments and partition keys from Glue, once; no query runs."""
        return self.glue_catalog().catalog

    def glue_catalog(self) -> GlueCatalog:
        """Return what Glue told when it was last read."""
        if self._glue is None:
            self._glue = self._read_glue(newest=True)
        return self._glue

    def _read_glue(self, *, newest: bool) -> GlueCatalog:
        place = self.place
        return self.asking(
            lambda: read_glue(self._clients.get("glue"), place.databases, newest=newest)
        )

    def reread(self) -> Catalog | None:
        """Read Glue anew if a table's version differs from what was read; None if none does."""
        known = self.glue_catalog()
        seen = self._read_glue(newest=False)
        if _versions(seen.catalog) == _versions(known.catalog):
            return None
        self._glue = self._read_glue(newest=True)
        return self._glue.catalog

    def workgroup(self) -> Workgroup:
        """Read the workgroup's settings, once."""
        if self._workgroup is None:
            self._workgroup = self.asking(
                lambda: read_workgroup(self._clients.get("athena"), self.place)
            )
        return self._workgroup

    def client(self, service: str) -> Any:
        """Return a boto3 client under the role that runs the queries."""
        return self._clients.get(service)

    def explain(self, sql: Admitted) -> str:
        """Let Athena judge and plan the statement; nothing is scanned and nothing is charged."""
        return self.judge(sql, limits=Limits(seconds=EXPLAIN_SECONDS))

    def judge(self, sql: Admitted, *, limits: Limits) -> str:
        """Explain a statement within a deadline, for whoever may cancel."""
        form = normal(require_admitted(sql))
        seconds = min(limits.seconds or EXPLAIN_SECONDS, EXPLAIN_SECONDS)
        free = replace(limits, rows=None, seconds=seconds, bytes=None)
        statement = self._statement(form, limits, below=1)
        fetched, _ = self._run(f"EXPLAIN\n{form.text}", statement, free)
        return "\n".join(str(cells[0]) for cells in fetched.rows if cells)

    def estimate(self, sql: Admitted) -> Estimate:
        """Say what a statement would scan, from Glue and the files' sizes; no query runs."""
        known = self.glue_catalog()
        return self.asking(
            lambda: estimate(
                require_admitted(sql),
                known,
                place=self.place,
                listing=self._listing,
                glue=self._clients.get("glue"),
                s3=self._clients.get("s3"),
                cutoff=self.workgroup().cutoff,
            )
        )

    def run(self, sql: Admitted, *, limits: Limits) -> Result:
        """Run one statement and fetch its rows, at most ``limits.rows`` of them.

        Raises:
            QueryError: the SQL is at fault.
            EngineUnavailable: throttled or failed inside; says how often to try again.
            BudgetExceeded: past the deadline or the bytes, or cancelled; it is stopped.
            AccessDenied: the role may not read this.
            BrokenData: a table's files or definition are at fault.
            SetupError: credentials, workgroup or result location are not as they must be.
        """
        sent, nested = shown_as_json(require_admitted(sql), self.catalog())
        form = normal(sent)
        given = form if sent == sql else normal(sql)
        statement = self._statement(given, limits, moved=sent != sql)
        fetched, seconds = self._run(form.text, statement, limits)
        rows = [row(cells, nested) for cells in fetched.rows]
        kept, cut = capped(rows, limits.rows)
        kinds = {i: k.displayed() for i, k in nested.items()}
        return Result(
            columns=tuple(
                ResultColumn(name=name, type=kinds.get(i) or type_name(kind, precision, scale))
                for i, (name, kind, precision, scale) in enumerate(fetched.description)
            ),
            rows=kept,
            truncated=cut,
            seconds=seconds,
            bytes_scanned=fetched.execution.bytes_scanned,
            query_id=fetched.execution.query_id,
            execution=fetched.execution,
        )

    def cancel(self) -> None:
        """Stop whatever runs now, on the server; its callers get BudgetExceeded."""
        self._under_way.stop()

    def close(self) -> None:
        """Stop what runs and give the connections back."""
        self.cancel()
        with self._lock:
            self._clients.close()
            self._connection = None

    def asking(self, call: Callable[[], T]) -> T:
        """Make a call of AWS: its errors become ours, and expired credentials are renewed once."""
        try:
            with _translated():
                return call()
        except LoginExpired:
            self._log_in_again()
            with _translated():
                return call()

    def _run(self, text: str, statement: Statement, limits: Limits) -> tuple[Fetched, float]:
        """Run a text; where the credentials had expired before it began, once more."""
        began = time.perf_counter()
        try:
            fetched = self._run_once(text, statement, limits)
        except LoginExpired as error:
            if error.execution and error.execution.query_id:
                raise
            self._log_in_again()
            fetched = self._run_once(text, statement, limits)
        return fetched, time.perf_counter() - began

    def _run_once(self, text: str, statement: Statement, limits: Limits) -> Fetched:
        place = self.place
        running = Running(self._connected(), limits, usd_per_tb=place.usd_per_tb)
        with self._under_way.holding(running):
            return running.run(text, statement, reuse_minutes=place.reuse_minutes)

    def _connected(self) -> "Connection[Cursor]":
        schema = self.glue_catalog().default
        with self._lock, _translated():
            if self._connection is None:
                self._connection = connect(self._clients, self.place, schema)
            return self._connection

    def _log_in_again(self) -> None:
        """Read the credentials anew: someone may have logged in meanwhile."""
        with self._lock:
            self._connection = None
            self._clients = Clients(self.place)

    def _statement(
        self, form: Normal, limits: Limits, *, below: int = 0, moved: bool = False
    ) -> Statement:
        """Say what runs and where places in it belong.

        Args:
            form: the text that is sent.
            limits: hold what errors may name.
            below: lines that stand before it.
            moved: its places are not those of the text that was given.
        """

        def place(at: tuple[int, int]) -> tuple[int, int]:
            return (1, 1) if moved else form.place((at[0] - below, at[1]))

        return Statement(sql=form.given, catalog=limits.sees or self.catalog(), place=place)


def open_athena(place: AthenaPlace) -> AthenaEngine:
    """Open an Athena and check that its workgroup can be used; nothing is scanned.

    Raises:
        SetupError: region, profile, workgroup, result location or credentials are not as they
            must be; says which.
        EngineUnavailable: AWS was not reached.
    """
    logging.getLogger("pyathena").addHandler(logging.NullHandler())  # our errors say it all
    engine = AthenaEngine(place)
    try:
        engine.workgroup()
    except QuerymendError:
        engine.close()
        raise
    return engine


def _versions(catalog: Catalog) -> dict[str, str]:
    return {t.qualified_name: t.version for t in catalog.tables}


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except RAISED as error:
        raise translate(error) from error
