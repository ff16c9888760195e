"""Scopes: what they hide is not there, whichever way it is asked for."""

from pathlib import Path

import duckdb
import pytest
import yaml

from querymend.tools.catalog.model import Catalog, Column, Scope, Table
from querymend.tools.sql.gate import admit

CASES = yaml.safe_load((Path(__file__).parent / "sql" / "scope.yaml").read_text(encoding="utf-8"))
TABLES = {
    "customers": ("id", "name", "email", "phone"),
    "orders": ("id", "amount"),
    "secret": ("x",),
}
CATALOG = Catalog(
    tables=tuple(
        Table(name=name, columns=tuple(Column(name=c, type="VARCHAR") for c in columns))
        for name, columns in TABLES.items()
    )
)
SCOPE = Scope(tables={"customers": ("id", "name"), "orders": ()})
CANARY = "canary"


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    """Hold a canary in every column that the scope hides."""
    connection = duckdb.connect()
    for name, columns in TABLES.items():
        shown = SCOPE.tables.get(name, ())
        seen = columns if name == "orders" else shown
        values = ", ".join(f"'{'seen' if c in seen else CANARY}' AS {c}" for c in columns)
        connection.execute(f"CREATE TABLE {name} AS SELECT {values}")
    return connection


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["sql"])
def test_a_scope_decides(case: dict[str, str]) -> None:
    verdict = admit(case["sql"], dialect="duckdb", catalog=CATALOG, scope=SCOPE)
    assert (verdict.sql or "") == case.get("sent", "")


@pytest.mark.parametrize("case", [c for c in CASES if "sent" in c], ids=lambda c: c["sql"])
def test_what_runs_shows_nothing_hidden(
    case: dict[str, str], engine: duckdb.DuckDBPyConnection
) -> None:
    verdict = admit(case["sql"], dialect="duckdb", catalog=CATALOG, scope=SCOPE)
    assert CANARY not in str(engine.execute(str(verdict.sql)).fetchall())


@pytest.mark.parametrize(
    ("there", "absent"),
    [
        ("SELECT * FROM secret", "SELECT * FROM sacred"),
        ("SELECT email FROM customers", "SELECT enail FROM customers"),
        ("SELECT c.phone FROM customers c", "SELECT c.fhone FROM customers c"),
    ],
)
def test_what_is_hidden_is_told_like_what_does_not_exist(there: str, absent: str) -> None:
    hidden = admit(there, dialect="duckdb", catalog=CATALOG, scope=SCOPE).findings
    missing = admit(absent, dialect="duckdb", catalog=CATALOG, scope=SCOPE).findings
    assert [(f.code, f.kind) for f in hidden] == [(f.code, f.kind) for f in missing]
    assert all(f.kind == "scope" for f in hidden)
    told = hidden[0].message.replace("secret", "X").replace("email", "X").replace("phone", "X")
    assert told == missing[0].message.replace("sacred", "X").replace("enail", "X").replace(
        "fhone", "X"
    )


def test_a_scope_that_narrows_nothing_leaves_the_text_alone() -> None:
    whole = Scope.of("customers")
    sql = "select  *  from customers"
    assert admit(sql, dialect="duckdb", catalog=CATALOG, scope=whole).sql == sql
