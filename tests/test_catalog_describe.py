"""Merging a pack's notes into a catalog."""

from querymend.tools.catalog.describe import describe
from querymend.tools.catalog.model import Catalog, Column, Key, Leak, Profile, Table

SEEN = Profile(distinct=2, frequent=(("ann@x", 2),), minimum="ann@x", maximum="bob@x")
CUSTOMERS = Table(
    name="Customers",
    columns=(
        Column(name="Id", type="BIGINT", description="from the engine"),
        Column(name="email", type="ENUM('ann@x', 'bob@x')", profile=SEEN),
        Column(name="plan", type="VARCHAR", profile=SEEN),
    ),
    sample=((1, "ann@x", "free"),),
    rows=2,
)
ORDERS = Table(
    name="orders",
    schema="shop",
    columns=(Column(name="customer", type="BIGINT"), Column(name="day", type="DATE")),
)
CATALOG = Catalog(tables=(CUSTOMERS, ORDERS))


def note(name: str, **said: object) -> Column:
    return Column(name=name, type="", **said)  # type: ignore[arg-type]


def described(*tables: Table) -> tuple[Table, Table, tuple[str, ...]]:
    catalog, warnings = describe(CATALOG, Catalog(tables=tables))
    first, second = catalog.tables
    return first, second, warnings


def test_without_notes_the_catalog_stays():
    assert describe(CATALOG, Catalog()) == (CATALOG, ())


def test_notes_match_in_any_case_and_keep_the_engines_names_and_types():
    leak = Leak(target="churned")
    columns = (
        note("ID", description="Number.", unit="1", grain="customer"),
        note("PLAN", leaks=leak),
    )
    table, _, warnings = described(
        Table(name="customers", description="Who buys.", columns=columns)
    )
    assert (table.name, table.description, warnings) == ("Customers", "Who buys.", ())
    number, _, plan = table.columns
    assert (number.name, number.type, number.description) == ("Id", "BIGINT", "Number.")
    assert (number.unit, number.grain) == ("1", "customer")
    assert (plan.leaks, plan.profile) == (leak, SEEN)


def test_what_the_notes_leave_empty_stays():
    table, _, _ = described(Table(name="Customers", columns=(note("Id"),)))
    assert table == CUSTOMERS


def test_private_columns_lose_every_value():
    notes = Table(name="Customers", columns=(note("email", private=True),))
    table, _, _ = described(notes)
    email = table.columns[1]
    assert (email.private, email.profile, email.type) == (True, None, "VARCHAR")
    assert table.sample == ((1, None, "free"),)
    assert "ann@x" not in repr((email, table.sample))


def test_keys_are_added_with_their_origin_and_spelling():
    key = Key(columns=("CUSTOMER",), table="customers", target_columns=("id",))
    notes = Table(name="orders", schema="SHOP", columns=(), keys=(key,))
    customers = Table(name="customers", columns=(), primary_key=("ID",), unique=(("email",),))
    first, second, warnings = described(notes, customers)
    assert warnings == ()
    assert (first.primary_key, first.unique) == (("Id",), (("email",),))
    expected = Key(columns=("customer",), table="Customers", target_columns=("Id",), origin="pack")
    assert second.keys == (expected,)


def test_a_key_that_is_declared_already_stays_declared():
    key = Key(columns=("customer",), table="Customers", target_columns=("Id",))
    catalog = Catalog(tables=(CUSTOMERS, Table(name="o", columns=ORDERS.columns, keys=(key,))))
    merged, _ = describe(catalog, Catalog(tables=(Table(name="o", columns=(), keys=(key,)),)))
    assert merged.tables[1].keys == (key,)


def test_unknown_names_are_told_one_by_one():
    lost = Key(columns=("nope",), table="Customers", target_columns=("Id",))
    gone = Key(columns=("customer",), table="nowhere", target_columns=("id",))
    _, orders, warnings = described(
        Table(name="nothing", columns=()),
        Table(name="Customers", columns=(note("age"),), primary_key=("key",)),
        Table(name="orders", columns=(), keys=(lost, gone)),
    )
    assert orders.keys == ()
    assert warnings == (
        "The catalog has no table 'nothing'.",
        "Table 'Customers' has no column 'age'.",
        "Table 'Customers' has no key column 'key'.",
        "Table 'shop.orders' has no key column 'nope'.",
        "A key of 'shop.orders' names no table: 'nowhere'.",
    )
