"""Calls with rules of their own, which Trino's list of functions does not hold."""

from collections.abc import Callable

from sqlglot import exp

from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.cures import choice_cure, compare_cure
from querymend.tools.sql.types.model import (
    BOOLEAN,
    INTEGER,
    TEXTS,
    UNKNOWN,
    VARCHAR,
    ZONED,
    TrinoType,
    row,
)
from querymend.tools.sql.types.predicates import condition
from querymend.tools.sql.types.scalars import choice
from querymend.tools.sql.types.typer import Typer

Form = Callable[[Typer, exp.Expr, list[exp.Expr]], TrinoType | None]


def _counted(
    typer: Typer, node: exp.Expr, nodes: list[exp.Expr], counts: range, spelling: str
) -> bool:
    if len(nodes) in counts:
        return True
    message = f"{spelling.partition('(')[0]} is called with {len(nodes)} arguments."
    typer.blame(node, "wrong_arguments", message, f"Write {spelling}.")
    return False


def coalesce(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType | None:
    """Type COALESCE: the common type of all."""
    if not _counted(typer, node, nodes, range(2, 1000), "coalesce(a, b, …)"):
        return None
    return choice(typer, node, nodes, "COALESCE")


def if_(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType | None:
    """Type ``if(condition, a, b)``."""
    if not _counted(typer, node, nodes, range(2, 4), "if(condition, a, b)"):
        return None
    condition(typer, nodes[0], "IF")
    return choice(typer, node, nodes[1:], "IF")


def nullif(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType | None:
    """Type NULLIF: the first value's own type."""
    if not _counted(typer, node, nodes, range(2, 3), "nullif(a, b)"):
        return None
    first, second = typer.of(nodes[0]), typer.of(nodes[1])
    if first is not None and second is not None and common_type(first, second) is None:
        message = f"NULLIF cannot compare {first} and {second}."
        hint = compare_cure(nodes[0], first, nodes[1], second)
        typer.blame(node, "type_mismatch", message, hint)
    return first


def try_(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType | None:
    """Type TRY: what it wraps."""
    if not _counted(typer, node, nodes, range(1, 2), "try(expression)"):
        return None
    return typer.of(nodes[0])


def row_(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType | None:
    """Type ``ROW(a, b)``."""
    if not _counted(typer, node, nodes, range(1, 1000), "row(a, b, …)"):
        return None
    kinds = [typer.of(n) for n in nodes]
    if None in kinds:
        return None
    return row(*((None, k) for k in kinds if k is not None))


def texts(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType | None:
    """Type LISTAGG: it joins texts alone."""
    for item in nodes[:1]:
        kind = typer.of(item)
        if kind is not None and kind != UNKNOWN and kind.base not in TEXTS:
            message = f"listagg joins texts, and this is {kind}."
            typer.blame(item, "wrong_arguments", message, choice_cure(item, VARCHAR, kind))
    return VARCHAR


def format_(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType | None:
    """Type ``format('%s', a, …)``."""
    kind = typer.of(nodes[0]) if nodes else None
    if kind is not None and kind != UNKNOWN and kind.base != "varchar":
        message = f"The first argument of format is {kind}, not a text."
        typer.blame(node, "wrong_arguments", message, "Write format('%s', …): the pattern first.")
    return VARCHAR


def fixed(kind: TrinoType) -> Form:
    """Return a form that gives one type."""

    def rule(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType:
        for item in nodes:
            typer.of(item)
        return kind

    return rule


def clock(base: str) -> Form:
    """Return the form of ``current_timestamp(3)`` and its kin."""

    def rule(typer: Typer, node: exp.Expr, nodes: list[exp.Expr]) -> TrinoType:
        first = nodes[0] if nodes else None
        digits = int(first.name) if isinstance(first, exp.Literal) and first.is_int else 3
        return TrinoType(base, (digits,))

    return rule


FORMS: dict[str, Form] = {
    "coalesce": coalesce,
    "if": if_,
    "nullif": nullif,
    "try": try_,
    "row": row_,
    "listagg": texts,
    "format": format_,
    "grouping": fixed(INTEGER),
    "json_exists": fixed(BOOLEAN),
    "json_value": fixed(VARCHAR),
    "json_query": fixed(VARCHAR),
    "json_object": fixed(VARCHAR),
    "json_array": fixed(VARCHAR),
    "current_timestamp": clock(f"timestamp{ZONED}"),
    "current_time": clock(f"time{ZONED}"),
    "localtimestamp": clock("timestamp"),
    "localtime": clock("time"),
}
