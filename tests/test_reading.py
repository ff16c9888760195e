import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querymend.tools.questions.period import resolve_periods
from querymend.tools.questions.quoted import blanked, quoted_phrases, without_quotes
from querymend.tools.questions.reading import Reading, read_question
from querymend.tools.questions.words import alike, content_words, name_words, singular
from querymend.tools.results.expectation import Expectation, expect

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "questions" / "readings.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["question"])
def test_the_words_of_a_question_fix_its_reading(case: dict[str, Any]) -> None:
    assert _plain(read_question(case["question"])) == case["reading"]


def _plain(reading: Reading) -> dict[str, Any]:
    """Leave out what is empty; one_value and top's fields too."""
    told = asdict(reading)
    del told["question"]
    told["superlatives"] = [list(s.values()) for s in told["superlatives"]]
    told["top"] = {k: v for k, v in (told["top"] or {}).items() if v not in ("", (), False)}
    kept = {k: v for k, v in told.items() if v or (k == "one_value" and v is False)}
    return dict(json.loads(json.dumps(kept)))


def test_quoted_words_ask_for_nothing() -> None:
    reading = read_question('How many songs are called "Top 10 of each year, sorted by name"?')
    assert reading.top is None
    assert reading.group_by == ()
    assert reading.order is None
    assert reading.one_value is True


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("named \"A 'b' c\"", ("A 'b' c",)),
        ("the dog's name and the cat's", ()),
        ("called 'Joe's Diner' in Ohio", ("Joe's Diner",)),
        ("code 'AKO'?", ("AKO",)),
        ("\u201cSky Radio\u201d and \u2018Smith\u2019", ("Sky Radio", "Smith")),
        ("column `a_b`", ("a_b",)),
    ],
)
def test_quotes_are_told_from_apostrophes(text: str, phrases: tuple[str, ...]) -> None:
    assert quoted_phrases(text) == phrases
    assert len(blanked(text)) == len(text)
    assert without_quotes(text).count('""') == len(phrases)


@pytest.mark.parametrize(
    ("word", "one"),
    [
        ("cities", "city"),
        ("boxes", "box"),
        ("people", "person"),
        ("series", "series"),
        ("address", "address"),
        ("bus", "bus"),
        ("orders", "order"),
    ],
)
def test_plurals_are_undone(word: str, one: str) -> None:
    assert singular(word) == one


def test_names_are_split_into_words() -> None:
    assert name_words("HeadOfState") == ("head", "of", "state")
    assert name_words("sales_fact") == ("sale", "fact")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("orders", "order", True),
        ("cartoones", "cartoon", True),
        ("ordering", "orders", True),
        ("region", "regional", True),
        ("age", "agent", False),
        ("car", "care", False),
        ("amount", "account", False),
    ],
)
def test_likeness_of_words_forgives_grammar_and_slips(a: str, b: str, same: bool) -> None:
    assert alike(a, b) is same


def test_content_words_leave_out_what_every_question_says() -> None:
    assert content_words("How many of the singers are from France?") == ["singer", "france"]


def test_a_top_n_bounds_the_rows() -> None:
    expectation = _expect("Top 10 customers by revenue")
    assert (expectation.max_rows, expectation.entities) == (10, 10)


def test_a_top_n_that_is_broken_down_bounds_the_entities_only() -> None:
    expectation = _expect("Top 10 SKUs by revenue, by region")
    assert (expectation.max_rows, expectation.entities) == (None, 10)
    assert expectation.assumptions == (
        "Top 10 skus: the 10 skus are chosen first by their total, then broken down by region.",
    )


def test_top_n_in_each_is_the_other_question() -> None:
    expectation = _expect("What are the top 3 products in each region?")
    assert expectation.max_rows is None
    assert expectation.assumptions == ("Top 3 products: 3 in each region.",)


def test_one_value_is_one_row() -> None:
    expectation = _expect("How many customers are there?")
    assert (expectation.min_rows, expectation.max_rows, expectation.number) == (1, 1, True)


def test_a_question_about_a_top_n_as_a_whole_bounds_no_rows_by_n() -> None:
    assert _expect("How many orders did the top 10 customers place?").entities is None


def test_two_periods_are_no_one_period() -> None:
    assert _expect("Sales last month").period is not None
    assert _expect("Sales this month and last month").period is None


@given(question=st.text(max_size=200))
def test_no_text_makes_it_fail(question: str) -> None:
    read_question(question)


def test_fifty_thousand_characters_are_read() -> None:
    assert read_question("how many orders by region and " * 1_700).group_by


def _expect(question: str) -> Expectation:
    periods = resolve_periods(question, date(2026, 8, 14))
    return expect(question, read_question(question), periods)
