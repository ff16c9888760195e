"""Answers are shown so that a person can read them, and a terminal obeys none of the data."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from querymend.answer import Answer, Cost
from querymend.cli.endpoint import endpoint_line
from querymend.cli.opening import opening
from querymend.cli.progress import StepLines, eval_progress
from querymend.cli.show import clean, show_answer, show_findings, show_rows
from querymend.cli.stages import Stages
from querymend.evaluation.records import Record
from querymend.events import Answered, FindingMade, RowsReturned, SqlWritten, StageStarted, Token
from querymend.settings import Settings
from querymend.tools.catalog.model import Cell
from querymend.tools.engines.engine import ResultColumn
from querymend.tools.findings import Finding

FINDING = Finding(
    code="top_n",
    kind="shape",
    severity="repair",
    message="10 were asked for.",
    clause="LIMIT 5",
    hint="Write LIMIT 10.",
)
ANSWER = Answer(
    id="1",
    question="Q",
    outcome="answered_with_warnings",
    text="Seven.",
    sql="SELECT count(*) AS n FROM orders",
    columns=(ResultColumn(name="n", type="BIGINT"),),
    rows=((7,),),
    findings=(FINDING,),
    confidence=0.7,
    assumptions=("last quarter = April to June",),
    cost=Cost(seconds=3.2, model_calls=1, tokens_in=900, tokens_out=40, model="m"),
)


def console(width: int = 80, *, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=terminal, no_color=True)


def shown(where: Console) -> str:
    assert isinstance(where.file, io.StringIO)
    return where.file.getvalue()


def rows(cells: list[Cell], names: str = "a", kind: str = "VARCHAR", **more: object) -> str:
    """Show one column of cells."""
    where = console()
    columns = [ResultColumn(name=names, type=kind)]
    show_rows(where, columns, [(c,) for c in cells], **more)  # type: ignore[arg-type]
    return shown(where)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x9b2J", "\\x9b2J"),
        ("abc\u202edef", "abc\\u202edef"),
        ("Zoë, 東京", "Zoë, 東京"),
    ],
)
def test_control_characters_are_shown_and_not_sent(text: str, wanted: str) -> None:
    assert clean(text) == wanted
    assert wanted in rows([text])
    assert wanted in rows(["x"], names=text)


def test_markup_in_the_data_is_text() -> None:
    assert "[bold]x[/bold] [/]" in rows(["[bold]x[/bold] [/]"])
    where = console()
    show_findings(where, [replace(FINDING, message="[red]no[/red] \x1b[0m")])
    assert "[red]no[/red] \\x1b[0m" in shown(where)


def test_numbers_stand_to_the_right_and_texts_to_the_left() -> None:
    assert [line.rstrip() for line in rows([5, 1234], kind="BIGINT").splitlines()[2:4]] == [
        "   5",
        "1234",
    ]
    assert rows(["x", "long"]).splitlines()[2].startswith("x")


def test_null_and_an_empty_text_can_be_told_apart() -> None:
    lines = rows([None, ""]).splitlines()
    assert lines[2].strip() == "NULL"
    assert lines[3].strip() == ""


def test_long_cells_are_cut_with_a_mark() -> None:
    text = rows(["x" * 500])
    assert "x…" in text
    assert "x" * 61 not in text


@pytest.mark.parametrize(
    ("count", "more", "says"),
    [
        (1, {}, "1 row\n"),
        (0, {}, "0 rows"),
        (812, {}, "showing 20 of 812 rows"),
        (30, {"most": 30}, "30 rows"),
        (1000, {"truncated": True}, "showing 20 of more than 1,000 rows"),
    ],
)
def test_how_many_rows_there_are_is_said(count: int, more: dict[str, object], says: str) -> None:
    assert says in rows(list(range(count)), **more)


def test_many_columns_are_shown_record_by_record() -> None:
    where = console(60)
    columns = [ResultColumn(name=f"column_{i}", type="INTEGER") for i in range(30)]
    show_rows(where, columns, [tuple(range(30))])
    text = shown(where)
    assert all(f"column_{i} " in text for i in range(30))
    assert max(map(len, text.splitlines())) <= 60


def test_an_answer_is_shown_with_all_it_rests_on() -> None:
    where = console(100)
    show_answer(where, ANSWER)
    text = shown(where)
    for part in (
        "SELECT count(*)",
        "Seven.",
        "answered, with warnings · confidence 0.70",
        "assumed: last quarter",
        "✗ repair 10 were asked for. [top_n]",
        "Write LIMIT 10.",
        "3.2 s",
        "1 model call ·",
        "900 + 40 tokens",
    ):
        assert part in text


def test_no_line_is_wider_than_the_terminal_where_there_is_one() -> None:
    where = console(40, terminal=True)
    show_answer(where, replace(ANSWER, sql="SELECT " + "a_column, " * 30 + "1"))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown(where)).splitlines()
    assert sum("a_column" in line for line in lines) > 5
    assert max(map(len, lines)) <= 40


def test_stages_are_a_line_each_with_their_seconds_and_news() -> None:
    ticks = iter([0.0, 0.5, 1.0, 11.0, 11.0, 12.0])
    where = console(120)
    events = [
        StageStarted(stage="retrieve"),
        StageStarted(stage="generate"),
        Token(text="SEL"),
        SqlWritten(sql="SELECT 1", author="rule", reason="the name is spelt otherwise"),
        FindingMade(finding=FINDING),
        StageStarted(stage="execute"),
        RowsReturned(columns=("a",), rows=((1,),), row_count=812, seconds=0.1),
        Answered(answer=ANSWER),
    ]
    assert Stages(where, clock=lambda: next(ticks)).follow(events) is ANSWER
    first, second, third, last = shown(where).splitlines()
    assert first.split() == ["retrieve", "0.50", "s"]
    assert second.split()[:3] == ["generate", "10.00", "s"]
    assert "rule: the name is spelt otherwise" in second
    assert third.strip() == "✗ repair 10 were asked for."
    assert "812 rows" in last


def test_a_stage_that_breaks_is_still_shown() -> None:
    def events() -> object:
        yield StageStarted(stage="generate")
        raise ValueError("broke")

    where = console()
    with pytest.raises(ValueError, match="broke"):
        Stages(where).follow(events())  # type: ignore[arg-type]
    assert "generate" in shown(where)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ({}, "local model"),
        ({"base_url": "https://api.openai.com/v1", "name": "gpt-4o"}, "com/v1, model gpt-4o"),
        ({"base_url": "https://me:s3cret@host:84/v1?k=s3cret", "name": "m"}, "https://host:84/v1,"),
    ],
)
def test_the_first_line_names_who_sees_the_data_and_no_secret(
    model: dict[str, str], says: str
) -> None:
    line = endpoint_line(Settings.model_validate({"model": {**model, "api_key": "s3cret"}}))
    assert says in line
    assert "s3cret" not in line


def test_long_steps_are_told_now_and_then() -> None:
    told: list[str] = []
    clock = iter([0.0, 0.5, 1.0, 5.0, 10.9, 11.0])
    lines = StepLines(told.append, clock=lambda: next(clock))
    for share in (0.0, 0.01, 0.1, 0.15, 0.2, 1.0):
        lines.step("Fetching", share)
    assert told == ["Fetching: 10%", "Fetching: 100%"]


def test_opening_shows_bars_on_a_terminal_and_lines_elsewhere() -> None:
    for terminal in (True, False):
        where = console(terminal=terminal)
        with opening(where) as steps:
            steps.progress("Fetching", 0.0)
            steps.progress("Indexing", 0.5)
            steps.log("a [line]")
        assert not terminal or "Indexing" in shown(where)
        assert "a [line]" in shown(where)


def test_an_evaluation_tells_its_running_shares() -> None:
    right = Record(key="k", mode="loop", digest="d", question="How [many]?", score="right")
    for terminal in (True, False):
        where = console(120, terminal=terminal)
        with eval_progress(2, console=where) as progress:
            progress.step("Fetching", 0.1)
            progress.add(right)
            progress.add(replace(right, score="silently_wrong"))
        text = shown(where)
        assert "right 50 % · silently wrong 50 %" in text
        assert terminal or "1/2 right 0.0 s [k] How [many]?" in text
