"""Reads Trino's SQL with every call as it is written.

The usual parser turns many calls into nodes of their own, and rewrites their patterns on the way
(``'%Y-%m'`` is no longer what was written); here a call keeps its name and its arguments.
"""

import re
from typing import ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.trino import Trino
from sqlglot.errors import SqlglotError

from querymend.tools.errors import QueryError
from querymend.tools.sql.parse import Parsed

_PARSER = Trino.Parser
_KEPT = ("COALESCE", "NULLIF", "ROW", "GROUPING")
_SYNTAX = (
    *("CAST", "TRY_CAST", "EXTRACT", "TRIM", "LISTAGG", "JSON_VALUE", "JSON_QUERY"),
    *("POSITION", "NORMALIZE", "SUBSTRING"),
)


def _decimal(this: exp.Expr, to: exp.DataType) -> exp.Cast:
    """Give ``DECIMAL '1.50'`` the digits that are written, which is its type in Trino."""
    whole, _, part = this.name.strip().lstrip("+-").partition(".")
    whole = whole.lstrip("0")
    kind = f"DECIMAL({max(len(whole) + len(part), 1)}, {len(part)})"
    return exp.Cast(this=this, to=exp.DataType.build(kind))


class PlainTrino(Trino):
    """Trino, its calls left as they are."""

    INDEX_OFFSET = 0

    class Parser(_PARSER):  # type: ignore[misc, valid-type]
        """Makes no node of its own of most calls."""

        FUNCTIONS: ClassVar = {k: _PARSER.FUNCTIONS[k] for k in _KEPT if k in _PARSER.FUNCTIONS}
        FUNCTION_PARSERS: ClassVar = {
            k: v for k, v in _PARSER.FUNCTION_PARSERS.items() if k in _SYNTAX
        }
        TYPE_LITERAL_PARSERS: ClassVar = {
            **_PARSER.TYPE_LITERAL_PARSERS,
            exp.DType.DECIMAL: lambda self, this, to: _decimal(this, to),
        }


def read_plainly(sql: str) -> Parsed:
    """Read one statement that the gate has let through.

    Raises:
        QueryError: it cannot be read this way.
    """
    try:
        trees = sqlglot.parse(sql, read=PlainTrino)
        tokens = sqlglot.tokenize(sql, read=PlainTrino)
    except SqlglotError as error:
        raise QueryError(str(error).splitlines()[0], code="SYNTAX_ERROR") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Expr):
        raise QueryError("There is not exactly one statement.", code="SYNTAX_ERROR")
    tree = trees[0].transform(_plain, copy=False)
    return Parsed(text=sql, dialect="athena", tree=tree, tokens=tuple(tokens))


def _plain(node: exp.Expr) -> exp.Expr:
    """Put the letters that ``U&'…'`` means in its place."""
    if not isinstance(node, exp.UnicodeString):
        return node
    escape = node.args.get("escape")
    sign = re.escape(escape.name if isinstance(escape, exp.Expr) else "\\")
    point = re.compile(rf"{sign}(?:({sign})|\+([0-9A-Fa-f]{{6}})|([0-9A-Fa-f]{{4}}))")
    return exp.Literal.string(point.sub(_letter, node.name))


def _letter(found: re.Match[str]) -> str:
    return found[1] or chr(int(found[2] or found[3], 16))
