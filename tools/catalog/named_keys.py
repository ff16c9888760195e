"""Keys by their names alone, for engines where looking at the data costs money.

A name is no proof: such keys have the origin ``inferred``, and a table with partitions gets no
unique columns, since lakes often keep one snapshot of a thing in each partition.
"""

from collections.abc import Iterator
from dataclasses import replace

from querymend.tools.catalog.key_names import agreement, is_key_name, words
from querymend.tools.catalog.model import Catalog, Column, Key, Table


def keys_by_name(catalog: Catalog) -> Catalog:
    """Return the catalog with the keys that names of tables and columns tell of."""
    known = replace(catalog, tables=tuple(_with_unique(t) for t in catalog.tables))
    return replace(known, tables=tuple(_with_references(known, t) for t in known.tables))


def _with_unique(table: Table) -> Table:
    if table.primary_key or table.unique or table.partitions:
        return table
    own = next((c for c in table.columns if _is_own_key(c, table)), None)
    return replace(table, unique=((own.name,),)) if own else table


def _is_own_key(column: Column, table: Table) -> bool:
    """Tell whether a column names this table's things: ``id``, ``customer_id`` of ``customers``."""
    if column.private or not is_key_name(column.name) or not _may_be_key(column):
        return False
    if len(words(column.name)) == 1:
        return column is table.columns[0]
    return agreement(column.name, "", "id", table.name) == 1.0


def _may_be_key(column: Column) -> bool:
    return column.type.lower().startswith(("varchar", "char", "int", "bigint", "smallint"))


def _with_references(catalog: Catalog, table: Table) -> Table:
    taken = {name for key in table.keys for name in key.columns}
    own = {u[0] for u in table.unique if len(u) == 1}
    free = [c for c in table.columns if c.name not in taken | own and not c.private]
    found = (_reference(catalog, table, c) for c in free)
    return replace(table, keys=(*table.keys, *(k for k in found if k)))


def _reference(catalog: Catalog, table: Table, column: Column) -> Key | None:
    best = max(_candidates(catalog, table, column), key=lambda pair: pair[0], default=None)
    return best[1] if best else None


def _candidates(catalog: Catalog, table: Table, column: Column) -> Iterator[tuple[float, Key]]:
    for target in catalog.tables:
        for unique in (target.primary_key, *target.unique):
            there = target.column(unique[0]) if len(unique) == 1 else None
            if target.qualified_name == table.qualified_name or there is None:
                continue
            sure = agreement(column.name, table.name, there.name, target.name)
            if sure >= 0.8 and _family(there) == _family(column):
                yield sure, _key(column, target, there)


def _family(column: Column) -> bool:
    return column.type.lower().startswith(("varchar", "char"))


def _key(column: Column, target: Table, there: Column) -> Key:
    return Key(
        columns=(column.name,),
        table=target.qualified_name,
        target_columns=(there.name,),
        origin="inferred",
    )
