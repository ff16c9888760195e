import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.engines.engine import Result, ResultColumn
from querymend.tools.findings import Finding
from querymend.tools.questions.reading import read_question
from querymend.tools.results.expectation import expect
from querymend.tools.results.privacy import private_places
from querymend.tools.results.spelling import spell, title
from querymend.tools.results.statement import Statement
from querymend.tools.results.summary import summarise
from querymend.tools.results.text import held_to_rows, numbers_in_rows, say

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "results" / "numbers.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def result(*names: str, rows: Any, truncated: bool = False) -> Result:
    return Result(
        columns=tuple(ResultColumn(name=n, type="VARCHAR") for n in names),
        rows=tuple(tuple(r) for r in rows),
        truncated=truncated,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_numbers_that_are_in_no_row_are_found(case: dict[str, Any]) -> None:
    width = len(case["rows"][0]) if case["rows"] else 1
    rows = result(*("c" * width), rows=case["rows"])
    assert numbers_in_rows(case["text"], rows, allowed=case.get("allowed", ())) == case["missing"]


def test_a_big_result_is_summarised_in_a_few_lines_with_its_full_count() -> None:
    rows = [(i, "x" * 500, i * 1.5) for i in range(65_000)]
    told = summarise(result("id", "note", "amount", rows=rows))
    assert told.startswith("65,000 rows\nid VARCHAR | note VARCHAR | amount VARCHAR\n0 | xxx")
    assert "(5 of 65,000 rows shown)" in told
    assert len(told) < 2_100


def test_a_cut_result_is_never_told_as_a_total() -> None:
    rows = [(i,) for i in range(500)]
    told = summarise(result("id", rows=rows, truncated=True))
    assert told.startswith("The first 500 rows of more")
    assert "The first 500 rows of more" in say("", result("id", rows=rows, truncated=True))


def test_a_cut_value_is_marked_with_its_length() -> None:
    told = say("Show note 1", result("note", rows=[["word " * 200]]))
    assert "(999 characters)" in told


def test_private_values_are_hidden_from_a_summary() -> None:
    told = summarise(result("name", "email", rows=[["Bob", "bob@x"]]), private={1})
    assert "Bob | (private)" in told
    assert "bob@x" not in told


def test_one_value_is_one_sentence() -> None:
    one = result("total_revenue", rows=[[Decimal("1234.50")]])
    assert say("What is the total revenue?", one) == "Total revenue: 1,234.50."


def test_a_count_without_a_name_is_called_so() -> None:
    question = "How many orders are there?"
    expectation = expect(question, read_question(question))
    assert say(question, result("count_star()", rows=[[812]])) == "Count: 812."
    told = say(question, result("_col0", rows=[[812]]), expectation=expectation)
    assert told == "Count: 812."


def test_twelve_regions_are_all_listed() -> None:
    told = say("List all regions", result("region", rows=[[f"R{i}"] for i in range(12)]))
    assert told.startswith("12 rows. Region: R0, R1")
    assert "R11" in told


def test_rows_that_are_not_shown_are_counted() -> None:
    rows = [[f"R{i}", i] for i in range(12)]
    told = say("", result("region", "orders", rows=rows))
    assert told.startswith("12 rows; showing 5 of 12:\n- Region: R0; Orders: 0\n")


def test_no_rows_are_told_with_what_the_data_holds() -> None:
    finding = Finding(
        code="empty_result",
        kind="literal",
        severity="repair",
        message="No rows came back, and the data has no region = 'Mars'.",
        evidence="customers.region holds EMEA, APAC",
    )
    told = say("Customers of Mars?", result("name", rows=[]), findings=[finding])
    assert told == (
        "No rows match. No rows came back, and the data has no region = 'Mars'. "
        "Customers.region holds EMEA, APAC."
    )


def test_a_maximum_over_nothing_is_no_value() -> None:
    told = say("Highest amount?", result("max(amount)", rows=[[None]]))
    assert told == "There is no value to report: no row matched."


def test_assumptions_and_warnings_are_said() -> None:
    finding = Finding(code="x", kind="shape", severity="warn", message="Ties may be cut.")
    told = say(
        "",
        result("n", rows=[[1]]),
        assumptions=["last quarter = 1 April to 30 June 2026"],
        findings=[finding],
    )
    assert told == (
        "N: 1.\nAssumed: last quarter = 1 April to 30 June 2026.\nWarning: Ties may be cut."
    )


@pytest.mark.parametrize(
    ("cell", "name", "spelt"),
    [
        (1234567, "amount", "1,234,567"),
        (1234567, "customer_id", "1234567"),
        (2026, "year", "2026"),
        (2026, "orders", "2026"),
        (0.123456, "share", "0.1235"),
        (33.333333, "avg", "33.33"),
        (3.0, "avg", "3"),
        (Decimal("10.00"), "price", "10.00"),
        (1e-9, "p", "1e-09"),
        (float("nan"), "x", "nan"),
        (True, "active", "yes"),
        (None, "x", "no value"),
        (date(2026, 4, 1), "d", "2026-04-01"),
        (datetime(2026, 4, 1), "d", "2026-04-01"),
        (datetime(2026, 4, 1, 3), "d", "2026-04-01 03:00:00"),
        (b"ab", "x", "<2 bytes>"),
        ("two\nlines", "x", "two lines"),
    ],
)
def test_a_cell_is_spelt_for_people(cell: object, name: str, spelt: str) -> None:
    assert spell(cell, name=name) == spelt


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("total_revenue", "Total revenue"),
        ("TotalRevenue", "Total Revenue"),
        ("count(*)", "Count"),
        ("count_star()", "Count"),
        ("COUNT(DISTINCT city)", "Count"),
        ("sum(amount)", "Total amount"),
        ("avg(o.amount)", "Average amount"),
        ("(a + b) / 2", "Result"),
        ("_col0", "Result"),
    ],
)
def test_a_columns_name_becomes_a_label(name: str, label: str) -> None:
    assert title(name) == label


PEOPLE = Catalog(
    tables=(
        Table(
            name="people",
            columns=(
                Column(name="name", type="VARCHAR"),
                Column(name="email", type="VARCHAR", private=True),
            ),
        ),
    )
)


@pytest.mark.parametrize(
    ("sql", "names", "private"),
    [
        ("SELECT name FROM people", ["name"], set()),
        ("SELECT name, email FROM people", ["name", "email"], {1}),
        ("SELECT email AS contact FROM people", ["contact"], {0}),
        ("SELECT UPPER(p.email) AS c, name FROM people AS p", ["c", "name"], {0}),
        ("SELECT COUNT(DISTINCT email) FROM people", ["n"], set()),
        ("SELECT c FROM (SELECT email AS c FROM people) AS s", ["c"], {0}),
        ("WITH w AS (SELECT email AS c FROM people) SELECT c AS d, 1 FROM w", ["d", "1"], {0}),
        ("WITH w(x, y) AS (SELECT name, email FROM people) SELECT y FROM w", ["y"], {0}),
        ("SELECT * FROM people", ["name", "email"], {1}),
        ("SELECT * FROM (SELECT email AS c, name FROM people) AS s", ["c", "name"], {0}),
        ("SELECT * FROM people AS t(a, b)", ["a", "b"], {0, 1}),
        ("SELECT name FROM people ORDER BY email", ["name"], set()),
        ("SELECT name FROM people UNION SELECT email FROM people", ["name"], {0}),
        ("SELECT FROM WHERE", ["a", "b"], {0, 1}),
    ],
)
def test_private_columns_are_traced_through_the_statement(
    sql: str, names: list[str], private: set[int]
) -> None:
    rows = result(*names, rows=[["x"] * len(names)])
    assert private_places(rows, Statement.of(sql, "duckdb", PEOPLE)) == private


@pytest.mark.parametrize(
    ("text", "rows", "kept"),
    [
        ("Revenue was 412.50.", [[412.5]], True),
        ("Revenue was about $4,125.", [[412.5]], False),
        ("That is 25 % of all.", [[0.25]], True),
        ("Revenue was 4.1 million.", [[4_125_000]], True),
        ("There are 3 regions.", [["a"], ["b"], ["c"]], True),
        ("There are 30 regions.", [["a"], ["b"], ["c"]], False),
    ],
)
def test_a_text_with_a_number_that_no_row_holds_gives_way_to_the_rows(
    text: str, rows: list[list[Any]], kept: bool
) -> None:
    told = held_to_rows(text, result("revenue", rows=rows))
    assert (told == text) == kept
    assert numbers_in_rows(told, result("revenue", rows=rows)) == []


def test_a_text_that_gives_way_still_says_that_the_result_was_cut() -> None:
    cut = result("id", "v", rows=[(i, i) for i in range(40)], truncated=True)
    assert held_to_rows("In all 41.", cut).startswith("The first rows of more; the first 5:\nid: 0")


def test_names_lengths_and_durations_are_no_misquoted_numbers() -> None:
    row = ["word " * 200, b"12345", timedelta(hours=2), {"a": 7}]
    told = say("", result("q1_2024", "b", "c", "d", rows=[row]))
    assert told.startswith("Q1 2024: word")
    assert "(999 characters); B: <5 bytes>; C: 2:00:00; D: {'a': 7}." in told


numbers = st.one_of(
    st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6), st.decimals(-1000, 1000, places=2)
)
cells = st.one_of(st.none(), numbers, st.text(max_size=8), st.dates())


@given(rows=st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[cells] * n), max_size=9)))
def test_every_number_that_is_said_is_in_the_rows(rows: list[tuple[object, ...]]) -> None:
    names = "abc"[: len(rows[0]) if rows else 1]
    given_rows = result(*names, rows=rows)
    head = [str(n) for n in (5, len(rows))]
    assert numbers_in_rows(say("", given_rows), given_rows, allowed=head) == []
