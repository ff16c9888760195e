"""Whole questions on DuckDB standing in for Athena, and the commands that build and ask it."""

import json
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from querymend import Agent, Settings, SetupError
from querymend.cli.main import app
from querymend.testing import ScriptedModel

RATIO = (
    "SELECT count_if(paid) / count(*) AS share, 100.0 * count_if(paid) / count(*) AS pct"
    " FROM orders"
)
SETUP = "CREATE SCHEMA lake; CREATE TABLE lake.t (a decimal(5,2)); INSERT INTO lake.t VALUES 1.5;"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    file = tmp_path / "shop.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "CREATE TABLE orders AS SELECT i AS id, i <> 1 AS paid,"
            " DATE '2024-01-01' + i::INTEGER AS day FROM range(3) t(i)"
        )
    return file


def test_a_duckdb_file_is_asked_in_athenas_sql(shop: Path, tmp_path: Path) -> None:
    settings = Settings(cache_dir=tmp_path / "cache")
    model = ScriptedModel(RATIO)
    with Agent.open(shop, settings=settings, dialect="athena", writer=model) as agent:
        answer = agent.ask("What share of the orders is paid?")
    assert [tuple(map(str, row)) for row in answer.rows] == [("0", "66.7")]
    assert "athena" in model.prompts[0].system.lower()


def test_a_dialect_that_no_local_data_is_asked_in_is_told(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="oracle"):
        Agent.open(shop, settings=Settings(cache_dir=tmp_path), dialect="oracle")


def test_the_command_line_builds_a_file_and_runs_athenas_sql_on_it(tmp_path: Path) -> None:
    (tmp_path / "s.sql").write_text(SETUP, encoding="utf-8")
    file = tmp_path / "lake.duckdb"
    built = CliRunner().invoke(
        app, ["stand-in", "--setup", str(tmp_path / "s.sql"), "--save", str(file)]
    )
    assert (built.exit_code, file.is_file()) == (0, True)
    lines = tmp_path / "q.jsonl"
    lines.write_text('{"sql": "SELECT a / 2 FROM t"}\n{"sql": "SELECT 1 FROM nope"}\n')
    ran = CliRunner().invoke(app, ["run", "--dialect", "athena", str(file), "--jsonl", str(lines)])
    first, second = map(json.loads, ran.stdout.splitlines())
    assert first == {"columns": ["_col0"], "types": ["decimal(5, 2)"], "rows": [["0.75"]]}
    assert second["error"]["name"]


@pytest.mark.parametrize("given", [[], ["x.duckdb", "--setup", "s.sql"], ["x", "--save", "y"]])
def test_the_command_says_what_it_lacks(given: list[str]) -> None:
    assert CliRunner().invoke(app, ["stand-in", *given]).exit_code == 2
