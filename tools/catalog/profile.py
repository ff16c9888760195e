"""Looks at the data: counts, ranges, frequent values and sample rows of every table."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from querymend.tools.catalog.asking import ask, column, kind_of, place
from querymend.tools.catalog.describe import hide_private
from querymend.tools.catalog.model import Catalog, Cell, Column, Profile, Table
from querymend.tools.engines.engine import Engine
from querymend.tools.errors import BudgetExceeded, QueryError

EXACT_ROWS = 1_000_000
"""Beyond it, distinct values are estimated: exact counts would need too much memory."""
LONGEST_VALUE = 200
"""Longer texts are no values that a question names."""
LONGEST_CELL = 500
COLUMNS_A_QUERY = 50
PLAIN = frozenset(
    (
        *exp.DataType.NUMERIC_TYPES,
        *exp.DataType.TEXT_TYPES,
        *exp.DataType.TEMPORAL_TYPES,
        *(exp.DType.BOOLEAN, exp.DType.UUID, exp.DType.ENUM),
    )
)
Progress = Callable[[str, float], None]
_log = logging.getLogger("querymend")


def profile(
    engine: Engine,
    catalog: Catalog,
    *,
    sample_rows: int = 3,
    frequent: int = 5,
    progress: Progress | None = None,
) -> Catalog:
    """Return the catalog with each table's row count, column profiles and sample rows.

    Private columns are never read. A table that cannot be read in time stays without a profile,
    and is logged.

    Args:
        engine: where the tables are.
        catalog: what it holds, with private columns marked.
        sample_rows: whole rows a table, spread evenly over it.
        frequent: values a column that occur more than once, most frequent first.
        progress: called with a table's name and the share of tables done.
    """
    tables = []
    for done, table in enumerate(catalog.tables, start=1):
        tables.append(_profiled(engine, catalog, table, sample_rows, frequent))
        if progress:
            progress(table.qualified_name, done / len(catalog.tables))
    return Catalog(tables=tuple(tables))


def _profiled(
    engine: Engine, catalog: Catalog, table: Table, sample_rows: int, frequent: int
) -> Table:
    try:
        rows = _count(engine, catalog, table)
        profiles = _profiles(engine, catalog, table, rows)
        for name in profiles:
            found = _frequent(engine, catalog, table, name, frequent, profiles[name], rows)
            profiles[name] = replace(profiles[name], frequent=found)
        sample = _sample(engine, catalog, table, rows, sample_rows)
    except (QueryError, BudgetExceeded) as error:
        _log.warning("table %s has no profile: %s", table.qualified_name, type(error).__name__)
        return hide_private(table)
    columns = tuple(replace(c, profile=profiles.get(c.name)) for c in table.columns)
    return hide_private(replace(table, rows=rows, columns=columns, sample=sample))


def _count(engine: Engine, catalog: Catalog, table: Table) -> int:
    query = exp.select(exp.Count(this=exp.Star())).from_(place(table))
    return _whole(ask(engine, catalog, query)[0][0])


def _profiles(engine: Engine, catalog: Catalog, table: Table, rows: int) -> dict[str, Profile]:
    """Profile the columns that have plain values; one query for many columns."""
    plain = [c for c in table.columns if not c.private and is_plain(c, engine.dialect)]
    found: dict[str, Profile] = {}
    for start in range(0, len(plain), COLUMNS_A_QUERY):
        part = plain[start : start + COLUMNS_A_QUERY]
        wanted = [e for c in part for e in _measures(c, exact=rows <= EXACT_ROWS)]
        cells = ask(engine, catalog, exp.select(*wanted).from_(place(table)))[0]
        for index, c in enumerate(part):
            found[c.name] = _profile(cells[4 * index : 4 * index + 4], rows)
    return found


def is_plain(column: Column, dialect: str) -> bool:
    """Tell whether the column holds numbers, text, dates or the like: no lists, structs, bytes."""
    return kind_of(column, dialect) in PLAIN


def _measures(c: Column, *, exact: bool) -> Sequence[exp.Expr]:
    here = column(c.name)
    distinct = (
        exp.Count(this=exp.Distinct(expressions=[here.copy()]))
        if exact
        else exp.ApproxDistinct(this=here.copy())
    )
    return (exp.Count(this=here), distinct, exp.Min(this=here.copy()), exp.Max(this=here.copy()))


def _profile(cells: Sequence[Cell], rows: int) -> Profile:
    filled, distinct, low, high = cells
    return Profile(
        distinct=min(_whole(distinct), rows),
        null_share=1 - _whole(filled) / rows if rows else None,
        minimum=low if _is_short(low) else None,
        maximum=high if _is_short(high) else None,
    )


def _frequent(
    engine: Engine,
    catalog: Catalog,
    table: Table,
    name: str,
    wanted: int,
    known: Profile,
    rows: int,
) -> tuple[tuple[Cell, int], ...]:
    """Return the most frequent values, ties in their own order; none where all are different."""
    filled = rows * (1 - (known.null_share or 0))
    if not wanted or (known.distinct or 0) >= filled:
        return ()
    here, times = column(name), exp.Count(this=exp.Star())
    query = (
        exp.select(here, exp.alias_(times, "times"))
        .from_(place(table))
        .where(exp.Not(this=exp.Is(this=here.copy(), expression=exp.Null())))
        .group_by(here.copy())
        .order_by(exp.Ordered(this=times.copy(), desc=True), here.copy())
        .limit(wanted)
    )
    found = ask(engine, catalog, query)
    return tuple((value, _whole(count)) for value, count in found if _is_short(value))


def _sample(
    engine: Engine, catalog: Catalog, table: Table, rows: int, wanted: int
) -> tuple[tuple[Cell, ...], ...]:
    """Return whole rows at even distances, from the first on."""
    shown = [c.name for c in table.columns if not c.private]
    wanted = min(wanted, rows)
    if not shown:
        return ()
    query = exp.select(*(column(n) for n in shown)).from_(place(table)).limit(1)
    found = [ask(engine, catalog, query.offset(i * rows // wanted)) for i in range(wanted)]
    return tuple(_whole_row(table, dict(zip(shown, r[0], strict=True))) for r in found if r)


def _whole_row(table: Table, cells: dict[str, Cell]) -> tuple[Cell, ...]:
    return tuple(_capped(cells.get(c.name)) for c in table.columns)


def _capped(cell: Cell) -> Cell:
    if isinstance(cell, str) and len(cell) > LONGEST_CELL:
        return f"{cell[: LONGEST_CELL - 1]}…"
    return cell[:LONGEST_CELL] if isinstance(cell, bytes) else cell


def _is_short(cell: Cell) -> bool:
    return not isinstance(cell, str) or len(cell) <= LONGEST_VALUE


def _whole(cell: Cell) -> int:
    return int(str(cell))
