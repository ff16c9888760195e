"""Public fault reports about valid SQL with a wrong or misquoted result: what happens here instead.

Each test says which report it answers (its thread, and its row in a survey of such reports).
"""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from querymend import Budget
from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.chunks.ddl import create_table
from querymend.tools.engines.engine import Result, ResultColumn
from querymend.tools.index.embeddings import StaticEmbedder
from querymend.tools.index.model import Context
from querymend.tools.index.retrieve import Retriever
from querymend.tools.index.store import open_store
from querymend.tools.index.sync import sync
from querymend.tools.index.values import ValueIndex
from querymend.tools.results.text import held_to_rows, say
from querymend.tools.sql.limits import cap
from querymend.tools.sql.parse import parse

Make = Callable[..., Any]
JANUARY = "order_date >= DATE '2026-01-01' AND order_date < DATE '2026-02-01'"


def codes(answer: Any) -> set[str]:
    return {f.code for f in answer.findings}


def test_the_row_cap_does_not_bury_an_order(peers: Make) -> None:
    """sqlglot#5065, trinodb/trino#818 (row 20): ORDER BY in a wrapped subquery was dropped."""
    sql = "SELECT id, amount FROM orders ORDER BY amount DESC"
    asked = peers(sql)
    answer = asked.ask("List id and amount of orders from high to low.", budget=Budget(rows=2))
    assert [r[0] for r in answer.rows] == [2, 1]
    assert asked.engine.ran[0] == sql
    assert cap(sql, 2, "athena") == f"{sql} LIMIT 2"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM orders -- note",
        "SELECT id FROM orders;",
        "SELECT id FROM orders LIMIT 50",
        "SELECT id FROM orders FETCH FIRST 30 ROWS ONLY",
        "SELECT id FROM orders UNION SELECT id FROM customers",
    ],
)
def test_a_capped_statement_stays_valid(peers: Make, sql: str) -> None:
    """datahub analytics-agent#14 (row 21): an appended LIMIT made the SQL invalid."""
    answer = peers(sql).ask("List some ids of orders.", budget=Budget(rows=3))
    assert (len(answer.rows), answer.truncated) == (3, True)
    for dialect in ("duckdb", "athena"):
        assert parse(cap(sql, 10, dialect), dialect).findings == ()


def test_a_rule_never_turns_an_average_into_a_sum(peers: Make) -> None:
    """supersonic#2374 (row 22): the rewriter changed AVG into SUM."""
    joined = (
        "SELECT c.region, AVG(o.amount) FROM orders o JOIN customers c ON c.id = o.customer_id"
        " JOIN order_items i ON i.order_id = o.id GROUP BY c.region"
    )
    answer = peers(joined).ask("What is the average amount of orders per region?")
    assert answer.attempts[1].author == "rule"
    assert sorted(answer.rows) == [("APAC", 412.5), ("EMEA", 62.5), ("Emea", 50.0)]


def test_a_sum_that_a_join_multiplies_is_mended(peers: Make) -> None:
    """ai-tally#340, orionbelt-semantic-layer#258, jaffle-shop#1 (row 27): 100 became 300."""
    joined = (
        "SELECT SUM(o.amount) FROM orders o JOIN order_items i ON i.order_id = o.id WHERE o.id = 1"
    )
    answer = peers(joined).ask("What is the total amount of order 1?")
    assert answer.rows == ((Decimal("100.00"),),)
    alone = "SELECT SUM(o.amount), SUM(i.qty) FROM orders o JOIN order_items i ON i.order_id = o.id"
    answer = peers(alone).ask("What is the total amount of orders and the total qty of items?")
    assert answer.rows == ((Decimal("587.50"), 9),) or "fan_out" in codes(answer)


@pytest.mark.parametrize(
    ("sql", "question"),
    [
        (
            "SELECT COUNT(DISTINCT o.id) FROM orders o JOIN order_items i ON i.order_id = o.id",
            "How many orders have items?",
        ),
        (
            "SELECT SUM(i.qty * i.price) FROM orders o JOIN order_items i ON i.order_id = o.id",
            "What is the total of qty times price of all order items?",
        ),
    ],
)
def test_a_join_at_the_grain_of_its_measure_is_not_blamed(
    peers: Make, sql: str, question: str
) -> None:
    """orionbelt-analytics#85, DataJunction#1531, lightdash#15700, graphene#173 (row 28)."""
    answer = peers(sql).ask(question)
    assert (answer.outcome, answer.sql) == ("answered", sql)


def test_a_measure_of_a_sibling_table_is_not_taken_in_silence(peers: Make) -> None:
    """sqlcoder#75 (row 29): orders.amount was given for what was paid."""
    wrong = "SELECT id, amount FROM orders"
    right = "SELECT order_id, SUM(paid) AS paid FROM payments GROUP BY order_id"
    mended = peers(wrong, right).ask("What is the total paid per order?")
    assert sorted(mended.rows) == [(1, Decimal("100.00")), (2, Decimal("412.50"))]
    kept = peers(wrong).ask("What is the total paid per order?")
    assert kept.outcome == "answered_with_warnings"
    assert "payments.paid" in kept.text


def test_the_date_that_a_period_was_taken_by_is_said(peers: Make) -> None:
    """deeplethe/utopia#520 (row 30): one of two plausible dates was chosen without a word."""
    sql = f"SELECT COUNT(*) FROM orders WHERE {JANUARY}"
    answer = peers(sql).ask("How many orders in January?")
    assert answer.outcome == "answered"
    assert "taken by orders.order_date, not by ship_date" in " ".join(answer.assumptions)
    assert answer.assumptions[0].rstrip(".") in answer.text
    named = peers(sql).ask("How many orders were shipped in January?")
    assert "ship_date >=" in named.sql


def test_a_value_in_another_case_or_spelt_in_part_is_found(peers: Make) -> None:
    """cbioportal-mcp#56, micasa#196, db-agent#46 (row 31): 0 rows, or an undercount."""
    low = peers("SELECT COUNT(*) FROM customers WHERE region = 'emea'")
    assert low.ask("How many customers are in emea?").rows == ((2,),)
    one = peers("SELECT COUNT(*) FROM customers WHERE region = 'EMEA'")
    assert one.ask("How many customers are in EMEA?").rows == ((2,),)
    part = (
        "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.name = 'Frank'"
    )
    answer = peers(part).ask("Show the orders of Frank.")
    assert (answer.outcome, answer.rows) == ("answered_with_warnings", ((2,),))
    assert "Frank Muster" in answer.text


def test_no_rows_are_told_with_the_values_that_there_are(peers: Make) -> None:
    """langchain#1254, togomcp#212 (row 32): an empty result became an invented answer."""
    answer = peers("SELECT name FROM customers WHERE region = 'Mars'").ask("Who is in Mars?")
    assert answer.rows == ()
    assert answer.outcome == "answered_with_warnings"
    assert "no region = 'Mars'" in answer.text
    assert "EMEA" in answer.text


def test_a_sentence_with_other_numbers_than_the_rows_is_not_said() -> None:
    """llama_index#9523, datasette-chatgpt-plugin#2, arthur-engine#1552 (row 33): 412.5 → $4,125."""
    rows = Result(columns=(ResultColumn(name="revenue", type="DOUBLE"),), rows=((412.5,),))
    assert held_to_rows("Revenue was about $4,125.", rows) == "revenue: 412.5"
    assert held_to_rows("Revenue was about $412.", rows) == "Revenue was about $412."


def test_no_row_is_dropped_without_a_word(peers: Make) -> None:
    """llama_index#8149, langchain#13931 (row 34): the answer named some rows of many."""
    answer = peers("SELECT DISTINCT region FROM customers").ask("List all regions")
    assert all(r[0] in answer.text for r in answer.rows)
    many = peers("SELECT sku, qty, price FROM order_items").ask("List sku, qty and price of items.")
    assert many.text.startswith("6 rows; showing 5 of 6:")


def test_an_aggregate_over_nothing_is_told_as_nothing(peers: Make) -> None:
    """langchain (row 35): MAX over no rows is one NULL, which was read as data."""
    answer = peers("SELECT MAX(amount) FROM orders WHERE 1 = 0").ask("What is the maximum amount?")
    assert answer.text.startswith("There is no value to report: no row matched.")
    assert "None" not in answer.text
    assert answer.outcome == "answered_with_warnings"


def test_columns_of_one_name_are_both_there(peers: Make) -> None:
    """langchain-ibm#237, sqlite-utils#624, langchain#15360 (row 36): one of two ids was lost."""
    sql = "SELECT c.id, o.id FROM customers c JOIN orders o ON o.customer_id = c.id ORDER BY o.id"
    answer = peers(sql).ask("List customer id and order id of every order.")
    assert answer.rows == ((1, 1), (2, 2), (3, 3), (1, 4))
    assert len(answer.columns) == 2
    assert "- Id: 1; Id (2): 4" in answer.text


def test_a_question_about_nothing_in_the_data_gets_no_answer(peers: Make) -> None:
    """vanna#445, DB-GPT#875 (row 39): an unrelated query was run and its number told."""
    asked = peers("SELECT AVG(amount) FROM orders")
    answer = asked.ask("What is the average employee salary?")
    assert (answer.outcome, answer.rows, asked.engine.ran) == ("refused", (), [])
    assert "employee, salary" in answer.text


def test_running_out_of_attempts_is_no_empty_result(peers: Make) -> None:
    """agentic-sql-data-exploration#12, rocketride-server#1696 (row 40): told as "no results"."""
    asked = peers(*(f"SELECT frobnitz_{c} FROM customers" for c in "abc"))
    answer = asked.ask("Tell me the frobnitz of our customers.")
    assert (answer.outcome, asked.engine.ran, answer.rows) == ("failed", [], ())
    assert "frobnitz_a" in answer.text
    assert "2 repairs were tried" in answer.text
    assert "0 rows" not in answer.text


def test_a_cut_listing_is_never_told_as_a_count(peers: Make) -> None:
    """nao#863, metabase#82850, dbhub#404, WrenAI#1684 (row 41): the cap was told as the total."""
    listed = peers("SELECT id FROM orders")
    answer = listed.ask("How many orders are there?", budget=Budget(rows=2))
    assert answer.outcome == "answered_with_warnings"
    assert answer.text.startswith("The first 2 rows of more")
    limited = peers("SELECT id FROM orders LIMIT 2").ask("List all order ids.")
    assert len(limited.rows) == 4
    counted = peers("SELECT COUNT(*) FROM (SELECT id FROM orders LIMIT 2) AS t")
    assert counted.ask("How many orders are there?").rows == ((4,),)


def test_a_long_value_is_whole_in_the_rows_and_marked_where_it_is_cut(peers: Make) -> None:
    """langchain#6861 (row 42): values were cut at 300 characters in silence."""
    answer = peers("SELECT body FROM notes WHERE id = 1").ask("Show the body of note 1.")
    assert len(answer.rows[0][0]) == 1_000
    assert "… (999 characters)" in answer.text


def wide(tables: int, columns: int) -> Catalog:
    return Catalog(
        tables=(
            Table(
                name="turbine_outages",
                columns=(Column(name="outage_hours", type="DOUBLE"),),
                description="When a wind turbine stood still",
            ),
            Table(name="turbine_sites", columns=(Column(name="site_name", type="VARCHAR"),)),
            *(
                Table(
                    name=f"ledger_{i:03}",
                    columns=tuple(
                        Column(name=f"posting_{i:03}_{j:02}", type="INTEGER")
                        for j in range(columns)
                    ),
                )
                for i in range(tables - 2)
            ),
        )
    )


def retrieved(folder: Path, catalog: Catalog, question: str, tokens: int) -> Context:
    embedder = StaticEmbedder()
    store = open_store(folder, warehouse="w", fingerprint=embedder.fingerprint, folder=folder)
    sync(store, embedder, catalog=catalog, examples=(), facts=(), values=())
    retriever = Retriever(store, embedder, ValueIndex(store.values_path))
    return retriever.retrieve(question, catalog=catalog, budget_tokens=tokens)


def test_a_schema_beyond_the_context_is_cut_to_fit_and_says_what_it_dropped(tmp_path: Path) -> None:
    """langchain#5023, #4293, #15476, vanna#677, #868 (row 43): the schema overran the context."""
    catalog = wide(tables=400, columns=40)
    context = retrieved(tmp_path, catalog, "How many outage hours did turbines have?", 8_000)
    assert context.tables[0].name == "turbine_outages"
    assert sum(len(create_table(t)) for t in context.tables) / 3 < 8_000
    assert context.left_out
    assert len(context.tables) < 400


def test_a_large_result_stays_out_of_the_prompt_and_is_counted_whole(peers: Make) -> None:
    """langchain#2817, open-chat-studio#2428, ai-optimizer#351 (row 44): 64,849 rows in a prompt."""
    rows = "SELECT a.id FROM order_items AS o, UNNEST(range(10000)) AS a(id)"
    many = f"{rows} UNION ALL FROM range(5000)"
    asked = peers(many, many)
    answer = asked.ask("How many ids are there?", budget=Budget(rows=100_000))
    assert len(answer.rows) == 65_000
    assert "65,000 rows; showing 20 of 65,000" in answer.text
    assert len(answer.text) < 1_000
    assert max(len(p.user) for p in asked.model.prompts) < 6_000


def test_both_of_two_tables_are_found_among_sixty(tmp_path: Path) -> None:
    """sqlcoder#55 (row 45): 50 tables and more degraded the answers."""
    question = "How many outage hours did the turbines of each site have, by site name?"
    context = retrieved(tmp_path, wide(tables=60, columns=8), question, 900)
    assert {"turbine_outages", "turbine_sites"} <= {t.name for t in context.tables}


def test_a_result_that_was_cut_is_never_a_total_in_words() -> None:
    """nao#863 (row 41): 500 of 812 orders, told as 500."""
    rows = tuple((i,) for i in range(500))
    cut = Result(columns=(ResultColumn(name="id", type="INTEGER"),), rows=rows, truncated=True)
    assert say("How many orders?", cut).startswith("The first 500 rows of more; showing 20.")
