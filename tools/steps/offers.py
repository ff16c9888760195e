"""What a step offers, as a table: its columns, a few rows, and the keys that it hands on."""

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Column, Key, Table
from querymend.tools.engines.engine import Result
from querymend.tools.results.privacy import private_places
from querymend.tools.results.statement import Statement
from querymend.tools.sql.binding import bind
from querymend.tools.sql.parse import parse
from querymend.tools.steps.build import Build

SAMPLE = 2
"""Rows of a step that are shown."""


def offered(build: Build, place: int, result: Result, catalog: Catalog) -> Table:
    """Describe one step as a table of the catalog, for a prompt.

    Args:
        build: the statement.
        place: of the step.
        result: what came back when the step ran, cut or whole.
        catalog: within the caller's scope; values of private columns are left out.
    """
    sql = build.upto(place)
    hidden = private_places(result, Statement.of(sql, build.dialect, catalog))
    columns = tuple(
        Column(name=c.name, type=c.type, private=i in hidden) for i, c in enumerate(result.columns)
    )
    sample = tuple(
        tuple(None if i in hidden else cell for i, cell in enumerate(row))
        for row in result.rows[:SAMPLE]
    )
    keys = _keys(sql, build.dialect, catalog)
    return Table(name=build.steps[place].name, columns=columns, sample=sample, keys=keys)


def _keys(sql: str, dialect: str, catalog: Catalog) -> tuple[Key, ...]:
    """Return where the columns come from, as keys: what a later step joins them to."""
    parsed = parse(sql, dialect)
    if not isinstance(parsed.tree, exp.Select):
        return ()
    binding = bind(parsed, catalog)
    refs = {id(r.column): r for r in binding.refs if r.status == "found"}
    found = []
    for node in parsed.tree.expressions:
        ref = refs.get(id(node.unalias()))
        table = ref.source.table if ref is not None and ref.source is not None else None
        if ref is not None and table is not None:
            target = table.qualified_name
            key = Key(columns=(node.alias_or_name,), table=target, target_columns=(ref.name,))
            found.append(key)
    return tuple(found)
