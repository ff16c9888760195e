"""Finds keys that nobody declared: by the data for uniqueness, by names and data for references."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from querymend.tools.catalog.asking import ask, column, kind_of, place
from querymend.tools.catalog.key_names import agreement, is_key_name
from querymend.tools.catalog.model import Catalog, Column, Key, Table
from querymend.tools.engines.engine import Engine
from querymend.tools.errors import BudgetExceeded, QueryError

ENOUGH_INSIDE = 0.99
"""Share of a column's filled rows that must exist in the table referred to."""
_WHOLE = exp.DataType.INTEGER_TYPES
_TEXT = exp.DataType.TEXT_TYPES | {exp.DType.UUID}


def infer_keys(engine: Engine, catalog: Catalog) -> Catalog:
    """Return a profiled catalog with the unique columns and references that its data show.

    A table without declared unique columns gets those of its key-like columns that are distinct
    in every row. A column in no key gets a reference where its name agrees with a unique column's
    table and 99 % of its rows exist there. Private columns are left alone.
    """
    uniques = tuple(_with_unique(engine, catalog, t) for t in catalog.tables)
    known = Catalog(tables=uniques)
    return Catalog(tables=tuple(_with_references(engine, known, t) for t in uniques))


def _with_unique(engine: Engine, catalog: Catalog, table: Table) -> Table:
    if table.primary_key or table.unique or not table.rows:
        return table
    likely = [c for c in table.columns if _may_be_key(c) and _seems_unique(c, table.rows)]
    named = [
        c for i, c in enumerate(table.columns) if c in likely and (i == 0 or is_key_name(c.name))
    ]
    found = tuple((c.name,) for c in named if _is_unique(engine, catalog, table, c))
    return replace(table, unique=found)


def _family(c: Column) -> str:
    kind = kind_of(c, "duckdb")
    return "whole" if kind in _WHOLE else "text" if kind in _TEXT else ""


def _may_be_key(c: Column) -> bool:
    return not c.private and bool(_family(c))


def _seems_unique(c: Column, rows: int) -> bool:
    """Allow for an estimated count of distinct values."""
    known = c.profile
    return bool(known and known.null_share == 0 and (known.distinct or 0) >= 0.9 * rows)


def _is_unique(engine: Engine, catalog: Catalog, table: Table, c: Column) -> bool:
    here = column(c.name)
    query = exp.select(
        exp.Count(this=exp.Star()), exp.Count(this=exp.Distinct(expressions=[here]))
    ).from_(place(table))
    try:
        rows, distinct = ask(engine, catalog, query)[0]
    except (QueryError, BudgetExceeded):
        return False
    return rows == distinct


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    target: Table
    column: Column
    agreement: float


def _with_references(engine: Engine, catalog: Catalog, table: Table) -> Table:
    taken = {name for key in table.keys for name in key.columns}
    free = [c for c in table.columns if c.name not in taken and _may_be_key(c)]
    found = (_reference(engine, catalog, table, c) for c in free)
    return replace(table, keys=(*table.keys, *(k for k in found if k)))


def _reference(engine: Engine, catalog: Catalog, table: Table, c: Column) -> Key | None:
    """Return the key to the best agreeing column that holds this one's values."""
    candidates = sorted(_candidates(catalog, table, c), key=lambda x: -x.agreement)
    for candidate in candidates:
        if _is_inside(engine, catalog, table, c, candidate):
            return Key(
                columns=(c.name,),
                table=candidate.target.qualified_name,
                target_columns=(candidate.column.name,),
                origin="inferred",
            )
    return None


def _candidates(catalog: Catalog, table: Table, c: Column) -> Iterator[_Candidate]:
    for target in catalog.tables:
        if target is table:
            continue
        for there in _single_keys(target):
            sure = agreement(c.name, table.name, there.name, target.name)
            if sure and _family(there) == _family(c):
                yield _Candidate(target=target, column=there, agreement=sure)


def _single_keys(table: Table) -> Sequence[Column]:
    names = [k[0] for k in (table.primary_key, *table.unique) if len(k) == 1]
    return [c for c in map(table.column, dict.fromkeys(names)) if c and not c.private]


def _is_inside(
    engine: Engine, catalog: Catalog, table: Table, c: Column, candidate: _Candidate
) -> bool:
    """Count the filled rows that exist there: the target is unique, so a join repeats none."""
    here, there = column(c.name, "here"), column(candidate.column.name, "there")
    query = (
        exp.select(exp.Count(this=here), exp.Count(this=there))
        .from_(place(table, "here"))
        .join(place(candidate.target, "there"), on=here.copy().eq(there.copy()), join_type="left")
    )
    try:
        filled, inside = ask(engine, catalog, query)[0]
    except (QueryError, BudgetExceeded):
        return False
    return bool(filled) and int(str(inside)) >= ENOUGH_INSIDE * int(str(filled))
