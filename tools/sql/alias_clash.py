"""Two tables of one alias, told apart: the later one gets a name of its own."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.sql.parse import Parsed
from querymend.tools.sql.tables import resolve


class _Unsure(Exception):
    """A column that both tables hold, and that nothing tells whose it is."""


def told_apart(parsed: Parsed, catalog: Catalog) -> str | None:
    """Return the statement with an alias of its own for the second of two tables.

    Each column goes to the table that holds it. In ``s.id = s.id`` of the second table's own join
    the sides are taken in order. None where a column might be either's.
    """
    assert parsed.tree is not None
    tree = parsed.tree.copy()
    try:
        changed = [_apart(s, catalog, parsed.dialect) for s in tree.find_all(exp.Select)]
    except _Unsure:
        return None
    return tree.sql(parsed.dialect, normalize_functions=False) if any(changed) else None


def _apart(select: exp.Select, catalog: Catalog, dialect: str) -> bool:
    """Tell the first two tables of one alias in a SELECT apart, if there are any."""
    starts = [select.args.get("from_"), *(select.args.get("joins") or [])]
    nodes = [s.this for s in starts if s is not None and isinstance(s.this, exp.Table)]
    for place, node in enumerate(nodes):
        earlier = (n for n in nodes[:place] if _same(n, node))
        first = next(earlier, None)
        pair = (resolve(n, catalog, dialect) if n is not None else None for n in (first, node))
        mine, theirs = pair
        if first is None or mine is None or theirs is None or mine is theirs:
            continue
        names = {n.alias_or_name.lower() for n in nodes}
        alias = next(a for a in _names(theirs.name) if a.lower() not in names)
        for column in _columns(select, node.alias_or_name):
            if _is_second(column, node, mine, theirs):
                column.set("table", exp.to_identifier(alias))
        node.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
        return True
    return False


def _same(one: exp.Table, other: exp.Table) -> bool:
    return one.alias_or_name.lower() == other.alias_or_name.lower()


def _names(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}_{n}" for n in range(2, 99))


def _columns(select: exp.Select, alias: str) -> list[exp.Column]:
    return [c for c in select.find_all(exp.Column) if c.table.lower() == alias.lower()]


def _is_second(column: exp.Column, node: exp.Table, mine: Table, theirs: Table) -> bool:
    """Tell whether a column is the second table's."""
    here, there = (t.column(column.name) is not None for t in (mine, theirs))
    if here != there:
        return there
    pair = column.parent
    own = node.parent if isinstance(node.parent, exp.Join) else None
    if own is None or not isinstance(pair, exp.EQ) or pair.find_ancestor(exp.Join) is not own:
        raise _Unsure
    return column is pair.expression
