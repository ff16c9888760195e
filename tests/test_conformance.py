"""The stand-in and the static checks against what a real Trino said, as recorded.

The records are made by ``make conformance``; a machine without Java tests against them.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cases import CASES, RECORDED, Case, Said, own_cases, read
from data import data_statements
from holding import Held, drifted
from holding import judged as judged_of
from judging import Judged, blocked, by_construct, by_function, compare, judge, static
from known import known_differences
from page import PAGE, WITH_DATA, page
from ties import is_tie

from querymend.tools.engines.stand_in.engine import StandInEngine, open_stand_in
from querymend.tools.engines.stand_in.setup import build

SAID = read(RECORDED / "gallery.jsonl")
RUNS = [pair for pair in SAID if not pair[1].error]
REFUSED = [pair for pair in SAID if pair[1].error]


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandInEngine]:
    path = tmp_path_factory.mktemp("gallery") / "warehouse.duckdb"
    engine = open_stand_in(build(CASES / "gallery.sql", path))
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def judged(stand_in: StandInEngine) -> list[Judged]:
    return [judge(case, said, stand_in) for case, said in SAID]


def test_every_statement_of_the_lists_is_recorded_once_and_no_other() -> None:
    recorded = [(c.list, c.kind, c.sql) for c, _ in SAID]
    assert recorded == [(c.list, c.kind, c.sql) for c in own_cases()]


def test_trino_runs_what_is_listed_as_running_and_refuses_the_rest() -> None:
    wrong = [c.sql for c, said in SAID if bool(said.error) != (c.list == "refused")]
    assert set(wrong) <= {
        "SELECT element_at(ARRAY[1], 0)",
        "SELECT regexp_replace('abc', '[a-b]', x -> upper(x[1]))",
    }


def test_the_stand_in_differs_in_silence_on_the_known_statements_alone(
    judged: list[Judged],
) -> None:
    different = {j.case.sql: j.why for j in judged if j.stand_in == "different"}
    assert {s: w for s, w in different.items() if s not in known_differences()} == {}


@pytest.mark.parametrize("sql", known_differences())
@pytest.mark.xfail(reason="known difference: docs/differences.md")
def test_a_known_difference_is_gone(sql: str, judged: list[Judged]) -> None:
    assert [j.why for j in judged if j.case.sql == sql and j.stand_in == "different"] == []


@pytest.mark.parametrize("sql", known_differences("checks"))
@pytest.mark.xfail(reason="known difference: docs/differences.md")
def test_a_known_difference_of_the_checks_is_gone(sql: str, judged: list[Judged]) -> None:
    assert [j.checked for j in judged if j.case.sql == sql and not j.checks] == []


def test_of_what_trino_runs_the_stand_in_gives_nine_in_ten_and_says_why_of_the_rest(
    judged: list[Judged],
) -> None:
    runs = [j for j in judged if j.case.list == "constructs"]
    equal = [j for j in runs if j.stand_in == "equal"]
    assert len(equal) >= 0.9 * len(runs)
    assert all(j.why for j in judged if j.stand_in != "equal")


def test_the_checks_differ_from_trino_on_the_known_statements_alone(judged: list[Judged]) -> None:
    wrong = {j.case.sql: j.checked for j in judged if not j.checks}
    assert {s: w for s, w in wrong.items() if s not in known_differences("checks")} == {}


def test_the_documentation_lists_every_known_difference() -> None:
    page = (Path(__file__).parent.parent / "docs" / "differences.md").read_text(encoding="utf-8")
    listed = [*known_differences().items(), *known_differences("checks").items()]
    assert [s for s, why in listed if s not in page or why not in page] == []


# The judge itself --------------------------------------------------------------------------------

ROWS = Said(columns=["a"], types=["double"], rows=[["1.5"], ["2.5"]])


@pytest.mark.parametrize(
    ("other", "ordered", "outcome"),
    [
        (ROWS, True, "equal"),
        (
            Said(columns=["a"], types=["double"], rows=[["2.5"], ["1.5000000000001"]]),
            False,
            "equal",
        ),
        (Said(columns=["a"], types=["double"], rows=[["2.5"], ["1.5"]]), True, "different"),
        (Said(columns=["a"], types=["double"], rows=[["1.5"], ["2.6"]]), False, "different"),
        (Said(columns=["a"], types=["real"], rows=[["1.5"], ["2.5"]]), False, "different"),
        (Said(columns=["b"], types=["double"], rows=[["1.5"], ["2.5"]]), False, "different"),
        (Said(columns=["a"], types=["double"], rows=[["1.5"]]), False, "different"),
        (Said(error="NOT_IN_STAND_IN", message="no"), False, "told"),
    ],
)
def test_the_judge_tells_equal_told_and_different(other: Said, ordered: bool, outcome: str) -> None:
    assert compare(ROWS, other, ordered=ordered)[0] == outcome


def test_the_judge_takes_running_what_trino_refuses_for_a_difference() -> None:
    assert compare(Said(error="TYPE_MISMATCH"), ROWS, ordered=False)[0] == "different"


def test_the_judge_asks_of_the_checks_only_what_can_be_known_before_running() -> None:
    assert static(Said(error="DIVISION_BY_ZERO", when="run"), "")[0]
    assert not static(Said(error="TYPE_MISMATCH", when="analysis"), "")[0]
    assert not static(ROWS, "unknown_column: x")[0]


def test_gate_and_checks_are_asked_with_the_tables_that_the_records_are_of(
    stand_in: StandInEngine,
) -> None:
    case = Case(list="x", kind="x", sql="SELECT titel FROM works")
    assert "titel" in blocked(case, stand_in.catalog())


@pytest.mark.parametrize(
    ("sql", "columns", "keys"),
    [
        ("SELECT a, b FROM t ORDER BY b", ["a", "b"], [1]),
        ("SELECT a, b FROM t ORDER BY 2 DESC, A", ["a", "b"], [1, 0]),
        ("SELECT * FROM t ORDER BY t.a", ["a", "b"], [0]),
        ("SELECT a, a + 1 FROM t ORDER BY a + 1", ["a", "_col1"], [1]),
        ("SELECT a, b FROM t ORDER BY c", ["a", "b"], [0, 1]),
        ("SELECT x.a, y.a FROM x, y ORDER BY a", ["a", "a"], [0, 1]),
    ],
)
def test_the_columns_that_decide_an_order_are_known(
    sql: str, columns: list[str], keys: list[int]
) -> None:
    assert list(Case(list="x", kind="x", sql=sql).sort_keys(columns)) == keys


def test_rows_that_are_equal_where_the_order_is_decided_may_swap() -> None:
    rows = [["b", 1], ["a", 1], ["c", 2]]
    trino = Said(columns=["x", "y"], types=["varchar", "bigint"], rows=rows)
    swapped = replace(trino, rows=[rows[1], rows[0], rows[2]])
    wrong = replace(trino, rows=[rows[2], rows[0], rows[1]])
    assert compare(trino, swapped, ordered=True, keys=[1])[0] == "equal"
    assert compare(trino, swapped, ordered=True)[0] == "different"
    assert compare(trino, wrong, ordered=True, keys=[1])[0] == "different"


# A folder of data --------------------------------------------------------------------------------

SETUP = """CREATE SCHEMA sales;
CREATE TABLE sales.orders (order_id bigint, region varchar);
INSERT INTO sales.orders VALUES (1, 'eu'), (2, 'us');
"""
GOLDEN = {"columns": ["n"], "types": ["bigint"], "rows": [[2]], "ordered": False}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write a folder of the form that ``make conformance DATA=…`` takes."""
    home = tmp_path / "athena"
    home.mkdir()
    (home / "fixture.sql").write_text(SETUP)
    (tmp_path / "spider").mkdir()
    with closing(sqlite3.connect(tmp_path / "spider" / "Pets.sqlite")) as pets:
        pets.executescript(
            "CREATE TABLE Pet (Id INTEGER, Name TEXT); INSERT INTO Pet VALUES (1, 'a')"
        )
    (home / "warehouse_types.json").write_text(
        json.dumps({"Pets": {"pet": {"id": "bigint", "name": "varchar"}}})
    )
    fault = {"name": "COLUMN_NOT_FOUND", "message": "line 1:8"}
    files = {
        "fixture_golden": [{"sql": "SELECT count(*) AS n FROM orders", **GOLDEN}],
        "valid": [
            {"sql": "SELECT count(*) AS n FROM orders"},
            {"sql": "SELECT region FROM orders"},
        ],
        "faulty": [{"sql": "SELECT x FROM orders", "fault": "column", "error": fault}],
        "warehouse_golden": [{"db": "Pets", "sql": "SELECT id AS n FROM pet", **GOLDEN}],
        "verdicts": [
            {"db": "Pets", "sql": "SELECT id FROM pet", "error": None},
            {"db": "Pets", "sql": "SELECT nam FROM pet", "error": fault},
        ],
    }
    for name, lines in files.items():
        (home / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


def test_a_folder_is_read_with_what_was_said_before(data: Path, tmp_path: Path) -> None:
    script, goldens, verdicts = data_statements(data, tmp_path)
    assert [(c.list, c.kind, said and said.error) for c, said in script.pairs] == [
        ("fixture_golden", "statements", ""),
        ("valid", "statements", None),
        ("faulty", "column", "COLUMN_NOT_FOUND"),
    ]
    assert [(s.run, c.list, c.schema) for s in (goldens, verdicts) for c, _ in s.pairs] == [
        (True, "warehouse_golden", "pets"),
        (False, "verdicts", "pets"),
        (False, "verdicts", "pets"),
    ]
    assert list(data_statements(data / "athena", tmp_path))
    assert list(data_statements(tmp_path / "nothing", tmp_path)) == []


def unasked(sql: str) -> Said:
    raise AssertionError(f"nothing is asked again: {sql}")


def test_what_trino_says_is_held_against_record_stand_in_and_checks(
    data: Path, tmp_path: Path
) -> None:
    script, goldens, verdicts = data_statements(data, tmp_path)
    two = Said(columns=["n"], types=["bigint"], rows=[[2]])
    fault = Said(error="COLUMN_NOT_FOUND", when="analysis")
    said = {
        "fixture_golden": two,
        "valid": Said(columns=["region"], types=["varchar"], rows=[["us"], ["eu"]]),
        "faulty": fault,
        "warehouse_golden": replace(two, rows=[[1]]),
    }
    ran = [(c, said[c.list]) for c, _ in [*script.pairs, *goldens.pairs]]
    first = judged_of(script.tables, ran[:3], tmp_path)
    assert [(j.stand_in, j.checks) for j in first] == [("equal", True)] * 3
    (golden,) = judged_of(goldens.tables, ran[3:], tmp_path)
    assert golden.stand_in == "equal"
    assert [c.list for c in drifted(goldens, ran[3:], unasked)] == ["warehouse_golden"]
    asked = [(c, then or Said()) for c, then in verdicts.pairs]
    (sound, faulty) = judged_of(
        verdicts.tables, [(c, fault) for c, _ in asked], tmp_path, run=False
    )
    assert (sound.stand_in, sound.checks, faulty.checks) == ("unasked", False, True)
    assert drifted(verdicts, asked, unasked) == []


# The page ----------------------------------------------------------------------------------------


def held_of(*lists: str) -> Held:
    cases = [Case(list=name, kind="joins", sql=f"SELECT lower('{name}')") for name in lists]
    said = Said(columns=["_col0"], types=["varchar"], rows=[["x"]])
    outcome = [Judged(case=c, said=said, stand_in="told", why="no") for c in cases]
    return Held(judged=outcome, drifted=cases[:1])


def test_the_page_counts_by_list_construct_and_function() -> None:
    text = page(held_of("constructs", "pack"), None, version="435")
    assert "real Trino 435" in text
    assert "| constructs | 1 | 0 | 1 | 0 | 1 | 1 |" in text
    assert "| constructs: joins | 1 | 0 | 1 | 0 | 1 |" in text
    assert "| lower | 1 | 0 | 1 | 0 | 1 |" in text
    assert WITH_DATA not in text


def test_what_a_folder_of_data_gave_stays_on_the_page_until_another_is_held() -> None:
    first = page(held_of("constructs"), held_of("shop/golden"), version="435")
    assert "| shop/golden | 1 | 0 | 1 | 0 | 1 | 1 |" in first
    again = page(held_of("constructs"), None, version="435", before=first)
    assert again == first
    other = page(held_of("constructs"), held_of("verdicts"), version="435", before=first)
    assert "shop/golden" not in other


def test_the_committed_page_has_every_construct_and_function_of_the_cases() -> None:
    text = PAGE.read_text(encoding="utf-8")
    every = [Judged(case=case, said=Said(), stand_in="equal") for case in own_cases()]
    lines = [*by_construct(j for j in every if j.case.list != "functions"), *by_function(every)]
    assert [x.name for x in lines if f"\n| {x.name} | {x.statements} |" not in text] == []
    assert not re.search(r"/(home|root|tmp|work|Users)/|127\.0\.0\.1", text)


# Ties --------------------------------------------------------------------------------------------

TIED = [[1, 9], [2, 9], [3, 7], [4, 7]]
"""Names and what they are sorted by."""


@pytest.mark.parametrize(
    ("rows", "limit", "tie"),
    [
        ([[1], [2], [3]], "LIMIT 3", True),
        ([[2], [1], [4]], "LIMIT 3", True),
        ([[2], [1], [4], [3]], "", True),
        ([[1], [3], [2]], "LIMIT 3", False),
        ([[2], [1], [5]], "LIMIT 3", False),
        ([[2], [1]], "", False),
    ],
)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT n FROM t ORDER BY size DESC {}",
        "SELECT n FROM (SELECT n, 0 AS x FROM t ORDER BY size DESC {}) AS s",
    ],
)
def test_rows_are_tied_if_the_keys_leave_them_open(
    sql: str, rows: list[list[object]], limit: str, tie: bool
) -> None:
    asked: list[str] = []

    def ask(text: str) -> Said:
        asked.append(text)
        return Said(columns=["n", "size"], types=["bigint", "bigint"], rows=TIED)

    trino = Said(columns=["n"], types=["bigint"], rows=rows)
    case = Case(list="x", kind="x", sql=sql.format(limit).strip())
    assert is_tie(case, trino, ask) is tie
    assert asked == ["SELECT n, size FROM t ORDER BY size DESC"]


def test_what_sorts_nothing_is_no_tie() -> None:
    trino = Said(columns=["n"], types=["bigint"], rows=[[1]])
    for sql in ("SELECT n FROM t", "SELECT n FROM t UNION SELECT 1", "VALUES 1"):
        assert not is_tie(Case(list="x", kind="x", sql=sql), trino, unasked)
