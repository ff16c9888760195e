"""Shares and costs are added up by tag, and two runs are compared pair by pair."""

from pathlib import Path

import pytest

from querymend.evaluation.compare import compare, mcnemar, whole_loop
from querymend.evaluation.records import Record
from querymend.evaluation.report import by_tag, figures, flagged_first
from querymend.evaluation.score import Score


def record(key: str, score: Score | None = "right", **changes: object) -> Record:
    return Record(
        **{"key": key, "mode": "loop", "digest": "d", "question": key, "score": score, **changes}  # type: ignore[arg-type]
    )


def test_shares_are_of_all_questions_asked() -> None:
    scores: list[Score | None] = ["right", "right", "cautious", "silently_wrong", None]
    found = figures([record(str(i), s) for i, s in enumerate(scores)])
    assert (found.n, found.right, found.delivered, found.unscored) == (5, 2, 3, 1)
    assert found.share(found.delivered) == 60.0
    assert found.to_dict()["silently_wrong_share"] == 20.0


def test_costs_are_means_and_framework_time_is_the_median() -> None:
    costs = [{"model_calls": c, "framework_seconds": s} for c, s in ((1, 0.01), (2, 0.02), (3, 9))]
    found = figures([record(str(i), cost=c) for i, c in enumerate(costs)])
    assert (found.model_calls, found.framework_seconds) == (2.0, 0.02)


def test_what_broke_before_it_cost_anything_is_in_no_mean() -> None:
    assert figures([record("1", cost={"model_calls": 2}), record("2")]).model_calls == 2.0


def test_nothing_at_all_is_no_division_by_zero() -> None:
    assert figures([]).share(0) == 0.0


def test_a_question_counts_in_each_of_its_tags() -> None:
    found = by_tag([record("1", tags=("join", "ratio")), record("2", "withheld", tags=("join",))])
    assert [(f.tag, f.n, f.right) for f in found] == [("join", 2, 1), ("ratio", 1, 1)]


def test_first_attempts_with_a_finding_to_act_on_are_followed() -> None:
    records = [
        record("1", first={"severity": "repair"}),
        record("2", "silently_wrong", first={"severity": "block"}),
        record("3", "cautious", first={"severity": "repair"}),
        record("4", first={"severity": "note"}),
    ]
    assert flagged_first(records) == type(flagged_first([]))(n=3, right=2, silently_wrong=1)


def test_the_bench_tells_what_first_attempts_gave_and_what_they_ended_as(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "bench"))
    from first_attempts import by_verdict, shares

    failed: dict[str, object] = {"severity": "block", "verdict": "failed"}
    right: dict[str, object] = {"severity": "repair", "verdict": "right"}
    records = [
        record("1", first=failed),
        record("2", "cautious", first=failed),
        record("3", "silently_wrong", first=right),
        record("4", "said_so", first=right),
        record("5", "silently_wrong", first={"severity": "warn", "verdict": "wrong"}),
    ]
    assert shares(flagged_first(records)) == {"right": 0.5, "silently_wrong": 0.25}
    assert by_verdict(records)["right", "silently_wrong"] == 1
    assert by_verdict(records).total() == 4


def test_no_first_attempt_with_a_finding_is_no_division_by_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "bench"))
    from first_attempts import shares

    assert shares(flagged_first([record("1")])) == {"right": 0.0, "silently_wrong": 0.0}


def test_two_runs_are_compared_question_by_question() -> None:
    was: list[Score | None] = ["right", "right", "withheld", "said_so", "right"]
    is_now: list[Score | None] = ["cautious", "silently_wrong", "right", "withheld"]
    before = [record(str(i), s) for i, s in enumerate(was, 1)]
    after = [record(str(i), s) for i, s in enumerate(is_now, 1)]
    found = compare(before, after)
    assert [p.after.key for p in found.mended] == ["3"]
    assert [p.after.key for p in found.broken] == ["2"]
    assert (found.both, found.neither, found.unchanged, found.only_one) == (1, 1, 2, 1)


def test_a_question_whose_gold_changed_is_another_question() -> None:
    assert compare([record("1")], [record("1", digest="e")]).only_one == 2


@pytest.mark.parametrize(
    ("mended", "broken", "p"),
    [(0, 0, 1.0), (1, 1, 1.0), (5, 0, 0.0625), (0, 5, 0.0625), (10, 2, 0.03857421875)],
)
def test_mcnemars_p_is_exact(mended: int, broken: int, p: float) -> None:
    assert mcnemar(mended, broken) == pytest.approx(p)


def test_of_a_file_with_both_modes_the_loop_is_compared() -> None:
    single, loop = record("1", mode="single"), record("1")
    assert whole_loop([single, loop]) == [loop]
    assert whole_loop([single]) == [single]
