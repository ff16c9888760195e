import json
import random
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querymend.tools.results.compare import is_ordered, same_rows

HERE = Path(__file__).parent / "results"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", cases("same_rows.jsonl"), ids=lambda c: c["name"])
def test_results_are_compared_as_multisets_of_rows(case: dict[str, Any]) -> None:
    ordered = case.get("ordered", False)
    assert same_rows(case["a"], case["b"], ordered=ordered) is case["same"]
    assert same_rows(case["b"], case["a"], ordered=ordered) is case["same"]


@pytest.mark.parametrize("case", cases("is_ordered.jsonl"), ids=lambda c: c["sql"])
def test_only_an_order_by_at_top_level_orders(case: dict[str, Any]) -> None:
    assert is_ordered(case["sql"], "duckdb") is case["ordered"]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (date(2024, 1, 2), "2024-01-02", True),
        (datetime(2024, 1, 2), "2024-01-02", True),
        (datetime(2024, 1, 2, 3, 4, 5), "2024-01-02 03:04:05", True),
        (datetime(2024, 1, 2, 3, 4, 5), date(2024, 1, 2), False),
        (time(3, 4, 5), "03:04:05", True),
        (Decimal("1.10"), 1.1, True),
        (Decimal("10.00"), 10, True),
        (Decimal("0.333333333"), 1 / 3, True),
        (Decimal("NaN"), float("nan"), True),
        (float("nan"), float("nan"), True),
        (float("nan"), None, False),
        (float("inf"), float("inf"), True),
        (float("inf"), 1e300, False),
        (float("inf"), float("-inf"), False),
        (b"ab", b"ab", True),
        (2**70, Decimal(2**70), True),
    ],
)
def test_cells_of_different_engines_are_equal_where_they_mean_the_same(
    a: object, b: object, same: bool
) -> None:
    assert same_rows([[a, 0.5]], [[b, 0.5]]) is same


def test_a_hundred_thousand_rows_are_compared_with_columns_and_rows_shuffled() -> None:
    rng = random.Random(1)
    rows = [
        (i, rng.random(), rng.choice("abc"), rng.randrange(9), rng.randrange(9))
        for i in range(100_000)
    ]
    other = [(r[4], r[3], r[2], r[1] * (1 + 1e-9), r[0]) for r in rows]
    rng.shuffle(other)
    assert same_rows(rows, other)
    changed = [*other[:-1], (*other[-1][:3], other[-1][3] + 0.1, other[-1][4])]
    assert not same_rows(rows, changed)


def test_many_columns_of_few_values_do_not_run_away() -> None:
    rng = random.Random(2)
    a = [[rng.randrange(2) for _ in range(14)] for _ in range(6)]
    b = [[rng.randrange(2) for _ in range(14)] for _ in range(6)]
    assert not same_rows(a, b)
    assert same_rows(a, [list(reversed(r)) for r in reversed(a)])


cells = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["a", "b"]), st.floats(-2, 2))
tables = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n)))


@given(rows=tables, rng=st.randoms(use_true_random=False))
def test_shuffling_rows_and_columns_changes_nothing(
    rows: list[list[object]], rng: random.Random
) -> None:
    other = [list(r) for r in rows]
    rng.shuffle(other)
    order = list(range(len(rows[0]))) if rows else []
    rng.shuffle(order)
    assert same_rows(rows, [[r[i] for i in order] for r in other])
