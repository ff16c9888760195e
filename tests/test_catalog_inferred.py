"""Keys that nobody declared."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from querymend.tools.catalog.inferred import infer_keys
from querymend.tools.catalog.key_names import agreement, is_key_name, words
from querymend.tools.catalog.model import Catalog, Key
from querymend.tools.catalog.profile import profile
from querymend.tools.engines.duckdb import DuckDBEngine

HERE = Path(__file__).parent
NAMES = yaml.safe_load((HERE / "catalog/key_names.yaml").read_text(encoding="utf-8"))
SHOP = """
CREATE TABLE customers AS SELECT i AS id, 'n' || i % 7 AS name FROM range(100) r(i);
CREATE TABLE orders AS SELECT i AS id, i % 100 AS customer_id, i % 90 AS seller_customer_id,
    i % 3 AS status, i * 1.5 AS amount FROM range(1000) r(i);
"""
Open = Callable[[str], DuckDBEngine]


def inferred(engine: DuckDBEngine) -> Catalog:
    return infer_keys(engine, profile(engine, engine.catalog()))


def key(column: str, table: str = "customers", there: str = "id") -> Key:
    return Key(columns=(column,), table=table, target_columns=(there,), origin="inferred")


def test_unique_columns_and_references_are_found(opened: Open):
    customers, orders = inferred(opened(SHOP)).tables
    assert (customers.unique, customers.keys) == ((("id",),), ())
    assert orders.unique == (("id",),)
    assert orders.keys == (key("customer_id"), key("seller_customer_id"))


def test_a_reference_may_miss_one_row_in_a_hundred(opened: Open):
    engine = opened(SHOP + "UPDATE orders SET customer_id = 999 WHERE id < 10")
    assert key("customer_id") in inferred(engine).tables[1].keys


def test_more_misses_are_no_reference(opened: Open):
    engine = opened(SHOP + "UPDATE orders SET customer_id = 999 WHERE id < 11")
    assert key("customer_id") not in inferred(engine).tables[1].keys


def test_nulls_are_no_misses_but_a_column_of_nulls_is_no_reference(opened: Open):
    engine = opened(
        f"{SHOP} UPDATE orders SET customer_id = NULL WHERE id > 0;"
        "UPDATE orders SET seller_customer_id = NULL"
    )
    assert inferred(engine).tables[1].keys == (key("customer_id"),)


def test_a_column_with_one_double_is_not_unique(opened: Open):
    engine = opened(SHOP + "INSERT INTO customers VALUES (5, 'again')")
    customers, orders = inferred(engine).tables
    assert (customers.unique, orders.keys) == ((), ())


def test_measures_are_no_keys_even_if_they_are_unique(opened: Open):
    table = inferred(
        opened("CREATE TABLE t AS SELECT 'x' || i % 2 AS a, i AS size FROM range(9) r(i)")
    )
    assert table.tables[0].unique == ()


def test_declared_keys_stay_and_are_not_doubled(opened: Open):
    engine = opened(
        "CREATE TABLE customers (id INT PRIMARY KEY); INSERT INTO customers VALUES (1);"
        "CREATE TABLE orders (id INT PRIMARY KEY, customer_id INT REFERENCES customers);"
        "INSERT INTO orders VALUES (1, 1)"
    )
    assert inferred(engine) == profile(engine, engine.catalog())


def test_types_must_agree(opened: Open):
    engine = opened(
        "CREATE TABLE customers AS SELECT 1 AS id; CREATE TABLE orders AS SELECT '1' AS customer_id"
    )
    assert inferred(engine).tables[1].keys == ()


def test_private_columns_are_left_alone(opened: Open):
    engine = opened(SHOP)
    customers, orders = engine.catalog().tables
    secret = tuple(replace(c, private=c.name == "customer_id") for c in orders.columns)
    catalog = Catalog(tables=(customers, replace(orders, columns=secret)))
    found = infer_keys(engine, profile(engine, catalog))
    assert found.tables[1].keys == (key("seller_customer_id"),)


def test_without_a_profile_nothing_is_inferred(opened: Open):
    engine = opened(SHOP)
    assert infer_keys(engine, engine.catalog()) == engine.catalog()


@pytest.mark.parametrize("case", NAMES, ids=lambda c: f"{c['ref']}-{c['to']}")
def test_names_agree_or_not(case: dict[str, str]):
    table, column = case["ref"].split(".")
    target, there = case["to"].split(".")
    assert agreement(column, table, there, target) == case["agrees"]


def test_names_are_split_into_words():
    assert words("OrderItemsID") == ("order", "item", "id")
    assert words("HTTPStatus_codes2") == ("http", "status", "code", "2")
    assert words("customerid") == ("customer", "id")
    assert words("") == ()


def test_key_names_are_known():
    assert all(map(is_key_name, ("id", "product_key", "SKU_CODE", "customerid")))
    assert not any(map(is_key_name, ("", "name", "amount", "paid", "valid", "idea")))
