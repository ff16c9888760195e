"""``querymend eval``: shares, files, interruption and exit codes."""

import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from querymend import Agent, Settings
from querymend.cli.eval_run import Wanted, evaluate_and_show
from querymend.cli.main import app
from querymend.evaluation.records import read_records
from querymend.evaluation.runner import Opened
from querymend.model.writer import Prompt, Writer, Written
from querymend.testing import ScriptedModel
from querymend.tools.errors import BudgetExceeded

QUESTIONS = Path(__file__).parent / "cli/questions.jsonl"


def reply(prompt: Prompt) -> str:
    """Answer all but the question about customers rightly."""
    for table in ("orders", "products"):
        if f"How many {table}" in prompt.user:
            return f"```sql\nSELECT count(*) AS n FROM {table}\n```"
    return "```sql\nSELECT 99 AS n FROM customers LIMIT 1\n```"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return Path(shutil.copy(QUESTIONS, tmp_path))


@pytest.fixture
def run(
    settings: Settings, questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Return what evaluates the shop's questions: exit code, stdout, stderr."""

    def evaluate(model: Writer | None = None, **wanted: object) -> tuple[int, str, str]:
        model = model or ScriptedModel.forever(reply)
        given = {"file": str(questions), "out": tmp_path / "out.jsonl", **wanted}
        code = 0
        try:
            evaluate_and_show(
                Wanted(**given),  # type: ignore[arg-type]
                settings=settings,
                open_agent=lambda db: Opened(agent=Agent.open(settings, writer=model)),
            )
        except typer.Exit as ended:
            code = ended.exit_code
        return code, *capsys.readouterr()

    return evaluate


def test_shares_are_told_in_all_and_by_tag(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = run(as_json=True)
    report = json.loads(out)["loop"]
    assert code == 0
    assert (report["all"]["n"], report["all"]["delivered"]) == (3, 2)
    assert (report["by_tag"]["easy"]["n"], report["by_tag"]["easy"]["delivered"]) == (2, 1)
    assert report["by_tag"]["hard"]["right"] + report["by_tag"]["hard"]["cautious"] == 1
    assert report["all"]["model_calls"] >= 1


def test_the_report_for_people_has_the_shares_and_the_file(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    _, out, err = run()
    assert "delivered 66.7 %" in out
    assert "out.jsonl" in out
    assert "3/3" in err


def test_a_second_run_asks_nothing_and_says_so(run: Callable[..., tuple[int, str, str]]) -> None:
    _, first, _ = run(as_json=True)
    silent = ScriptedModel()
    _, second, err = run(silent, as_json=True)
    assert second == first
    assert "3 records" in err
    assert silent.prompts == []


def test_a_limit_takes_the_first_and_a_longer_run_goes_on(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    _, out, _ = run(limit=1, as_json=True)
    assert json.loads(out)["loop"]["all"]["n"] == 1
    model = ScriptedModel.forever(reply)
    _, out, _ = run(model, as_json=True)
    assert json.loads(out)["loop"]["all"]["n"] == 3
    assert not any("How many orders" in p.user for p in model.prompts)
    _, out, _ = run(offset=2, as_json=True)
    assert list(json.loads(out)["loop"]["by_tag"]) == ["hard"]


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    def stop(prompt: Prompt) -> str:
        if "How many products" in prompt.user:
            raise KeyboardInterrupt
        return reply(prompt)

    code, _, err = run(ScriptedModel.forever(stop))
    assert code == 130
    assert "same command goes on" in err
    assert len(read_records(tmp_path / "out.jsonl")[1]) == 2
    assert run()[0] == 0


def test_ctrl_c_does_not_wait_for_the_model(run: Callable[..., tuple[int, str, str]]) -> None:
    ended = threading.Event()

    class Slow:
        name = "slow"

        def write(
            self,
            prompt: Prompt,
            *,
            seconds: float,
            cancelled: Callable[[], bool],
            on_token: Callable[[str], None],
        ) -> Written:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(3_000):
                if cancelled():
                    ended.set()
                    break
                threading.Event().wait(0.01)
            raise BudgetExceeded("cancelled")

    assert run(Slow())[0] == 130
    assert ended.wait(10)


def test_single_pass_and_loop_are_compared_in_one_run(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    _, out, _ = run(modes=("single", "loop"), as_json=True)
    report = json.loads(out)
    assert report["single"]["all"]["n"] == report["loop"]["all"]["n"] == 3
    comparison = report["comparison"]
    assert len(comparison["mended"]) + len(comparison["broken"]) + comparison["unchanged"] == 3
    assert "mended" in run(modes=("single", "loop"))[1]


@pytest.mark.parametrize(("min_right", "code"), [(10.0, 0), (90.0, 1)])
def test_too_few_right_ones_exit_1(
    min_right: float, code: int, run: Callable[..., tuple[int, str, str]]
) -> None:
    assert run(min_right=min_right)[0] == code


def test_two_files_are_compared(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    run(out=tmp_path / "a.jsonl")
    run(
        ScriptedModel.forever("```sql\nSELECT count(*) AS n FROM customers\n```"),
        out=tmp_path / "b.jsonl",
    )
    files = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    result = CliRunner().invoke(app, ["eval", "--compare", *files, "--json"])
    comparison = json.loads(result.stdout)
    assert [p["key"] for p in comparison["mended"]] == ["2"]
    assert comparison["mcnemar_p"] == 1.0
    shown = CliRunner().invoke(app, ["eval", "--compare", *files]).stdout
    assert "How many customers are there?" in shown


def test_a_question_breaks_alone_and_is_asked_again(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    def breaks(prompt: Prompt) -> str:
        if "How many orders" in prompt.user:
            raise ZeroDivisionError("oops")
        return reply(prompt)

    _, out, _ = run(ScriptedModel.forever(breaks))
    assert "next time: 1." in out
    model = ScriptedModel.forever(reply)
    run(model)
    assert any("How many orders" in p.user for p in model.prompts)


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        ([], 2, "Name a pack"),
        (["FILE", "--both", "--single-pass"], 2, "--both"),
        (["FILE", "--limit", "0"], 2, "--limit"),
        (["EMPTY"], 5, "no questions"),
        (["--compare", "FILE", "FILE"], 5, "no output"),
    ],
)
def test_wrong_use_is_told(
    args: list[str],
    code: int,
    says: str,
    questions: Path,
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
) -> None:
    monkeypatch.setenv("QUERYMEND_CACHE_DIR", str(cache))
    (empty := questions.with_name("empty.jsonl")).write_text("\n")
    named = {"FILE": str(questions), "EMPTY": str(empty)}
    result = CliRunner().invoke(app, ["eval", *(named.get(a, a) for a in args)])
    assert result.exit_code == code
    assert says in result.output.replace("│", " ")
