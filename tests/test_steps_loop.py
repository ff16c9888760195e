"""Whole runs of questions with several steps: the model is scripted, all else is real."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from querymend import Agent, Budget
from querymend.events import StepRan
from querymend.testing import ScriptedModel
from querymend.trace import Trace

Make = Callable[..., Agent]
Watch = Callable[..., tuple[Agent, Any]]
GROWTH = "By how much did the amount of orders in June 2026 exceed that in May 2026?"
JUNE = "SELECT SUM(amount) FROM orders WHERE order_date BETWEEN '2026-06-01' AND '2026-06-30'"
MAY = "SELECT SUM(amount) FROM orders WHERE order_date BETWEEN '2026-05-01' AND '2026-05-31'"
NONSENSE = "SELECT SUM(a.amount) - SUM(b.amount) FROM orders AS a ON a.id FROM orders AS b"


def fenced(sql: str) -> str:
    return f"```sql\n{sql}\n```"


def test_a_question_whose_first_query_fails_is_answered_step_by_step(ask: Make) -> None:
    model = ScriptedModel(fenced(NONSENSE), fenced(JUNE), fenced(MAY))
    answer = ask(model).ask(GROWTH)
    assert answer.rows == ((-25,),)
    assert [a.step for a in answer.attempts] == ["", "value_june_2026", "value_may_2026", ""]
    assert (answer.cost.model_calls, model.left) == (3, 0)
    assert [p.kind for p in model.prompts] == ["generate", "step", "step"]
    assert answer.sql.startswith("WITH value_june_2026 AS (")


def test_a_step_that_is_wrong_is_mended_before_the_next_is_written(ask: Make) -> None:
    wrong = JUNE.replace("amount", "amnt")
    answer = ask(fenced(NONSENSE), fenced(wrong), fenced(MAY)).ask(GROWTH)
    assert answer.rows == ((-25,),)
    assert [(a.step, a.author) for a in answer.attempts[1:4]] == [
        ("value_june_2026", "model"),
        ("value_june_2026", "rule"),
        ("value_may_2026", "model"),
    ]
    fault = answer.attempts[1].findings[0]
    assert fault.step == "value_june_2026"
    assert fault.message.startswith("Step value_june_2026: ")


def test_nothing_is_written_after_a_step_that_cannot_be_mended(ask: Make) -> None:
    model = ScriptedModel(fenced(NONSENSE), "I do not know.", fenced(NONSENSE))
    answer = ask(model).ask(GROWTH)
    assert answer.outcome == "failed"
    assert [p.kind for p in model.prompts] == ["generate", "step", "repair"]


def test_steps_run_bounded_through_the_gate(ask: Make, watch: Watch) -> None:
    agent, engine = watch(ask(fenced(NONSENSE), fenced(JUNE), fenced(MAY)))
    agent.ask(GROWTH)
    assert [sql.endswith(" LIMIT 201") for sql in engine.ran] == [True, True, False]
    agent, engine = watch(ask(fenced(NONSENSE), fenced("DELETE FROM orders"), fenced(JUNE)))
    agent.ask(GROWTH)
    assert not any("DELETE" in sql for sql in engine.ran)


def test_step_runs_are_events_of_their_own_and_are_counted(ask: Make) -> None:
    agent = ask(fenced(NONSENSE), fenced(JUNE), fenced(MAY))
    events = list(agent.stream(GROWTH))
    steps = [e for e in events if isinstance(e, StepRan)]
    assert [(s.step, s.row_count) for s in steps] == [("value_june_2026", 1), ("value_may_2026", 1)]
    assert events[-1].answer.cost.queries == 3  # type: ignore[union-attr]


def test_steps_that_the_budget_has_no_room_for_are_not_begun(ask: Make) -> None:
    model = ScriptedModel(fenced(NONSENSE), fenced(JUNE))
    answer = ask(model).ask(GROWTH, budget=Budget(max_repairs=1))
    assert [p.kind for p in model.prompts] == ["generate", "repair"]
    assert not any(a.step for a in answer.attempts)


def test_the_single_pass_pipeline_and_the_setting_leave_steps_alone(ask: Make) -> None:
    answer = ask(fenced(NONSENSE)).ask(GROWTH, budget=Budget(max_repairs=0))
    assert (answer.outcome, len(answer.attempts)) == ("failed", 1)
    model = ScriptedModel(fenced(NONSENSE), fenced(JUNE), fenced(JUNE))
    ask(model, steps=False).ask(GROWTH)
    assert model.prompts[1].kind == "repair"


def test_a_right_first_query_is_not_taken_apart(ask: Make, watch: Watch) -> None:
    agent, engine = watch(ask(fenced(f"SELECT ({JUNE}) - ({MAY})")))
    answer = agent.ask(GROWTH)
    assert (answer.rows, answer.cost.model_calls, len(engine.ran)) == (((-25,),), 1, 1)


def test_what_is_chosen_first_is_broken_down_by_rule(ask: Make) -> None:
    question = "What was the amount of the top 2 customers by amount, broken down by status?"
    wrong = "SELECT name, status FROM orders AS o JOIN customers AS o ON o.id = o.id ORDER ("
    step = (
        "SELECT c.name, SUM(o.amount) AS amount FROM orders AS o JOIN customers AS c"
        " ON c.id = o.customer_id GROUP BY c.name ORDER BY amount DESC LIMIT 2"
    )
    answer = ask(fenced(wrong), fenced(step)).ask(question)
    assert sorted(answer.rows) == [("Ann", "paid", 150), ("Bob", "open", 25)]


BEYOND = "Which customers had more amount than the average customer?"
EACH = "SELECT customer_id, SUM(amount) AS total FROM orders {where} GROUP BY customer_id"
REST = "SELECT customer_id FROM t WHERE total > (SELECT AVG(total) FROM t)"


def test_a_column_that_the_step_before_does_not_offer_is_told_with_what_it_offers(
    ask: Make, watch: Watch
) -> None:
    sql = f"WITH t AS ({EACH.format(where='')}), u AS (SELECT region, total FROM t) SELECT * FROM u"
    agent, engine = watch(ask(ScriptedModel.forever(fenced(sql))))
    first = agent.ask(BEYOND).attempts[0]
    fault = next(f for f in first.findings if f.severity == "block")
    assert (fault.step, fault.clause) == ("u", "region")
    assert "No table in sight has a column region" in fault.message
    qualified = sql.replace("SELECT region", "SELECT t.region")
    agent, engine = watch(ask(ScriptedModel.forever(fenced(qualified))))
    fault = agent.ask(BEYOND).attempts[0].findings[0]
    assert fault.message == "Step u: The step t offers no column region."
    assert fault.hint.startswith(
        "It offers customer_id, total. Column region is in table customers"
    )
    assert qualified not in engine.ran


def test_an_empty_step_is_told_and_the_whole_does_not_run(ask: Make, watch: Watch) -> None:
    sql = (
        f"WITH t AS ({EACH.format(where=chr(10).join(['WHERE status = ', repr('payed')]))}) {REST}"
    )
    agent, engine = watch(ask(ScriptedModel.forever(fenced(sql))))
    answer = agent.ask(BEYOND)
    assert answer.attempts[0].summary is None
    fault = next(f for f in answer.attempts[0].findings if f.code == "empty_result")
    assert fault.step == "t"
    assert engine.ran[0].startswith("SELECT customer_id, SUM(amount) AS total FROM orders")
    assert engine.ran[0].endswith("LIMIT 201")


def test_each_step_of_a_query_runs_bounded_before_the_whole(ask: Make, watch: Watch) -> None:
    sql = f"WITH t AS ({EACH.format(where='')}) {REST}"
    agent, engine = watch(ask(fenced(sql)))
    answer = agent.ask(BEYOND)
    assert (answer.rows, answer.cost.model_calls) == (((1,),), 1)
    assert [r.endswith("LIMIT 201") for r in engine.ran] == [True, False]


def test_a_query_for_a_question_of_one_step_runs_once_whatever_steps_it_has(
    ask: Make, watch: Watch
) -> None:
    sql = f"WITH t AS ({EACH.format(where='')}) SELECT SUM(total) FROM t"
    agent, engine = watch(ask(fenced(sql)))
    agent.ask("What is the total amount of all orders?")
    assert engine.ran == [sql]


def test_the_step_at_fault_alone_is_mended_by_rule(ask: Make) -> None:
    faulty = "SELECT customer_id, SUM(amnt) AS total FROM orders GROUP BY customer_id"
    sql = f"WITH t AS ({faulty}) SELECT nam, total FROM t JOIN customers ON id = customer_id"
    answer = ask(fenced(sql)).ask("What are the names and totals of our customers?")
    assert answer.cost.model_calls == 1
    assert sorted(answer.rows) == [("Ann", 150), ("Bob", 25), ("Cleo", 10)]


def test_the_model_writes_the_step_at_fault_alone_and_sees_those_before_it(ask: Make) -> None:
    first = "SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id"
    sql = (
        f"WITH t AS ({first}), u AS (SELECT getenv('HOME') AS region, total FROM t) SELECT * FROM u"
    )
    mended = (
        "SELECT region, SUM(total) AS total FROM t JOIN customers ON id = customer_id GROUP BY 1"
    )
    model = ScriptedModel(fenced(sql), fenced(mended))
    answer = ask(model).ask("What is the total amount of each customer region?")
    assert sorted(answer.rows) == [("APAC", 25), ("EMEA", 160)]
    assert model.prompts[1].kind == "step"
    shown = model.prompts[1].user
    assert "CREATE TABLE t (\n  customer_id INTEGER," in shown
    assert "FOREIGN KEY (customer_id) REFERENCES orders(customer_id)" in shown
    assert "Write only the query of the step u" in shown
    assert answer.sql.startswith("WITH t AS (")
    assert answer.attempts[1].reason.startswith("step u: ")


def test_a_reply_that_repeats_the_steps_before_it_does_not_change_them(ask: Make) -> None:
    first = "SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id"
    sql = (
        f"WITH t AS ({first}), u AS (SELECT getenv('HOME') AS region, total FROM t) SELECT * FROM u"
    )
    again = "WITH t AS (SELECT 1 AS customer_id, 7 AS total), u AS (SELECT total FROM t) SELECT 0"
    answer = ask(fenced(sql), fenced(again)).ask("What is the total amount of each customer?")
    assert sorted(answer.rows) == [(10,), (25,), (150,)]


def test_what_the_first_query_chose_rightly_is_not_asked_for_again(ask: Make) -> None:
    question = "What was the amount of the top 2 customers by amount, broken down by status?"
    top = "SELECT customer_id FROM orders GROUP BY customer_id ORDER BY SUM(amount) DESC LIMIT 2"
    sql = f"WITH t AS ({top}) SELECT x.name, SUM(q.amount) FROM t JOIN orders AS o ON t.a = x.b"
    answer = ask(fenced(sql)).ask(question)
    assert sorted(answer.rows) == [(1, "paid", 150), (2, "open", 25)]
    assert answer.cost.model_calls == 1
    assert answer.attempts[1].step == "top_customers"


def test_a_draft_runs_no_step(ask: Make, watch: Watch) -> None:
    agent, engine = watch(ask(ScriptedModel.forever(fenced(NONSENSE))))
    agent.ask(GROWTH, run=False)
    good = f"WITH a AS ({JUNE}), b AS ({MAY}) SELECT (FROM a) - (FROM b)"
    watched, other = watch(ask(ScriptedModel.forever(fenced(good))))
    draft = watched.ask(GROWTH, run=False)
    assert (engine.ran, other.ran) == ([], [])
    assert draft.run().rows == ((-25,),)


def test_the_trace_tells_what_each_step_did_and_no_rows(ask: Make, tmp_path: Path) -> None:
    opened = ask(fenced(NONSENSE), fenced(JUNE), fenced(MAY))
    file = tmp_path / "trace.jsonl"
    Agent(opened._warehouse, trace=Trace(file)).ask(GROWTH)
    told = [json.loads(line) for line in file.read_text().splitlines()]
    steps = [t for t in told if t["stage"] == "step" and "sql" in t]
    assert [(s["step"], s["rows"]) for s in steps] == [
        ("value_june_2026", 1),
        ("value_may_2026", 1),
    ]


def test_an_answer_put_together_is_as_sure_as_all_its_steps_are(ask: Make) -> None:
    answer = ask(fenced(NONSENSE), fenced(JUNE), fenced(MAY)).ask(GROWTH)
    alone = [
        ask(fenced(sql)).ask(f"What was the amount of orders in {month} 2026?").confidence
        for sql, month in ((JUNE, "June"), (MAY, "May"))
    ]
    assert alone[0]
    assert alone[1]
    assert answer.confidence == pytest.approx(alone[0] * alone[1], rel=0.05)


def test_a_percentage_put_together_from_steps_is_doubted(ask: Make) -> None:
    whole = "SELECT COUNT(DISTINCT id) FROM orders"
    part = f"{whole} WHERE status = 'paid'"
    model = ScriptedModel(fenced(NONSENSE), fenced(part), fenced(whole))
    answer = ask(model).ask("What percentage of the orders were paid?")
    assert answer.rows == ((75.0,),)
    assert answer.outcome == "answered_with_warnings"
    assert [f.code for f in answer.findings if f.severity == "warn"] == ["built_by_steps"]
