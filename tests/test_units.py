"""What is read from a column's unit, and from a question that asks for one."""

import pytest

from querymend.tools.questions.units import unit_of, units_asked

HELD = {
    "US cents": ("usd", 0.01),
    "billion USD": ("usd", 1e9),
    "USD per month": ("usd", 1.0),
    "thousands of people": ("people", 1000.0),
    "percent": ("share", 0.01),
    "minutes": ("time", 60.0),
}
ASKED = {
    "What is the GDP in billion dollars?": [("usd", 1e9)],
    "What is the total value in US dollars of the orders?": [("usd", 1.0)],
    "Give the population in millions of people.": [("people", 1e6)],
    "Give the population in thousands.": [("", 1000.0)],
    "How many hours did it take?": [("time", 3600.0)],
    "What is the density in people per square mile?": [],
    "Which orders are over 100 dollars?": [],
    "What is the revenue in January?": [],
}


@pytest.mark.parametrize(("text", "meant"), HELD.items(), ids=str)
def test_a_unit_has_a_dimension_and_a_size(text: str, meant: tuple[str, float]) -> None:
    unit = unit_of(text)
    assert unit is not None
    assert (unit.dimension, unit.size) == meant


@pytest.mark.parametrize("text", ["", "square feet", "points", "units in stock"])
def test_another_unit_is_not_guessed(text: str) -> None:
    assert unit_of(text) is None


@pytest.mark.parametrize(("question", "meant"), ASKED.items(), ids=str)
def test_a_question_asks_for_units_in_words(question: str, meant: list[tuple[str, float]]) -> None:
    assert [(u.dimension, u.size) for u in units_asked(question)] == meant
