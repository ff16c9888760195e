"""How many columns a subquery within an expression may have, by the dialect's rules for rows.

Trino takes a subquery of several columns for one row, so that the types decide. SQLite and
Postgres compare rows with such subqueries; DuckDB only looks for rows IN them, and takes one
column of structs for rows. Elsewhere one column is all. Found by asking Trino 435, DuckDB 2.0 and
SQLite 3.40.
"""

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from querymend.tools.sql.outputs import Columns
from querymend.tools.sql.sources import Mismatch

_TRINO = ("athena", "trino")
_COMPARISONS = (
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
)
Found = Sequence[tuple[exp.Expr, Columns]]
"""Subqueries in expressions, each with its columns."""


def wrong_widths(found: Found, dialect: str) -> Iterator[Mismatch]:
    """Yield the subqueries with more or fewer columns than their place takes."""
    widths = {id(n): len(c) for n, c in found if c is not None}
    for node, columns in found:
        want = _wanted(node, dialect, widths)
        if want is None or columns is None or (dialect == "duckdb" and len(columns) == 1):
            continue
        if len(columns) != want:
            yield Mismatch(node=node, want=want, got=len(columns))


def _wanted(node: exp.Expr, dialect: str, widths: Mapping[int, int]) -> int | None:
    """Return the width that a subquery must have; None where any does, or the types decide."""
    inner, parent = _place(node)
    if isinstance(parent, exp.Exists):
        return None
    if isinstance(parent, exp.Any | exp.All) or (
        isinstance(parent, exp.In) and inner is not parent.this
    ):
        return _of_set(parent, dialect, widths)
    if dialect in _TRINO:
        return None
    if dialect == "sqlite":
        return _of_row(inner, parent, widths)
    if dialect == "postgres" and isinstance(parent, _COMPARISONS) and inner is parent.expression:
        return _row_width(parent.this) or 1
    return 1


def _place(node: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    """Return a subquery with the brackets around it, and what it stands in."""
    inner = node
    while isinstance(inner.parent, exp.Subquery | exp.Paren):
        inner = inner.parent
    return inner, inner.parent


def _of_set(parent: exp.Expr, dialect: str, widths: Mapping[int, int]) -> int | None:
    """Return the width of the value that is looked for in a subquery's rows."""
    value = parent.this if isinstance(parent, exp.In) else _other(parent)
    width = _width(value, widths)
    if dialect in _TRINO and width == 1:
        return None
    return width


def _other(node: exp.Expr) -> exp.Expr | None:
    """Return the other side of the comparison that a node is one side of."""
    parent = node.parent
    if not isinstance(parent, (*_COMPARISONS, exp.Is)):
        return None
    other = parent.args["expression"] if parent.this is node else parent.this
    return other if isinstance(other, exp.Expr) else None


def _of_row(inner: exp.Expr, parent: exp.Expr | None, widths: Mapping[int, int]) -> int | None:
    """Return what SQLite wants: as many columns as what the subquery is compared with."""
    if isinstance(parent, (*_COMPARISONS, exp.Is)):
        return _width(_other(inner), widths)
    if isinstance(parent, exp.Between):
        return _width(parent.args["low"] if inner is parent.this else parent.this, widths)
    if isinstance(parent, exp.If) and isinstance(parent.parent, exp.Case):
        return _width(parent.parent.this, widths) if inner is parent.this else 1
    if isinstance(parent, exp.In):
        return None
    return 1


def _width(value: exp.Expr | None, widths: Mapping[int, int]) -> int | None:
    """Return how many values an expression is; None where that is not known."""
    if value is None:
        return 1
    while isinstance(value, exp.Paren) or (
        isinstance(value, exp.Subquery) and id(value) not in widths
    ):
        value = value.this
    return widths.get(id(value)) if isinstance(value, exp.Query) else _row_width(value) or 1


def _row_width(node: exp.Expr) -> int | None:
    """Return how many values a row that is written out holds; None for what is no row."""
    if isinstance(node, exp.Paren):
        return _row_width(node.this)
    if isinstance(node, exp.Tuple | exp.Struct):
        return None if node.find(exp.PropertyEQ) else len(node.expressions)
    is_row = isinstance(node, exp.Anonymous) and node.name.lower() == "row"
    return len(node.expressions) if is_row else None
