"""Every case of tests/results/inspect.jsonl: a statement runs on a small shop, the findings listed
must appear, and no other one may be of severity repair or warn. ``fixed``: the rows that the
first finding's fix gives; null where it has none."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from querymend.tools.catalog.model import Catalog, Column, Key, Profile, Table
from querymend.tools.engines.engine import Result, ResultColumn
from querymend.tools.findings import Finding
from querymend.tools.questions.period import resolve_periods
from querymend.tools.questions.reading import read_question
from querymend.tools.results.compare import is_ordered, same_rows
from querymend.tools.results.expectation import expect
from querymend.tools.results.inspect import CHECKS, inspect

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "results" / "inspect.jsonl")
    .read_text("utf-8")
    .splitlines()
]
TODAY = date(2026, 8, 14)
SHOP = """
CREATE TABLE customers (customer_id INT, name VARCHAR, email VARCHAR, region VARCHAR, vip BOOLEAN);
INSERT INTO customers VALUES (1, 'Ann', 'canary@x.example', 'EMEA', TRUE),
  (2, 'Bob', 'bob@x.example', 'APAC', FALSE), (3, 'Cleo', 'cleo@x.example', 'EMEA', FALSE),
  (4, 'Dan', NULL, 'AMER', FALSE), (5, 'Eve  ', NULL, 'AMER', FALSE);
CREATE TABLE orders (
  order_id INT, customer_id INT, order_date DATE, amount DECIMAL(10,2), note TEXT);
INSERT INTO orders SELECT i, 1 + i % 3, DATE '2026-01-01' + CAST(i * 5 AS INT), 10 + i % 7, NULL
  FROM range(40) AS r(i);
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(SHOP)
    yield connection
    connection.close()


class Shop:
    """The values of the shop, asked from itself."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._values: dict[tuple[str, str], set[str]] = {}
        for table, column in (("customers", "name"), ("customers", "region")):
            rows = connection.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall()
            self._values[table, column] = {r[0] for r in rows}

    def holding(self, value: str) -> list[tuple[str, str, str]]:
        return [
            (t, c, v)
            for (t, c), held in self._values.items()
            for v in held
            if v.strip().lower() == value.strip().lower()
        ]

    def nearest(
        self, table: str, column: str, value: str, limit: int = 3
    ) -> list[tuple[str, float]]:
        return [(v, 0.5) for v in sorted(self._values.get((table, column), ()))[:limit]]

    def has(self, table: str, column: str, value: str) -> bool | None:
        held = self._values.get((table, column))
        return None if held is None else value in held


def catalog(connection: duckdb.DuckDBPyConnection) -> Catalog:
    def columns(table: str) -> tuple[Column, ...]:
        rows = connection.execute(f"DESCRIBE {table}").fetchall()
        return tuple(Column(name=r[0], type=r[1], private=r[0] == "email") for r in rows)

    key = Key(columns=("customer_id",), table="customers", target_columns=("customer_id",))
    return Catalog(
        tables=(
            Table(name="customers", columns=columns("customers")),
            Table(name="orders", columns=columns("orders"), keys=(key,)),
        )
    )


def look(
    connection: duckdb.DuckDBPyConnection, question: str, sql: str, *, rows: int = 1_000
) -> list[Finding]:
    cursor = connection.execute(sql)
    fetched = cursor.fetchmany(rows + 1)
    result = Result(
        columns=tuple(ResultColumn(name=d[0], type=str(d[1])) for d in cursor.description or ()),
        rows=tuple(fetched[:rows]),
        truncated=len(fetched) > rows,
    )
    reading = read_question(question)
    return inspect(
        result,
        sql=sql,
        dialect="duckdb",
        question=question,
        reading=reading,
        expectation=expect(question, reading, resolve_periods(question, TODAY)),
        catalog=catalog(connection),
        values=Shop(connection),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['question']} {c['sql'][:60]}")
def test_a_result_gets_the_findings_that_it_deserves(
    case: dict[str, Any], shop: duckdb.DuckDBPyConnection
) -> None:
    found = look(shop, case["question"], case["sql"], rows=case.get("rows", 1_000))
    told = {f"{f.severity} {f.code}" for f in found}
    assert set(case["findings"]) <= told
    grave = {f for f in told if not f.startswith("note")}
    assert grave <= set(case["findings"])


@pytest.mark.parametrize("case", [c for c in CASES if "fixed" in c], ids=lambda c: c["sql"][:60])
def test_a_fix_gives_the_shape_that_was_asked_for(
    case: dict[str, Any], shop: duckdb.DuckDBPyConnection
) -> None:
    found = look(shop, case["question"], case["sql"])
    fix = next((f.fix for f in found if f.fix), None)
    if case["fixed"] is None:
        assert fix is None
    else:
        assert fix is not None
        rows = shop.execute(fix).fetchall()
        assert same_rows(rows, case["fixed"], ordered=is_ordered(fix, "duckdb"))


def test_every_check_fires_in_some_case_of_the_file() -> None:
    fired = {f.split()[1] for case in CASES for f in case["findings"]}
    assert len(fired) >= len(CHECKS)


def test_an_empty_result_names_the_values_that_exist(shop: duckdb.DuckDBPyConnection) -> None:
    (found,) = look(shop, "Customers of Mars?", "SELECT name FROM customers WHERE region = 'Mars'")
    assert found.message == "No rows came back, and the data has no region = 'Mars'."
    assert found.evidence == "customers.region holds AMER, APAC, EMEA"


def test_a_value_stored_with_blanks_is_shown_with_them(shop: duckdb.DuckDBPyConnection) -> None:
    (found,) = look(shop, "Where is Eve?", "SELECT region FROM customers WHERE name = 'Eve'")
    assert found.message.endswith("with blanks around it the data has name = 'Eve  '.")
    assert found.hint.startswith("Compare TRIM(name) with 'Eve'")


def test_a_value_in_another_column_is_pointed_at(shop: duckdb.DuckDBPyConnection) -> None:
    (found,) = look(shop, "Who is Bob?", "SELECT email FROM customers WHERE region = 'Bob'")
    assert found.hint == "customers.name holds 'Bob'"


def test_no_finding_tells_a_private_value(shop: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT email FROM customers WHERE vip ORDER BY email LIMIT 2"
    assert "canary" not in repr(look(shop, "Top 2 customers", sql))
    doubled = (
        "SELECT 'x', email FROM (SELECT email FROM customers WHERE vip UNION ALL "
        "SELECT email FROM customers WHERE vip) AS s ORDER BY email LIMIT 2"
    )
    found = look(shop, "Top 2 customers", doubled)
    assert "tie_at_limit" in {f.code for f in found}
    assert "canary" not in repr(found)


def test_a_profile_that_holds_all_values_serves_without_an_index() -> None:
    region = Column(
        name="region", type="VARCHAR", profile=Profile(distinct=1, frequent=(("EMEA", 3),))
    )
    small = Catalog(tables=(Table(name="customers", columns=(region,)),))
    reading = read_question("Customers of Emea?")
    found = inspect(
        Result(columns=(ResultColumn(name="region", type="VARCHAR"),), rows=()),
        sql="SELECT region FROM customers WHERE region = 'Emea'",
        dialect="duckdb",
        reading=reading,
        expectation=expect(reading.question, reading),
        catalog=small,
    )
    assert [(f.code, f.severity) for f in found] == [("empty_result", "repair")]
    assert found[0].evidence == "customers.region holds EMEA"


def test_sql_that_does_not_parse_is_left_to_the_gate() -> None:
    reading = read_question("How many?")
    found = inspect(
        Result(columns=(), rows=()),
        sql="SELECT FROM WHERE",
        dialect="duckdb",
        reading=reading,
        expectation=expect(reading.question, reading),
        catalog=Catalog(),
    )
    assert found == []


def test_a_column_that_never_holds_a_value_is_told_as_such() -> None:
    note = Column(name="note", type="VARCHAR", profile=Profile(distinct=0, null_share=1.0))
    reading = read_question("Show the notes")
    found = inspect(
        Result(columns=(ResultColumn(name="note", type="VARCHAR"),), rows=((None,), (None,))),
        sql="SELECT note FROM orders",
        dialect="duckdb",
        reading=reading,
        expectation=expect(reading.question, reading),
        catalog=Catalog(tables=(Table(name="orders", columns=(note,)),)),
    )
    assert ("all_null", "note") in {(f.code, f.severity) for f in found}
    assert all(f.severity == "note" for f in found)
