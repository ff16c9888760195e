"""The stand-in's own refusal: Athena could run this, DuckDB cannot be made to."""

from sqlglot import exp

from querymend.tools.errors import QueryError
from querymend.tools.sql.parse import position

CODE = "NOT_IN_STAND_IN"


def refused(what: str, node: exp.Expr | None = None, text: str = "") -> QueryError:
    """Return the refusal of a construct.

    Args:
        what: the construct, in a few words.
        node: where it stands.
        text: the statement, for the position.
    """
    at = position(node, text) if node is not None and text else None
    return QueryError(f"{what} is not supported by the stand-in.", code=CODE, position=at)


def fault(name: str, message: str) -> QueryError:
    """Return a fault that Trino itself finds, by its name for it."""
    return QueryError(message, code=name)
