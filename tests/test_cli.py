"""The commands: a question from the command line to its answer and exit code."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from querymend import Agent, Settings
from querymend.cli.ask_run import Asked, OpenAgent, ask_and_show, scope_of
from querymend.cli.demo_run import demo_and_show
from querymend.cli.main import app
from querymend.testing import ScriptedModel
from querymend.tools.catalog.model import Scope

COUNT = "```sql\nSELECT count(*) AS n FROM orders\n```"
SCRIPT = "from querymend.cli.main import main; main()"


@pytest.fixture
def with_model(
    monkeypatch: pytest.MonkeyPatch, cache: Path, shop: Path
) -> Callable[..., OpenAgent]:
    """Return what opens the shop with a scripted model, as the command would with a real one."""
    monkeypatch.setenv("QUERYMEND_CACHE_DIR", str(cache))
    monkeypatch.setenv("QUERYMEND_SOURCE", str(shop))
    monkeypatch.setenv("QUERYMEND_TODAY", "2026-07-15")

    def make(model: ScriptedModel) -> OpenAgent:
        return lambda settings, shown, trace: Agent.open(
            settings, writer=model, trace=trace, log=shown.log, progress=shown.progress
        )

    return make


def exit_code(run: Callable[[], None]) -> int:
    try:
        run()
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def test_help_names_every_command() -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    for command in ("ask", "run", "index", "check", "eval", "doctor", "demo"):
        assert command in result.output


@pytest.mark.parametrize("command", ["ask", "run", "index", "check", "eval", "doctor", "demo"])
def test_every_command_explains_itself(command: str) -> None:
    assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0


def test_nothing_heavy_is_imported_for_help() -> None:
    heavy = ("duckdb", "chromadb", "langgraph", "langchain_core", "sqlglot", "numpy", "pydantic")
    check = f"import sys, querymend.cli.main; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


def test_the_version_is_told_or_its_absence_is_no_traceback() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert "Traceback" not in result.output


def test_an_answer_is_shown_with_its_stages(
    with_model: Callable[..., OpenAgent], capsys: pytest.CaptureFixture[str]
) -> None:
    model = ScriptedModel(COUNT)
    asked = Asked(question="How many orders are there?")
    assert exit_code(lambda: ask_and_show(asked, open_agent=with_model(model))) == 0
    out, err = capsys.readouterr()
    first, *_ = out.splitlines()
    assert first.startswith("Model: local model")
    for part in ("retrieve", "generate", "execute", "SELECT count(*)", "1 row", "1 model call"):
        assert part in out
    assert err == ""


def test_json_is_all_that_stdout_holds(
    with_model: Callable[..., OpenAgent], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Asked(question="How many orders are there?", as_json=True)
    ask_and_show(asked, open_agent=with_model(ScriptedModel(COUNT)))
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert (answer["rows"], answer["outcome"]) == ([[4]], "answered")
    assert "Model:" in err
    assert "generate" in err


def test_no_run_stops_before_anything_runs(
    with_model: Callable[..., OpenAgent], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Asked(question="How many orders are there?", no_run=True)
    ask_and_show(asked, open_agent=with_model(ScriptedModel(COUNT)))
    out, _ = capsys.readouterr()
    assert "SELECT count(*)" in out
    assert "Nothing ran" in out
    assert "1 row" not in out


def test_a_trace_gets_a_line_a_stage(with_model: Callable[..., OpenAgent], tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    asked = Asked(question="How many orders are there?", trace=trace)
    ask_and_show(asked, open_agent=with_model(ScriptedModel(COUNT)))
    stages = [json.loads(line)["stage"] for line in trace.read_text().splitlines()]
    assert {"generate", "execute"} <= set(stages)


@pytest.mark.parametrize(
    ("reply", "question", "code"),
    [
        ("```sql\nDROP TABLE orders\n```", "How many orders are there?", 3),
        ("```sql\nSELECT nothing FROM orders\n```", "How many orders are there?", 4),
        (COUNT, "", 3),
        (COUNT, "Delete all orders", 3),
    ],
)
def test_the_outcome_is_the_exit_code(
    reply: str,
    question: str,
    code: int,
    with_model: Callable[..., OpenAgent],
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = ScriptedModel.forever(reply)
    asked = Asked(question=question)
    assert exit_code(lambda: ask_and_show(asked, open_agent=with_model(model))) == code
    assert "Traceback" not in capsys.readouterr().out


def test_options_bound_what_a_question_may_spend(
    with_model: Callable[..., OpenAgent], capsys: pytest.CaptureFixture[str]
) -> None:
    model = ScriptedModel("```sql\nSELECT nothing FROM orders\n```")
    asked = Asked(question="How many orders are there?", max_repairs=0)
    assert exit_code(lambda: ask_and_show(asked, open_agent=with_model(model))) == 4
    assert model.left == 0
    assert "0 repairs" in capsys.readouterr().out


def test_a_scope_is_read_by_table_and_column(ask: Callable[..., Agent]) -> None:
    catalog = ask("").catalog
    assert scope_of([], catalog) is None
    assert scope_of(["orders, customers.id", "customers.name"], catalog) == Scope(
        tables={"orders": (), "customers": ("id", "name")}
    )
    assert scope_of(["orders.id,orders"], catalog) == Scope(tables={"orders": ()})
    for wrong in ("ordres", "orders.nothing", "nowhere.id"):
        with pytest.raises(typer.BadParameter, match=wrong):
            scope_of([wrong], catalog)


def test_a_scope_is_kept_by_the_question(
    with_model: Callable[..., OpenAgent], capsys: pytest.CaptureFixture[str]
) -> None:
    model = ScriptedModel.forever(COUNT)
    asked = Asked(question="How many orders are there?", scope=("customers",))
    assert exit_code(lambda: ask_and_show(asked, open_agent=with_model(model))) in {3, 4}


def test_the_demo_asks_its_own_data(
    with_model: Callable[..., OpenAgent], capsys: pytest.CaptureFixture[str]
) -> None:
    model = ScriptedModel("```sql\nSELECT count(*) AS sales FROM sales_fact\n```")
    demo_and_show(
        "How many sales are there?", pack="retail", as_json=False, open_agent=with_model(model)
    )
    out, err = capsys.readouterr()
    assert "sales_fact" in out
    assert "Question: How many sales" in err
    assert "Try next" in err


def test_indexing_asks_no_model_and_writes_only_what_changed(
    with_model: Callable[..., OpenAgent],
) -> None:
    first, second = (CliRunner().invoke(app, ["index", "--json"]) for _ in range(2))
    assert first.exit_code == 0, first.output
    counts = json.loads(second.stdout)
    assert (counts["added"], counts["changed"], counts["deleted"]) == (0, 0, 0)
    assert counts["unchanged"] > 0
    assert "unchanged" in CliRunner().invoke(app, ["index"]).stdout


@pytest.mark.parametrize(
    ("variables", "args", "says"),
    [
        ({"QUERYMEND_SOURC": "x"}, ["ask", "Q"], "QUERYMEND_SOURCE"),
        ({"QUERYMEND_BUDGET__ROWS": "many"}, ["ask", "Q"], "QUERYMEND_BUDGET__ROWS"),
        ({}, ["ask", "Q", "--source", "nowhere.duckdb"], "nowhere.duckdb"),
        ({}, ["ask", "Q", "--pack", "nowhere"], "nowhere"),
        ({}, ["ask", "Q"], "QUERYMEND_SOURCE"),
        ({}, ["index"], "QUERYMEND_SOURCE"),
        ({}, ["eval", "nowhere"], "nowhere"),
        ({}, ["eval", "nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_what_the_developer_must_mend_is_told_plainly(
    variables: dict[str, str],
    args: list[str],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("QUERYMEND_CACHE_DIR", str(tmp_path))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 5, result.output
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_the_doctor_says_what_is_there_and_what_is_not(
    with_model: Callable[..., OpenAgent],
) -> None:
    looks = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    states = {look["what"]: look["state"] for look in looks}
    assert states["Python"] == states["packages"] == states["source"] == "ok"
    assert states["pack"] == "unset"
    assert all(look["cure"] for look in looks if look["state"] == "missing")


def test_the_doctor_tells_no_secret_and_exits_by_what_is_missing(
    with_model: Callable[..., OpenAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUERYMEND_MODEL__BASE_URL", "http://me:s3cret@127.0.0.1:9/v1?key=s3cret")
    monkeypatch.setenv("QUERYMEND_MODEL__NAME", "m")
    monkeypatch.setenv("QUERYMEND_MODEL__API_KEY", "s3cret")
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 5
    assert "s3cret" not in result.output
    assert "QUERYMEND_MODEL__BASE_URL" in result.output


def test_debug_shows_where_a_fault_is(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["--debug", "run", str(tmp_path / "nowhere.duckdb"), "SELECT 1"]
    )
    assert result.exit_code == 5
    assert "Traceback" in result.stderr


def test_ctrl_c_ends_a_command_with_130() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "check", "--jsonl", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write('{"sql": "SELECT 1"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert "Traceback" not in process.stderr.read()


def test_the_agent_of_a_refused_question_is_closed(
    with_model: Callable[..., OpenAgent], settings: Settings
) -> None:
    model = ScriptedModel.forever(COUNT)
    opened: list[Agent] = []

    def keep(*args: object) -> Agent:
        opened.append(with_model(model)(*args))  # type: ignore[arg-type]
        return opened[-1]

    assert exit_code(lambda: ask_and_show(Asked(question=""), open_agent=keep)) == 3
    assert len(opened) == 1
