"""Looks at one table of an engine that charges for scans: its newest partition, within a budget."""

from dataclasses import dataclass, replace

from sqlglot import exp

from querymend.tools.catalog.asking import column, place
from querymend.tools.catalog.model import Catalog, Profile, Table
from querymend.tools.catalog.profile import profile
from querymend.tools.engines.engine import Engine, Limits, Result
from querymend.tools.engines.estimate import Charges, Estimate
from querymend.tools.engines.execution import Execution
from querymend.tools.errors import BudgetExceeded, QueryError, QuerymendError
from querymend.tools.index.read_values import read_values
from querymend.tools.index.values import ColumnValues
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.gate import admit
from querymend.tools.sql.parse import parse
from querymend.tools.sql.partition_values import kind

PASSES = 4
"""How often a column may be read: measures, frequent values, distinct values, sample rows."""


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What one table's newest partition showed."""

    table: Table
    """With profile and sample rows."""
    values: tuple[ColumnValues, ...]
    bytes: int
    usd: float


def newest(table: Table) -> exp.Expr | None:
    """Return the predicate of the newest partition; None where the table has none.

    Raises:
        QueryError: it has partitions, and nobody knows which there are.
    """
    parts = [_equal(table, name) for name in table.partitions]
    if not parts:
        return None
    known = [p for p in parts if p is not None]
    if len(known) < len(parts):
        raise QueryError(
            f"The newest partition of {table.qualified_name} is not known, so it cannot be read"
            " by itself."
        )
    return exp.and_(*known)


def _equal(table: Table, name: str) -> exp.Expr | None:
    key, here = table.partition_key(name), table.column(name)
    if key is None or here is None or not key.latest:
        return None
    mine = kind(here)
    value: exp.Expr = (
        exp.Literal.number(key.latest) if mine == "number" else exp.Literal.string(key.latest)
    )
    value = exp.cast(value, "date") if mine == "date" else value
    return exp.EQ(this=column(name), expression=value)


def upper_bound(engine: Engine, catalog: Catalog, table: Table) -> Estimate:
    """Say what looking at a table would scan at most, before anything runs.

    Raises:
        QueryError: its newest partition is not known.
    """
    where = newest(table)
    query = exp.select("*").from_(place(table))
    text = (query.where(where) if where is not None else query).sql(engine.dialect)
    verdict = admit(text, dialect=engine.dialect, catalog=catalog)
    if verdict.sql is None or not isinstance(engine, Charges):
        return Estimate()
    once = engine.estimate(verdict.sql)
    return replace(
        once,
        bytes=None if once.bytes is None else once.bytes * PASSES,
        usd=None if once.usd is None else once.usd * PASSES,
    )


def look(
    engine: Engine, catalog: Catalog, table: Table, *, bytes_: int, sample_rows: int = 3
) -> Looked:
    """Profile a table's newest partition and read its texts' distinct values.

    Args:
        engine: runs the queries.
        catalog: the whole catalog.
        table: one of its tables, private columns marked.
        bytes_: scanned at most, all queries together.
        sample_rows: whole rows to keep.

    Raises:
        QueryError: its newest partition is not known.
        BudgetExceeded: it took more bytes than that; what was seen is not kept.
        EngineUnavailable: the engine is not there.
        AccessDenied: it refused.
    """
    narrow = _OnePartition(engine, catalog, newest(table), bytes_)
    only = Catalog(tables=(table,))
    seen = profile(narrow, only, sample_rows=sample_rows).tables[0]
    values = tuple(read_values(narrow, only))
    if narrow.scanned > bytes_:
        raise narrow.spent()
    if table.partitions:
        seen, values = _of_a_part(seen), tuple(replace(v, complete=False) for v in values)
    return Looked(table=seen, values=values, bytes=narrow.scanned, usd=narrow.usd)


def _of_a_part(table: Table) -> Table:
    """Drop what holds for one partition alone: counts and ranges are not the whole table's."""
    return replace(
        table,
        rows=None,
        columns=tuple(
            replace(c, profile=c.profile and Profile(frequent=c.profile.frequent))
            for c in table.columns
        ),
    )


class _OnePartition:
    """An engine that sees one partition of its tables, and so many bytes of it."""

    def __init__(
        self, engine: Engine, catalog: Catalog, where: exp.Expr | None, bytes_: int
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._where = where
        self._bytes = bytes_
        self.scanned = 0
        self.usd = 0.0

    @property
    def dialect(self) -> str:
        return self._engine.dialect

    @property
    def name(self) -> str:
        return self._engine.name

    def catalog(self) -> Catalog:
        return self._catalog

    def explain(self, sql: Admitted) -> str:
        return self._engine.explain(self._narrowed(sql))

    def run(self, sql: Admitted, *, limits: Limits) -> Result:
        """Run a statement on the partition alone, while bytes are left."""
        left = self._bytes - self.scanned
        if left <= 0:
            raise self.spent()
        try:
            result = self._engine.run(self._narrowed(sql), limits=replace(limits, bytes=left))
        except QuerymendError as error:
            self._count(error.execution)
            raise
        self._count(result.execution or Execution(bytes_scanned=result.bytes_scanned))
        return result

    def _count(self, told: Execution | None) -> None:
        """Add what a statement took, one that was stopped too."""
        if told is not None:
            self.scanned += told.bytes_scanned or 0
            self.usd += told.usd or 0.0

    def spent(self) -> BudgetExceeded:
        """Say that the bytes are used up."""
        return BudgetExceeded(
            f"{self.scanned:,} bytes were scanned for the index, of {self._bytes:,} that are"
            " allowed (QUERYMEND_BUDGET__INDEX_BYTES)."
        )

    def cancel(self) -> None:
        self._engine.cancel()

    def close(self) -> None:
        """Leave the engine open: it is another's."""

    def _narrowed(self, sql: Admitted) -> Admitted:
        tree = parse(sql, self.dialect).tree
        if self._where is None or not isinstance(tree, exp.Select):
            return sql
        text = tree.where(self._where.copy()).sql(self.dialect)
        verdict = admit(text, dialect=self.dialect, catalog=self._catalog)
        if verdict.sql is None:
            raise QueryError("; ".join(f.message for f in verdict.findings), code="refused")
        return verdict.sql
