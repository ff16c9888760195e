"""The row cap, on statements that a naive one breaks."""

import duckdb
import pytest

from querymend.tools.sql.limits import cap
from querymend.tools.sql.parse import parse


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range AS a, range % 7 AS b FROM range(500)")
    return connection


CASES = [
    ("SELECT a FROM t", 10),
    ("SELECT a FROM t;", 10),
    ("SELECT 1 AS a -- note", 1),
    ("SELECT a FROM t /* LIMIT 3 */", 10),
    ("SELECT a FROM t ORDER BY a DESC LIMIT 5", 5),
    ("SELECT a FROM t ORDER BY a DESC LIMIT 50", 10),
    ("SELECT a FROM t ORDER BY a DESC", 10),
    ("SELECT a FROM t LIMIT 0", 0),
    ("SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS ONLY", 3),
    ("SELECT a FROM t ORDER BY a FETCH FIRST 30 ROWS ONLY", 10),
    ("SELECT a FROM t ORDER BY a LIMIT 50 OFFSET 490", 10),
    ("SELECT a FROM t ORDER BY a OFFSET 495", 5),
    ("SELECT a FROM t UNION SELECT b FROM t ORDER BY a DESC", 10),
    ("(SELECT a FROM t ORDER BY a DESC)", 10),
    ("(SELECT a FROM t ORDER BY a DESC LIMIT 3)", 3),
    ("WITH x AS (SELECT a FROM t ORDER BY a LIMIT 20) SELECT a FROM x ORDER BY a DESC", 10),
    ("FROM t", 10),
    ("VALUES (1), (2)", 2),
    ("SELECT a FROM t LIMIT 10%", 10),
    ("SELECT a FROM t LIMIT (SELECT 20)", 10),
]


@pytest.mark.parametrize(("sql", "rows"), CASES)
def test_the_first_rows_stay_the_first(
    sql: str, rows: int, engine: duckdb.DuckDBPyConnection
) -> None:
    capped = engine.execute(cap(sql, 10, "duckdb")).fetchall()
    whole = engine.execute(sql).fetchall()
    assert len(capped) == rows
    assert capped == whole[:rows]


@pytest.mark.parametrize("dialect", ["duckdb", "athena", "trino", "postgres", "sqlite"])
@pytest.mark.parametrize(("sql", "_rows"), CASES)
def test_a_capped_statement_still_parses(sql: str, _rows: int, dialect: str) -> None:
    assert parse(cap(sql, 10, dialect), dialect).findings == ()


def test_a_bounded_statement_keeps_its_text() -> None:
    sql = "select a  from t /* as is */ limit 5"
    assert cap(sql, 10, "duckdb") == sql


def test_athena_gets_its_offset_before_the_limit() -> None:
    assert cap("SELECT a FROM t OFFSET 3", 10, "athena").endswith("OFFSET 3 LIMIT 10")


def test_ties_under_an_order_are_left_to_whoever_fetches() -> None:
    sql = "SELECT a FROM t ORDER BY b FETCH FIRST 3 ROWS WITH TIES"
    assert cap(sql, 10, "athena") == sql


def test_what_cannot_be_read_is_returned_as_it_is() -> None:
    assert cap("SELECT FROM", 10, "duckdb") == "SELECT FROM"
