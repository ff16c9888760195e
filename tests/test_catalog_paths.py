"""Connecting tables through keys."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querymend.tools.catalog.model import Catalog, Column, Key, Origin, Table
from querymend.tools.catalog.paths import closure, join_path
from querymend.tools.index.model import Join


def table(name: str, *targets: str, origin: Origin = "declared") -> Table:
    """Make a table with one key to each target; ``airport:source`` names the column."""
    keys = []
    for target in targets:
        to, _, column = target.partition(":")
        keys.append(
            Key(columns=(column or f"{to}_id",), table=to, target_columns=("id",), origin=origin)
        )
    columns = tuple(Column(name=c, type="INT") for c in ("id", *(k.columns[0] for k in keys)))
    return Table(name=name, columns=columns, primary_key=("id",), keys=tuple(keys))


SHOP = Catalog(
    tables=(
        table("regions"),
        table("customers", "regions"),
        table("orders", "customers"),
        table("products"),
        table("items", "orders", "products"),
        table("airports"),
        table("flights", "airports:source", "airports:destination"),
        table("alone", "alone:parent"),
    )
)


def pairs(joins: tuple[Join, ...]) -> set[tuple[str, str]]:
    return {(j.table, j.target) for j in joins}


@pytest.mark.parametrize(
    ("tables", "joined", "closed"),
    [
        ([], set(), []),
        (["orders"], set(), ["orders"]),
        (["orders", "customers"], {("orders", "customers")}, ["customers", "orders"]),
        (
            ["regions", "products"],
            {
                ("customers", "regions"),
                ("orders", "customers"),
                ("items", "orders"),
                ("items", "products"),
            },
            ["regions", "customers", "orders", "products", "items"],
        ),
        (["orders", "alone"], set(), ["orders", "alone"]),
        (["ORDERS", "nowhere", "orders"], set(), ["orders"]),
    ],
)
def test_bridges_connect_what_does_not_touch(
    tables: list[str], joined: set[tuple[str, str]], closed: list[str]
):
    assert pairs(join_path(SHOP, tables)) == joined
    assert list(closure(SHOP, tables)) == closed


def test_a_join_goes_from_many_to_one_whichever_table_is_asked_first():
    expected = Join(
        table="orders", columns=("customers_id",), target="customers", target_columns=("id",)
    )
    assert join_path(SHOP, ["orders", "customers"]) == (expected,)
    assert join_path(SHOP, ["customers", "orders"]) == (expected,)


def test_all_of_equally_sure_keys_between_two_tables_are_given():
    columns = [j.columns for j in join_path(SHOP, ["flights", "airports"])]
    assert columns == [("source",), ("destination",)]


def test_sure_keys_are_preferred_to_inferred_ones():
    catalog = Catalog(
        tables=(
            table("a"),
            table("b"),
            table("guess", "a", "b", origin="inferred"),
            table("sure", "a", "b", origin="pack"),
        )
    )
    assert closure(catalog, ["a", "b"]) == ("a", "b", "sure")


def test_a_shared_bridge_serves_three_tables():
    catalog = Catalog(
        tables=(
            table("a"),
            table("b"),
            table("c"),
            table("ab", "a", "b"),
            table("f", "a", "b", "c"),
        )
    )
    assert closure(catalog, ["a", "b", "c"]) == ("a", "b", "c", "f")


def test_keys_to_tables_out_of_the_catalog_are_ignored():
    assert closure(Catalog(tables=(table("a", "gone"),)), ["a"]) == ("a",)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20), st.data())
def test_paths_connect_all_that_can_be_and_do_not_depend_on_the_order(
    edges: list[tuple[int, int]], data: st.DataObject
):
    catalog = Catalog(
        tables=tuple(table(f"t{i}", *(f"t{b}" for a, b in edges if a == i)) for i in range(10))
    )
    asked = data.draw(st.lists(st.integers(0, 9), min_size=1, unique=True))
    names = [f"t{i}" for i in asked]
    joins = join_path(catalog, names)
    assert joins == join_path(catalog, names[::-1])
    assert set(names) <= set(closure(catalog, names))
    assert components(names, pairs(joins)) == components(
        names, {(f"t{a}", f"t{b}") for a, b in edges}
    )


def components(names: list[str], edges: set[tuple[str, str]]) -> set[frozenset[str]]:
    groups = [{n} for n in {*names, *(n for e in edges for n in e)}]
    for a, b in edges:
        touched = [g for g in groups if a in g or b in g]
        groups = [g for g in groups if g not in touched] + [set().union(*touched)]
    return {frozenset(g & set(names)) for g in groups} - {frozenset()}


def test_a_large_warehouse_is_connected_quickly():
    catalog = Catalog(
        tables=tuple(
            table(f"t{i}", *(f"t{(i * 7 + j) % 500}" for j in range(1, 4))) for i in range(500)
        )
    )
    closure(catalog, ["t1"])
    started = time.process_time()
    assert len(closure(catalog, ["t1", "t20", "t333", "t400"])) >= 4
    assert time.process_time() - started < 0.5
