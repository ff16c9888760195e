"""Whether a statement brings tables together only along the keys that the catalog knows."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.results.statement import Statement

Place = tuple[str, str]
"""Qualified table and column, lower case."""


def follows_keys(statement: Statement) -> bool:
    """Tell whether every join and every ``IN (SELECT …)`` goes along a known key.

    False where that cannot be told: a comparison with a subquery, a column that is computed, a
    join without a condition.
    """
    pairs = list(_pairs(statement.tree))
    if any(_is_compared(s) for s in statement.tree.find_all(exp.Subquery)):
        return False
    joined = sum(1 for _ in statement.tree.find_all(exp.Join))
    if sum(isinstance(p[1], exp.Column) for p in pairs) < joined:
        return False
    return all(_is_key(statement, one, other) for one, other in pairs)


def _pairs(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yield the columns that are held equal: two in one query, or one and a subquery's."""
    for node in tree.find_all(exp.EQ):
        both = isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)
        if both and node.expression.args.get("table"):
            yield node.this, node.expression
    for join in tree.find_all(exp.Join):
        for name in join.args.get("using") or ():
            yield exp.column(name.name), exp.column(name.name)
    for member in tree.find_all(exp.In):
        inner = member.args.get("query")
        if inner is not None:
            yield member.this, inner


def _is_compared(node: exp.Subquery) -> bool:
    return isinstance(node.parent, exp.Binary | exp.Between) and not isinstance(
        node.parent, exp.SetOperation
    )


def _is_key(statement: Statement, one: exp.Expr, other: exp.Expr) -> bool:
    if not one.args.get("table") and one == other:  # USING
        return True
    here, there = _place(statement, one), _place(statement, other)
    if here is None or there is None:
        return False
    ends, others = _targets(here, statement.catalog), _targets(there, statement.catalog)
    return bool(here == there or there in ends or here in others or ends & others)


def _place(statement: Statement, node: exp.Expr) -> Place | None:
    """Return the column of a catalog's table that an expression is, through derived tables."""
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    if isinstance(node, exp.Select):
        first = node.expressions[0].unalias() if len(node.expressions) == 1 else node
        return _place(statement, first) if isinstance(first, exp.Column) else None
    if not isinstance(node, exp.Column):
        return None
    table = statement.table_of(node)
    if table:
        return table.lower(), node.name.lower()
    made = _derived(statement.tree, node)
    return _place(statement, made) if made is not None else None


def _derived(tree: exp.Expr, column: exp.Column) -> exp.Column | None:
    """Return the column of a derived table or CTE that stands behind a name."""
    for query in tree.find_all(exp.Subquery, exp.CTE):
        inner = query.this
        if not column.table or query.alias.lower() != column.table.lower():
            continue
        if isinstance(inner, exp.Select):
            named = {e.alias_or_name.lower(): e.unalias() for e in inner.expressions}
            made = named.get(column.name.lower())
            return made if isinstance(made, exp.Column) and made is not column else None
    return None


def _targets(place: Place, catalog: Catalog) -> set[Place]:
    """Return the places that a column refers to by a known key."""
    table = catalog.table(place[0])
    keys = table.keys if table is not None else ()
    return {
        (_qualified(key.table, catalog), there.lower())
        for key in keys
        for here, there in zip(key.columns, key.target_columns, strict=False)
        if here.lower() == place[1]
    }


def _qualified(name: str, catalog: Catalog) -> str:
    found = catalog.table(name)
    return (found.qualified_name if found is not None else name).lower()
