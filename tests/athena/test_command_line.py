"""Athena from the command line: drafts, leave, indexing by table."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from querymend import Agent
from querymend.cli.ask_run import Asked, ask_and_show
from querymend.cli.main import app
from querymend.cli.show import show_answer
from querymend.tools.engines.wire.server import AthenaStandIn

SQL = "SELECT SUM(amount) AS total FROM orders"
QUESTION = "What is the total amount of all orders?"


def asked(agent: Agent, capsys: pytest.CaptureFixture[str], **more: Any) -> dict[str, Any]:
    ask_and_show(
        Asked(question=QUESTION, source="athena://x/y", as_json=True, **more),
        open_agent=lambda *_: agent,
    )
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_no_run_tells_partitions_bytes_and_cost(
    agent_on: Any, lake: AthenaStandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    before = len(lake.executions())
    told = asked(agent_on(SQL), capsys, no_run=True)
    assert told["sql"] == SQL
    assert told["estimate"]["bytes"] > 0
    assert told["estimate"]["usd"] > 0
    assert told["estimate"]["scans"][0]["partitions"] == 10
    assert len(lake.executions()) == before


def test_without_leave_nothing_runs_and_with_it_once(
    agent_on: Any, lake: AthenaStandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    before = len(lake.executions())
    limit = {"budget": {"approval_bytes": 1_000_000}}
    assert asked(agent_on(SQL, **limit), capsys)["outcome"] == "needs_clarification"
    assert len(lake.executions()) == before
    told = asked(agent_on(SQL, **limit), capsys, approve=True)
    assert told["outcome"] == "answered"
    assert len(told["cost"]["query_ids"]) == 1
    assert len(lake.executions()) == before + 1


def test_people_see_the_estimate_and_the_cost(agent_on: Any) -> None:
    agent = agent_on(SQL, SQL)
    console = Console(record=True, width=120)
    show_answer(console, agent.ask(QUESTION, run=False).answer)
    show_answer(console, agent.ask(QUESTION))
    text = console.export_text()
    assert "would scan about" in text
    assert "orders 10 of 10 partitions" in text
    assert "bytes scanned (about $" in text


def test_index_reads_a_table_only_when_it_is_named(
    lake: AthenaStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUERYMEND_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("QUERYMEND_ATHENA__POLL_SECONDS", "0.02")
    source = f"athena://us-east-1/sales?output={lake.output}&endpoint={lake.endpoint_url}"
    before = len(lake.executions())
    plain = CliRunner().invoke(app, ["index", "--source", source])
    assert plain.exit_code == 0, plain.output
    assert len(lake.executions()) == before
    named = CliRunner().invoke(app, ["index", "--source", source, "--table", "customers"])
    assert named.exit_code == 0, named.output
    assert "customers: reads about" in named.output
    assert len(lake.executions()) > before
    again = CliRunner().invoke(app, ["index", "--source", source, "--table", "customers"])
    assert "unchanged since it was read" in again.output


def test_an_answer_that_ran_shows_no_estimate(agent_on: Any) -> None:
    answer = agent_on(SQL).ask(QUESTION)
    assert answer.estimate is None
    assert replace(answer, rows=()).to_dict()["estimate"] is None
