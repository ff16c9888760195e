import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querymend.tools.questions.period import resolve_periods

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "questions" / "periods.jsonl")
    .read_text("utf-8")
    .splitlines()
]
FRIDAY = date(2026, 8, 14)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['question']} {c.get('today', '')}")
def test_a_phrase_becomes_its_days(case: dict[str, Any]) -> None:
    today = date.fromisoformat(case.get("today", FRIDAY.isoformat()))
    found = resolve_periods(case["question"], today, fiscal_start_month=case.get("fiscal", 1))
    told = [[p.phrase, _iso(p.start), _iso(p.end), p.relative] for p in found]
    assert told == case["periods"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("sales last quarter", "last quarter = 1 April to 30 June 2026"),
        ("orders this month", "this month = 1 to 31 August 2026"),
        ("orders yesterday", "yesterday = 13 August 2026"),
        ("orders since March 2025", "since March 2025 = 1 March 2025 to 14 August 2026"),
        ("orders before 2020", "before 2020 = up to 31 December 2019"),
        ("orders after 2024", "after 2024 = from 1 January 2025 on"),
        ("in the past 7 days", "the past 7 days = 8 to 14 August 2026 (ending today)"),
        ("orders in March", "March = 1 to 31 March 2026 (the most recent one)"),
    ],
)
def test_the_reading_is_said_in_words(question: str, text: str) -> None:
    assert [p.text for p in resolve_periods(question, FRIDAY)] == [text]


def test_a_writer_of_sql_gets_the_bounds_in_iso_form() -> None:
    (period,) = resolve_periods("sales last quarter", FRIDAY)
    assert period.bounds == "last quarter = 2026-04-01 to 2026-06-30"


def test_a_period_tells_which_days_it_holds() -> None:
    (period,) = resolve_periods("sales last quarter", FRIDAY)
    assert period.holds(date(2026, 6, 30))
    assert not period.holds(date(2026, 7, 1))


def test_a_fiscal_year_that_starts_in_no_month_is_the_callers_fault() -> None:
    with pytest.raises(ValueError, match="1 to 12"):
        resolve_periods("last fiscal year", FRIDAY, fiscal_start_month=13)


@given(question=st.text(max_size=80), today=st.dates(date(1950, 1, 1), date(2090, 12, 31)))
def test_no_text_makes_it_fail(question: str, today: date) -> None:
    for period in resolve_periods(question, today):
        assert period.start is None or period.end is None or period.start <= period.end


@given(today=st.dates(date(1950, 1, 1), date(2090, 12, 31)))
def test_last_month_ends_the_day_before_this_month_on_every_day_of_the_calendar(
    today: date,
) -> None:
    this, last = resolve_periods("this month against last month", today)
    assert this.start is not None
    assert last.end is not None
    assert (this.start - last.end).days == 1
    assert this.holds(today)


def test_fifty_thousand_characters_are_read_at_once() -> None:
    assert len(resolve_periods("between " * 7_000 + "last month", FRIDAY)) == 1


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
