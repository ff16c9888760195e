"""The stand-in and the static checks against what a real Trino said, as recorded.

The records are made by ``make conformance``; a machine without Java tests against them.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import CASES, RECORDED, Case, Said, own_cases, read
from judging import Judged, blocked, compare, judge, static
from known import known_differences

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
@pytest.mark.xfail(reason="known difference: docs/differences.md", strict=False)
def test_a_known_difference_is_gone(sql: str, judged: list[Judged]) -> None:
    assert [j.why for j in judged if j.case.sql == sql and j.stand_in == "different"] == []


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
