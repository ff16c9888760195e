from collections.abc import Callable

import pytest

from querymend import Agent, Answer, Budget
from querymend.testing import ScriptedModel

Make = Callable[..., Agent]


def fenced(sql: str) -> str:
    return f"```sql\n{sql}\n```"


SALARY = "What is the average salary of our customers?"


def doubted(answer: Answer) -> bool:
    return "unknown_words" in [f.code for f in answer.findings if f.severity == "warn"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT AVG(salary) FROM salary_fact",
        "SELECT AVG(salary) FROM customers JOIN salary_fact USING (id)",
    ],
)
def test_a_noun_that_the_warehouse_lacks_is_refused_where_no_query_for_it_can_be_made(
    ask: Make, sql: str
) -> None:
    answer = ask(ScriptedModel.forever(fenced(sql))).ask(SALARY)
    assert answer.outcome == "refused"
    assert "salary" in answer.text
    assert answer.rows == ()


def test_what_a_second_query_reads_for_such_a_noun_is_answered_and_doubted(ask: Make) -> None:
    """Which of them is a synonym, and which is another thing, nothing here can tell."""
    model = ScriptedModel(
        fenced("SELECT COUNT(*) FROM punter_fact JOIN punter_dim USING (punter_id)"),
        fenced("SELECT COUNT(*) FROM customers WHERE region = 'EMEA'"),
    )
    answer = ask(model).ask("How many punters are in the region EMEA?")
    assert answer.outcome == "answered_with_warnings"
    assert answer.rows == ((2,),)
    assert doubted(answer)


def test_a_slip_of_the_pen_says_nothing_of_what_the_query_is_about(ask: Make) -> None:
    model = ScriptedModel.forever(fenced("SELECT AVG((amount FROM orders WHERE GROUP"))
    assert ask(model).ask(SALARY).outcome == "failed"


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
    sql = "SELECT customer_id FROM orders GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1"
    model = ScriptedModel.forever(fenced(sql))
    assert doubted(ask(model).ask("Which salesperson had the most orders?"))


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


def test_a_single_pass_that_falls_has_failed_and_proves_nothing(ask: Make) -> None:
    agent = ask(ScriptedModel.forever(fenced("SELECT AVG(salary) FROM customers")))
    answer = agent.ask("What is their average salary, by customer?", budget=Budget(max_repairs=0))
    assert answer.outcome == "failed"
