"""Steps of a question, of a statement, and how they are put together."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from querymend.tools.chunks.ddl import create_table
from querymend.tools.engines.duckdb import DuckDBEngine, open_duckdb
from querymend.tools.engines.engine import Limits, Result
from querymend.tools.questions.grouping import Top
from querymend.tools.questions.reading import read_question
from querymend.tools.questions.steps import steps_of
from querymend.tools.results.expectation import expect
from querymend.tools.sql.checks import check
from querymend.tools.sql.gate import admit
from querymend.tools.steps.build import Build
from querymend.tools.steps.finish import finish
from querymend.tools.steps.made import made_of, repeated
from querymend.tools.steps.offers import offered
from querymend.tools.steps.repeats import repeated_rows

Open = Callable[[str], DuckDBEngine]
CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "questions" / "steps.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["question"][:60])
def test_each_question_has_the_steps_of_its_case(case: dict[str, Any]) -> None:
    question = case["question"]
    steps = expect(question, read_question(question)).steps
    assert (steps.finish if steps else None) == case["finish"]
    if steps is not None:
        assert [t.asks for t in steps.tasks] == case["asks"]
        assert {g for t in steps.tasks for g in t.grain} == set(case["grain"])


def test_steps_have_names_that_are_plain_and_differ() -> None:
    for case in CASES:
        steps = steps_of(case["question"], read_question(case["question"]).top)
        names = [t.name for t in steps.tasks] if steps else []
        assert len(set(names)) == len(names)
        assert all(n.isidentifier() for n in names)


STEPS = [
    ("WITH t AS (SELECT 1 AS a), u AS (SELECT a FROM t) SELECT * FROM u", ["t", "u"]),
    ("SELECT a FROM (SELECT 1 AS a) AS x JOIN (SELECT 2 AS b) AS y ON a < b", ["x", "y"]),
    ("WITH t AS (WITH s AS (SELECT 1 AS a) SELECT a FROM s) SELECT a FROM t", ["s", "t"]),
    ("SELECT n FROM (SELECT a AS n FROM (SELECT 3 AS a) AS inner_most) AS o", ["inner_most", "o"]),
    ("WITH t(a, b) AS (SELECT 1, 2) SELECT b FROM t", ["t"]),
    ("SELECT 1 UNION ALL SELECT 2", []),
    ("WITH t AS (SELECT 1 AS a UNION SELECT 2) SELECT MAX(a) FROM t", ["t"]),
]


@pytest.mark.parametrize(("sql", "names"), STEPS)
def test_a_statement_taken_apart_and_put_together_gives_the_same_rows(
    sql: str, names: list[str]
) -> None:
    build = Build.of(sql, "duckdb")
    assert build is not None
    assert list(build.names) == names
    with duckdb.connect() as connection:
        assert connection.execute(build.sql()).fetchall() == connection.execute(sql).fetchall()
        for place in range(len(build.steps)):
            assert connection.execute(build.upto(place)).fetchall()


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t WHERE a < 3) TABLE t",
        "SELECT a FROM (SELECT 1 AS a) AS x WHERE a IN (WITH x AS (SELECT 2) SELECT 1",
        "DELETE FROM t",
        "",
        "not sql at all (",
    ],
)
def test_what_is_no_readable_chain_of_steps_is_left_alone(sql: str) -> None:
    assert Build.of(sql, "duckdb") is None


def test_a_derived_table_that_reads_its_surroundings_or_hides_a_table_stays() -> None:
    for sql in (
        "SELECT * FROM orders AS o, (SELECT o.id AS b) AS x",
        "SELECT * FROM (SELECT id FROM orders) AS orders JOIN orders AS p USING (id)",
    ):
        build = Build.of(sql, "duckdb")
        assert build is not None
        assert build.names == ()


def test_one_step_is_replaced_and_the_others_stay() -> None:
    build = Build.of("WITH t AS (SELECT 1 AS a), u AS (SELECT a FROM t) SELECT a FROM u", "duckdb")
    new = Build.of("WITH t AS (SELECT 0), w AS (SELECT 5 AS b) SELECT b AS a FROM w", "duckdb")
    assert build is not None
    assert new is not None
    whole = build.put(1, replace(new, steps=new.steps[1:]))
    assert whole.names == ("t", "w", "u")
    with duckdb.connect() as connection:
        assert connection.execute(whole.sql()).fetchall() == [(5,)]


@pytest.fixture(scope="module")
def engine(shop: Path) -> Iterator[DuckDBEngine]:
    opened = open_duckdb(shop)
    yield opened
    opened.close()


EACH = "SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id"
COUNTS = "SELECT customer_id, COUNT(*) FROM orders {} GROUP BY customer_id"
FINISHED = [
    (
        "By how much did the amount of June exceed that of May?",
        ["SELECT SUM(amount) FROM orders WHERE id > 1", "SELECT SUM(amount) FROM orders"],
        [(-100,)],
    ),
    (
        "What percentage of the orders is paid?",
        ["SELECT COUNT(*) FROM orders WHERE status = 'paid'", "SELECT COUNT(*) FROM orders"],
        [(75.0,)],
    ),
    ("How many customers had more amount than the average customer?", [EACH], [(1,)]),
    ("Which customers had less amount than the average customer?", [EACH], [(2,), (3,)]),
    ("What is the average number of orders per customer?", [COUNTS.format("")], [(4 / 3,)]),
    (
        "For each customer, how many orders are there and how many items do they have?",
        [COUNTS.format(""), COUNTS.format("JOIN items ON id = order_id WHERE sku = 'A1'")],
        [(1, 2, 2), (2, 1, 0), (3, 1, 0)],
    ),
    (
        "Which customers had more orders than their target?",
        [COUNTS.format(""), "SELECT customer_id, MAX(id) FROM orders GROUP BY customer_id"],
        [],
    ),
    (
        "Which customers had fewer orders than their target?",
        [
            COUNTS.format("WHERE id < 3"),
            "SELECT id AS customer_id, 1 + MIN(id) FROM customers GROUP BY id",
        ],
        [(2, 0, 3), (3, 0, 4)],
    ),
    (
        "How many customers had fewer orders than their target?",
        [
            COUNTS.format("WHERE id < 3"),
            "SELECT id AS customer_id, 1 + MIN(id) FROM customers GROUP BY id",
        ],
        [(2,)],
    ),
    (
        "How many customers bought something in May but nothing in June?",
        [
            "SELECT customer_id FROM orders WHERE id < 4",
            "SELECT customer_id FROM orders WHERE id = 3",
        ],
        [(1,)],
    ),
    (
        "What was the amount of the top 1 customers by amount, broken down by status?",
        [f"{EACH} ORDER BY total DESC LIMIT 1"],
        [(1, "paid", 150)],
    ),
    (
        "What was the amount of the top 2 customers by amount, broken down by region?",
        [f"{EACH} ORDER BY total DESC LIMIT 2"],
        [(1, "EMEA", 150), (2, "APAC", 25)],
    ),
]


def together(question: str, texts: list[str], dialect: str, engine: DuckDBEngine) -> Build:
    """Put the steps of a question together from texts that were written for them."""
    steps = steps_of(question, read_question(question).top)
    assert steps is not None
    made = [made_of(t, s, ran(engine, s), dialect) for t, s in zip(steps.tasks, texts, strict=True)]
    build = finish(steps, [m for m in made if m is not None], engine.catalog())
    assert build is not None
    return build


@pytest.mark.parametrize(("question", "texts", "rows"), FINISHED)
def test_steps_are_put_together_by_rule(
    question: str, texts: list[str], rows: list[tuple[object, ...]], engine: DuckDBEngine
) -> None:
    build = together(question, texts, "duckdb", engine)
    assert sorted(map(repr, ran(engine, build.sql()).rows)) == sorted(map(repr, map(exact, rows)))


def test_two_steps_that_are_one_query_are_not_put_together(engine: DuckDBEngine) -> None:
    """The model wrote the first value's query for the second one too: a difference of 0."""
    steps = steps_of("By how much did the amount of June exceed that of May?")
    assert steps is not None
    made = [
        made_of(t, s, ran(engine, s), "duckdb")
        for t, s in zip(steps.tasks, ["SELECT SUM(amount) FROM orders"] * 2, strict=True)
    ]
    assert finish(steps, [m for m in made if m is not None], engine.catalog()) is None


def exact(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(
        Decimal(f"{c}.00") if isinstance(c, int) and c in (-100, 150, 25) else c for c in row
    )


def ran(engine: DuckDBEngine, sql: str) -> Result:
    admitted = admit(sql, dialect="duckdb", catalog=engine.catalog()).sql
    assert admitted is not None
    return engine.run(admitted, limits=Limits())


def test_rows_that_are_nobodys_are_no_group_beside_the_others(opened: Open) -> None:
    engine = opened(
        "CREATE TABLE orders (customer_id INTEGER, amount INTEGER);"
        "INSERT INTO orders VALUES (1, 150), (2, 25), (3, 10), (NULL, 1000);"
    )
    steps = steps_of("How many customers had more amount than the average customer?")
    assert steps is not None
    made = made_of(steps.tasks[0], EACH, ran(engine, EACH), "duckdb")
    assert made is not None
    assert made.unkeyed
    build = finish(steps, [made], engine.catalog())
    assert build is not None
    assert ran(engine, build.sql()).rows == ((1,),)


def test_chosen_things_are_shown_by_the_name_that_the_question_gives_them(opened: Open) -> None:
    engine = opened(
        "CREATE TABLE goods (id INTEGER PRIMARY KEY, sku VARCHAR UNIQUE);"
        "CREATE TABLE sold (good_id INTEGER REFERENCES goods (id), amount INTEGER, shop VARCHAR);"
        "INSERT INTO goods VALUES (1, 'A-1'), (2, 'B-2');"
        "INSERT INTO sold VALUES (1, 5, 'x'), (1, 2, 'y'), (2, 4, 'x');"
    )
    steps = steps_of("What sold the top 1 SKUs by amount, broken down by shop?", TOP_SKU)
    assert steps is not None
    text = "SELECT good_id, SUM(amount) FROM sold GROUP BY good_id ORDER BY 2 DESC LIMIT 1"
    made = made_of(steps.tasks[0], text, ran(engine, text), "duckdb")
    assert made is not None
    build = finish(steps, [made], engine.catalog())
    assert build is not None
    assert sorted(ran(engine, build.sql()).rows) == [("A-1", "x", 5), ("A-1", "y", 2)]


TOP_SKU = Top(n=1, lowest=False, entity="skus", measure="amount", split=("shop",))


def test_what_a_step_offers_is_told_with_its_keys_and_no_private_value(
    engine: DuckDBEngine,
) -> None:
    catalog = engine.catalog()
    table = catalog.table("customers")
    assert table is not None
    hidden = tuple(replace(c, private=c.name == "email") for c in table.columns)
    others = tuple(t for t in catalog.tables if t is not table)
    private = replace(catalog, tables=(replace(table, columns=hidden), *others))
    sql = "WITH t AS (SELECT id AS customer, email FROM customers ORDER BY id) SELECT * FROM t"
    build = Build.of(sql, "duckdb")
    assert build is not None
    shown = create_table(offered(build, 0, ran(engine, build.upto(0)), private), samples=2)
    assert "FOREIGN KEY (customer) REFERENCES customers(id)" in shown
    assert "1 | " in shown
    assert "canary" not in shown


def test_a_step_that_names_a_thing_twice_is_told(engine: DuckDBEngine) -> None:
    steps = steps_of("How many customers had more amount than the average customer?")
    assert steps is not None
    sql = "SELECT customer_id, SUM(amount) FROM orders GROUP BY customer_id, status, id"
    (found,) = repeated(steps.tasks[0], sql, ran(engine, sql), "duckdb")
    assert (found.code, found.severity) == ("step_repeats", "repair")
    assert repeated(steps.tasks[0], EACH, ran(engine, EACH), "duckdb") == []


def test_equal_rows_of_a_step_are_noted_only_where_a_later_step_joins_them(
    engine: DuckDBEngine,
) -> None:
    paid = "WITH t AS (SELECT customer_id FROM orders WHERE status = 'paid') "
    joined = f"{paid}SELECT name FROM t JOIN customers ON customers.id = t.customer_id"
    for sql, codes in ((joined, ["step_repeats"]), (f"{paid}SELECT COUNT(*) FROM t", [])):
        build = Build.of(sql, "duckdb")
        assert build is not None
        found = repeated_rows(build, 0, ran(engine, build.upto(0)))
        assert [f.code for f in found] == codes
        assert all(f.severity == "note" for f in found)


@pytest.mark.parametrize(("question", "texts", "rows"), FINISHED)
def test_what_is_put_together_is_sql_of_athena_too(
    question: str, texts: list[str], rows: list[tuple[object, ...]], engine: DuckDBEngine
) -> None:
    build = together(question, texts, "athena", engine)
    assert check(build.sql(pretty=True), dialect="athena", catalog=engine.catalog()) == ()
