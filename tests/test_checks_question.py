"""Every case of tests/checks/question.jsonl on a small school: what is found, and what a fix gives.

A case may say ``facts``, ``dialect`` (DuckDB unless said), ``fixed`` (the rows that the first fix
gives on the data), ``today`` (a day that was set), ``loose`` (other findings may stand beside those
listed), and ``never`` (codes).
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from querymend.tools.catalog.model import Catalog, Column, Leak, Profile, Table
from querymend.tools.catalog.read import read_catalog
from querymend.tools.checks.check import CHECKS, check_question
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.period import resolve_periods
from querymend.tools.questions.reading import read_question
from querymend.tools.sql.parse import parse
from querymend.tools.sql.subject import Subject

FOLDER = Path(__file__).parent / "checks"
CASES = [json.loads(line) for line in (FOLDER / "question.jsonl").read_text("utf-8").splitlines()]
TODAY = date(2026, 8, 14)


@pytest.fixture(scope="module")
def school() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect(config={"threads": 1})
    connection.execute((FOLDER / "school.sql").read_text("utf-8"))
    yield connection
    connection.close()


class Held:
    """What the text columns of the school hold."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
        self._values: dict[tuple[str, str], list[str]] = {}
        for table in catalog.tables:
            for column in (c for c in table.columns if c.type == "VARCHAR"):
                rows = connection.execute(f"SELECT DISTINCT {column.name} FROM {table.name}")
                self._values[table.name, column.name] = [v for (v,) in rows.fetchall()]

    def holding(self, value: str) -> list[tuple[str, str, str]]:
        low = value.strip().lower()
        every = ((*p, v) for p, held in self._values.items() for v in held)
        return [h for h in every if h[2].strip().lower() == low]

    def nearest(
        self, table: str, column: str, value: str, limit: int = 3
    ) -> list[tuple[str, float]]:
        held = self._values.get((table, column), [])
        return [(v, 1.0) for v in held if v.lower() == value.lower()][:limit]

    def has(self, table: str, column: str, value: str) -> bool | None:
        held = self._values.get((table, column))
        return None if held is None else value in held


@pytest.fixture(scope="module")
def catalog(school: duckdb.DuckDBPyConnection) -> Catalog:
    return Catalog(tables=tuple(profiled(school, t) for t in read_catalog(school).tables))


@pytest.fixture(scope="module")
def values(school: duckdb.DuckDBPyConnection, catalog: Catalog) -> Held:
    return Held(school, catalog)


def profiled(school: duckdb.DuckDBPyConnection, table: Table) -> Table:
    rows = school.execute(f"SELECT COUNT(*) FROM {table.name}").fetchall()[0][0]
    columns = tuple(measured(school, table, c, rows) for c in table.columns)
    return replace(table, columns=columns, rows=rows)


def measured(school: duckdb.DuckDBPyConnection, table: Table, column: Column, rows: int) -> Column:
    here = f"COUNT({column.name}), COUNT(DISTINCT {column.name}), MIN({column.name})"
    told = school.execute(f"SELECT {here}, MAX({column.name}) FROM {table.name}").fetchall()[0]
    known = Profile(
        distinct=told[1], null_share=1 - told[0] / rows, minimum=told[2], maximum=told[3]
    )
    leak = (
        Leak(target="churn", known_from="after the renewal") if column.name == "churned" else None
    )
    return replace(column, profile=known, leaks=leak)


def see(case: dict[str, Any], catalog: Catalog, values: Held) -> Seen:
    question = case["question"]
    parsed = parse(case["sql"], case.get("dialect", "duckdb"))
    return Seen(
        subject=Subject(parsed=parsed, catalog=catalog, question=question),
        reading=read_question(question),
        periods=resolve_periods(question, TODAY),
        values=values,
        facts=tuple(case.get("facts", ())),
        today=today_of(case),
    )


def found(case: dict[str, Any], catalog: Catalog, values: Held | None) -> list[Finding]:
    question = case["question"]
    return check_question(
        case["sql"],
        dialect=case.get("dialect", "duckdb"),
        catalog=catalog,
        question=question,
        reading=read_question(question),
        periods=resolve_periods(question, TODAY),
        values=values,
        facts=case.get("facts", ()),
        today=today_of(case),
    )


def today_of(case: dict[str, Any]) -> date | None:
    return date.fromisoformat(case["today"]) if "today" in case else None


@pytest.mark.parametrize("case", CASES, ids=[f"{i}: {c['sql'][:60]}" for i, c in enumerate(CASES)])
def test_each_case_is_found_and_nothing_else(
    case: dict[str, Any], catalog: Catalog, values: Held
) -> None:
    told = sorted({f"{f.severity} {f.code}" for f in found(case, catalog, values)})
    assert not {f.split()[1] for f in told} & set(case.get("never", ()))
    if case.get("loose"):
        assert set(case["findings"]) <= set(told)
    else:
        assert told == sorted(case["findings"])


@pytest.mark.parametrize("case", [c for c in CASES if "fixed" in c], ids=lambda c: c["sql"][:60])
def test_a_fix_runs_and_gives_what_was_asked(
    case: dict[str, Any], school: duckdb.DuckDBPyConnection, catalog: Catalog, values: Held
) -> None:
    fix = next(f.fix for f in found(case, catalog, values) if f.fix)
    rows = school.execute(fix).fetchall()
    assert sorted([str(cell) for cell in row] for row in rows) == sorted(case["fixed"])


@pytest.mark.parametrize("case", [c for c in CASES if "fixed" in c], ids=lambda c: c["sql"][:60])
def test_a_fix_is_not_blamed_for_the_same_again(
    case: dict[str, Any], catalog: Catalog, values: Held
) -> None:
    before = next(f for f in found(case, catalog, values) if f.fix)
    after = found({**case, "sql": before.fix}, catalog, values)
    assert before.code not in {f.code for f in after}


def test_every_check_speaks_in_some_case(catalog: Catalog, values: Held) -> None:
    seen = [see(case, catalog, values) for case in CASES]
    elsewhere = {p.stem for p in (FOLDER / "rides").glob("*.jsonl")}
    silent = [
        check.__name__
        for check in CHECKS
        if check.__name__ not in elsewhere and not any(list(check(s)) for s in seen)
    ]
    assert silent == []


def test_without_values_no_literal_is_blamed(catalog: Catalog) -> None:
    case = {
        "question": "Who is from Nevada?",
        "sql": "SELECT name FROM students WHERE state = 'NV'",
    }
    assert "not_a_value" not in {f.code for f in found(case, catalog, None)}


def test_a_text_that_does_not_parse_gives_nothing(catalog: Catalog, values: Held) -> None:
    assert found({"question": "How many?", "sql": "SELECT FROM WHERE"}, catalog, values) == []


def test_the_statement_is_left_as_it_is(catalog: Catalog, values: Held) -> None:
    case = next(c for c in CASES if "fixed" in c)
    assert found(case, catalog, values) == found(case, catalog, values)


def test_findings_say_where_and_what_to_do(catalog: Catalog, values: Held) -> None:
    for case in CASES:
        for finding in found(case, catalog, values):
            assert finding.message.endswith(".")
            assert finding.hint
            assert len(finding.clause) <= 200
