"""What a query's columns are called, by the rules of its dialect."""

from collections.abc import Callable

from sqlglot import exp

Columns = tuple[str, ...] | None
UNNAMED = "?"
"""Stands for a column whose name the engine makes up."""

_VALUES = {"duckdb": ("col", 0), "athena": ("_col", 0), "trino": ("_col", 0)}


def alias_columns(alias: object) -> list[str]:
    """Return the names of an alias's list of columns: ``t(a, b)``."""
    if not isinstance(alias, exp.TableAlias):
        return []
    return [c.name for c in alias.args.get("columns") or []]


def renamed(columns: Columns, names: list[str]) -> Columns:
    """Put an alias's list over a query's columns; it may be shorter."""
    if not names:
        return columns
    return (*names, *(columns or ())[len(names) :])


def output_names(node: exp.Expr, dialect: str, star: Callable[[str], Columns]) -> Columns:
    """Return the names of a SELECT's or VALUES' columns, or None where they cannot be known.

    ``star`` gives the columns that ``*`` (empty name) or ``name.*`` stands for.
    """
    if isinstance(node, exp.Values):
        return _values(node, dialect)
    if not isinstance(node, exp.Select):
        return None
    names: list[str] = []
    for projection in node.expressions:
        more = _projection(projection, dialect, star)
        if more is None:
            return None
        names += more
    return tuple(names)


def _values(node: exp.Values, dialect: str) -> Columns:
    first = node.expressions[0] if node.expressions else None
    width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
    stem, start = _VALUES.get(dialect, ("column", 1))
    return tuple(f"{stem}{i + start}" for i in range(width))


def _projection(node: exp.Expr, dialect: str, star: Callable[[str], Columns]) -> list[str] | None:
    if isinstance(node, exp.Star):
        return _expand(node, star(""))
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        return _expand(node.this, star(node.table))
    if node.find(exp.Columns) or isinstance(node, (exp.Explode, exp.Aliases)):
        return None
    if isinstance(node, exp.Unnest) or (isinstance(node, exp.Dot) and node.find(exp.Star)):
        return None
    return [output_name(node, dialect)]


def _expand(star: exp.Star, columns: Columns) -> list[str] | None:
    if columns is None or star.args.get("ilike"):
        return None
    dropped = {e.name.lower() for e in star.args.get("except_") or []}
    renames = {
        e.this.name.lower(): e.alias
        for e in star.args.get("rename") or []
        if isinstance(e, exp.Alias)
    }
    kept = [c for c in columns if c.lower() not in dropped]
    return [renames.get(c.lower(), c) for c in kept]


def output_name(node: exp.Expr, dialect: str) -> str:
    """Return what an item of a SELECT list is called; ``UNNAMED`` where the engine says."""
    if isinstance(node, exp.Alias):
        return node.alias
    if isinstance(node, exp.Column):
        return node.name
    if isinstance(node, exp.Dot):
        named = dialect not in _VALUES or dialect == "duckdb" or _is_path(node.this)
        return str(node.expression.name) if named else UNNAMED
    if isinstance(node, (exp.Paren, exp.Window, exp.Filter)) and dialect != "duckdb":
        return output_name(node.this, dialect)
    if dialect == "postgres":
        return _postgres_name(node)
    return UNNAMED


def _is_path(node: exp.Expr) -> bool:
    """Tell whether something is written with names and dots alone."""
    while isinstance(node, (exp.Dot, exp.Paren)):
        node = node.this
    return isinstance(node, (exp.Column, exp.Identifier))


def _postgres_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Cast):
        return output_name(node.this, "postgres")
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Func):
        return node.sql_name().lower()
    return UNNAMED
