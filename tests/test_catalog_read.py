"""Reading a DuckDB database's catalog."""

from collections.abc import Iterator

import duckdb
import pytest

from querymend.tools.catalog.carried import store_keys
from querymend.tools.catalog.model import Catalog, Key, Table
from querymend.tools.catalog.read import read_catalog


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def names(catalog: Catalog) -> list[str]:
    return [t.qualified_name for t in catalog.tables]


def test_tables_come_as_they_were_made_then_views(connection: duckdb.DuckDBPyConnection):
    connection.execute(
        "CREATE TABLE z (a INT); CREATE VIEW m AS FROM z; CREATE TABLE b (a INT); CREATE SCHEMA s;"
        "CREATE TABLE s.b (a INT); CREATE TEMP TABLE gone (a INT)"
    )
    catalog = read_catalog(connection)
    assert names(catalog) == ["z", "b", "s.b", "m"]
    assert catalog.table("b") == catalog.tables[1]
    assert catalog.table("S.B") == catalog.tables[2]


def test_types_are_in_duckdb_spelling_and_columns_in_order(connection: duckdb.DuckDBPyConnection):
    connection.execute(
        "CREATE TABLE t (d DECIMAL(12,2), a STRUCT(x INT, y VARCHAR[]), m MAP(VARCHAR, INT),"
        " e ENUM('a', 'b'), z TIMESTAMPTZ)"
    )
    assert [(c.name, c.type) for c in read_catalog(connection).tables[0].columns] == [
        ("d", "DECIMAL(12,2)"),
        ("a", "STRUCT(x INTEGER, y VARCHAR[])"),
        ("m", "MAP(VARCHAR, INTEGER)"),
        ("e", "ENUM('a', 'b')"),
        ("z", "TIMESTAMP WITH TIME ZONE"),
    ]


def test_comments_are_descriptions(connection: duckdb.DuckDBPyConnection):
    connection.execute(
        "CREATE TABLE t (a INT); CREATE VIEW v AS FROM t; COMMENT ON TABLE t IS 'The T.';"
        "COMMENT ON COLUMN t.a IS 'The A.'; COMMENT ON VIEW v IS 'The V.'"
    )
    table, view = read_catalog(connection).tables
    assert (table.description, table.columns[0].description) == ("The T.", "The A.")
    assert view.description == "The V."


def test_declared_keys_are_read(connection: duckdb.DuckDBPyConnection):
    connection.execute(
        "CREATE TABLE p (a INT, b INT, c INT UNIQUE, PRIMARY KEY (a, b));"
        "CREATE SCHEMA s; CREATE TABLE s.p (i INT PRIMARY KEY);"
        "CREATE TABLE s.c (x INT REFERENCES s.p (i));"
        "CREATE TABLE c (x INT NOT NULL CHECK (x > 0), y INT, FOREIGN KEY (y, x) REFERENCES p)"
    )
    catalog = read_catalog(connection)
    p, c, inner = (catalog.table(n) for n in ("p", "c", "s.c"))
    assert p
    assert c
    assert inner
    assert (p.primary_key, p.unique) == (("a", "b"), (("c",),))
    assert c.keys == (Key(columns=("y", "x"), table="p", target_columns=("a", "b")),)
    assert inner.keys == (Key(columns=("x",), table="s.p", target_columns=("i",)),)


def test_a_view_that_no_longer_binds_is_left_out_and_logged(
    connection: duckdb.DuckDBPyConnection, caplog: pytest.LogCaptureFixture
):
    connection.execute("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t; DROP TABLE t")
    assert names(read_catalog(connection)) == []
    assert "view main.v is left out" in caplog.text


def test_carried_keys_are_declared_and_their_place_is_hidden(
    connection: duckdb.DuckDBPyConnection,
):
    connection.execute("CREATE TABLE t (a INT); CREATE TABLE u (b INT)")
    key = Key(columns=("b",), table="t", target_columns=("a",))
    facts = (
        Table(name="t", columns=(), primary_key=("a",)),
        Table(name="u", columns=(), unique=(("b",),), keys=(key,)),
    )
    store_keys(connection, Catalog(tables=facts))
    t, u = read_catalog(connection).tables
    assert t.primary_key == ("a",)
    assert (u.unique, u.keys) == ((("b",),), (key,))
    assert [c.name for c in u.columns] == ["b"]


def test_an_empty_database_has_an_empty_catalog(connection: duckdb.DuckDBPyConnection):
    assert read_catalog(connection) == Catalog()
