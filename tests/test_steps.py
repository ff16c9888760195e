"""Steps of a question, of a statement, and how they are put together."""

import json
from pathlib import Path
from typing import Any

import pytest

from querymend.tools.questions.reading import read_question
from querymend.tools.questions.steps import steps_of
from querymend.tools.results.expectation import expect

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "questions" / "steps.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["question"][:60])
def test_each_question_has_the_steps_of_its_case(case: dict[str, Any]) -> None:
    question = case["question"]
    steps = expect(question, read_question(question)).steps
    assert (steps.finish if steps else None) == case["finish"]
    if steps is not None:
        assert [t.asks for t in steps.tasks] == case["asks"]
        assert {g for t in steps.tasks for g in t.grain} == set(case["grain"])


def test_steps_have_names_that_are_plain_and_differ() -> None:
    for case in CASES:
        steps = steps_of(case["question"], read_question(case["question"]).top)
        names = [t.name for t in steps.tasks] if steps else []
        assert len(set(names)) == len(names)
        assert all(n.isidentifier() for n in names)
