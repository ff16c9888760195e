"""The small parts of search: words, masks, ranks, token estimates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querymend.tools.index.fusion import Ranking, fuse, ranked
from querymend.tools.index.lexical import Lexical
from querymend.tools.index.masking import literals, mask
from querymend.tools.index.tokens import estimate
from querymend.tools.index.words import parts, singular, spelled, words


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("unitPrice_USD2", ["unit", "price", "usd", "2"]),
        ("SKUs sold", ["sku", "sold"]),
        ("HTTPServerErrors", ["http", "server", "error"]),
        ("Which cities are in the region?", ["city", "region"]),
        ("größe_Straße", ["große", "straße"]),
        ("ORDER_ID", ["order", "id"]),
    ],
)
def test_names_and_questions_split_into_the_same_words(name: str, found: list[str]) -> None:
    if name.isascii():
        assert parts(name) == found
    assert parts(name) == parts(name.replace("_", " "))


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("cities", "city"),
        ("boxes", "box"),
        ("classes", "class"),
        ("status", "status"),
        ("address", "address"),
        ("analysis", "analysis"),
        ("sales", "sale"),
        ("bus", "bus"),
    ],
)
def test_plurals_meet_their_singular(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_words_keep_stop_words_and_names_are_spelled_out() -> None:
    assert words("All of the SKUs") == ["all", "of", "the", "sku"]
    assert spelled("cust_orderDate") == "cust order date"


def test_masks_hide_values_quotes_and_numbers() -> None:
    assert mask("Sales of 'Red Desk' in Rome in 2024-01-31, top 5", ["rome"]) == (
        "Sales of value in value in number, top number"
    )
    assert mask("What's O'Neil's rank?") == "What's O'Neil's rank?"
    assert mask("Romeo in rome", ["Rome", " "]) == "Romeo in value"
    assert mask("Sales in Oslo and New York by SKU") == "Sales in value and value by SKU"


def test_literals_are_read_from_the_tree() -> None:
    assert literals("SELECT 1 FROM t WHERE a = 'x''y' AND b LIKE '%z%'", "duckdb") == ["x'y", "z"]
    assert literals("SELECT FROM WHERE (", "duckdb") == []


def test_fusion_prefers_what_several_rankings_prefer() -> None:
    fused = fuse([Ranking(names=["a", "b", "c"]), Ranking(names=["b", "c"]), Ranking(names=[])])
    assert [name for name, _ in fused] == ["b", "c", "a"]
    assert all(0 < score <= 1 for _, score in fused)
    assert fuse([Ranking(names=["a"], weight=3.0)]) == [("a", 1.0)]
    assert fuse([]) == []


def test_ties_keep_their_order_and_zero_is_not_ranked() -> None:
    assert ranked({"a": 1.0, "b": 2.0, "c": 1.0, "d": 0.0}) == ["b", "a", "c"]


def test_rare_words_count_more_and_strange_questions_score_nothing() -> None:
    index = Lexical(["city name", "city street", "city harbour"])
    assert ranked(dict(zip("abc", index.scores("the harbour city"), strict=True)))[0] == "c"
    assert index.scores("???") == [0, 0, 0]
    assert Lexical(["", "?"]).scores("x") == [0, 0]
    assert Lexical([]).scores("x") == []


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("CREATE TABLE sales (id INTEGER, amount DECIMAL(12,2));", 16),
        ("1234567890", 10),
        ("2024-01-02 | 9.50 | WEB", 18),
        ("SELECT COUNT(*) FROM customers WHERE city = 'Rome'", 12),
    ],
)
def test_estimates_are_rather_too_high_than_too_low(text: str, tokens: int) -> None:
    """The counts are those of Qwen2.5's tokeniser."""
    assert 0.9 * tokens <= estimate(text) <= 1.6 * tokens


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_never_costs_less(one: str, other: str) -> None:
    assert estimate(one) <= estimate(f"{one}\n{other}") + 1
