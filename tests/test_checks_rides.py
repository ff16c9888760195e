"""Checks with a file of cases of their own, on a small bicycle hire: ``tests/checks/rides``.

``tests/checks/rides/unit_scale.jsonl`` holds the cases of the check ``unit_scale``. A case says
which of that check's codes are found (``findings``: severity and code), and the rows that the
first fix gives on the data (``fixed``; null: there is none); ``dialect`` is DuckDB's unless said.
"""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from querymend.fewshot import load_pack
from querymend.tools.catalog.describe import describe
from querymend.tools.catalog.model import Catalog
from querymend.tools.catalog.profile import profile
from querymend.tools.checks.check import CHECKS, Check
from querymend.tools.checks.seen import Seen
from querymend.tools.engines.duckdb import open_duckdb
from querymend.tools.findings import Finding
from querymend.tools.questions.period import resolve_periods
from querymend.tools.questions.reading import read_question
from querymend.tools.sql.parse import parse
from querymend.tools.sql.subject import Subject

FOLDER = Path(__file__).parent / "checks" / "rides"
TODAY = date(2026, 8, 14)
OWN = {c.__name__: c for c in CHECKS if (FOLDER / f"{c.__name__}.jsonl").is_file()}
CASES = [
    (name, json.loads(line))
    for name in sorted(OWN)
    for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
]
FIXED = [(name, case) for name, case in CASES if "fixed" in case]


def called(value: object) -> str:
    """Name a case by its check, or by its statement."""
    return value if isinstance(value, str) else str(value["sql"])[:60]  # type: ignore[index]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rides") / "rides.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute((FOLDER / "warehouse.sql").read_text("utf-8"))
    return path


@pytest.fixture(scope="module")
def catalog(file: Path) -> Catalog:
    engine = open_duckdb(file)
    try:
        known, unknown = describe(engine.catalog(), load_pack(FOLDER).notes)
        assert unknown == ()
        return profile(engine, known)
    finally:
        engine.close()


@pytest.fixture(scope="module")
def rides(file: Path, catalog: Catalog) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(file), read_only=True) as connection:
        yield connection


def found(check: Check, case: dict[str, Any], catalog: Catalog) -> list[Finding]:
    question = case["question"]
    parsed = parse(case["sql"], case.get("dialect", "duckdb"))
    seen = Seen(
        subject=Subject(parsed=parsed, catalog=catalog, question=question),
        reading=read_question(question),
        periods=resolve_periods(question, TODAY),
        facts=tuple(case.get("facts", ())),
    )
    return list(check(seen))


@pytest.mark.parametrize(("name", "case"), CASES, ids=called)
def test_each_case_is_found_or_passed_over(
    name: str, case: dict[str, Any], catalog: Catalog
) -> None:
    told = [f"{f.severity} {f.code}" for f in found(OWN[name], case, catalog)]
    assert told == case["findings"]


@pytest.mark.parametrize(("name", "case"), FIXED, ids=called)
def test_a_fix_gives_what_was_asked_and_ends_the_finding(
    name: str, case: dict[str, Any], catalog: Catalog, rides: duckdb.DuckDBPyConnection
) -> None:
    first = found(OWN[name], case, catalog)[0]
    if case["fixed"] is None:
        assert first.fix is None
        return
    assert first.fix is not None
    rows = rides.execute(first.fix).fetchall()
    assert sorted([str(cell) for cell in row] for row in rows) == sorted(case["fixed"])
    assert found(OWN[name], {**case, "sql": first.fix}, catalog) == []


@pytest.mark.parametrize("name", sorted(OWN))
def test_every_file_has_cases_that_are_found_and_cases_that_are_not(name: str) -> None:
    told = [bool(case["findings"]) for n, case in CASES if n == name]
    assert {True, False} <= set(told)


def test_each_file_of_cases_is_of_a_check() -> None:
    assert {p.stem for p in FOLDER.glob("*.jsonl")} == set(OWN)


def test_what_is_found_says_where_and_what_to_do(catalog: Catalog) -> None:
    for name, case in CASES:
        for finding in found(OWN[name], case, catalog):
            assert finding.message.endswith(".")
            assert finding.hint
            assert finding.clause
