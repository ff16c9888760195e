"""The public door: one statement of DuckDB's SQL into Athena's or Trino's."""

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from querymend.tools.catalog.model import Catalog
from querymend.tools.sql.checks import check
from querymend.tools.sql.parse import parse
from querymend.tools.sql.translate.calls import with_athenas_calls
from querymend.tools.sql.translate.clauses import spelt_out
from querymend.tools.sql.translate.known import Untranslatable, hold_known
from querymend.tools.sql.translate.typed import with_athenas_types


@dataclass(frozen=True, kw_only=True)
class Translation:
    """A statement in the other dialect, or why there is none."""

    sql: str | None
    reason: str = ""
    """Empty exactly where there is a statement."""


def translated(sql: str, catalog: Catalog, *, to: str) -> Translation:
    """Say in Athena's SQL what a statement means in DuckDB's, or say that it cannot be told.

    Types decide: a quotient of whole numbers is cast, a text is cast before it is compared with a
    date, a date plus a number is a call. What is not on the list of known nodes is refused, and so
    is what the other dialect's checks refuse of the outcome. A statement that means the same in
    both keeps its text.

    Args:
        sql: one statement in DuckDB's dialect.
        catalog: the tables, their types spelt in any of the dialects.
        to: ``athena`` or ``trino``.
    """
    try:
        made = _translated(sql, catalog, to)
        if parse(sql, to).tree == made and not refusal(sql, catalog, to):
            return Translation(sql=sql)
        text = _written(made)
    except Untranslatable as error:
        return Translation(sql=None, reason=str(error))
    except RecursionError:
        return Translation(sql=None, reason="It is nested too deeply")
    reason = refusal(text, catalog, to)
    return Translation(sql=None if reason else text, reason=reason)


def refusal(sql: str, catalog: Catalog, to: str) -> str:
    """Return what the dialect's checks refuse, nothing if they refuse nothing."""
    found = check(sql, dialect=to, catalog=catalog)
    return next((f.message for f in found if f.severity == "block"), "")


def _translated(sql: str, catalog: Catalog, to: str) -> exp.Expr:
    tree = _read(sql, "duckdb")
    tree = spelt_out(tree.copy(), catalog)
    hold_known(tree)
    made = _read(_written(with_athenas_calls(tree)), to)
    return with_athenas_types(made, catalog, to)


def _read(sql: str, dialect: str) -> exp.Expr:
    parsed = parse(sql, dialect)
    if parsed.tree is None:
        raise Untranslatable(parsed.findings[0].message)
    return parsed.tree


def _written(tree: exp.Expr) -> str:
    """Write the tree for Athena; what the writer cannot say is refused."""
    try:
        return tree.sql("trino", unsupported_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise Untranslatable(str(error).splitlines()[0]) from error
