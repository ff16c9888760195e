"""The Trino engine: one connection a statement, stopped on the server when it must end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from requests import Session
from trino.auth import BasicAuthentication
from trino.dbapi import Connection

from querymend.tools.catalog.model import Catalog, Cell
from querymend.tools.engines.deadline import Watch
from querymend.tools.engines.engine import Limits, Result, ResultColumn, capped
from querymend.tools.engines.trino.address import Address
from querymend.tools.engines.trino.errors import RAISED, refuse_by_status, translate
from querymend.tools.engines.trino.information import read_catalog
from querymend.tools.engines.trino.values import row_of
from querymend.tools.engines.under_way import UnderWay
from querymend.tools.errors import QueryError
from querymend.tools.sql.admitted import Admitted, require_admitted

EXPLAIN = "EXPLAIN (TYPE LOGICAL) "
EXPLAIN_SECONDS = 30.0
CATALOG_SECONDS = 120.0
REQUEST_SECONDS = 30.0
SOURCE = "querymend"
"""What resource groups and the server's own pages know our statements by."""


class Cursor(Protocol):
    """What we use of the client's cursor, most of which it leaves without types."""

    description: list[Any] | None
    query_id: str | None
    stats: dict[str, Any] | None

    def execute(self, operation: str) -> object:
        """Send one statement and wait until rows come or it ends."""

    def fetchone(self) -> list[Any] | None:
        """Return the next row, or None after the last."""

    def fetchall(self) -> list[list[Any]]:
        """Return all rows that are left."""

    def cancel(self) -> None:
        """Stop the statement on the server, from any thread."""


@dataclass(frozen=True, kw_only=True)
class Access:
    """Where, and with which password."""

    address: Address
    password: str = field(default="", repr=False)

    def connect(self, session: Session, properties: dict[str, str]) -> Connection:
        """Build a connection; nothing is sent yet."""
        at = self.address
        return Connection(
            host=at.host,
            port=at.port,
            user=at.user,
            catalog=at.catalog,
            schema=at.schema or None,
            source=SOURCE,
            http_scheme="https" if at.tls else "http",
            auth=BasicAuthentication(at.user, self.password) if self.password else None,
            http_session=session,
            session_properties=properties,
            timezone=at.timezone,
            request_timeout=REQUEST_SECONDS,
        )


class TrinoEngine:
    """Runs admitted SQL on a Trino; safe to use from many threads at once."""

    dialect = "trino"

    def __init__(self, access: Access) -> None:
        self.name = f"Trino {access.address.place}"
        self._access = access
        self._under_way = UnderWay()

    def catalog(self) -> Catalog:
        """Read tables, columns, types and comments as they are now."""
        at = self._access.address
        with self._watched(Limits(seconds=CATALOG_SECONDS, bytes=None)) as (cursor, _):
            return read_catalog(lambda sql: _rows(cursor, sql), at.catalog, at.schema)

    def explain(self, sql: Admitted) -> str:
        """Let Trino bind and plan the statement; raise QueryError if it refuses."""
        require_admitted(sql)
        limits = Limits(seconds=EXPLAIN_SECONDS, bytes=None)
        with _shifted(len(EXPLAIN)), self._watched(limits, sql) as (cursor, _):
            plan = _rows(cursor, f"{EXPLAIN}{sql}")
        return "\n".join(str(line[0]) for line in plan)

    def run(self, sql: Admitted, *, limits: Limits) -> Result:
        """Run one statement and fetch its rows, at most ``limits.rows`` of them.

        Raises:
            QueryError: the SQL is at fault, or a value cannot be read.
            BudgetExceeded: the deadline passed, too much was scanned, or it was cancelled;
                nothing is left running.
            AccessDenied: Trino refused this user.
            EngineUnavailable: the same call may succeed later.
            SetupError: whoever runs Trino or owns the tables must act.
        """
        require_admitted(sql)
        started = time.perf_counter()
        with self._watched(limits, sql) as (cursor, watch):
            cursor.execute(sql)
            columns = _columns(cursor)
            rows = _fetch(cursor, limits.rows, watch)
        kept, cut = capped(rows, limits.rows)
        return Result(
            columns=columns,
            rows=kept,
            truncated=cut,
            seconds=time.perf_counter() - started,
            bytes_scanned=_scanned(cursor),
            query_id=cursor.query_id or "",
        )

    def cancel(self) -> None:
        """Stop whatever runs now, on the server too; its callers get BudgetExceeded."""
        self._under_way.stop()

    def close(self) -> None:
        """Stop what runs; a statement's connection ends with it."""
        self.cancel()

    @contextmanager
    def _watched(self, limits: Limits, sql: str = "") -> Iterator[tuple[Cursor, Watch]]:
        with _session(self._access.address) as session:
            cursor: Cursor = self._access.connect(session, _properties(limits)).cursor()
            watch = Watch(lambda: _stop(cursor), seconds=limits.seconds, cancelled=limits.cancelled)
            with self._under_way.holding(watch), watch, _translated(sql, watch.check):
                try:
                    yield cursor, watch
                finally:
                    _stop(cursor)


def _properties(limits: Limits) -> dict[str, str]:
    """Tell the server the limits too: it keeps them even if this process dies."""
    given = {}
    if limits.seconds is not None:
        given["query_max_run_time"] = f"{max(limits.seconds, 0.001) * 1000:.0f}ms"
    if limits.bytes is not None:
        given["query_max_scan_physical_bytes"] = f"{limits.bytes}B"
    return given


@contextmanager
def _session(address: Address) -> Iterator[Session]:
    with Session() as session:
        session.verify = address.ca or True
        session.hooks["response"] = [refuse_by_status]
        yield session


def _columns(cursor: Cursor) -> tuple[ResultColumn, ...]:
    """Read names and types, in Trino's own spelling; unnamed ones are ``_col0``, ``_col1``."""
    return tuple(
        ResultColumn(name=str(c.name), type=str(c.type_code)) for c in cursor.description or ()
    )


def _fetch(cursor: Cursor, limit: int | None, watch: Watch) -> list[tuple[Cell, ...]]:
    """Fetch one row more than the limit, which shows that there are more."""
    rows: list[tuple[Cell, ...]] = []
    while limit is None or len(rows) <= limit:
        row = cursor.fetchone()
        watch.check()
        if row is None:
            break
        rows.append(row_of(row))
    return rows


def _rows(cursor: Cursor, sql: str) -> list[tuple[Cell, ...]]:
    cursor.execute(sql)
    return [row_of(row) for row in cursor.fetchall()]


def _scanned(cursor: Cursor) -> int | None:
    """Return the bytes read from storage, or those processed where nothing is told of it."""
    stats = cursor.stats or {}
    read = stats.get("physicalInputBytes") or stats.get("processedBytes")
    return int(read) if read is not None else None


def _stop(cursor: Cursor) -> None:
    """Stop the statement on the server; one that has ended, or never began, needs no stopping.

    The server's own time limit ends what a failing call cannot stop.
    """
    with suppress(*RAISED):
        cursor.cancel()


@contextmanager
def _translated(sql: str, stopped: Callable[[], None]) -> Iterator[None]:
    try:
        yield
    except RAISED as error:
        stopped()
        raise translate(error, sql) from error


@contextmanager
def _shifted(by: int) -> Iterator[None]:
    """Tell a fault's place in the statement alone, not in the text that was sent."""
    try:
        yield
    except QueryError as error:
        if error.position and error.position[0] == 1:
            error.position = (1, max(error.position[1] - by, 1))
        raise
