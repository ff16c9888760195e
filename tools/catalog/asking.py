"""Questions that the catalog's own code asks of an engine: through the gate, like all SQL."""

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.catalog.model import Catalog, Cell, Column, Table
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.errors import QueryError
from querymend.tools.sql.gate import admit

SECONDS = 30.0


def column(name: str, table: str = "") -> exp.Column:
    """Name a column, quoted."""
    return exp.column(name, table=table or None, quoted=True)


def place(table: Table, alias: str = "") -> exp.Table:
    """Name a table, quoted, with its schema if it has one."""
    return exp.table_(table.name, db=table.schema or None, quoted=True, alias=alias or None)


def kind_of(column: Column, dialect: str) -> exp.DType | None:
    """Return the column's type without its parameters, or None if sqlglot does not know it."""
    try:
        kind = exp.DataType.build(column.type, dialect=dialect).this
    except (SqlglotError, ValueError):
        return None
    return kind if isinstance(kind, exp.DType) else None


def ask(
    engine: Engine, catalog: Catalog, query: exp.Query, *, rows: int = 1_000
) -> Sequence[tuple[Cell, ...]]:
    """Run one query over the catalog's tables and return its rows.

    Raises:
        QueryError: the gate or the engine refuses it.
        BudgetExceeded: it takes longer than ``SECONDS``.
    """
    verdict = admit(query.sql(engine.dialect), dialect=engine.dialect, catalog=catalog)
    if verdict.sql is None:
        raise QueryError("; ".join(f.message for f in verdict.findings), code="refused")
    return engine.run(verdict.sql, limits=Limits(rows=rows, seconds=SECONDS, bytes=None)).rows
