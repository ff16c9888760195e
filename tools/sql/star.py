"""Columns that a scope hides: no name, star, row or rename may bring them back.

Only where the scope really narrows a table that the statement reads is anything stricter than for
everyone: ``*`` is written out, and what reaches columns without naming them is refused.
"""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Scope, Table
from querymend.tools.findings import Finding
from querymend.tools.sql.binding import Block, Ref, Source, bind
from querymend.tools.sql.outputs import alias_columns
from querymend.tools.sql.parse import Parsed, position, written
from querymend.tools.sql.tables import base_tables, resolve

_UNNAMED = (exp.Columns, exp.Pivot, exp.MatchRecognize, exp.PositionalColumn)
_HARMLESS = frozenset({"rowid", "current_date", "current_timestamp"})


def narrowed(parsed: Parsed, catalog: Catalog, scope: Scope) -> dict[str, Table]:
    """Return the tables read of which the scope hides columns, by the catalog's name."""
    assert parsed.tree is not None
    found = [resolve(t, catalog, parsed.dialect) for t in base_tables(parsed.tree, parsed.dialect)]
    return {
        t.qualified_name: t
        for t in found
        if t is not None and len(scope.columns(t) or ()) < len(t.columns)
    }


def check_columns(parsed: Parsed, catalog: Catalog, scope: Scope) -> list[Finding]:
    """Refuse what names, or reaches without a name, a column outside the scope.

    A hidden column is told as one that does not exist.
    """
    hidden = narrowed(parsed, catalog, scope)
    if not hidden or parsed.tree is None:
        return []
    binding = bind(parsed, catalog.within(scope))
    whole = bind(parsed, catalog)
    refs = [r for r in binding.refs if not _is_named(r)]
    refs += [r for r in whole.refs if _is_hidden(r, scope)]
    refused = [_out_of_sight(r, parsed) for r in {id(r.column): r for r in refs}.values()]
    refused += [_unnamed(n, parsed) for n in parsed.tree.find_all(*_UNNAMED)]
    refused += [_unnamed(n, parsed) for n in _loose_stars(parsed.tree)]
    refused += [_unnamed(n, parsed) for n in _renamed(parsed, catalog, hidden)]
    return refused + [_unnamed(j, parsed) for j in parsed.tree.find_all(exp.Join) if _natural(j)]


def write_out_stars(parsed: Parsed, catalog: Catalog, scope: Scope) -> exp.Expr | None:
    """Return the statement with every ``*`` over a narrowed table written out; None if none is."""
    hidden = narrowed(parsed, catalog, scope)
    if not hidden or parsed.tree is None:
        return None
    copy = Parsed(text=parsed.text, dialect=parsed.dialect, tree=parsed.tree.copy())
    binding = bind(copy, catalog.within(scope))
    changed = [_write_out(block, hidden) for block in binding.blocks]
    return copy.tree if any(changed) else None


def _is_named(ref: Ref) -> bool:
    if ref.status == "unsure":
        return ref.source is not None or ref.name.lower() in _HARMLESS
    return ref.status in ("found", "alias")


def _is_hidden(ref: Ref, scope: Scope) -> bool:
    """Tell whether a name that the scope makes look free is a hidden column to the engine.

    ``SELECT name AS email … WHERE email = 'x'``: an alias within the scope, a column without it.
    """
    if ref.status not in ("found", "ambiguous") or ref.source is None or ref.source.table is None:
        return False
    return ref.name.lower() not in {c.lower() for c in scope.columns(ref.source.table) or ()}


def _natural(join: exp.Join) -> bool:
    return join.method == "NATURAL"


def _loose_stars(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Yield stars that are neither a projection nor the one of COUNT(*), and those by pattern."""
    for star in tree.find_all(exp.Star):
        holder = star.parent if isinstance(star.parent, exp.Column) else star
        parent = holder.parent
        if star.args.get("ilike") or not isinstance(parent, (exp.Select, exp.Count)):
            yield holder


def _renamed(parsed: Parsed, catalog: Catalog, hidden: dict[str, Table]) -> Iterator[exp.Expr]:
    """Yield narrowed tables whose columns an alias renames by place."""
    assert parsed.tree is not None
    for table in base_tables(parsed.tree, parsed.dialect):
        found = resolve(table, catalog, parsed.dialect)
        if found and found.qualified_name in hidden and alias_columns(table.args.get("alias")):
            yield table


def _write_out(block: Block, hidden: dict[str, Table]) -> bool:
    projections: list[exp.Expr] = []
    changed = False
    for projection in block.select.expressions:
        columns = _columns_of(projection, block, hidden)
        changed = changed or columns is not None
        projections += [projection] if columns is None else columns
    if changed:
        block.select.set("expressions", projections)
    return changed


def _columns_of(
    projection: exp.Expr, block: Block, hidden: dict[str, Table]
) -> list[exp.Expr] | None:
    """Return what a star stands for, or None where it is no star over a narrowed table."""
    star = projection.this if isinstance(projection, exp.Column) else projection
    if not isinstance(star, exp.Star):
        return None
    name = projection.table.lower() if isinstance(projection, exp.Column) else ""
    chosen = [s for s in block.sources if not name or s.name.lower() == name]
    if not any(s.table is not None and s.table.qualified_name in hidden for s in chosen):
        return None
    written_out: list[exp.Expr] = []
    seen: set[str] = set()
    for source in chosen:
        written_out += _of_source(source, star, block, seen)
    return written_out


def _of_source(source: Source, star: exp.Star, block: Block, seen: set[str]) -> list[exp.Expr]:
    if source.columns is None:
        return [exp.Column(this=exp.Star(), table=exp.to_identifier(source.name, quoted=True))]
    dropped = {e.name.lower() for e in star.args.get("except_") or []}
    put = {e.alias.lower(): e.copy() for e in star.args.get("replace") or []}
    renames = {e.this.name.lower(): e.alias for e in star.args.get("rename") or []}
    result: list[exp.Expr] = []
    for name in source.columns:
        low = name.lower()
        if low in dropped or (low in block.merged and low in seen):
            continue
        seen.add(low)
        column = exp.column(name, table=source.name or None, quoted=True)
        shown = put.get(low, column)
        result.append(exp.alias_(shown, renames[low], quoted=True) if low in renames else shown)
    return result


def _out_of_sight(ref: Ref, parsed: Parsed) -> Finding:
    return Finding(
        code="unknown_column" if ref.status != "row" else "whole_row",
        kind="scope",
        severity="block",
        message=(
            f"{ref.column.sql(parsed.dialect)} is a whole row: name its columns."
            if ref.status == "row"
            else f"There is no column {ref.column.sql(parsed.dialect)}."
        ),
        clause=written(ref.column, parsed.text),
        hint="Name the columns that the catalog lists.",
        position=position(ref.column, parsed.text),
    )


def _unnamed(node: exp.Expr, parsed: Parsed) -> Finding:
    return Finding(
        code="columns_not_named",
        kind="scope",
        severity="block",
        message=f"{type(node).__name__.upper()} reaches columns without naming them.",
        clause=written(node, parsed.text),
        hint="Name the columns that are needed.",
        position=position(node, parsed.text),
    )
