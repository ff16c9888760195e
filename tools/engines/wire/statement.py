"""EXPLAIN and its options before a statement, and the database that bare names belong to."""

import re
from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.wire.executions import Statement
from querymend.tools.sql.parse import Parsed, parse
from querymend.tools.sql.tables import base_tables

_EXPLAIN = re.compile(r"\s*EXPLAIN(?!\w)\s*(?:\(([^()]*)\)\s*)?", re.IGNORECASE)


def statement(sql: str) -> Statement:
    """Tell an EXPLAIN from a query.

    What stands before the explained query becomes blanks, so that places in the text stay true.
    """
    found = _EXPLAIN.match(sql)
    if not found:
        return Statement(body=sql)
    blanks = re.sub(r"\S", " ", found[0])
    return Statement(
        body=blanks + sql[found.end() :], explain=_kind(found[1] or ""), substatement="EXPLAIN"
    )


def _kind(options: str) -> str:
    words = options.upper().split()
    if "VALIDATE" in words:
        return "validate"
    return "io" if "IO" in [w.strip(",") for w in words] else "plan"


def placed(parsed: Parsed, *, database: str, home: str, catalog: Catalog) -> Parsed:
    """Name the database of every bare table, where the engine would look elsewhere for it.

    Args:
        parsed: the statement as it came.
        database: where the client says that bare names belong.
        home: where the engine looks for them.
        catalog: the engine's tables; those without a schema are in ``home``.
    """
    assert parsed.tree is not None
    tree = parsed.tree.copy()
    schemas = {t.schema.lower() for t in catalog.tables}
    changes = [
        _place(table, database.lower(), home.lower(), schemas)
        for table in _tables(tree, parsed.dialect)
    ]
    return parse(tree.sql(parsed.dialect), parsed.dialect) if any(changes) else parsed


def _tables(tree: exp.Expr, dialect: str) -> Iterable[exp.Table]:
    return list(base_tables(tree, dialect))


def _place(table: exp.Table, database: str, home: str, schemas: set[str]) -> bool:
    named = table.db.lower()
    changed = False
    if table.catalog.lower() == "awsdatacatalog":
        table.set("catalog", None)
        changed = True
    if not named and database != home:
        table.set("db", exp.to_identifier(database, quoted=True))
        changed = True
    if named == home and home not in schemas and "" in schemas:
        table.set("db", None)
        changed = True
    return changed
