"""Read the distinct values of text columns through an engine and the gate."""

from collections.abc import Callable, Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.chunks.ddl import is_text
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.errors import BudgetExceeded, QueryError
from querymend.tools.index.values import MAX_LENGTH, MAX_VALUES, ColumnValues
from querymend.tools.sql.gate import admit

SECONDS = 60.0
Progress = Callable[[str, int, int], None]
"""Called with the column's name, how many are done, and how many there are."""


def read_values(
    engine: Engine,
    catalog: Catalog,
    *,
    max_values: int = MAX_VALUES,
    seconds: float = SECONDS,
    progress: Progress | None = None,
) -> Iterator[ColumnValues]:
    """Yield the most frequent values of every text column that is not private.

    A column that cannot be read in time is left out: nothing is then known of its values.

    Args:
        engine: where the data are.
        catalog: which columns there are, private ones marked.
        max_values: values of one column at most.
        seconds: what reading one column may take.
        progress: called before each column.

    Raises:
        EngineUnavailable: the engine is not there.
        AccessDenied: it refused.
    """
    todo = [(t, c) for t in catalog.tables for c in t.columns if is_text(c) and not c.private]
    for done, (table, column) in enumerate(todo):
        if progress:
            progress(f"{table.qualified_name}.{column.name}", done, len(todo))
        found = _read(engine, catalog, table, column, max_values, seconds)
        if found is not None:
            yield found


def _read(
    engine: Engine, catalog: Catalog, table: Table, column: Column, most: int, seconds: float
) -> ColumnValues | None:
    sql = statement(table, column, dialect=engine.dialect, limit=most + 1)
    verdict = admit(sql, dialect=engine.dialect, catalog=catalog)
    if verdict.sql is None:
        return None
    try:
        result = engine.run(verdict.sql, limits=Limits(rows=most + 1, seconds=seconds, bytes=None))
    except (QueryError, BudgetExceeded):
        return None
    pairs = [(str(value), int(str(times))) for value, times in result.rows]
    return ColumnValues(
        table=table.qualified_name,
        column=column.name,
        values=tuple(pairs[:most]),
        complete=len(pairs) <= most and not result.truncated,
    )


def statement(table: Table, column: Column, *, dialect: str, limit: int) -> str:
    """Write the query for one column's values with their counts, most frequent first."""
    text = exp.cast(exp.column(column.name, quoted=True), "VARCHAR")
    source = exp.table_(table.name, db=table.schema or None, quoted=True)
    query = (
        exp.select(text.as_("value"), exp.Count(this=exp.Star()).as_("times"))
        .from_(source)
        .where(exp.LTE(this=exp.Length(this=text.copy()), expression=exp.convert(MAX_LENGTH)))
        .group_by(exp.Literal.number(1))
        .order_by(exp.Ordered(this=exp.Literal.number(2), desc=True), exp.Literal.number(1))
        .limit(limit)
    )
    return query.sql(dialect)
