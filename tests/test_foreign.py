from collections.abc import Callable

import pytest

from querymend import Agent
from querymend.testing import ScriptedModel

Make = Callable[..., Agent]


def fenced(sql: str) -> str:
    return f"```sql\n{sql}\n```"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT AVG(salary) FROM customers",
        "SELECT AVG(amount) FROM orders WHERE clerk_grade = 3",
        "SELECT AVG(amount) FROM orders JOIN salary_fact USING (order_id)",
    ],
)
def test_a_noun_that_the_warehouse_lacks_is_refused_once_the_query_falls(
    ask: Make, sql: str
) -> None:
    answer = ask(ScriptedModel.forever(fenced(sql))).ask(
        "What is the average salary of our customers?"
    )
    assert answer.outcome == "refused"
    assert "salary" in answer.text
    assert answer.rows == ()
    assert answer.cost.model_calls == 1


def test_a_noun_that_a_known_word_stands_before_is_refused_only_if_the_query_makes_it_up(
    ask: Make,
) -> None:
    question = "Which region courier brought the most orders?"
    made_up = fenced("SELECT courier_name FROM orders GROUP BY courier_name LIMIT 1")
    assert ask(ScriptedModel.forever(made_up)).ask(question).outcome == "refused"
    other = fenced("SELECT region FROM customers GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1")
    answer = ask(ScriptedModel.forever(other)).ask(question)
    assert answer.outcome.startswith("answered")
    assert "unknown_words" not in [f.code for f in answer.findings]


def test_a_person_named_by_what_they_do_is_no_such_thing(ask: Make) -> None:
    sql = "SELECT id FROM orders WHERE clerk_grade = 3 GROUP BY id LIMIT 1"
    answer = ask(ScriptedModel.forever(fenced(sql))).ask("Which salesperson had the most orders?")
    assert answer.outcome == "refused"


def test_it_is_doubted_where_the_query_stands(ask: Make) -> None:
    answer = ask(fenced("SELECT AVG(amount) FROM orders")).ask("What is the average salary?")
    assert answer.outcome == "answered_with_warnings"
    assert [f.code for f in answer.findings if f.severity == "warn"] == ["unknown_words"]


def test_a_synonym_of_what_the_query_reads_is_neither(ask: Make) -> None:
    sql = "SELECT COUNT(*) FROM customers WHERE region = 'EMEA'"
    answer = ask(ScriptedModel.forever(fenced(sql))).ask("How many clients are in the region EMEA?")
    assert "unknown_words" not in [f.code for f in answer.findings]


def test_a_caller_s_own_sql_is_not_held_against_the_words(ask: Make) -> None:
    draft = ask(fenced("SELECT AVG(amount) FROM orders")).ask("Average salary?", run=False)
    assert draft.run().rows
