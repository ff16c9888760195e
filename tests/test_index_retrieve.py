"""Retrieval: the right tables within the budget, and nothing that the caller may not see."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from querymend.tools.catalog.model import Catalog, Column, Key, Scope, Table
from querymend.tools.chunks.ddl import create_table
from querymend.tools.index.embeddings import StaticEmbedder
from querymend.tools.index.model import Context, Example, Fact
from querymend.tools.index.retrieve import Retriever
from querymend.tools.index.store import Store, open_store
from querymend.tools.index.sync import sync
from querymend.tools.index.tokens import estimate
from querymend.tools.index.values import ColumnValues, ValueIndex

_NOISE = "alpha beta gamma delta stone cloud maple amber cedar tiger lotus pixel quartz"
NOISE = _NOISE.split()


def _table(name: str, *columns: str, keys: Sequence[Key] = (), **more: object) -> Table:
    made = tuple(Column(name=c, type="VARCHAR") for c in columns)
    return replace(
        Table(name=name, columns=made, primary_key=(columns[0],), keys=tuple(keys)),
        **more,  # type: ignore[arg-type]
    )


def _key(column: str, table: str, target: str) -> Key:
    return Key(columns=(column,), table=table, target_columns=(target,))


SHOP = Catalog(
    tables=(
        _table("customers", "customer_id", "name", "city"),
        _table(
            "orders",
            "order_id",
            "customer_id",
            "amount",
            keys=[_key("customer_id", "customers", "customer_id")],
        ),
        _table(
            "items",
            "item_id",
            "order_id",
            "sku",
            keys=[_key("order_id", "orders", "order_id"), _key("sku", "products", "sku")],
        ),
        _table("products", "sku", "title", "colour", description="what is sold"),
        _table("salaries", "employee", "monthly_pay"),
    )
)
EXAMPLES = (
    Example(
        id="by_city",
        question="How many customers live in Rome?",
        sql="SELECT COUNT(*) FROM customers WHERE city = 'Rome'",
    ),
    Example(
        id="pay", question="What is the highest pay?", sql="SELECT MAX(monthly_pay) FROM salaries"
    ),
    Example(
        id="athena",
        question="How many customers live in Oslo?",
        sql="SELECT COUNT(*) FROM customers WHERE city = 'Oslo'",
        dialect="athena",
    ),
)
FACTS = (
    Fact(id="net", text="Net amount = amount - tax {x}.", tables=("orders",), terms=("net",)),
    Fact(id="pay", text="monthly_pay is before tax.", tables=("salaries",), terms=("pay", "net")),
    Fact(id="untold", text="Never say that salaries exist.", terms=("net",)),
    Fact(id="any", text="A colour is written in lower case.", terms=("colour", "color")),
)
VALUES = (
    ColumnValues(table="customers", column="city", values=(("Rome", 3), ("Oslo", 2))),
    ColumnValues(table="salaries", column="employee", values=(("Rome", 1),)),
)
Open = Callable[..., Retriever]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Return a maker of retrievers over a synchronised index."""
    stores: list[Store] = []
    embedder = StaticEmbedder()

    def make(catalog: Catalog = SHOP, **what: object) -> Retriever:
        name = str(len(stores))
        store = open_store(tmp_path, warehouse=name, fingerprint=embedder.fingerprint)
        stores.append(store)
        sync(store, embedder, catalog=catalog, **what)  # type: ignore[arg-type]
        return Retriever(store, embedder, ValueIndex(store.values_path))

    yield make
    for store in stores:
        store.close()


def _names(context: Context) -> list[str]:
    return [t.qualified_name for t in context.tables]


def _tokens(context: Context) -> int:
    schema = sum(estimate(create_table(t)) for t in context.tables)
    facts = sum(estimate(f.text) for f in context.facts)
    return (
        schema + facts + sum(estimate(s.example.question + s.example.sql) for s in context.examples)
    )


def test_every_table_is_taken_in_the_catalogs_order_if_all_fit(opened: Open) -> None:
    context = opened().retrieve("What is the highest pay?", catalog=SHOP, budget_tokens=2_000)
    assert context.tables == SHOP.tables
    assert context.left_out == ()
    assert context.margin == 1
    assert len(context.joins) == 3


def test_only_what_fits_is_taken_with_the_bridges_between(opened: Open) -> None:
    question = "Which customers bought products of which colour?"
    context = opened().retrieve(question, catalog=SHOP, budget_tokens=185)
    assert _names(context) == ["customers", "orders", "items", "products"]
    assert [line.split(" (")[0] for line in context.left_out] == ["table salaries"]
    assert _tokens(context) <= 185


def test_sample_rows_give_way_before_tables_do(opened: Open) -> None:
    rows = tuple((f"row {i}", "x", "y") for i in range(3))
    tables = tuple(replace(t, sample=rows) for t in SHOP.tables if len(t.columns) == 3)
    catalog = Catalog(tables=tables)
    retriever = opened(catalog)
    whole = sum(estimate(create_table(t)) + 1 for t in tables)
    less = retriever.retrieve("amount by city", catalog=catalog, budget_tokens=whole - 1)
    assert [len(t.sample) for t in less.tables] == [2] * len(tables)
    more = retriever.retrieve("amount by city", catalog=catalog, budget_tokens=whole)
    assert more.tables == tables


def test_the_right_table_of_four_hundred_wide_ones_is_kept(opened: Open) -> None:
    rnd = random.Random(1)
    tables = [
        _table(f"{rnd.choice(NOISE)}_{i}", "id", *(f"{rnd.choice(NOISE)}_{j}" for j in range(39)))
        for i in range(400)
    ]
    tables[250] = _table("vessels", "id", *(f"c{j}" for j in range(37)), "harbour", "arrival_date")
    catalog = Catalog(tables=tuple(tables))
    context = opened(catalog).retrieve(
        "How many vessels arrived in each harbour per month?", catalog=catalog, budget_tokens=1_200
    )
    found = {t.name: t for t in context.tables}
    assert found["vessels"].column("harbour")
    assert found["vessels"].column("arrival_date")
    assert _tokens(context) <= 1_200
    assert any("columns of" in line for line in context.left_out)
    assert context.left_out[-1].endswith("more tables")


def test_the_two_tables_that_are_needed_are_found_among_sixty(opened: Open) -> None:
    noise = [_table(f"{a}_{b}", "id", f"{b}_{a}") for a in NOISE for b in NOISE[:5]]
    catalog = Catalog(tables=(*noise[:30], *SHOP.tables[:2], *noise[30:58]))
    context = opened(catalog).retrieve(
        "What did the customers in each city order?", catalog=catalog, budget_tokens=300
    )
    assert {"customers", "orders"} <= set(_names(context))


def test_a_wide_table_keeps_keys_and_the_columns_that_are_asked_for(opened: Open) -> None:
    wide = _table(
        "machines",
        "machine_id",
        *(f"{n}_{i}" for n in NOISE for i in range(5)),
        "owner_id",
        "oil_pressure",
        keys=[_key("owner_id", "owners", "owner_id")],
    )
    catalog = Catalog(tables=(wide, _table("owners", "owner_id", "name")))
    context = opened(catalog).retrieve(
        "What is the mean oil pressure by owner name?", catalog=catalog, budget_tokens=200
    )
    machine = context.tables[0]
    assert {"machine_id", "owner_id", "oil_pressure"} <= {c.name for c in machine.columns}
    assert len(machine.columns) < 40
    assert machine.keys == wide.keys
    assert context.left_out[0].startswith(
        f"{len(wide.columns) - len(machine.columns)} of 68 columns"
    )


def test_values_point_at_the_tables_that_hold_them(opened: Open) -> None:
    catalog = Catalog(tables=(*SHOP.tables[2:], *SHOP.tables[:1]))
    values = [ColumnValues(table="customers", column="city", values=(("Rome", 1),))]
    context = opened(catalog, values=values).retrieve(
        "Anything about Rome?", catalog=catalog, budget_tokens=60
    )
    assert _names(context) == ["customers"]
    assert [(h.column, h.value) for h in context.values] == [("city", "Rome")]


def test_a_comment_on_a_column_leads_to_it(opened: Open) -> None:
    plain = _table("t1", "k", "c14")
    told = replace(
        plain,
        name="t2",
        columns=(plain.columns[0], replace(plain.columns[1], description="amount net of VAT")),
    )
    catalog = Catalog(tables=(plain, told, *SHOP.tables[3:]))
    context = opened(catalog).retrieve(
        "What is the net revenue?", catalog=catalog, budget_tokens=40
    )
    assert _names(context) == ["t2"]


def test_facts_are_shown_where_a_term_calls_for_them(opened: Open) -> None:
    retriever = opened(facts=FACTS)
    net = retriever.retrieve("What is the net amount?", catalog=SHOP, budget_tokens=2_000)
    assert {f.id for f in net.facts} == {"net", "pay", "untold"}
    colours = retriever.retrieve("Which colors are there?", catalog=SHOP, budget_tokens=2_000)
    assert [f.id for f in colours.facts] == ["any"]
    other = retriever.retrieve("How many customers are there?", catalog=SHOP, budget_tokens=2_000)
    assert other.facts == ()


def test_facts_are_capped_and_the_rest_is_told(opened: Open) -> None:
    context = opened(facts=FACTS).retrieve(
        "What is the net amount?", catalog=SHOP, budget_tokens=2_000, max_facts=1
    )
    assert len(context.facts) == 1
    assert sorted(line for line in context.left_out if line.startswith("fact")) == sorted(
        f"fact {f.id}" for f in FACTS[:3] if f not in context.facts
    )


def test_examples_are_shown_only_where_they_are_near(opened: Open) -> None:
    retriever = opened(examples=EXAMPLES, values=VALUES)
    near = retriever.retrieve("How many customers live in Oslo?", catalog=SHOP, budget_tokens=2_000)
    assert [s.example.id for s in near.examples] == ["by_city"]
    assert near.examples[0].score == pytest.approx(1, abs=0.001)
    far = retriever.retrieve("Which products are red?", catalog=SHOP, budget_tokens=2_000)
    assert far.examples == ()


def test_examples_of_another_dialect_are_left_out_and_told(opened: Open) -> None:
    retriever = opened(examples=EXAMPLES)
    question = "How many customers live in Oslo?"
    here = retriever.retrieve(question, catalog=SHOP, budget_tokens=2_000)
    assert "1 examples in athena" in here.left_out
    both = [EXAMPLES[0], replace(EXAMPLES[0], dialect="athena")]
    assert len(opened(examples=both)._view(SHOP).examples) == 2
    there = retriever.retrieve(question, catalog=SHOP, budget_tokens=2_000, dialect="trino")
    assert [s.example.id for s in there.examples] == ["athena"]


@pytest.mark.parametrize(
    "question",
    [
        "What is the highest net pay of Rome in salaries?",
        "Show monthly_pay of every employee and customer",
        "How many customers live in Rome?",
    ],
)
def test_nothing_outside_the_scope_is_returned(opened: Open, question: str) -> None:
    scope = Scope(tables={"customers": (), "orders": ("order_id", "customer_id"), "products": ()})
    narrowed = SHOP.within(scope)
    retriever = opened(examples=EXAMPLES, facts=FACTS, values=VALUES)
    context = retriever.retrieve(
        question, catalog=narrowed, budget_tokens=2_000, min_example_score=0
    )
    shown = repr(context)
    assert not any(
        word in shown for word in ("salar", "monthly_pay", "employee", "items", "amount")
    )
    assert _names(context) == ["customers", "orders", "products"]


def test_a_hidden_column_takes_no_part_in_ranking(opened: Open) -> None:
    tables = (_table("aa", "id", "unicorn"), _table("bb", "id", "horse"))
    catalog = Catalog(tables=tables)
    narrowed = catalog.within(Scope(tables={"aa": ("id",), "bb": ()}))
    retriever = opened(catalog)
    assert retriever.rank("unicorn", catalog=catalog)[0][0] == "aa"
    assert retriever.rank("unicorn horse", catalog=narrowed)[0][0] == "bb"


def test_a_catalog_that_was_never_indexed_is_searched_as_it_is(opened: Open) -> None:
    retriever = opened(Catalog())
    assert retriever.rank("What is sold in which colour?", catalog=SHOP)[0][0] == "products"


def test_an_index_that_was_written_anew_is_noticed(opened: Open, tmp_path: Path) -> None:
    retriever = opened(facts=FACTS[:1])
    question = "What is the net amount?"
    before = retriever.retrieve(question, catalog=SHOP, budget_tokens=2_000)
    store = open_store(tmp_path, warehouse="0", fingerprint=StaticEmbedder.fingerprint)
    sync(store, StaticEmbedder(), catalog=SHOP, facts=[replace(FACTS[0], text="changed")])
    after = retriever.retrieve(question, catalog=SHOP, budget_tokens=2_000)
    store.close()
    assert [f.text for c in (before, after) for f in c.facts] == [FACTS[0].text, "changed"]


@pytest.mark.parametrize(
    "question", ["", "?", "💥", "顧客は何人いますか", "x" * 50_000, "'; DROP TABLE t"]
)
def test_odd_questions_get_a_context(opened: Open, question: str) -> None:
    context = opened(examples=EXAMPLES, facts=FACTS).retrieve(
        question, catalog=SHOP, budget_tokens=120
    )
    assert context.tables
    assert opened(Catalog()).retrieve(question, catalog=Catalog(), budget_tokens=100) == Context(
        margin=1.0
    )


def test_tables_whose_keys_lead_nowhere_and_names_that_need_quotes_are_fine(opened: Open) -> None:
    odd = _table("order", 'a "b" c', "größe", keys=[_key("größe", "gone", "x")])
    catalog = Catalog(tables=(odd, replace(odd, name="weiß.x", schema="s")))
    context = opened(catalog).retrieve("Größe?", catalog=catalog, budget_tokens=80)
    assert context.tables
