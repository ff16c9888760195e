"""What is read from ``A per B`` in a question."""

import pytest

from querymend.tools.questions.rates import rates

SAID = {
    "What was the average revenue per day in June 2026?": ("revenue", "day", False, True),
    "How many sales per customer were there on average?": ("sale", "customer", True, True),
    "On average, how many orders are placed per month?": ("order", "month", True, True),
    "How many units did we sell per day on average?": ("unit", "day", True, True),
    "What is the average number of rides made per member?": ("ride", "member", True, True),
    "What was our daily average revenue?": ("revenue", "day", False, True),
    "What is the average monthly revenue of 2026?": ("revenue", "month", False, True),
    "Which city has the most people per square mile?": ("most person", "square", False, False),
    "What is the revenue for each region?": ("revenue", "region", False, False),
}


@pytest.mark.parametrize(("question", "said"), SAID.items(), ids=str)
def test_a_rate_has_a_measure_a_unit_and_how_they_are_asked_for(
    question: str, said: tuple[str, str, bool, bool]
) -> None:
    (rate,) = rates(question)
    assert (" ".join(rate.what), rate.unit, rate.counted, rate.averaged) == said


def test_two_units_give_two_rates() -> None:
    assert [r.unit for r in rates("What is the revenue per week and per month?")] == [
        "week",
        "month",
    ]


def test_the_word_behind_the_unit_is_kept() -> None:
    assert rates("How many people per square mile?")[0].unit_rest == "mile"


def test_a_question_without_per_has_none() -> None:
    assert rates("What is the total revenue by region, in percent?") == ()
