"""What may stand in FROM: arrays that UNNEST takes, lists of names as long as the columns."""

from sqlglot import exp

from querymend.tools.sql.outputs import alias_columns
from querymend.tools.sql.types.coercion import coerces
from querymend.tools.sql.types.cures import shown
from querymend.tools.sql.types.model import UNKNOWN, TrinoType
from querymend.tools.sql.types.operators import can_compare
from querymend.tools.sql.types.relations import query_columns, unnest_fields
from querymend.tools.sql.types.scalars import choice
from querymend.tools.sql.types.typer import Named, Rule, Typer, typeless


def unnest(typer: Typer, node: exp.Expr) -> None:
    """Blame what UNNEST cannot take apart."""
    for given in node.expressions:
        kind = typer.of(given)
        if kind is not None and kind != UNKNOWN and kind.base not in ("array", "map"):
            cure = _unnest_cure(given, kind)
            typer.blame(
                given, "wrong_arguments", f"UNNEST takes arrays and maps, not {kind}.", cure
            )
    if isinstance(node, exp.Unnest):
        columns = unnest_fields(typer, node)
        offset = node.args.get("offset")
        more = [offset.name] if isinstance(offset, exp.Identifier) else []
        named = alias_columns(node.args.get("alias"))
        _counted(typer, node, [*named, *more] if named else [], columns)


def _unnest_cure(given: exp.Expr, kind: TrinoType) -> str:
    if kind.base == "json":
        return f"Write UNNEST(CAST({shown(given)} AS array(json)))."
    if kind.base == "varchar":
        json = f"CAST(json_parse({shown(given)}) AS array(json))"
        return f"Write UNNEST(split({shown(given)}, ',')), or UNNEST({json})."
    return f"Select the parts of {shown(given)} by name."


def alias(typer: Typer, node: exp.Expr) -> None:
    """Blame a list of names that is shorter or longer than the columns it names."""
    named, owner = alias_columns(node), node.parent
    if not named or owner is None or isinstance(owner, exp.Unnest):
        return
    _counted(typer, node, named, _unnamed(typer, owner))


def _unnamed(typer: Typer, owner: exp.Expr) -> list[Named] | None:
    """Return the columns of what an alias names, under their own names."""
    if isinstance(owner, exp.CTE) and _is_recursive(owner):
        return None
    if isinstance(owner, (exp.CTE, exp.Subquery, exp.Lateral)) and isinstance(
        owner.this, exp.Query
    ):
        return query_columns(typer, owner.this)
    if isinstance(owner, exp.Values):
        return query_columns(typer, owner)
    for block in typer.binding.blocks:
        for source in block.sources:
            if source.node is owner and source.table is not None:
                return [(c.name, None) for c in source.table.columns]
    return None


def _is_recursive(cte: exp.CTE) -> bool:
    return isinstance(cte.parent, exp.With) and bool(cte.parent.args.get("recursive"))


def _counted(typer: Typer, node: exp.Expr, named: list[str], columns: list[Named] | None) -> None:
    if not named or columns is None or len(named) == len(columns):
        return
    own = [n for n, _ in columns]
    listed = ", ".join(n if n != "?" and n not in named else f"c{i}" for i, n in enumerate(own, 1))
    message = f"{len(named)} names are listed for {len(columns)} columns."
    typer.blame(node, "column_count", message, f"Name every column: ({listed}).")


def ordered(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Blame ORDER BY of values that have no order."""
    kind = typer.of(node.this)
    if kind is not None and not can_compare(kind, ordered=True):
        message = f"{kind} has no order."
        typer.blame(node, "type_mismatch", message, "Order by one of its parts.")
    return kind


def values(typer: Typer, node: exp.Expr) -> None:
    """Blame rows of VALUES that differ in length."""
    widths = [len(r.expressions) if isinstance(r, exp.Tuple) else 1 for r in node.expressions]
    if len(set(widths)) > 1:
        odd = next(i for i, w in enumerate(widths) if w != widths[0])
        message = f"Row {odd + 1} of VALUES has {widths[odd]} values, the first {widths[0]}."
        hint = f"Give every row {widths[0]} values."
        typer.blame(node.expressions[odd], "column_count", message, hint)
        return
    for place in range(widths[0] if widths else 0):
        cells = [r.expressions[place] if isinstance(r, exp.Tuple) else r for r in node.expressions]
        choice(typer, node, cells, "column of VALUES")


def united(typer: Typer, node: exp.Expr) -> None:
    """Look at the columns of a set operation."""
    query_columns(typer, node)


def cte(typer: Typer, node: exp.Expr) -> None:
    """Blame a recursive step whose columns do not fit the first part's."""
    query = node.this
    if not isinstance(node, exp.CTE) or not _is_recursive(node):
        return
    if not isinstance(query, exp.SetOperation):
        return
    base, step = query_columns(typer, query.this), query_columns(typer, query.expression)
    for i, (first, second) in enumerate(zip(base or (), step or (), strict=False)):
        if first[1] is not None and second[1] is not None and not coerces(second[1], first[1]):
            message = f"Column {i + 1} of the recursion is {first[1]} at first, then {second[1]}."
            hint = f"CAST column {i + 1} of the first part to {second[1]}."
            typer.blame(query.expression, "type_mismatch", message, hint)


SOURCES: dict[type[exp.Expr], Rule] = {
    exp.Unnest: typeless(unnest),
    exp.TableAlias: typeless(alias),
    exp.Ordered: ordered,
    exp.Values: typeless(values),
    exp.Union: typeless(united),
    exp.Except: typeless(united),
    exp.Intersect: typeless(united),
    exp.CTE: typeless(cte),
}
