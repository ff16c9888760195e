"""Which sets of columns are unique: of a table by its keys, of a literal list by its values."""

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Table


def unique_sets(table: Table, catalog: Catalog) -> tuple[frozenset[str], ...]:
    """Return a table's unique sets of columns, in lower case.

    Declared keys, those that other tables' keys point to, and columns whose profile shows as many
    values as there are rows.
    """
    sets = [table.primary_key, *table.unique, *_referred_to(table, catalog)]
    sets += [(c.name,) for c in table.columns if _is_distinct(table, c.name)]
    return tuple(dict.fromkeys(frozenset(c.lower() for c in s) for s in sets if s))


def has_keys(table: Table) -> bool:
    """Tell whether enough is known of a table's keys to say that other columns repeat."""
    return bool(table.primary_key or table.unique)


def literal_keys(values: exp.Values, names: list[str]) -> tuple[frozenset[str], ...]:
    """Return the columns of a VALUES list that hold no value twice."""
    rows = [r.expressions for r in values.expressions if isinstance(r, exp.Tuple)]
    rows = rows or [[r] for r in values.expressions]
    columns = [list(c) for c in zip(*rows, strict=False)]
    return tuple(
        frozenset((name.lower(),))
        for name, column in zip(names, columns, strict=False)
        if all(isinstance(c, exp.Literal) for c in column) and len(set(column)) == len(column)
    )


def _referred_to(table: Table, catalog: Catalog) -> list[tuple[str, ...]]:
    keys = (key for other in catalog.tables for key in other.keys)
    return [k.target_columns for k in keys if catalog.table(k.table) is table]


def _is_distinct(table: Table, name: str) -> bool:
    column = table.column(name)
    profile = column.profile if column else None
    if profile is None or not table.rows or table.rows < 2:
        return False
    return profile.distinct == table.rows and not profile.null_share
