import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querymend.tools.catalog.model import Catalog, Column, Key, Profile, Table
from querymend.tools.index.embeddings import StaticEmbedder
from querymend.tools.index.model import Fact
from querymend.tools.questions.asked_for import asked_nouns
from querymend.tools.questions.metadata import describe_catalog
from querymend.tools.questions.route import route
from querymend.tools.questions.vocabulary import Nearness, cover


def cases(name: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parent / "questions" / name).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


CASES = cases("routes.jsonl")


def column(name: str, kind: str = "VARCHAR", **rest: Any) -> Column:
    return Column(name=name, type=kind, **rest)


SHOP = Catalog(
    tables=(
        Table(
            name="customers",
            description="One row a customer",
            columns=(
                column("customer_id", "BIGINT"),
                column("name"),
                column(
                    "email",
                    private=True,
                    profile=Profile(distinct=1, frequent=(("bob@secret.example", 1),)),
                ),
                column("region", profile=Profile(distinct=1, frequent=(("EMEA", 5),))),
            ),
            primary_key=("customer_id",),
            sample=((1, "Bob", None, "EMEA"),),
            rows=120,
        ),
        Table(
            name="orders",
            columns=(
                column("order_id", "BIGINT"),
                column("customer_id", "BIGINT"),
                column("order_date", "DATE"),
                column("amount", "DECIMAL(12,2)", description="revenue of the order", unit="USD"),
            ),
            primary_key=("order_id",),
            keys=(
                Key(columns=("customer_id",), table="customers", target_columns=("customer_id",)),
            ),
        ),
        Table(name="products", columns=(column("sku"), column("product_name"))),
    )
)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["question"] or "empty")
def test_a_question_goes_its_way(case: dict[str, Any]) -> None:
    assert route(case["question"], catalog=SHOP).kind == case["kind"]


def test_a_refusal_says_why() -> None:
    assert "change the data" in route("Please delete all orders", catalog=SHOP).reason
    assert "shoe_size" in route("Sum of column shoe_size", catalog=SHOP).reason
    assert "sky" in route("Why is the sky blue?", catalog=SHOP).reason


def test_without_a_known_word_only_a_far_question_is_refused() -> None:
    near = Nearness(SHOP, StaticEmbedder().embed)
    far = "What is the national animal of Canada?"
    assert route(far, catalog=SHOP, relevance=near).kind == "unanswerable"
    assert route(far, catalog=SHOP).kind == "analytical"
    garage = Catalog(tables=(Table(name="car_makers", columns=(column("horsepower"),)),))
    synonym = "What is the name of the manufacturer of the fastest vehicle?"
    assert cover(synonym, garage).known == ()
    near = Nearness(garage, StaticEmbedder().embed)
    assert route(synonym, catalog=garage, relevance=near).kind == "analytical"


@pytest.mark.parametrize(
    "question",
    [
        "Which boss has the most subordinates?",
        "How many subscribers churned in June?",
        "What is the average headcount per site?",
    ],
)
def test_who_counts_or_averages_asks_for_data_in_words_of_their_own(question: str) -> None:
    near = Nearness(SHOP, StaticEmbedder().embed)
    found = route(question, catalog=SHOP, relevance=near)
    assert (found.kind, found.strange) == ("analytical", True)


@pytest.mark.parametrize("case", cases("asked_nouns.jsonl"), ids=lambda c: c["question"] or "empty")
def test_the_nouns_that_are_asked_for(case: dict[str, Any]) -> None:
    assert list(asked_nouns(case["question"])) == case["nouns"]


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("What is the average salary of the customers in EMEA?", ("salary",)),
        ("Which salesperson made the most orders?", ("salesperson",)),
        ("How many clients ordered a product?", ("client",)),
        ("What is the total revenue of the customers?", ()),
        ("How many orders were placed on rainy days?", ("rainy",)),
        ("What is the average amount per order, by customer loyalty?", ()),
        ("Which region courier brought the most orders?", ("region courier",)),
        ("¿Cuál es el salario average of the customers?", ()),
    ],
)
def test_a_noun_asked_for_that_nothing_is_called_is_absent(
    question: str, absent: tuple[str, ...]
) -> None:
    near = Nearness(SHOP, StaticEmbedder().embed)
    assert route(question, catalog=SHOP, relevance=near).absent == absent
    assert route(question, catalog=SHOP).absent == ()


def test_a_word_of_a_fact_or_a_value_is_known() -> None:
    question = "How many churned EMEA gizmos are there?"
    assert cover(question, SHOP).known == ("emea",)
    fact = Fact(id="1", text="A gizmo is a product of category 7", terms=("churned",))
    assert set(cover(question, SHOP, facts=[fact]).known) == {"churned", "emea", "gizmo"}


def test_a_value_that_the_index_holds_is_known() -> None:
    assert "acme" in cover("How did Acme Corp do?", SHOP, values=Held("acme corp")).known


def test_values_of_private_columns_are_not_known() -> None:
    assert "secret" in cover("Show the secret bob@secret.example", SHOP).unknown


class Held:
    def __init__(self, value: str) -> None:
        self.value = value

    def holding(self, value: str) -> list[tuple[str, str, str]]:
        return [("customers", "name", value)] if value.lower() == self.value else []

    def nearest(
        self, table: str, column: str, value: str, limit: int = 3
    ) -> list[tuple[str, float]]:
        return []

    def has(self, table: str, column: str, value: str) -> bool | None:
        return None


def test_the_tables_are_listed() -> None:
    told = describe_catalog("What tables are there?", SHOP)
    assert told.text == "There are 3 tables: customers, orders, products."
    assert [r[0] for r in told.rows] == ["customers", "orders", "products"]
    assert [c.name for c in told.columns] == ["table", "description", "columns", "rows"]


def test_a_table_is_described_with_its_keys_and_without_values() -> None:
    told = describe_catalog("Describe the customers table", SHOP)
    assert told.tables == ("customers",)
    assert ("email", "VARCHAR", "private", "") in told.rows
    assert ("customer_id", "BIGINT", "", "primary key") in told.rows
    assert "secret" not in repr(told)
    assert "EMEA" not in repr(told)


def test_a_column_is_found_in_its_tables() -> None:
    told = describe_catalog("Which tables contain a customer id?", SHOP)
    assert [r[:2] for r in told.rows] == [("customers", "customer_id"), ("orders", "customer_id")]


def test_what_a_column_means_is_told() -> None:
    told = describe_catalog("What does the column amount mean?", SHOP)
    assert told.rows == (("orders", "amount", "DECIMAL(12,2)", "revenue of the order (USD)"),)


def test_how_tables_are_related_is_told() -> None:
    told = describe_catalog("How are orders and customers related?", SHOP)
    assert told.text == "orders.customer_id refers to customers.customer_id."


def test_an_empty_catalog_is_told_plainly() -> None:
    assert describe_catalog("What tables are there?", Catalog()).text == "There are no tables."


@given(question=st.text(max_size=120))
def test_no_text_makes_it_fail(question: str) -> None:
    assert route(question, catalog=SHOP).kind in {
        "analytical",
        "metadata",
        "unanswerable",
        "unsafe",
    }


def test_fifty_thousand_characters_are_routed() -> None:
    words: Sequence[str] = ["how can the amount of all orders be"] * 1_400
    assert route(" ".join(words), catalog=SHOP).kind == "analytical"
