"""``querymend check`` and ``run``: statements in, verdicts and rows out."""

import json
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest
import yaml
from typer.testing import CliRunner, Result

from querymend.cli.main import app

HERE = Path(__file__).parent / "cli"
CASES = yaml.safe_load((HERE / "check.yaml").read_text())
LINES = yaml.safe_load((HERE / "lines.yaml").read_text())
SCRIPT = "from querymend.cli.main import main; main()"
CHECK_STDIN = [sys.executable, "-c", SCRIPT, "check", "--jsonl", "-"]
SCHEMA = {"sales": {"orders": {"id": "bigint"}}, "hr": {"people": {"id": "bigint"}}}


def call(*args: str, stdin: str = "") -> Result:
    return CliRunner().invoke(app, list(args), input=stdin)


def words(text: str) -> str:
    """Undo the wrapping of usage errors in their box."""
    return " ".join(text.replace("│", " ").split())


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    (path := tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return path


@pytest.mark.parametrize("case", CASES, ids=lambda c: " ".join(c["args"]) or repr(c.get("stdin")))
def test_check(case: dict[str, object], shop: Path, schema: Path) -> None:
    named = {"SHOP": str(shop), "SCHEMA": str(schema)}
    args = case["args"]
    assert isinstance(args, list)
    result = call("check", *(named.get(a, a) for a in args), stdin=str(case.get("stdin", "")))
    assert result.exit_code == case["exit"], result.output
    assert str(case["says"]) in words(result.output)


@pytest.mark.parametrize("case", LINES, ids=lambda c: c["line"])
def test_lines(case: dict[str, str]) -> None:
    result = call("check", "--jsonl", "-", stdin=f'{{"sql": "SELECT 1"}}\n{case["line"]}\n')
    first, *rest = result.stdout.splitlines()
    assert json.loads(first) == {"verdict": "accept", "findings": []}
    if "error" in case:
        assert (result.exit_code, rest) == (2, [])
        assert case["error"] in words(result.output)
    else:
        [line] = map(json.loads, rest)
        refused = any(f["severity"] == "block" for f in line["findings"])
        assert line["verdict"] == case["verdict"] == ("refuse" if refused else "accept")
        assert result.exit_code == (case["verdict"] == "refuse")


@pytest.mark.parametrize(("db", "verdict"), [("sales", "refuse"), ("hr", "accept"), ("", "refuse")])
def test_a_lines_own_database_holds_for_it(db: str, verdict: str, schema: Path) -> None:
    line = json.dumps({"sql": "SELECT id FROM people", "db_id": db})
    result = call("check", "--schema", str(schema), "--jsonl", "-", stdin=line)
    assert json.loads(result.stdout)["verdict"] == verdict


@pytest.mark.parametrize(
    "content", ["[]", "{}", "no json", '{"a": 1}', '{"a": {"t": []}}', '{"a": {"t": {"c": 1}}}']
)
def test_a_schema_of_another_form_is_told(content: str, tmp_path: Path) -> None:
    (path := tmp_path / "s.json").write_text(content)
    result = call("check", "--schema", str(path), "SELECT 1")
    assert result.exit_code == 5
    assert "s.json" in result.output


def test_one_verdict_as_json() -> None:
    result = call("check", "--json", "DROP TABLE t")
    verdict = json.loads(result.stdout)
    assert (result.exit_code, verdict["verdict"]) == (1, "refuse")
    assert verdict["findings"][0]["code"] == "not_a_read"


def test_an_answer_comes_before_the_next_line_is_given() -> None:
    with subprocess.Popen(CHECK_STDIN, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        for _ in range(3):
            process.stdin.write('{"sql": "SELECT 1"}\n')
            process.stdin.flush()
            assert '"accept"' in process.stdout.readline()


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    (path := tmp_path / "lines").write_text('{"sql": "SELECT 1"}\n' * 2_000)
    with (
        path.open() as given,
        subprocess.Popen(CHECK_STDIN, stdin=given, stdout=PIPE, stderr=PIPE, text=True) as process,
    ):
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""


def test_rows_come_as_a_table_or_as_json(shop: Path) -> None:
    sql = "SELECT id, amount FROM orders ORDER BY id LIMIT 2"
    assert "2 rows" in call("run", str(shop), sql).stdout
    line = json.loads(call("run", "--source", str(shop), "--json", sql).stdout)
    assert line["columns"] == ["id", "amount"]
    assert line["rows"] == [[1, "100.00"], [2, "50.00"]]


def test_run_says_what_refused(shop: Path) -> None:
    refused = call("run", str(shop), "SELECT * FROM read_csv('x.csv')")
    assert (refused.exit_code, "refused" in refused.stdout) == (3, True)
    failed = call("run", str(shop), "SELECT 'x'::INT FROM orders")
    assert failed.exit_code == 4
    assert "Conversion" in failed.stderr


@pytest.mark.parametrize(
    ("args", "exit_code", "says"),
    [
        (["SELECT 1"], 5, "QUERYMEND_SOURCE"),
        (["nowhere.duckdb", "SELECT 1"], 5, "nowhere.duckdb"),
    ],
)
def test_run_says_what_is_missing(args: list[str], exit_code: int, says: str, shop: Path) -> None:
    result = call("run", *(str(shop) if a == "SHOP" else a for a in args))
    assert result.exit_code == exit_code
    assert says in result.stderr


def test_athenas_sql_runs_on_a_duckdb_file_as_athena_would_run_it(shop: Path) -> None:
    result = call("run", "--dialect", "athena", str(shop), "SELECT 7 / 2 AS halves")
    assert result.exit_code == 0
    assert "3" in result.stdout
    assert "3.5" not in result.stdout


def test_lines_run_and_their_faults_are_lines_too(shop: Path) -> None:
    statements = ["SELECT 1 AS a", "SELECT 'x'::INT", "DROP TABLE orders", ""]
    given = "".join(json.dumps({"sql": sql}) + "\n" for sql in statements)
    result = call("run", str(shop), "--jsonl", "-", stdin=given)
    assert result.exit_code == 0
    one, cast, drop, blank = map(json.loads, result.stdout.splitlines())
    assert one == {"columns": ["a"], "types": ["INTEGER"], "rows": [[1]]}
    assert cast["error"]["name"] == "ConversionException"
    assert drop["error"]["name"] == "not_a_read"
    assert blank["error"]["name"] == "empty"


def test_lines_have_all_their_rows_unless_asked_for_fewer(shop: Path) -> None:
    line = json.dumps({"sql": "SELECT * FROM generate_series(1, 2000)"})
    whole = json.loads(call("run", str(shop), "--jsonl", "-", stdin=line).stdout)
    cut = json.loads(call("run", str(shop), "--jsonl", "-", "--rows", "5", stdin=line).stdout)
    assert (len(whole["rows"]), "truncated" in whole) == (2000, False)
    assert (len(cut["rows"]), cut["truncated"]) == (5, True)


VALUES = yaml.safe_load((HERE / "values.yaml").read_text())


@pytest.mark.parametrize("case", VALUES, ids=lambda c: c["sql"])
def test_values_are_written_as_golden_files_have_them(case: dict[str, object], shop: Path) -> None:
    line = json.dumps({"sql": f"SELECT {case['sql']}"})
    result = json.loads(call("run", str(shop), "--jsonl", "-", stdin=line).stdout)
    assert result["rows"] == [[case["is"]]]
