"""What a client sends around a query: EXPLAIN, the database of bare names, parameters."""

import re
from collections.abc import Sequence

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.wire.executions import Statement
from querymend.tools.errors import QueryError
from querymend.tools.sql.parse import Parsed, parse
from querymend.tools.sql.tables import base_tables

_CHANCE = {"rand", "random", "shuffle", "uuid"}
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


def filled(parsed: Parsed, values: Sequence[str]) -> Parsed:
    """Put execution parameters in the places of question marks.

    Args:
        parsed: the statement as it came.
        values: one SQL literal for each, as Athena takes them: a string brings its own quotes.

    Raises:
        QueryError: there are more or fewer of them than places.
    """
    assert parsed.tree is not None
    tree = parsed.tree.copy()
    places = [p for p in tree.find_all(exp.Placeholder, bfs=False) if not p.this]
    if len(places) != len(values):
        raise QueryError(
            f"Incorrect number of parameters: expected {len(places)} but found {len(values)}",
            code="INVALID_PARAMETER_USAGE",
        )
    for place, value in zip(places, values, strict=True):
        literal = parse(f"SELECT {value}", parsed.dialect).tree
        if not isinstance(literal, exp.Select):
            raise QueryError(f"{value} is no literal.", code="INVALID_PARAMETER_USAGE")
        place.replace(literal.expressions[0])
    return parse(tree.sql(parsed.dialect), parsed.dialect) if places else parsed


def is_repeatable(parsed: Parsed) -> bool:
    """Tell whether a query gives the same rows again, so that Athena may reuse its result.

    It does not for rand() and its like, nor for LIMIT without ORDER BY (Amazon Athena user guide,
    "Reusing query results").
    """
    assert parsed.tree is not None
    cut = any(
        s.args.get("limit") and not s.args.get("order") for s in parsed.tree.find_all(exp.Query)
    )
    return not cut and not any(
        isinstance(f, exp.Rand | exp.Randn | exp.Uuid) or f.name.lower() in _CHANCE
        for f in parsed.tree.find_all(exp.Func)
    )


def placed(parsed: Parsed, *, database: str, home: str, catalog: Catalog) -> Parsed:
    """Name the database of every bare table, where the engine would look elsewhere for it.

    Args:
        parsed: the statement as it came.
        database: where the client says that bare names belong.
        home: where the engine looks for them first.
        catalog: the engine's tables; those without a schema are in ``home``.
    """
    assert parsed.tree is not None
    tree = parsed.tree.copy()
    bare = any(not t.schema for t in catalog.tables)
    home = home.lower()
    changed = False
    for table in list(base_tables(tree, parsed.dialect)):
        if parsed.dialect != "athena" and table.catalog.lower() == "awsdatacatalog":
            table.set("catalog", None)
            changed = True
        if not table.db and (database.lower() != home or not _is_in(table.name, home, catalog)):
            table.set("db", exp.to_identifier(database.lower(), quoted=True))
            changed = True
        if bare and table.db.lower() == home:
            table.set("db", None)
            table.set("catalog", None)
            changed = True
    return parse(tree.sql(parsed.dialect), parsed.dialect) if changed else parsed


def _is_in(name: str, home: str, catalog: Catalog) -> bool:
    return any(
        t.name.lower() == name.lower() and t.schema.lower() in {"", home} for t in catalog.tables
    )
