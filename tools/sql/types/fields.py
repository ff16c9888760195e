"""Columns, and the fields of rows that hang below them."""

from sqlglot import exp

from querymend.tools.sql.binding import Ref
from querymend.tools.sql.types.cures import field_cure
from querymend.tools.sql.types.model import TrinoType
from querymend.tools.sql.types.relations import source_columns
from querymend.tools.sql.types.typer import Named, Typer


def column_type(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type a column, or the field that a dotted name reaches through it."""
    ref = typer.ref(node)
    if isinstance(node.this, exp.Star):
        _check_star(typer, node)
        return None
    if ref is None:
        return None
    parts = [p.name for p in node.parts] if isinstance(node, exp.Column) else []
    if _is_hidden(ref, parts):
        return _of_alias(typer, node, parts, typer.of(ref.block.aliases[parts[0].lower()]))
    if ref.status == "alias":
        return typer.of(ref.block.aliases.get(ref.name.lower()))
    if ref.status != "found" or ref.source is None:
        return None
    kind = _of(source_columns(typer, ref.source), ref.name)
    return _walk(typer, node, kind, parts, place_of(ref, parts))


def _check_star(typer: Typer, node: exp.Expr) -> None:
    """Blame ``x.*`` where nothing in FROM, and no column, is called x."""
    select, name = node.parent, node.text("table")
    block = typer.block(select) if isinstance(select, exp.Select) else None
    if block is None or node.args.get("db") is not None:
        return
    if any(s.name.lower() == name.lower() or not s.name for s in block.sources):
        return
    names = [s.name for s in block.sources if s.name]
    hint = f"Write {' or '.join(f'{n}.*' for n in names[:4])}."
    typer.blame(node, "unknown_alias", f"Nothing in FROM is called {name}.", hint)


def _is_hidden(ref: Ref, parts: list[str]) -> bool:
    """Tell whether ORDER BY takes the first part for a select alias, before any table."""
    named = len(parts) > 1 and parts[0].lower() in ref.block.aliases
    return named and ref.clause == "order" and ref.depth == 0


def _of_alias(
    typer: Typer, node: exp.Expr, parts: list[str], kind: TrinoType | None
) -> TrinoType | None:
    """Type a field of a select alias that hides a table of the same name in ORDER BY."""
    if kind is not None and kind.base not in ("row", "unknown"):
        message = f"ORDER BY takes {parts[0]} for the alias of this SELECT, not for the table."
        hint = f"Give the column another alias than {parts[0]}, or select {'.'.join(parts)} too."
        typer.blame(node, "unknown_field", message, hint)
        return None
    return _walk(typer, node, kind, parts, 0)


def _of(columns: list[Named] | None, name: str) -> TrinoType | None:
    low = name.lower()
    return next((k for n, k in columns or () if n.lower() == low), None)


def place_of(ref: Ref, parts: list[str]) -> int:
    """Return which part of a dotted name is the column: those before it name the table."""
    source = ref.source.name.lower() if ref.source else ""
    low = [p.lower() for p in parts]
    for i in range(1, len(low)):
        if low[i - 1] == source and low[i] == ref.name.lower():
            return i
    return 0


def _walk(
    typer: Typer, node: exp.Expr, kind: TrinoType | None, parts: list[str], start: int
) -> TrinoType | None:
    """Go from a column down its fields."""
    for i in range(start + 1, len(parts)):
        if kind is None:
            return None
        kind = field_of(typer, node, ".".join(parts[:i]), kind, parts[i])
    return kind


def field_of(
    typer: Typer, node: exp.Expr, owner: exp.Expr | str, kind: TrinoType, name: str
) -> TrinoType | None:
    """Return the type of a row's field; blame a field that is not there, and what is no row."""
    found = kind.field(name)
    if found is not None or kind.base == "unknown" or (kind.base == "row" and None in kind.names):
        return found
    shown = owner if isinstance(owner, str) else owner.sql("trino")[:80]
    message = (
        f"{shown} has no field {name}."
        if kind.base == "row"
        else f"{shown} is {kind}, not a ROW: it has no field {name}."
    )
    typer.blame(node, "unknown_field", message, field_cure(shown, kind, name))
    return None
