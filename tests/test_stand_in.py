"""The Athena stand-in: what a real Trino said of each construct, held against it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from querymend.cli.values import result_line
from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.stand_in.engine import StandInEngine, open_stand_in
from querymend.tools.engines.stand_in.refusals import CODE
from querymend.tools.engines.stand_in.setup import build
from querymend.tools.errors import QueryError, SetupError
from querymend.tools.results.compare import is_ordered
from querymend.tools.sql.gate import admit

CASES = Path(__file__).parent / "engines" / "stand_in"
LIMITS = Limits(rows=None, seconds=60.0)
SETUP = """
CREATE SCHEMA lake;
CREATE SCHEMA web;
CREATE TABLE lake.facts (id bigint, amount decimal(12,2), tags array(varchar),
  attributes map(varchar, varchar), place row(city varchar, geo row(lat double)),
  seen timestamp(3), there timestamp(3) with time zone, code char(4), day date, note varchar(10));
INSERT INTO lake.facts VALUES
  (1, DECIMAL '10.50', ARRAY['a', NULL], MAP(ARRAY['k'], ARRAY['v']), ROW('Paris', ROW(48.8e0)),
   TIMESTAMP '2024-01-01 10:00:00.123', TIMESTAMP '2024-07-01 10:00:00 Europe/Berlin', 'ab',
   DATE '2024-01-01', 'x'),
  (2, NULL, ARRAY[], MAP(), NULL, NULL, NULL, NULL, NULL, '');
INSERT INTO lake.facts (id, amount) SELECT 3, 7;
CREATE TABLE web.facts (id bigint);
INSERT INTO web.facts VALUES 9;
CREATE TABLE web.copies AS SELECT id, amount / 3 AS third FROM lake.facts;
"""


def lines(name: str) -> list[dict[str, object]]:
    text = (CASES / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stand_in")
    script = folder / "setup.sql"
    script.write_text(SETUP, encoding="utf-8")
    return build(script, folder / "lake.duckdb")


@pytest.fixture(scope="module")
def engine(file: Path) -> Iterator[StandInEngine]:
    opened = open_stand_in(file)
    yield opened
    opened.close()


def run(engine: StandInEngine, sql: str) -> dict[str, object]:
    verdict = admit(sql, dialect="athena", catalog=engine.catalog())
    if verdict.sql is None:
        raise QueryError(verdict.findings[0].message, code="gate")
    return dict(result_line(engine.run(verdict.sql, limits=LIMITS), "athena"))


def same(got: object, wanted: object) -> bool:
    if isinstance(got, list) and isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(got, dict) and isinstance(wanted, dict):
        return got.keys() == wanted.keys() and all(same(got[k], wanted[k]) for k in got)
    try:
        return got == wanted or abs(float(got) - float(wanted)) <= 1e-9 * abs(float(wanted))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


@pytest.mark.parametrize("case", lines("cases.jsonl"), ids=lambda c: f"{c['topic']}: {c['sql']}")
def test_a_construct_gives_what_trino_gave(engine: StandInEngine, case: dict[str, object]) -> None:
    sql = str(case["sql"])
    if "error" in case:
        with pytest.raises(QueryError):
            run(engine, sql)
        return
    got = run(engine, sql)
    assert got["types"] == case["types"]
    assert got["columns"] == case.get("columns", got["columns"])
    rows, wanted = got["rows"], case["rows"]
    if not is_ordered(sql, "athena"):  # an ORDER BY within OVER orders no rows
        rows, wanted = sorted(rows, key=str), sorted(wanted, key=str)  # type: ignore[call-overload]
    assert same(rows, wanted), rows


@pytest.mark.parametrize("case", lines("differences.jsonl"), ids=lambda c: str(c["what"]))
def test_a_known_difference_is_refused_with_its_name(
    engine: StandInEngine, case: dict[str, object]
) -> None:
    with pytest.raises(QueryError) as caught:
        run(engine, str(case["sql"]))
    assert caught.value.code == CODE
    assert str(case["says"]) in str(caught.value)


def test_a_set_up_keeps_trinos_types(engine: StandInEngine) -> None:
    got = run(engine, "SELECT * FROM facts ORDER BY id")
    assert got["types"] == [
        *("bigint", "decimal(12, 2)", "array(varchar)", "map(varchar, varchar)"),
        *("row(city varchar, geo row(lat double))", "timestamp(3)"),
        *("timestamp(3) with time zone", "char(4)", "date", "varchar(10)"),
    ]
    assert got["rows"][0] == [  # type: ignore[index]
        *(1, "10.50", ["a", None], {"k": "v"}, ["Paris", [48.8]], "2024-01-01T10:00:00.123"),
        *("2024-07-01T10:00:00.000+02:00[Europe/Berlin]", "ab  ", "2024-01-01", "x"),
    ]
    assert got["rows"][1][9] == ""  # type: ignore[index]


def test_a_bare_name_belongs_to_the_first_schema_that_was_created(engine: StandInEngine) -> None:
    assert run(engine, "SELECT count(*) FROM facts")["rows"] == [[3]]
    assert run(engine, "SELECT id FROM web.facts")["rows"] == [[9]]
    assert run(engine, "SELECT count(*) FROM awsdatacatalog.lake.facts")["rows"] == [[3]]


def test_another_database_may_be_named(file: Path) -> None:
    engine = open_stand_in(file, database="web")
    assert run(engine, "SELECT id FROM facts")["rows"] == [[9]]
    engine.close()
    with pytest.raises(SetupError, match="nowhere"):
        open_stand_in(file, database="nowhere")


def test_create_table_as_takes_the_querys_types(engine: StandInEngine) -> None:
    got = run(engine, "SELECT third FROM web.copies WHERE id = 1")
    assert (got["types"], got["rows"]) == (["decimal(12, 2)"], [["3.50"]])


def test_any_duckdb_file_can_be_asked_in_athenas_sql(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "plain.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT 7::UINTEGER AS u, TIMESTAMPTZ '2024-01-01 00:00:00+00' AS z,"
            " {'a': 1} AS s, [1, 2] AS l, 1.5::DECIMAL(5,1) AS d"
        )
    engine = open_stand_in(tmp_path / "plain.duckdb")
    got = run(engine, "SELECT u / 2, s.a, l[2], d / 2, hour(z AT TIME ZONE 'Asia/Tokyo') FROM t")
    engine.close()
    assert got["types"] == ["bigint", "integer", "integer", "decimal(5, 1)", "bigint"]
    assert got["rows"] == [[3, 1, 2, "0.8", 9]]


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("CREATE SCHEMA s; CREATE TABLE s.t (a bigint); INSERT INTO s.t VALUES 'x'", "Statement 3"),
        ("CREATE SCHEMA s; CREATE TABLE s.t (a hyperloglog)", "hyperloglog"),
        ("CREATE SCHEMA s; DELETE FROM s.t", "Statement 2"),
        ("CREATE TABLE t (a bigint)", "CREATE SCHEMA"),
        ("CREATE SCHEMA (", "cannot be read"),
    ],
)
def test_a_set_up_that_cannot_be_run_names_the_statement(
    tmp_path: Path, script: str, says: str
) -> None:
    (tmp_path / "s.sql").write_text(script, encoding="utf-8")
    with pytest.raises(SetupError, match=says):
        build(tmp_path / "s.sql", tmp_path / "s.duckdb")
    assert [p.name for p in tmp_path.iterdir()] == ["s.sql"]


def test_a_file_that_no_set_up_built_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "s.sql").write_text("CREATE SCHEMA s", encoding="utf-8")
    (tmp_path / "mine.duckdb").write_bytes(b"mine")
    with pytest.raises(SetupError, match="no set-up built it"):
        build(tmp_path / "s.sql", tmp_path / "mine.duckdb")
    assert (tmp_path / "mine.duckdb").read_bytes() == b"mine"


def test_explain_translates_and_plans_without_running(engine: StandInEngine) -> None:
    sql = admit("SELECT 1", dialect="athena", catalog=Catalog()).sql
    assert sql is not None
    assert engine.explain(sql)
    with pytest.raises(TypeError):
        engine.run("SELECT 1", limits=LIMITS)  # type: ignore[arg-type]


def test_values_from_the_data_are_not_told_in_errors(engine: StandInEngine) -> None:
    with pytest.raises(QueryError) as caught:
        run(engine, "SELECT CAST(place.city AS bigint) FROM facts")
    assert "Paris" not in str(caught.value)
    assert caught.value.code == "INVALID_CAST_ARGUMENT"


@pytest.mark.parametrize("sql", ["SELECT 1/0", "SELECT 1 % 0", "SELECT 1/(1 - 1)", "SELECT 1.5/0"])
def test_a_division_by_zero_has_trinos_name(engine: StandInEngine, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        run(engine, sql)
    assert caught.value.code == "DIVISION_BY_ZERO"


def test_the_docs_name_every_known_difference() -> None:
    page = (Path(__file__).parent.parent / "docs" / "stand-in.md").read_text(encoding="utf-8")
    assert [c["what"] for c in lines("differences.jsonl") if f"| {c['what']} |" not in page] == []
