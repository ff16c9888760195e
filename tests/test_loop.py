from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from querymend import Agent, Budget
from querymend.testing import ScriptedModel
from querymend.tools.errors import (
    ModelUnavailable,
    SetupError,
)

Make = Callable[..., Agent]
Watch = Callable[..., tuple[Agent, Any]]
COUNT = "SELECT COUNT(*) FROM orders"


def fenced(sql: str) -> str:
    return f"```sql\n{sql}\n```"


def test_right_first_time(ask: Make) -> None:
    answer = ask(fenced(COUNT)).ask("How many orders are there?")
    assert (answer.outcome, answer.rows) == ("answered", ((4,),))
    assert (answer.cost.model_calls, len(answer.attempts)) == (1, 1)
    assert "4" in answer.text


def test_an_unknown_column_is_mended_by_rule_with_no_further_model_call(ask: Make) -> None:
    answer = ask(fenced("SELECT SUM(amnt) FROM orders")).ask("What is the total amount of orders?")
    assert [a.author for a in answer.attempts] == ["model", "rule"]
    assert answer.rows[0][0] == 185
    assert answer.cost.model_calls == 1


def test_what_no_rule_mends_is_mended_by_the_model(ask: Make) -> None:
    agent = ask("I would count the rows of the table.", fenced(COUNT))
    answer = agent.ask("How many orders are there?")
    assert (answer.outcome, answer.rows, answer.cost.model_calls) == ("answered", ((4,),), 2)
    assert answer.attempts[1].kept
    assert "no SQL" in answer.attempts[1].reason


def test_a_write_is_refused_by_the_gate_and_never_reaches_the_engine(
    ask: Make, watch: Watch
) -> None:
    agent, engine = watch(ask(ScriptedModel.forever(fenced("DELETE FROM orders"))))
    answer = agent.ask("How many orders are there?")
    assert answer.outcome == "refused"
    assert engine.ran == []


def test_the_same_wrong_query_for_ever_ends_for_lack_of_progress(ask: Make) -> None:
    agent = ask(ScriptedModel.forever(fenced("SELECT wibble_factor FROM customers")))
    answer = agent.ask("Tell me how our customers wibble.")
    assert answer.outcome == "failed"
    assert answer.cost.model_calls == 2
    assert "again" in answer.text


def test_running_out_of_repairs_is_told_as_a_failure_not_as_no_rows(ask: Make) -> None:
    wrong = [fenced(f"SELECT frobnitz_{i} FROM customers") for i in "abc"]
    answer = ask(*wrong).ask("Tell me the frobnitz of our customers.")
    assert answer.outcome == "failed"
    assert answer.rows == ()
    assert "2 repairs were tried" in answer.text


def test_an_engine_that_is_down_and_up_again_is_asked_again_as_it_is(
    ask: Make, watch: Watch
) -> None:
    agent, engine = watch(ask(fenced(COUNT)), away=1)
    answer = agent.ask("How many orders are there?")
    assert (answer.outcome, answer.cost.model_calls) == ("answered", 1)
    assert engine.ran == [COUNT, COUNT]


def test_an_engine_that_stays_down_is_a_failure_that_says_so(ask: Make, watch: Watch) -> None:
    agent, engine = watch(ask(fenced(COUNT)), away=99)
    answer = agent.ask("How many orders are there?")
    assert (answer.outcome, len(engine.ran)) == ("failed", 3)
    assert "throttled" in answer.text


def test_a_model_that_is_down_and_up_again_is_asked_again(ask: Make) -> None:
    answer = ask(ModelUnavailable("429"), fenced(COUNT)).ask("How many orders are there?")
    assert answer.outcome == "answered"


def test_a_model_that_stays_down_is_a_failure_that_says_so(ask: Make) -> None:
    agent = ask(ScriptedModel.forever(ModelUnavailable("The endpoint answered 500.")))
    answer = agent.ask("How many orders are there?")
    assert answer.outcome == "failed"
    assert "500" in answer.text


def test_a_model_that_is_set_up_wrong_is_the_developers_business(ask: Make) -> None:
    agent = ask(ScriptedModel.forever(SetupError("401", setting="QUERYMEND_MODEL__API_KEY")))
    with pytest.raises(SetupError):
        agent.ask("How many orders are there?")


def test_the_second_question_on_a_thread_stands_alone(ask: Make) -> None:
    first = fenced("SELECT wibble_factor FROM customers")
    opened = ask(first, first, fenced(COUNT))
    agent = Agent(opened._warehouse, checkpointer=InMemorySaver())
    assert agent.ask("Tell me how our customers wibble.", thread="t").outcome == "failed"
    second = agent.ask("How many orders are there?", thread="t")
    assert (second.outcome, len(second.attempts)) == ("answered", 1)


def test_a_draft_runs_nothing_until_told_and_then_once(ask: Make, watch: Watch) -> None:
    agent, engine = watch(ask(fenced(COUNT)))
    draft = agent.ask("How many orders are there?", run=False)
    assert (draft.sql, engine.ran) == (COUNT, [])
    assert draft.run().rows == ((4,),)
    assert draft.run().rows == ((4,),)
    assert engine.ran == [COUNT]


def test_a_draft_of_a_write_cannot_be_run(ask: Make, watch: Watch) -> None:
    agent, engine = watch(ask(ScriptedModel.forever(fenced("DROP TABLE orders"))))
    draft = agent.ask("How many orders are there?", run=False)
    assert (draft.outcome, draft.run().outcome, engine.ran) == ("refused", "refused", [])


def test_without_repairs_it_is_the_single_pass_pipeline(ask: Make) -> None:
    agent = ask(fenced("SELECT SUM(amnt) FROM orders"))
    answer = agent.ask("What is the total amount?", budget=Budget(max_repairs=0))
    assert (answer.outcome, len(answer.attempts), answer.cost.model_calls) == ("failed", 1, 1)


def test_a_worse_repair_does_not_replace_a_better_attempt(ask: Make) -> None:
    good = "SELECT name FROM customers WHERE region = 'Mars'"
    worse = [fenced(f"SELECT {name} FROM klients") for name in ("nom", "prenom")]
    answer = ask(fenced(good), *worse).ask("Which customers are in the region Mars?")
    assert answer.sql == good
    assert answer.outcome == "answered_with_warnings"


def test_the_deadline_ends_the_loop_and_says_so(ask: Make) -> None:
    agent = ask(fenced(COUNT))
    answer = agent.ask("How many orders are there?", budget=Budget(seconds=1e-9))
    assert answer.outcome == "failed"
    assert "time budget" in answer.text


def test_a_join_that_may_repeat_rows_is_a_warning_where_no_probe_can_run(
    ask: Make, watch: Watch
) -> None:
    sql = "SELECT SUM(o.amount) FROM orders o JOIN items i ON i.order_id = o.id"
    agent, _ = watch(ask(ScriptedModel.forever(fenced(sql))), most=1)
    answer = agent.ask("What is the total amount of all orders?")
    assert answer.outcome == "answered_with_warnings"
    assert "fan_out" in {f.code for f in answer.warnings}
