"""A statement read so that every call keeps the name and the order in which it was written.

The usual tree makes nodes of many calls and turns their arguments round (``date_diff``), adds
defaults (``replace``) or drops what it takes for equal: good for translation, not for judging.
"""

from typing import ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.trino import Trino
from sqlglot.errors import SqlglotError
from sqlglot.parsers.athena import AthenaTrinoParser

_GRAMMAR = {"CAST", "TRY_CAST", "EXTRACT", "TRIM", "POSITION", "SUBSTRING", "NORMALIZE"}
_GRAMMAR |= {"JSON_VALUE", "JSON_QUERY", "JSON_OBJECT", "LISTAGG"}
"""What is called with words between its arguments."""


class _Parser(AthenaTrinoParser):
    FUNCTIONS: ClassVar = {}
    FUNCTION_PARSERS: ClassVar = {
        k: v for k, v in AthenaTrinoParser.FUNCTION_PARSERS.items() if k in _GRAMMAR
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar = {
        k: v for k, v in AthenaTrinoParser.NO_PAREN_FUNCTION_PARSERS.items() if k != "IF"
    }


class _Written(Trino):
    Parser = _Parser


def read_as_written(text: str) -> exp.Expr | None:
    """Parse one statement; None where it cannot be read so."""
    try:
        trees = sqlglot.parse(text, read=_Written)
    except SqlglotError:
        return None
    return trees[0] if len(trees) == 1 else None
