"""Whole questions through real pyathena against a server on the wire."""

import asyncio
from collections.abc import Callable

import pytest

from querymend import Agent, Budget, Scope, SetupError
from querymend.tools.engines.wire.faults import Fault
from querymend.tools.engines.wire.server import AthenaStandIn

QUESTION = "How many orders were placed on 2026-07-03?"
RIGHT = "SELECT COUNT(*) AS orders FROM orders WHERE dt = '2026-07-03'"
ALL = "SELECT COUNT(*) AS orders FROM orders"
Make = Callable[..., Agent]


def stopped(server: AthenaStandIn) -> bool:
    return server.running() == []


def test_right_first_time(agent_on: Make, lake: AthenaStandIn) -> None:
    answer = agent_on(RIGHT).ask(QUESTION)
    assert (answer.outcome, answer.rows) == ("answered", ((600,),))
    assert len(answer.cost.query_ids) == answer.cost.queries == 1
    assert answer.cost.bytes_scanned is not None
    assert answer.cost.usd is not None
    assert answer.cost.reused == 0
    assert stopped(lake)


def test_an_unknown_column_is_mended(agent_on: Make, lake: AthenaStandIn) -> None:
    wrong = "SELECT SUM(worth) AS total FROM orders WHERE dt = '2026-07-03'"
    right = "SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-03'"
    agent = agent_on(wrong, right)
    answer = agent.ask("What was the total amount of orders on 2026-07-03?")
    assert answer.sql == right
    assert [len(row) for row in answer.rows] == [1]
    assert answer.cost.queries == 1
    assert stopped(lake)


def test_a_missing_partition_predicate_is_asked_for_above_the_byte_budget(
    agent_on: Make, lake: AthenaStandIn
) -> None:
    wide = (
        "SELECT SUM(amount) AS total FROM orders WHERE CAST(ordered_at AS date) = DATE '2026-07-03'"
    )
    narrow = "SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-03'"
    agent = agent_on(wide, narrow, budget={"bytes": 60_000_000})
    answer = agent.ask("What was the total amount of orders on 2026-07-03?")
    assert [a.sql for a in answer.attempts] == [wide, narrow]
    assert answer.sql == narrow
    assert any(
        f.code == "partition_scan" and f.severity == "repair" for f in answer.attempts[0].findings
    )
    assert len(answer.cost.query_ids) == 1
    assert stopped(lake)


def test_a_scan_within_the_budget_is_only_noted(agent_on: Make) -> None:
    answer = agent_on(ALL).ask("How many orders are there?")
    assert answer.outcome == "answered"
    assert [f.severity for f in answer.findings if f.code == "partition_scan"] == ["note"]


def test_throttled_twice_is_answered(agent_on: Make, lake: AthenaStandIn) -> None:
    agent = agent_on(RIGHT)
    before = lake.operations().count("StartQueryExecution")
    lake.fault(Fault("throttle", times=2, on="StartQueryExecution"))
    answer = agent.ask(QUESTION)
    assert (answer.outcome, answer.rows) == ("answered", ((600,),))
    assert lake.operations().count("StartQueryExecution") == before + 3
    assert stopped(lake)


def test_throttled_for_ever_fails_after_three_tries(agent_on: Make, lake: AthenaStandIn) -> None:
    agent = agent_on(RIGHT)
    before = lake.operations().count("StartQueryExecution")
    lake.fault(Fault("throttle", times=None, on="StartQueryExecution"))
    answer = agent.ask(QUESTION)
    assert answer.outcome == "failed"
    assert [f.code for f in answer.findings] == ["engine_unavailable"]
    assert lake.operations().count("StartQueryExecution") == before + 3


def test_a_passed_deadline_stops_the_query(agent_on: Make, lake: AthenaStandIn) -> None:
    agent = agent_on(RIGHT)
    lake.fault(Fault("slow"))
    answer = agent.ask(QUESTION, budget=Budget(seconds=2.5))
    assert answer.outcome == "failed"
    assert [f.code for f in answer.findings if f.severity == "block"] == ["budget_exceeded"]
    assert lake.executions()[-1].id in answer.cost.query_ids
    assert stopped(lake)


async def test_a_cancelled_caller_stops_the_query(
    agent_on: Make, lake: AthenaStandIn, wait: Callable[..., None]
) -> None:
    agent = agent_on(RIGHT)
    lake.fault(Fault("slow"))
    task = asyncio.create_task(agent.aask(QUESTION))
    await asyncio.to_thread(wait, lake.running)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(wait, lambda: not lake.running())
    assert lake.executions()[-1].state == "CANCELLED"


def test_leaving_a_stream_stops_the_query(
    agent_on: Make, lake: AthenaStandIn, wait: Callable[..., None]
) -> None:
    agent = agent_on(RIGHT)
    lake.fault(Fault("slow"))
    for event in agent.stream(QUESTION):
        if getattr(event, "stage", "") == "execute":
            wait(lake.running)
            break
    wait(lambda: not lake.running())
    assert lake.executions()[-1].state == "CANCELLED"


def test_the_cutoff_is_told_with_its_cure(agent_on: Make, lake: AthenaStandIn) -> None:
    agent = agent_on(ALL, ALL, url={"workgroup": "capped"})
    lake.fault(Fault("cutoff"))
    answer = agent.ask("How many orders are there?")
    told = [f for a in answer.attempts for f in a.findings if f.code == "engine_error"]
    assert told
    assert "orders.dt" in told[0].hint
    assert stopped(lake)


def test_a_permission_is_final(agent_on: Make, lake: AthenaStandIn) -> None:
    agent = agent_on(RIGHT, ALL)
    lake.fault(Fault("permission"))
    answer = agent.ask(QUESTION)
    assert answer.outcome == "failed"
    assert [f.code for f in answer.findings if f.severity == "block"] == ["access_denied"]
    assert answer.cost.model_calls == 1
    assert len(answer.cost.query_ids) == 1
    assert stopped(lake)


def test_expired_credentials_are_renewed_once(
    agent_on: Make, lake: AthenaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOLD")
    agent = agent_on(RIGHT)
    lake.expire_credentials()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIANEW")
    answer = agent.ask(QUESTION)
    assert (answer.outcome, answer.rows) == ("answered", ((600,),))
    assert stopped(lake)


def test_credentials_that_stay_expired_are_the_developers(
    agent_on: Make, lake: AthenaStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAGONE")
    agent = agent_on(RIGHT)
    lake.expire_credentials()
    with pytest.raises(SetupError, match="Log in again"):
        agent.ask(QUESTION)
    assert stopped(lake)


def test_five_thousand_rows_come_whole(agent_on: Make, lake: AthenaStandIn) -> None:
    sql = "SELECT order_id FROM orders WHERE dt >= '2026-07-01' ORDER BY order_id LIMIT 5000"
    answer = agent_on(sql, budget={"rows": 10_000}).ask("List the ids of the first 5000 orders")
    assert [r[0] for r in answer.rows] == list(range(5000))
    assert not answer.truncated
    assert stopped(lake)


def test_a_repeated_question_reuses_the_result(agent_on: Make, lake: AthenaStandIn) -> None:
    sql = "SELECT COUNT(*) AS n, MAX(amount) AS most FROM orders WHERE dt = '2026-07-04'"
    spaced = sql.replace(" FROM", "\n  FROM -- again\n ")
    agent = agent_on(sql, spaced, url={"reuse": "60"})
    first = agent.ask("How many orders and which highest amount on 2026-07-04?")
    second = agent.ask("How many orders and which highest amount on 2026-07-04?")
    assert first.rows == second.rows
    assert (first.cost.reused, second.cost.reused) == (0, 1)
    assert second.cost.bytes_scanned == 0
    assert second.cost.usd == 0
    assert [f.code for f in second.findings if f.code == "reused_result"] == ["reused_result"]
    assert second.outcome == "answered"
    assert stopped(lake)


def test_a_large_scan_waits_for_leave_and_runs_once(agent_on: Make, lake: AthenaStandIn) -> None:
    sql = "SELECT SUM(amount) AS total FROM orders"
    agent = agent_on(sql, budget={"approval_bytes": 1_000_000})
    before = len(lake.executions())
    asked = agent.ask("What is the total amount of all orders?")
    assert (asked.outcome, asked.needs_approval) == ("needs_clarification", True)
    assert asked.rows == ()
    assert asked.sql == sql
    assert asked.estimate is not None
    assert [(s.table, s.partitions, s.of) for s in asked.estimate.scans] == [("orders", 10, 10)]
    assert len(lake.executions()) == before
    given = agent.approve(asked)
    again = agent.approve(asked.id)
    assert given.outcome == "answered"
    assert given is again
    ran = [e for e in lake.executions()[before:] if not e.asked.sql.startswith("EXPLAIN")]
    assert len(ran) == 1
    assert stopped(lake)


def test_a_draft_shows_partitions_bytes_and_cost(agent_on: Make, lake: AthenaStandIn) -> None:
    before = len(lake.executions())
    draft = agent_on(RIGHT).ask(QUESTION, run=False)
    assert draft.estimate is not None
    assert draft.estimate.scans[0].partitions == 1
    assert draft.estimate.scans[0].where == "(dt = '2026-07-03')"
    assert draft.estimated_bytes == draft.to_dict()["estimated_bytes"]
    assert len(lake.executions()) == before
    assert draft.run().rows == ((600,),)
    assert draft.run() is draft.run()
    assert len(lake.executions()) == before + 1


def test_a_spent_byte_budget_stops_before_the_next_statement(
    agent_on: Make, lake: AthenaStandIn
) -> None:
    sql = "SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-03'"
    before = len(lake.executions())
    answer = agent_on(sql, budget={"bytes": 1_000}).ask("What was the total amount on 2026-07-03?")
    assert answer.outcome == "failed"
    assert "budget" in answer.text
    assert len(lake.executions()) == before


def test_opening_and_indexing_starts_no_query(agent_on: Make, lake: AthenaStandIn) -> None:
    before = lake.operations().count("StartQueryExecution")
    agent = agent_on(RIGHT)
    assert {t.name for t in agent.catalog.tables} == {"customers", "orders", "visits"}
    assert lake.operations().count("StartQueryExecution") == before


def test_a_scan_that_is_not_small_is_judged_first(agent_on: Make, lake: AthenaStandIn) -> None:
    before = len(lake.executions())
    answer = agent_on(RIGHT, athena={"explain_bytes": -1}).ask(QUESTION)
    ran = [e.asked.sql for e in lake.executions()[before:]]
    assert answer.rows == ((600,),)
    assert ran == [f"EXPLAIN\n{RIGHT}", RIGHT]


def test_a_failed_attempt_keeps_its_id(agent_on: Make, lake: AthenaStandIn) -> None:
    agent = agent_on(RIGHT, f"{RIGHT} AND region = 'eu'")
    lake.fault(Fault("fail", text="DIVISION_BY_ZERO: Division by zero"))
    answer = agent.ask(QUESTION)
    assert answer.attempts[0].query_id
    assert answer.attempts[0].query_id in answer.cost.query_ids
    assert "NULLIF" in answer.attempts[0].findings[-1].hint


def test_a_transient_failure_is_repeated_and_counted(agent_on: Make, lake: AthenaStandIn) -> None:
    agent = agent_on(RIGHT)
    lake.fault(Fault("moving_files"))
    answer = agent.ask(QUESTION)
    assert (answer.outcome, answer.rows) == ("answered", ((600,),))
    assert len(answer.cost.query_ids) == answer.cost.queries == 2


def test_moving_files_are_tried_again_once(agent_on: Make, lake: AthenaStandIn) -> None:
    agent = agent_on(RIGHT)
    lake.fault(Fault("moving_files", times=None))
    answer = agent.ask(QUESTION)
    assert [f.code for f in answer.findings if f.severity == "block"] == ["engine_unavailable"]
    assert len(answer.cost.query_ids) == 2
    assert answer.cost.model_calls == 1


def test_broken_data_is_told_to_the_owner_and_not_repaired(
    agent_on: Make, lake: AthenaStandIn
) -> None:
    agent = agent_on(RIGHT)
    lake.fault(Fault("bad_data"))
    answer = agent.ask(QUESTION)
    assert [f.code for f in answer.findings if f.severity == "block"] == ["broken_data"]
    assert answer.cost.model_calls == 1


def test_a_scan_of_unknown_size_waits_for_leave_too(agent_on: Make, lake: AthenaStandIn) -> None:
    sql = "SELECT COUNT(*) AS visits FROM visits WHERE tenant = 'acme'"
    agent = agent_on(sql, budget={"approval_bytes": 10**12})
    (*_, last) = agent.stream("How many visits did tenant acme have?")
    asked = last.answer  # type: ignore[union-attr]
    assert asked.needs_approval
    assert "unknown amount" in asked.text
    assert agent.approve(asked).rows == ((1,),)


def test_an_answer_that_nobody_keeps_cannot_be_approved(agent_on: Make) -> None:
    with pytest.raises(KeyError):
        agent_on(RIGHT).approve("no-such-answer")


def test_a_scan_over_the_byte_budget_is_not_offered_for_leave(agent_on: Make) -> None:
    agent = agent_on(
        RIGHT.replace("COUNT(*)", "SUM(amount)"), budget={"bytes": 10, "approval_bytes": 0}
    )
    answer = agent.ask(QUESTION)
    assert (answer.outcome, answer.needs_approval) == ("failed", False)
    assert "QUERYMEND_BUDGET__BYTES" in answer.text


def test_a_wrong_type_at_a_partition_key_is_mended_by_rule(agent_on: Make) -> None:
    wrong = "SELECT COUNT(*) AS orders FROM orders WHERE dt = DATE '2026-07-03'"
    answer = agent_on(wrong).ask(QUESTION)
    assert answer.rows == ((600,),)
    assert answer.sql == RIGHT
    assert [a.author for a in answer.attempts] == ["model", "rule"]
    assert answer.cost.queries == 1


def test_what_the_engine_says_names_nothing_outside_the_scope(
    agent_on: Make, lake: AthenaStandIn
) -> None:
    agent = agent_on(RIGHT, RIGHT)
    lake.fault(Fault("fail", text="COLUMN_NOT_FOUND: line 1:8: Column 'x' cannot be resolved"))
    scope = Scope(tables={"orders": ("order_id", "dt")})
    answer = agent.ask(QUESTION, scope=scope)
    told = next(f for f in answer.attempts[0].findings if f.code == "engine_error")
    assert "Columns: orders: order_id, dt." in told.hint
    assert "amount" not in told.hint


GROWTH = "By how much did the amount on 2026-07-03 exceed that on 2026-07-02?"
DAYS = (
    "WITH one AS (SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-03'),"
    " other AS (SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-02')"
    " SELECT one.total - other.total AS growth FROM one CROSS JOIN other"
)


def test_the_steps_of_a_query_do_not_run_by_themselves_where_scans_cost_money(
    agent_on: Make,
) -> None:
    answer = agent_on(DAYS).ask(GROWTH)
    assert (answer.cost.queries, answer.cost.model_calls) == (1, 1)
    assert len(answer.rows) == 1


def test_they_run_once_the_whole_came_back_empty_to_say_which_is(agent_on: Make) -> None:
    empty = DAYS.replace("dt = '2026-07-03'", "dt = '2026-07-03' AND status = 'nowhere'")
    answer = agent_on(empty, empty, empty).ask(GROWTH)
    first = answer.attempts[0]
    assert first.summary is not None
    assert "one" in {f.step for f in first.findings if f.severity == "repair"}
