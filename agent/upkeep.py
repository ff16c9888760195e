"""Keeping an open warehouse in step: tables that changed meanwhile, tables that are looked at."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from querymend.loop.weighing import size
from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.catalog.newest import look, upper_bound
from querymend.tools.engines.drift import Drifts, changes
from querymend.tools.engines.estimate import Charges
from querymend.tools.errors import BudgetExceeded, Final, SetupError, Unavailable
from querymend.tools.findings import Finding
from querymend.tools.index.retrieve import Retriever
from querymend.tools.index.values import ValueIndex
from querymend.warehouse import Warehouse, index, looked_at, read

Log = Callable[[str], None]


class Upkeep:
    """Holds a warehouse and keeps it in step with its catalog. Safe to share between threads."""

    def __init__(
        self, warehouse: Warehouse, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._warehouse = warehouse
        self._clock = clock
        self._lock = threading.Lock()
        self._looked = clock()

    @property
    def warehouse(self) -> Warehouse:
        """The warehouse as it was last seen."""
        return self._warehouse

    def in_step(self) -> tuple[Finding, ...]:
        """Compare the tables with the catalog, if that was not done lately; tell what changed."""
        minutes = self._warehouse.deps.settings.athena.drift_minutes
        with self._lock:
            engine = self._warehouse.deps.engine
            due = self._clock() - self._looked >= 60 * minutes
            if not isinstance(engine, Drifts) or not due:
                return ()
            self._looked = self._clock()
            try:
                new = engine.reread()
            except (Unavailable, Final):  # the question itself will tell, if it needs more
                return ()
            return self._follow(new) if new is not None else ()

    def _follow(self, new: Catalog) -> tuple[Finding, ...]:
        old = self._warehouse.deps.catalog
        told = list(changes(old, new))
        self._warehouse = indexed_again(self._warehouse)
        return tuple(_changed(sentence) for _, sentence in told)

    def look_at(self, names: Sequence[str], *, log: Log) -> None:
        """Read the newest partition of some tables for the index; see ``look_at``."""
        with self._lock:
            self._warehouse = look_at(self._warehouse, names, log=log)


def indexed_again(warehouse: Warehouse) -> Warehouse:
    """Read the engine's catalog as it is now, and bring the index in step with it."""
    deps, store = warehouse.deps, warehouse.store
    looked = looked_at(store)
    catalog = read(
        deps.engine, warehouse.pack, deps.settings, progress=None, log=_silent, looked=looked
    )
    report = index(store, deps.embedder, deps.engine, catalog, warehouse.pack, looked)
    values = ValueIndex(store.values_path)
    fresh = replace(
        deps,
        catalog=catalog,
        values=values,
        retriever=Retriever(store, deps.embedder, values),
    )
    return replace(warehouse, deps=fresh, report=report)


def look_at(warehouse: Warehouse, names: Sequence[str], *, log: Log) -> Warehouse:
    """Read the newest partition of some tables, and put what it shows into the index.

    What it may scan is said before it runs. A table whose newest partition was read before is
    not read again.

    Raises:
        SetupError: there is no such table, or the engine reads all its data anyway.
        BudgetExceeded: a table is larger than ``budget.index_bytes`` allows; it is not read.
        QueryError: which partition is the newest is not known.
    """
    deps = warehouse.deps
    if not isinstance(deps.engine, Charges):
        raise SetupError("Only tables of an engine that charges for scans are read one by one.")
    looked = looked_at(warehouse.store)
    for table in [_named(deps.catalog, name) for name in names]:
        if looked.knows(table):
            log(f"{table.qualified_name}: unchanged since it was read.")
            continue
        _announce(warehouse, table, log)
        seen = look(
            deps.engine,
            deps.catalog,
            table,
            bytes_=deps.settings.budget.index_bytes,
            sample_rows=deps.settings.retrieval.sample_rows,
        )
        looked.put(table, seen)
        log(f"{table.qualified_name}: {seen.bytes:,} bytes scanned (about ${seen.usd:.4f}).")
    return indexed_again(warehouse)


def _announce(warehouse: Warehouse, table: Table, log: Log) -> None:
    """Say what reading a table may scan; stop where that is over the budget."""
    deps = warehouse.deps
    allowed = deps.settings.budget.index_bytes
    most = upper_bound(deps.engine, deps.catalog, table)
    cost = "" if most.usd is None else f" (about ${most.usd:.4f})"
    newest = ", ".join(f"{k.name}={k.latest}" for k in table.partition_keys if k.latest)
    what = f"{table.qualified_name}, newest partition {newest}" if newest else table.qualified_name
    log(f"{what}: reads {size(most.bytes)} at most{cost}; stops at {allowed:,} bytes.")
    if most.bytes is not None and most.bytes > allowed:
        raise BudgetExceeded(
            f"Reading {table.qualified_name} would scan {size(most.bytes)}, over the {allowed:,}"
            " bytes that are allowed (QUERYMEND_BUDGET__INDEX_BYTES)."
        )


def _named(catalog: Catalog, name: str) -> Table:
    table = catalog.table(name)
    if table is None:
        raise SetupError(f"The catalog has no table {name!r}.")
    return table


def _changed(sentence: str) -> Finding:
    return Finding(
        code="catalog_changed",
        kind="name",
        severity="note",
        message=f"{sentence} The index follows.",
    )


def _silent(line: str) -> None:
    """Say nothing."""
