"""Names, groups and clauses: DuckDB itself is asked whether what is refused would have failed."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
import yaml

from querymend.tools.catalog.model import Catalog, Column, Scope, Table
from querymend.tools.sql.checks import check
from querymend.tools.sql.names import check_names
from querymend.tools.sql.parse import parse

DATA = yaml.safe_load((Path(__file__).parent / "sql" / "names.yaml").read_text(encoding="utf-8"))
CASES = DATA["cases"]
CATALOG = Catalog(
    tables=tuple(
        Table(name=name, columns=tuple(Column(name=c, type=t) for c, t in columns.items()))
        for name, columns in DATA["schema"].items()
    )
)


def title(case: Mapping[str, str]) -> str:
    return f"{case.get('dialect', 'duckdb')}: {case['sql']}"


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for table in CATALOG.tables:
        columns = ", ".join(f'"{c.name}" {c.type}' for c in table.columns)
        connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
    return connection


@pytest.mark.parametrize("case", CASES, ids=title)
def test_a_statement_has_just_these_findings(case: dict[str, object]) -> None:
    found = check(str(case["sql"]), dialect=str(case.get("dialect", "duckdb")), catalog=CATALOG)
    assert sorted(f.code for f in found) == sorted(case.get("codes", []))  # type: ignore[call-overload]
    if "hint" in case:
        assert str(case["hint"]) in " ".join(f.hint for f in found)


@pytest.mark.parametrize(
    "case", [c for c in CASES if "dialect" not in c and "engine" not in c], ids=title
)
def test_duckdb_refuses_just_what_is_refused(
    case: dict[str, object], engine: duckdb.DuckDBPyConnection
) -> None:
    refused = False
    try:
        engine.execute(f"EXPLAIN {case['sql']}")
    except duckdb.Error:
        refused = True
    assert refused == bool(case.get("codes"))


@pytest.mark.parametrize("case", [c for c in CASES if c.get("dialect") == "sqlite"], ids=title)
def test_sqlite_refuses_just_what_is_refused(case: dict[str, object]) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for table in CATALOG.tables:
            columns = ", ".join(f'"{c.name}"' for c in table.columns)
            connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
        refused = False
        try:
            connection.execute(str(case["sql"]))
        except sqlite3.Error:
            refused = True
    assert refused == bool(case.get("codes"))


@pytest.mark.parametrize("case", [c for c in CASES if c.get("codes")], ids=title)
def test_every_finding_says_where(case: dict[str, object]) -> None:
    found = check(str(case["sql"]), dialect=str(case.get("dialect", "duckdb")), catalog=CATALOG)
    for finding in found:
        assert finding.severity == "block"
        assert finding.message.endswith(".")
        assert finding.clause
        assert finding.position is not None
        assert finding.position[1] <= len(str(case["sql"]))


def test_all_unknown_names_are_told_at_once() -> None:
    sql = "SELECT o.amnt, c.nam FROM orders o JOIN custmers c ON o.x = c.id JOIN items i ON true"
    found = check_names(parse(sql, "duckdb"), CATALOG)
    assert {f.clause for f in found} == {"o.amnt", "o.x", "custmers", "items"}


def test_a_table_that_is_named_before_it_is_joined_is_joined_before(
    engine: duckdb.DuckDBPyConnection,
) -> None:
    sql = (
        "SELECT c.name FROM orders AS o JOIN order_items AS i ON i.order_id = o.id AND c.id > 0"
        " JOIN customers AS c ON c.id = o.customer_id"
    )
    (found,) = check(sql, dialect="duckdb", catalog=CATALOG)
    assert (found.code, found.clause) == ("unknown_alias", "c.id")
    assert found.fix is not None
    engine.execute(f"EXPLAIN {found.fix}")
    left = sql.replace(" JOIN order_items", " LEFT JOIN order_items")
    assert [f.fix for f in check(left, dialect="duckdb", catalog=CATALOG)] == [None]


def test_two_tables_of_one_alias_are_told_apart_by_their_columns(
    engine: duckdb.DuckDBPyConnection,
) -> None:
    sql = (
        "SELECT o.name, SUM(o.amount) FROM orders AS o JOIN customers AS o ON o.id = o.id"
        " GROUP BY o.name"
    )
    fix = check(sql, dialect="duckdb", catalog=CATALOG)[0].fix
    assert fix is not None
    engine.execute(f"EXPLAIN {fix}")
    assert "ON o.id = customers.id" in fix
    unsure = sql.replace("SELECT o.name", "SELECT o.name, MAX(o.id)")
    assert check(unsure, dialect="duckdb", catalog=CATALOG)[0].fix is None


def test_position_counts_lines_and_columns_from_one() -> None:
    (found,) = check_names(parse("SELECT id,\n  amnt\nFROM orders", "duckdb"), CATALOG)
    assert found.position == (2, 3)


def test_hints_name_nothing_outside_the_scope() -> None:
    scope = Scope.of("orders")
    found = check(
        "SELECT quantity, nme FROM orders", dialect="duckdb", catalog=CATALOG, scope=scope
    )
    assert len(found) == 2
    assert "order_items" not in str(found)
    assert "name" not in "".join(f.hint for f in found)


def test_without_a_catalog_only_the_gate_speaks() -> None:
    assert check("SELECT whatever FROM anywhere GROUP BY 7", dialect="duckdb") == ()


def test_qualified_names_reach_tables_of_other_schemas() -> None:
    catalog = Catalog(
        tables=(
            Table(name="t", schema="a", columns=(Column(name="x", type="INT"),)),
            Table(name="t", schema="b", columns=(Column(name="y", type="INT"),)),
        )
    )
    assert check("SELECT x FROM a.t", dialect="athena", catalog=catalog) == ()
    assert check("SELECT y FROM awsdatacatalog.b.t", dialect="athena", catalog=catalog) == ()
    codes = [f.code for f in check("SELECT y FROM a.t", dialect="athena", catalog=catalog)]
    assert codes == ["unknown_column"]
    codes = [f.code for f in check("SELECT y FROM t", dialect="athena", catalog=catalog)]
    assert codes == ["unknown_table"]
