"""Public fault reports about reading a reply, names, quotes and dialect: what happens here instead.

Each test says which report it answers (its thread, and its row in a survey of such reports).
"""

from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from querymend import Scope
from querymend.model.reply import read_reply
from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.sql.checks import check
from querymend.tools.sql.functions import words
from querymend.tools.sql.gate import admit
from querymend.tools.sql.limits import cap

Make = Callable[..., Any]
SALES = Catalog(
    tables=(
        Table(name="SalesRegion", columns=(Column(name="id", type="INTEGER"),)),
        Table(
            name="orders",
            columns=(Column(name="id", type="INTEGER"), Column(name="order_date", type="DATE")),
        ),
    )
)


def fenced(sql: str, tag: str = "sql") -> str:
    return f"```{tag}\n{sql}\n```"


def test_several_ctes_are_read_whole(peers: Make) -> None:
    """vanna#751 (row 1): extraction started in the middle of a second CTE."""
    sql = "WITH a AS (SELECT id FROM orders), b AS (SELECT id FROM a) SELECT COUNT(*) FROM b"
    answer = peers(fenced(sql)).ask("How many orders are there?")
    assert (answer.sql, answer.rows) == (sql, ((4,),))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) FROM customers GROUP BY region WITH ROLLUP",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM orders",
        "SELECT CAST(paid_at AS TIMESTAMP WITH TIME ZONE) FROM payments",
    ],
)
def test_a_with_inside_a_query_does_not_begin_one(sql: str) -> None:
    """vanna#834, #512 (row 2): WITH ROLLUP, WITHIN GROUP and WITH TIME ZONE began a new query."""
    assert read_reply(sql).sql == sql
    assert read_reply(f"Here it is:\n{fenced(sql)}").sql == sql


def test_an_intermediate_query_is_not_taken_for_the_answer(peers: Make) -> None:
    """vanna#718, #588 (row 3): a first fence and an intermediate query got into the SQL."""
    probe = fenced("-- intermediate_sql\nSELECT DISTINCT region FROM customers")
    final = "SELECT COUNT(*) FROM customers WHERE region = 'APAC'"
    for reply in (f"{probe}\nThen:\n{fenced(final)}", f"{fenced(final)}\nFirst:\n{probe}"):
        assert peers(reply).ask("How many customers are in APAC?").sql == final


def test_a_thought_is_no_query(peers: Make) -> None:
    """vanna PR#882 (row 4): a SELECT inside <think> broke the extraction."""
    reply = f"<think>maybe SELECT 1 FROM notes</think>\n{fenced('SELECT COUNT(*) FROM orders')}"
    assert peers(reply).ask("How many orders are there?").rows == ((4,),)


def test_prose_and_fences_of_any_case_never_reach_the_engine(peers: Make) -> None:
    """llama_index#7865, #13505, #13491, #14416 (row 5): prose and the word sql were executed."""
    sql = "SELECT COUNT(*) FROM orders"
    asked = peers(f"Here you go:\n{fenced(sql, 'SQL')}\nHope it helps")
    assert asked.ask("How many orders are there?").rows == ((4,),)
    assert asked.engine.ran == [sql]


def test_a_label_before_the_query_is_taken_off(peers: Make) -> None:
    """langchain#12077 (row 6): "SQLQuery:" was sent to Athena."""
    asked = peers("SQLQuery: SELECT COUNT(*) FROM orders")
    asked.ask("How many orders are there?")
    assert asked.engine.ran == ["SELECT COUNT(*) FROM orders"]


@pytest.mark.parametrize(
    "sql", ["SELECT *\nFROM\norders", "SELECT id -- a\n, amount\nFROM orders -- b"]
)
def test_lines_are_never_joined(peers: Make, sql: str) -> None:
    """DB-GPT#313 (row 7): FROMorders; a comment swallowed the line after it."""
    asked = peers(fenced(sql))
    assert len(asked.ask("List the orders.").rows) == 4
    assert asked.engine.ran[0] == sql


def test_a_semicolon_in_a_literal_does_not_cut_the_query(peers: Make) -> None:
    """vanna 0.x (row 8): the first semicolon ended the statement wherever it stood."""
    sql = "SELECT COUNT(*) FROM notes WHERE body = 'a;b'"
    asked = peers(fenced(sql + ";"))
    asked.ask("How many notes say 'a;b'?")
    assert asked.engine.ran[0] == sql


def test_curly_braces_of_data_do_not_break_the_prompt(peers: Make) -> None:
    """langchain#13055, #18210 (row 9): braces in examples or comments crashed the template."""
    asked = peers("SELECT COUNT(*) FROM notes")
    given = 'A note may hold {"a": 1}, {x} or {% if y %}.'
    answer = asked.ask("How many notes hold {z}?", facts=[given])
    shown = asked.model.prompts[0].user
    assert answer.rows == ((2,),)
    assert given in shown
    assert "may hold {x} and {{ y }}" in shown


def test_an_invented_column_is_caught_before_the_run_with_the_nearest(peers: Make) -> None:
    """langchain#18495, #12458, vscode#317355 (row 10): invented columns failed at the engine."""
    asked = peers("SELECT SUM(amnt) FROM orders")
    first = asked.ask("What is the total revenue per customer?").attempts[0]
    assert [f.code for f in first.findings] == ["unknown_column"]
    assert "orders.amount" in first.findings[0].hint
    assert not any("amnt" in sql for sql in asked.engine.ran)


def test_a_missing_table_is_told_with_those_that_exist(peers: Make) -> None:
    """holoviz/lumen#1890 (row 11): the retry did not say which tables there are."""
    asked = peers("SELECT foo FROM lines")
    asked.ask("Tell me the foo of the lines of our orders.")
    assert "order_items" in asked.model.prompts[1].user.split("does not answer it yet")[1]


@pytest.mark.parametrize("name", ["'orders'", '"orders\n"', '" orders"', "`orders`", '"ORDERS"'])
def test_a_table_in_odd_quotes_is_the_table(peers: Make, name: str) -> None:
    """langchain#25122, #12911 (row 12): a newline or quotes around a name were "not found"."""
    answer = peers(f"SELECT COUNT(*) FROM {name}").ask("How many orders are there?")
    assert (answer.outcome, answer.rows) == ("answered", ((4,),))


@pytest.mark.parametrize(
    ("sql", "question"),
    [
        ('SELECT COUNT(*) FROM "OrderFlags"', "How many order flags are there?"),
        ("SELECT COUNT(*) FROM OrderFlags", "How many order flags are there?"),
        ("SELECT COUNT(*) FROM orderflags", "How many order flags are there?"),
    ],
)
def test_a_mixed_case_table_is_found(peers: Make, sql: str, question: str) -> None:
    """llama_index#7294 (row 13): a table of mixed case was not quoted and not found."""
    assert peers(sql).ask(question).rows == ((2,),)


def test_the_case_of_a_name_does_not_matter_and_hints_give_the_true_one(peers: Make) -> None:
    """wren-engine#1319 (row 14): a table in Pascal case was not found."""
    answer = peers("SELECT SUM(TARGET) FROM salesregion").ask("What is the total target of sales?")
    assert answer.rows == ((30,),)
    (finding,) = check("SELECT id FROM salesregions", dialect="athena", catalog=SALES)
    assert "SalesRegion" in finding.hint


def test_a_reserved_word_as_a_column_gets_its_quotes(peers: Make) -> None:
    """WrenAI#504, panther MCP#78 (row 15): end, start and order went out without quotes."""
    answer = peers('SELECT AVG(end - "start") FROM events').ask(
        "What is the average duration of events?"
    )
    assert answer.outcome == "answered"
    assert answer.sql == 'SELECT AVG("end" - "start") FROM events'
    assert (answer.rows[0][0].total_seconds(), answer.cost.model_calls) == (3 * 3600, 1)
    events = Catalog(tables=(Table(name="events", columns=(Column(name="end", type="DATE"),)),))
    (finding,) = check("SELECT max(e.end) FROM events e", dialect="athena", catalog=events)
    assert finding.fix == 'SELECT MAX(e."end") FROM events AS e'


def test_every_word_that_is_held_reserved_is_one_that_the_engine_refuses() -> None:
    """WrenAI#504 (row 15): the list is DuckDB's own, so that no good name is refused."""
    connection = duckdb.connect()
    for word in sorted(words("reserved_duckdb")):
        connection.execute(f'CREATE OR REPLACE TABLE t ("{word}" INTEGER)')
        with pytest.raises(duckdb.Error):
            connection.execute(f"SELECT {word} FROM t")


def test_names_and_values_of_any_script_survive(peers: Make) -> None:
    """WrenAI#1694, #474, #1374 (row 16): Unicode identifiers or literals broke."""
    assert peers("SELECT SUM(金額) FROM 注文").ask("total 金額").rows == ((12,),)
    there = "SELECT SUM(金額) FROM 注文 WHERE 場所 = '東京'"
    asked = peers(there)
    assert asked.ask("total 金額 in 東京").rows == ((5,),)
    assert asked.engine.ran[0] == there


@pytest.mark.parametrize("dialect", ["duckdb", "athena"])
def test_a_function_keeps_the_case_it_was_written_in(dialect: str) -> None:
    """WrenAI#1643 (row 17): toStartOfMonth became TOSTARTOFMONTH."""
    sql = "SELECT Date_Trunc('month', order_date), Count(*) FROM orders GROUP BY 1"
    assert admit(sql, dialect=dialect, catalog=SALES).sql == sql
    assert "toStartOfMonth(x)" in cap("SELECT toStartOfMonth(x) FROM t", 10, dialect)


def test_a_colon_in_a_literal_is_no_parameter(peers: Make) -> None:
    """atlan application-sdk#2722, LangChain (row 24): ":open" became a bind parameter."""
    asked = peers("SELECT 'time 10:30 :open' AS label, COUNT(*) FROM orders")
    answer = asked.ask("How many orders are there? Label it 'time 10:30 :open'.")
    assert answer.rows == (("time 10:30 :open", 4),)


def test_only_tables_are_taken_for_tables(peers: Make) -> None:
    """llama_index (row 25): a schema was put before the column of EXTRACT(… FROM column)."""
    sql = "SELECT EXTRACT(YEAR FROM order_date) AS year, 'x FROM y' AS t FROM orders ORDER BY 1"
    scope = Scope(tables={"orders": ("id", "order_date")})
    assert [r[0] for r in peers(sql).ask("List year and t of all orders.", scope=scope).rows] == [
        2025,
        2026,
        2026,
        2026,
    ]
    starred = "SELECT *, EXTRACT(YEAR FROM order_date) AS year FROM orders"
    answer = peers(starred).ask("List all orders with their year.", scope=scope)
    assert [c.name for c in answer.columns] == ["id", "order_date", "year"]
