"""Small pieces of DuckDB's SQL as trees."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

_PARSER = DuckDB.Parser
_GENERATOR = DuckDB.Generator
_ATOMS: tuple[type[exp.Expr], ...] = (
    *(
        exp.Column,
        exp.Literal,
        exp.Func,
        exp.Paren,
        exp.Struct,
        exp.Null,
        exp.Boolean,
    ),
)
_ATOMS += (exp.Subquery, exp.Placeholder, exp.Identifier, exp.Star, exp.Distinct, exp.Order)


_LIGHT = (exp.Column, exp.Literal, exp.Null, exp.Boolean)
_LONG = 24
"""So many nodes may stand twice."""
PARTS = "parts"
"""Where a struct that is made here keeps its parts."""


class PlainDuckDB(DuckDB):
    """DuckDB, its calls left as they are."""

    class Parser(_PARSER):  # type: ignore[misc, valid-type]
        """Makes no node of its own of a call."""

        FUNCTIONS: ClassVar[dict[str, object]] = {}
        FUNCTION_PARSERS: ClassVar = {
            k: v for k, v in _PARSER.FUNCTION_PARSERS.items() if k in ("CAST", "TRY_CAST")
        }

    class Generator(_GENERATOR):  # type: ignore[misc, valid-type]
        """Keeps IGNORE NULLS wherever it was put."""

        def ignorenulls_sql(self, expression: exp.IgnoreNulls) -> str:
            """Write it behind the argument."""
            return f"{self.sql(expression, 'this')} IGNORE NULLS"


def written(tree: exp.Expr) -> str:
    """Write a tree as DuckDB's SQL."""
    return tree.sql(PlainDuckDB, copy=False)


@lru_cache(maxsize=2048)
def _read(text: str) -> exp.Expr:
    tree = sqlglot.parse_one(text, read=PlainDuckDB)
    for call_ in list(tree.find_all(exp.Anonymous)):
        if call_.name == "error":
            _fail_softly(call_)
    return tree


def _fail_softly(error: exp.Anonymous) -> None:
    """Let a branch that fails do so by a cast: DuckDB's ``error`` cannot stand within TRY."""
    branch = error.parent
    if not isinstance(branch, exp.If):
        raise ValueError("error() must be what a branch of CASE gives")
    fails = exp.Cast(this=error.expressions[0].copy(), to=exp.DataType.build("BOOLEAN"))
    guard = exp.Case(ifs=[exp.If(this=branch.this.copy(), true=fails)], default=exp.false())
    branch.set("this", guard)
    error.replace(exp.null())


@lru_cache(maxsize=1024)
def _read_type(text: str) -> exp.DataType:
    return exp.DataType.build(text, dialect="duckdb")


def filled(template: str, **arguments: exp.Expr) -> exp.Expr:
    """Put expressions for the bare names of a template: ``filled("a + 1", a=…)``.

    A name that is no argument stays: the parameter of a lambda.
    """
    tree = exp.Paren(this=_read(template).copy())
    for column in list(tree.find_all(exp.Column)):
        if column.name in arguments and not column.table:
            column.replace(atom(arguments[column.name].copy()))
    found: exp.Expr = tree.this.pop()
    return found


def atom(node: exp.Expr) -> exp.Expr:
    """Bracket what an operator beside it could tear apart."""
    return node if isinstance(node, _ATOMS) else exp.Paren(this=node)


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    """Call a function."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def cast(node: exp.Expr, kind: str) -> exp.Cast:
    """Cast to one of DuckDB's types."""
    return exp.Cast(this=node, to=_read_type(kind).copy())


def text(value: str) -> exp.Literal:
    """Write a text."""
    return exp.Literal.string(value)


def number(value: int) -> exp.Expr:
    """Write a whole number."""
    return exp.Neg(this=exp.Literal.number(-value)) if value < 0 else exp.Literal.number(value)


def column(name: str, table: str = "") -> exp.Column:
    """Name a column, quoted."""
    found = exp.Column(this=exp.to_identifier(name, quoted=True))
    if table:
        found.set("table", exp.to_identifier(table, quoted=True))
    return found


def field(node: exp.Expr, name: str) -> exp.Expr:
    """Take a field out of a struct; out of one made here, what was put in."""
    if name in node.meta.get(PARTS, ()):
        found: exp.Expr = node.meta[PARTS][name].copy()
        return found
    return call("struct_extract", node, text(name))


def struct(fields: Mapping[str, exp.Expr]) -> exp.Expr:
    """Make a struct."""
    pairs = [
        exp.PropertyEQ(this=exp.to_identifier(n, quoted=True), expression=v)
        for n, v in fields.items()
    ]
    return exp.Struct(expressions=pairs)


def taken(node: exp.Expr, name: str) -> exp.Expr:
    """Take a field out of a struct; out of one that is written here, its expression."""
    if isinstance(node, exp.Struct):
        for pair in node.expressions:
            if pair.this.name == name:
                found: exp.Expr = pair.expression.copy()
                return found
    return field(node, name)


def lambda_(body: exp.Expr, *names: str) -> exp.Lambda:
    """Make a function of the named parameters."""
    return exp.Lambda(this=body, expressions=[exp.to_identifier(n, quoted=True) for n in names])


def once(node: exp.Expr, body: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Use a value several times, and let it be worked out once: ``x -> body`` over a list of it.

    Only the value itself may stand in the body: DuckDB's lambdas hold no subqueries.
    """
    if isinstance(node, _LIGHT):
        return body(node)
    held = call("list_transform", call("list_value", node), lambda_(body(column("qm_v")), "qm_v"))
    return call("list_extract", held, number(1))


def filled_once(template: str, **arguments: exp.Expr) -> exp.Expr:
    """Fill a template, but let what is long and stands in it twice be worked out once.

    Calls in calls would double the text at each level.
    """
    heavy = {name: node for name, node in arguments.items() if not isinstance(node, _LIGHT)}
    if not any(_is_long(node) and _times(template, name) > 1 for name, node in heavy.items()):
        return filled(template, **arguments)
    held = struct(heavy) if len(heavy) > 1 else next(iter(heavy.values()))

    def body(one: exp.Expr) -> exp.Expr:
        parts = {n: field(one.copy(), n) if len(heavy) > 1 else one for n in heavy}
        return filled(template, **{**arguments, **parts})

    return once(held, body)


def _is_long(node: exp.Expr) -> bool:
    return any(count > _LONG for count, _ in enumerate(node.walk()))


def _times(template: str, name: str) -> int:
    return sum(c.name == name and not c.table for c in _read(template).find_all(exp.Column))


def replaced(body: exp.Expr, by: Mapping[str, exp.Expr]) -> exp.Expr:
    """Put expressions for the parameters of a lambda's body."""
    holder = exp.Paren(this=body)
    for found in list(holder.find_all(exp.Column)):
        if found.name in by and not found.table:
            found.replace(atom(by[found.name].copy()))
    return holder
