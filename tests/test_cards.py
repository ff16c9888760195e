"""Schema text for prompts and for search: what it says, and that data cannot break out of it."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from querymend.tools.catalog.model import Column, Key, Profile, Table
from querymend.tools.chunks.cards import column_card, names_card, table_card, values_card
from querymend.tools.chunks.ddl import create_table, identifier, is_text, quoted
from querymend.tools.chunks.untrusted import untrusted

HOSTILE = yaml.safe_load((Path(__file__).parent / "index" / "hostile.yaml").read_text())
SALES = Table(
    name="sales",
    description="One row a sale.",
    columns=(
        Column(name="id", type="BIGINT"),
        Column(name="sku", type="VARCHAR"),
        Column(name="amount", type="DECIMAL(12,2)", description="net of VAT", unit="EUR"),
        Column(
            name="channel",
            type="VARCHAR",
            profile=Profile(distinct=2, frequent=(("WEB", 7), ("Store", 3))),
        ),
        Column(name="email", type="VARCHAR", private=True),
        Column(name="sold", type="DATE"),
    ),
    primary_key=("id",),
    keys=(Key(columns=("sku",), table="products", target_columns=("sku",)),),
    sample=(
        (1, "A1", Decimal("9.50"), "WEB", None, date(2024, 1, 2)),
        (2, None, None, "", None, None),
    ),
)


def test_a_table_is_written_as_ddl_with_keys_comments_and_rows() -> None:
    assert create_table(SALES) == (
        "CREATE TABLE sales ( -- One row a sale.\n"
        "  id BIGINT,\n"
        "  sku VARCHAR,\n"
        "  amount DECIMAL(12,2), -- net of VAT (EUR)\n"
        "  channel VARCHAR, -- values: 'WEB', 'Store'\n"
        "  email VARCHAR,\n"
        "  sold DATE,\n"
        "  PRIMARY KEY (id),\n"
        "  FOREIGN KEY (sku) REFERENCES products(sku)\n"
        ");\n"
        "/* 2 example rows:\n"
        "id | sku | amount | channel | email | sold\n"
        "1 | A1 | 9.50 | WEB |  | 2024-01-02\n"
        "2 | NULL | NULL |  |  | NULL\n"
        "*/"
    )


def test_samples_and_descriptions_can_be_left_out() -> None:
    bare = create_table(SALES, samples=0, descriptions=False)
    assert "--" not in bare
    assert "/*" not in bare
    assert create_table(SALES, samples=1).count("\n1 | ") == 1


def test_private_columns_show_no_value_even_if_the_catalog_holds_some() -> None:
    column = Column(
        name="email",
        type="VARCHAR",
        private=True,
        profile=Profile(distinct=1, frequent=(("canary@x.org", 1),)),
    )
    table = Table(name="t", columns=(column,), sample=(("canary@x.org",),))
    assert "canary" not in create_table(table) + table_card(table) + column_card(column)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("plain_1", "plain_1"),
        ("MixedCase", "MixedCase"),
        ("order", '"order"'),
        ("end", '"end"'),
        ("with blank", '"with blank"'),
        ('with "quote"', '"with ""quote"""'),
        ("größe", '"größe"'),
        ("1st", '"1st"'),
    ],
)
def test_identifiers_are_quoted_only_where_needed(name: str, written: str) -> None:
    assert identifier(name) == written


def test_qualified_names_are_quoted_part_by_part() -> None:
    assert quoted("main.order") == 'main."order"'
    assert create_table(Table(name="a.b", columns=SALES.columns[:1])).startswith(
        'CREATE TABLE "a.b"'
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("VARCHAR", True),
        ("varchar(20)", True),
        ("ENUM('a', 'b')", True),
        ("VARCHAR[]", False),
        ("STRUCT(a VARCHAR)", False),
        ("MAP(VARCHAR, INTEGER)", False),
        ("array(varchar)", False),
        ("BIGINT", False),
    ],
)
def test_text_columns_are_told_by_type(kind: str, text: bool) -> None:
    assert is_text(Column(name="c", type=kind)) is text


def test_many_values_are_not_listed_and_cut_lists_are_marked() -> None:
    many = Column(name="c", type="TEXT", profile=Profile(distinct=9, frequent=(("a", 1),)))
    cut = Column(name="c", type="TEXT", profile=Profile(distinct=3, frequent=(("a", 1),)))
    assert "values" not in create_table(Table(name="t", columns=(many,)))
    assert "values: 'a', …" in create_table(Table(name="t", columns=(cut,)))


def test_long_cells_are_cut_with_a_mark() -> None:
    table = Table(name="t", columns=(Column(name="c", type="TEXT"),), sample=(("x" * 200,),))
    assert "x" * 39 + "…\n" in create_table(table)


def _around(text: str) -> Table:
    """Put the text wherever data reaches a table."""
    column = Column(
        name="c",
        type="VARCHAR",
        description=text,
        unit=text,
        profile=Profile(distinct=1, frequent=((text, 1),)),
    )
    return Table(
        name="t",
        columns=(column, Column(name=text or "d", type="INTEGER")),
        description=text,
        sample=((text, 1),),
    )


def _is_one_statement(ddl: str) -> bool:
    statements = duckdb.extract_statements(ddl)
    return [s.type for s in statements] == [duckdb.StatementType.CREATE]


@pytest.mark.parametrize("text", HOSTILE)
def test_data_cannot_leave_its_comment(text: str) -> None:
    ddl = create_table(_around(text))
    assert _is_one_statement(ddl)
    assert "```" not in ddl
    assert "<|" not in ddl


@given(st.text(alphabet="*/-\n\r'\"`<|>a ;\u2028", max_size=60))
def test_no_text_leaves_its_comment(text: str) -> None:
    table = Table(
        name="t",
        columns=(Column(name=text or "c", type="VARCHAR", description=text),),
        description=text,
        sample=((text,),),
    )
    assert _is_one_statement(create_table(table))


@given(st.text(max_size=300), st.integers(1, 80))
def test_untrusted_text_is_one_capped_line(text: str, limit: int) -> None:
    for escape in (False, True):
        shown = untrusted(text, limit=limit, escape=escape)
        assert len(shown) <= limit
        assert len(shown.splitlines()) <= 1


def test_the_ddl_of_a_real_catalog_runs_in_duckdb() -> None:
    products = Table(
        name="products", columns=(Column(name="sku", type="VARCHAR"),), primary_key=("sku",)
    )
    with duckdb.connect() as connection:
        connection.execute(create_table(products))
        connection.execute(create_table(SALES))
        names = connection.execute(
            "SELECT column_name FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    assert [n for (n,) in names] == ["sku", *(c.name for c in SALES.columns)]


def test_a_card_has_words_descriptions_keys_and_a_few_values() -> None:
    card = table_card(SALES)
    assert card.splitlines() == [
        "sales: One row a sale.",
        "id",
        "sku",
        "amount: net of VAT: EUR",
        "channel: WEB, Store",
        "email",
        "sold",
        "refers to products",
    ]
    assert names_card(Table(name="custOrder_items", columns=())) == "cust order items"
    assert values_card("dim.city", "name", ["Oslo", "Rome"]) == "dim city name: Oslo, Rome"
