"""Public fault reports about Athena, each with its smallest input (rows of the peers' list)."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from querymend import Agent, Settings
from querymend.engines import open_engine
from querymend.testing import ScriptedModel
from querymend.tools.engines.wire.faults import Fault
from querymend.tools.engines.wire.server import AthenaStandIn
from querymend.tools.errors import SetupError

Make = Callable[..., Agent]


def prompt_of(agent: Agent, number: int = 0) -> str:
    writer = agent._warehouse.deps.writer
    assert isinstance(writer, ScriptedModel)
    return writer.prompts[number].user


def test_18_date_part_is_refused_before_the_engine(agent_on: Make, lake: AthenaStandIn) -> None:
    """WrenAI 1559: ``date_part`` was emitted for Trino."""
    wrong = "SELECT date_part('month', ordered_at) AS m, COUNT(*) AS n FROM orders GROUP BY 1"
    right = "SELECT month(ordered_at) AS m, COUNT(*) AS n FROM orders GROUP BY month(ordered_at)"
    before = len(lake.executions())
    answer = agent_on(wrong, right).ask("How many orders were there per month?")
    assert answer.rows == ((7, 6000),)
    assert "date_part" not in answer.sql.lower()
    assert not any("date_part" in e.asked.sql for e in lake.executions()[before:])


def test_19_arrays_are_counted_by_unnest(agent_on: Make, lake: AthenaStandIn) -> None:
    """sqlglot 2735: ``explode`` became a wrong form for Trino."""
    wrong = "SELECT t, COUNT(*) AS n FROM orders LATERAL VIEW explode(tags) x AS t GROUP BY t"
    right = (
        "SELECT t.tag, COUNT(*) AS n FROM orders CROSS JOIN UNNEST(tags) AS t(tag)"
        " WHERE t.tag IS NOT NULL GROUP BY t.tag"
    )
    before = len(lake.executions())
    answer = agent_on(wrong, right, right).ask("How many orders are there per tag?")
    assert answer.rows == (("a, b", 6000),)
    assert not any("explode" in e.asked.sql.lower() for e in lake.executions()[before:])


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT name FROM customers WHERE name LIKE 'A%'", (("Ann",),)),
        ("SELECT customer_id FROM customers WHERE customer_id % 2 = 0", ((2,),)),
    ],
)
def test_23_a_percent_sign_is_sent_as_it_is(
    agent_on: Make, lake: AthenaStandIn, sql: str, rows: tuple[tuple[object, ...], ...]
) -> None:
    """PyAthena 14, 275, 186, 56: ``%`` was read as a parameter's, and raised."""
    answer = agent_on(sql, sql).ask("Which customers are meant?")
    assert answer.rows == rows
    assert "%" in lake.executions()[-1].asked.sql


@pytest.mark.parametrize(
    ("sql", "rows"),
    [("SELECT 1/2 AS half", ((0,),)), ("SELECT 7/2 AS x, 7 % 4 AS y", ((3, 3),))],
)
def test_26_whole_numbers_divide_as_on_athena(
    agent_on: Make, sql: str, rows: tuple[tuple[object, ...], ...]
) -> None:
    """A local harness computed otherwise than Athena."""
    agent = agent_on()
    from querymend.tools.engines.engine import Limits
    from querymend.tools.sql.gate import admit

    admitted = admit(sql, dialect="athena", catalog=agent.catalog).sql
    assert admitted is not None
    assert agent.engine.run(admitted, limits=Limits()).rows == rows


@pytest.mark.parametrize(
    "wrong",
    [
        "SELECT amount AS a, a * 2 AS b FROM orders WHERE dt = '2026-07-02'",
        "SELECT region, SUM(amount) AS total FROM orders GROUP BY ALL",
        "SELECT SUM(amount) AS total FROM orders WHERE dt = DATE '2026-07-02'",
    ],
)
def test_26_what_athena_refuses_is_refused_before_it(
    agent_on: Make, lake: AthenaStandIn, wrong: str
) -> None:
    """A local harness let pass what Athena refuses."""
    right = "SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-02'"
    before = len(lake.executions())
    answer = agent_on(wrong, right).ask("What was the total amount on 2026-07-02?")
    assert wrong not in [e.asked.sql for e in lake.executions()[before:]]
    assert answer.attempts[0].findings
    assert answer.rows


def test_37_last_month_is_two_dates_and_a_text_key_is_compared_with_texts(
    agent_on: Make,
) -> None:
    """spiceai 2077, soda-core 330, metabase 2275: month arithmetic, date_trunc of a varchar."""
    wrong = (
        "SELECT COUNT(*) AS n FROM orders"
        " WHERE date_trunc('month', CAST(dt AS date)) = DATE '2026-07-01'"
    )
    agent = agent_on(wrong, wrong, athena={"explain_bytes": 0}, budget={"bytes": 500_000})
    answer = agent.ask("How many orders were there last month?", now=date(2026, 8, 30))
    assert '"last month" is from 2026-07-01 to 2026-07-31' in prompt_of(agent)
    assert answer.rows == ((6000,),)

    agent.ask("How many orders were there last month?", now=date(2026, 3, 30))
    assert '"last month" is from 2026-02-01 to 2026-02-28' in prompt_of(agent, 1)


def test_46_the_partition_key_is_shown_and_asked_for(agent_on: Make) -> None:
    """langchain 12765: the partition column was never used, so everything was scanned."""
    wide = (
        "SELECT SUM(amount) AS total FROM orders WHERE CAST(ordered_at AS date) = DATE '2026-07-09'"
    )
    narrow = "SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-09'"
    agent = agent_on(wide, narrow, budget={"bytes": 60_000_000})
    answer = agent.ask("What was the total amount of orders yesterday?", now=date(2026, 7, 10))
    assert "dt varchar, -- partition key, newest '2026-07-10'" in prompt_of(agent)
    assert "dt = '2026-07-10'" in prompt_of(agent, 1)
    assert answer.sql == narrow
    assert [a.sql for a in answer.attempts if a.summary] == [narrow]


def test_47_a_workgroup_that_is_missing_or_has_no_output_is_told_by_its_setting(
    lake: AthenaStandIn, tmp_path: Path
) -> None:
    """aws-athena-mcp 23, dbcode 880: it failed with a text that named neither."""
    url = f"athena://us-east-1/sales?endpoint={lake.endpoint_url}&workgroup"
    for name, setting in (
        ("nobody", "QUERYMEND_ATHENA__WORKGROUP"),
        ("bare", "QUERYMEND_ATHENA__OUTPUT"),
    ):
        settings = Settings(source=f"{url}={name}", cache_dir=tmp_path)
        with pytest.raises(SetupError) as caught:
            Agent.open(settings, writer=ScriptedModel())
        assert caught.value.setting == setting
    open_engine(f"{url}=bare&output={lake.output}", Settings()).close()


def test_48_a_question_past_its_deadline_leaves_no_query_running(
    agent_on: Make, lake: AthenaStandIn
) -> None:
    """PyAthena 28, 153, 19: a query could not be stopped, and its id was known at the end only."""
    lake.fault(Fault("slow"))
    stops = lake.operations().count("StopQueryExecution")
    sql = "SELECT COUNT(*) AS n FROM customers"
    answer = agent_on(sql, budget={"seconds": 2.0}).ask("How many customers are there?")
    assert answer.outcome == "failed"
    assert lake.operations().count("StopQueryExecution") == stops + 1
    assert lake.executions()[-1].id in answer.cost.query_ids
    assert lake.running() == []


def test_58_glues_comments_are_in_the_prompt(agent_on: Make) -> None:
    """WrenAI 2062: the comments of Glue's columns were not read."""
    agent = agent_on("SELECT SUM(amount) AS total FROM orders WHERE dt = '2026-07-02'")
    agent.ask("What was the total amount of orders on 2026-07-02?")
    assert "gross, EUR" in prompt_of(agent)
