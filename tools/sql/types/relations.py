"""The columns of queries and of what stands in FROM, with their types."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.sql.binding import Block, Source
from querymend.tools.sql.outputs import UNNAMED, alias_columns, output_name, output_names
from querymend.tools.sql.trees import arms, unwrap
from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.model import BIGINT, UNKNOWN, TrinoType
from querymend.tools.sql.types.spelling import read_type
from querymend.tools.sql.types.typer import Named, Typer


def query_columns(typer: Typer, query: exp.Expr) -> list[Named] | None:
    """Return a query's columns in order; None where they cannot be told."""
    node = unwrap(query)
    if id(node) not in typer.queries:
        typer.queries[id(node)] = None  # a recursive query meets itself
        typer.queries[id(node)] = _columns(typer, node)
    return typer.queries[id(node)]


def _columns(typer: Typer, node: exp.Expr) -> list[Named] | None:
    if isinstance(node, exp.SetOperation):
        return _united(typer, node)
    if isinstance(node, exp.Select):
        return _selected(typer, node)
    if isinstance(node, exp.Values):
        return _values(typer, node)
    if isinstance(node, exp.Subquery) and not node.args.get("pivots"):
        return query_columns(typer, node.this)
    return None


def _selected(typer: Typer, node: exp.Select) -> list[Named] | None:
    block = typer.block(node)
    columns: list[Named] = []
    for projection in node.expressions:
        more = _projected(typer, projection, block)
        if more is None:
            return None
        columns += more
    return columns


def _projected(typer: Typer, node: exp.Expr, block: Block | None) -> list[Named] | None:
    if isinstance(node, exp.Star) or (isinstance(node, exp.Column) and _is_star(node)):
        return star_columns(typer, block, node.text("table")) if block else None
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star):
        return _fields(typer.of(node.this))
    if isinstance(node, (exp.Aliases, exp.Unnest)):
        return None
    return [(output_name(node, "trino"), typer.of(node))]


def _is_star(column: exp.Column) -> bool:
    return isinstance(column.this, exp.Star)


def _fields(kind: TrinoType | None) -> list[Named] | None:
    if kind is None or kind.base != "row":
        return None
    names = kind.names or (None,) * len(kind.parts)
    return [(n or UNNAMED, p) for n, p in zip(names, kind.parts, strict=True)]


def star_columns(typer: Typer, block: Block, table: str) -> list[Named] | None:
    """Return what ``*`` or ``table.*`` stands for: columns that USING merged come first, once.

    They belong to no table: ``table.*`` has them not.
    """
    chosen = [s for s in block.sources if not table or s.name.lower() == table.lower()]
    columns: list[Named] = []
    for source in chosen:
        more = source_columns(typer, source)
        if more is None:
            return None
        columns += more
    if not block.used:
        return columns if chosen else None
    own = [c for c in columns if c[0].lower() not in block.used]
    return own if table else [*_merged(columns, block.used), *own]


def _merged(columns: list[Named], used: set[str]) -> Iterator[Named]:
    seen: set[str] = set()
    for name, kind in columns:
        if name.lower() in used and name.lower() not in seen:
            seen.add(name.lower())
            yield name, kind


def _values(typer: Typer, node: exp.Values) -> list[Named] | None:
    rows = [r.expressions if isinstance(r, exp.Tuple) else [r] for r in node.expressions]
    names = output_names(node, typer.binding.parsed.dialect, lambda _: None) or ()
    if not rows or any(len(r) != len(rows[0]) for r in rows):
        return None
    kinds = [_common(typer, [r[i] for r in rows]) for i in range(len(rows[0]))]
    return list(zip(names, kinds, strict=True))


def _common(typer: Typer, cells: list[exp.Expr]) -> TrinoType | None:
    found: TrinoType | None = UNKNOWN
    for cell in cells:
        kind = typer.of(cell)
        found = common_type(found, kind) if found and kind else None
    return found


def _united(typer: Typer, node: exp.SetOperation) -> list[Named] | None:
    parts = list(arms(node))
    typer.queries[id(node)] = first = query_columns(typer, parts[0])
    if first is None:
        return None
    columns = list(first)
    for arm in parts[1:]:
        more = query_columns(typer, arm)
        if more is None or len(more) != len(columns):
            columns = [(n, None) for n, _ in columns] if more is None else columns
            continue
        columns = [_pair(typer, node, arm, i, c, more[i]) for i, c in enumerate(columns)]
    return columns


def _pair(
    typer: Typer, node: exp.SetOperation, arm: exp.Expr, i: int, left: Named, right: Named
) -> Named:
    if left[1] is None or right[1] is None:
        return left[0], None
    common = common_type(left[1], right[1])
    if common is None:
        shown = node.key.upper()
        typer.blame(
            _projection(arm, i),
            "type_mismatch",
            f"Column {i + 1} of this {shown} is {left[1]} above and {right[1]} here.",
            f"CAST one of the two, so that column {i + 1} has one type in every part.",
        )
    return left[0], common


def _projection(arm: exp.Expr, i: int) -> exp.Expr:
    select = unwrap(arm)
    if isinstance(select, exp.Select) and i < len(select.expressions):
        found: exp.Expr = select.expressions[i]
        return found
    return arm


def source_columns(typer: Typer, source: Source) -> list[Named] | None:
    """Return the columns of one entry of FROM."""
    node = source.node
    if source.table is not None:
        own: list[Named] | None = [(c.name, read_type(c.type)) for c in source.table.columns]
    else:
        own = _relation(typer, node)
    if isinstance(node, exp.Unnest):
        return own
    return renamed(own, alias_columns(node.args.get("alias")))


def renamed(columns: list[Named] | None, names: list[str]) -> list[Named] | None:
    """Put an alias's list of names over columns; it may be shorter."""
    if columns is None or not names:
        return columns
    kinds = [k for _, k in columns]
    rest = columns[len(names) :]
    return [*zip(names, kinds, strict=False), *rest]


def _relation(typer: Typer, node: exp.Expr) -> list[Named] | None:
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        cte = None if node.db else find_cte(node)
        return _cte_columns(typer, cte) if cte is not None else None
    if isinstance(node, exp.Unnest):
        return unnest_columns(typer, node)
    if isinstance(node, exp.Lateral):
        return query_columns(typer, node.this) if isinstance(node.this, exp.Query) else None
    if isinstance(node, (exp.Query, exp.Values)) and not isinstance(node, exp.Table):
        return query_columns(typer, node)
    return None


def _cte_columns(typer: Typer, cte: exp.CTE) -> list[Named] | None:
    return renamed(query_columns(typer, cte.this), alias_columns(cte.args.get("alias")))


def find_cte(table: exp.Expr) -> exp.CTE | None:
    """Return the WITH query that a table's bare name means, by the scopes around it."""
    child: exp.Expr = table
    node = table.parent
    while node is not None:
        if isinstance(node, exp.With):
            visible = _before(node, child)
            child, node = node.parent or node, node.parent.parent if node.parent else None
        else:
            with_ = node.args.get("with_")
            visible = list(with_.expressions) if with_ is not None and with_ is not child else []
            child, node = node, node.parent
        for cte in reversed(visible):
            if cte.alias.lower() == table.name.lower():
                return cte if isinstance(cte, exp.CTE) else None
    return None


def _before(with_: exp.With, child: exp.Expr) -> list[exp.Expr]:
    """Return the WITH queries that one of them sees: earlier ones, in a recursion itself too."""
    ctes = list(with_.expressions)
    at = next((i for i, c in enumerate(ctes) if c is child), len(ctes))
    return ctes[: at + 1] if with_.args.get("recursive") else ctes[:at]


def unnest_columns(typer: Typer, node: exp.Unnest) -> list[Named] | None:
    """Return what UNNEST yields under the names that its alias gives."""
    columns = unnest_fields(typer, node)
    names = alias_columns(node.args.get("alias"))
    offset = node.args.get("offset")
    if names and isinstance(offset, exp.Identifier):
        names = [*names, offset.name]
    if columns is not None and names and len(names) != len(columns):
        return [(n, None) for n in names]
    return renamed(columns, names)


def unnest_fields(typer: Typer, node: exp.Unnest) -> list[Named] | None:
    """Return what UNNEST yields: an array of rows one column a field, a map two."""
    columns: list[Named] = []
    for given in node.expressions:
        more = _unnested(typer.of(given))
        if more is None:
            return None
        columns += more
    if node.args.get("offset"):
        columns.append((UNNAMED, BIGINT))
    return columns


def _unnested(kind: TrinoType | None) -> list[Named] | None:
    if kind is None or kind.base not in ("array", "map"):
        return None
    if kind.base == "array" and kind.parts[0].base == "row":
        return _fields(kind.parts[0])
    return [(UNNAMED, part) for part in kind.parts]
