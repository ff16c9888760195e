"""The Glue catalog: what is read, and what of it a model is shown."""

from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest

from querymend.tools.catalog.glue import Partition, athena_type, ordering, partitions, read_glue
from querymend.tools.catalog.model import Table
from querymend.tools.catalog.projection import projected
from querymend.tools.chunks.ddl import create_table
from querymend.tools.engines.wire.server import AthenaStandIn


@pytest.fixture(scope="module")
def glue(lake: AthenaStandIn) -> Any:
    keys = {"aws_access_key_id": "AKIAGLUE", "aws_secret_access_key": "x"}
    return boto3.client("glue", **{**lake.client, **keys})


def test_tables_columns_comments_and_keys_are_read(glue: Any) -> None:
    """Peer report: WrenAI 2062."""
    orders = read_glue(glue, ["sales"]).catalog.table("orders")
    assert orders is not None
    assert orders.description == "One row an order"
    amount = orders.column("amount")
    assert amount is not None
    assert (amount.type, amount.description) == ("decimal(12, 2)", "gross, EUR")
    assert "gross, EUR" in create_table(orders)
    assert orders.partitions == ("dt", "region")
    assert [(k.name, k.latest) for k in orders.partition_keys] == [
        ("dt", "2026-07-10"),
        ("region", "us"),
    ]


def test_the_card_shows_partition_keys_with_their_values(glue: Any) -> None:
    catalog = read_glue(glue, ["sales"]).catalog
    orders, visits = catalog.table("orders"), catalog.table("visits")
    assert orders is not None
    assert visits is not None
    shown = create_table(orders)
    assert "dt varchar, -- partition key, newest '2026-07-10'" in shown
    assert "region varchar -- partition key, values 'eu', 'us', newest 'us'" in shown
    shown = create_table(visits, descriptions=False)
    assert "tenant varchar, -- partition key, needs = or IN" in shown
    assert "day date -- partition key, 2020-01-01 to NOW as yyyy-MM-dd" in shown


def test_a_private_partition_key_keeps_its_values(glue: Any) -> None:
    from dataclasses import replace

    from querymend.tools.catalog.describe import hide_private

    orders = read_glue(glue, ["sales"]).catalog.table("orders")
    assert orders is not None
    columns = tuple(replace(c, private=c.name == "dt") for c in orders.columns)
    hidden = hide_private(replace(orders, columns=columns))
    assert "2026-07-10" not in create_table(hidden)
    assert "2026-07-10" not in str(hidden)


def test_partitions_are_filtered_by_glue(glue: Any) -> None:
    found = partitions(glue, "sales", "orders", where="(dt >= '2026-07-09') AND (region = 'eu')")
    assert found is not None
    assert [p.values for p in found] == [("2026-07-09", "eu")]
    assert partitions(glue, "sales", "orders", pages=0) is None


def test_several_databases_keep_their_names_but_the_first(glue: Any) -> None:
    glue.create_database(DatabaseInput={"Name": "extra"})
    told = {"Name": "notes", "StorageDescriptor": {"Columns": [{"Name": "id", "Type": "int"}]}}
    glue.create_table(DatabaseName="extra", TableInput=told)
    try:
        names = [t.qualified_name for t in read_glue(glue, ["sales", "extra"]).catalog.tables]
        assert {"orders", "extra.notes"} <= set(names)
        assert "extra.notes" in [t.qualified_name for t in read_glue(glue).catalog.tables] or (
            "notes" in [t.qualified_name for t in read_glue(glue).catalog.tables]
        )
    finally:
        glue.delete_table(DatabaseName="extra", Name="notes")
        glue.delete_database(Name="extra")


@pytest.mark.parametrize(
    ("hive", "athena"),
    [
        ("string", "varchar"),
        ("int", "integer"),
        ("double", "double"),
        ("float", "real"),
        ("decimal(12,2)", "decimal(12, 2)"),
        ("timestamp", "timestamp"),
        ("binary", "varbinary"),
        ("varchar(20)", "varchar(20)"),
        ("array<string>", "array(varchar)"),
        (
            "array<struct<sku:string,qty:int,price:decimal(10,2)>>",
            "array(row(sku varchar, qty integer, price decimal(10, 2)))",
        ),
        ("map<string,array<int>>", "map(varchar, array(integer))"),
        ("struct<geo:struct<lat:double>>", "row(geo row(lat double))"),
        ("no<such>type", "no<such>type"),
    ],
)
def test_hive_types_become_those_of_athenas_sql(hive: str, athena: str) -> None:
    assert athena_type(hive) == athena


@pytest.mark.parametrize(
    ("parameters", "kind", "values", "bounds", "form"),
    [
        ({}, "", (), None, ""),
        ({"type": "enum", "values": "eu, us"}, "enum", ("eu", "us"), None, ""),
        ({"type": "integer", "range": "2020,2030"}, "integer", (), ("2020", "2030"), ""),
        (
            {"type": "date", "range": "NOW-1YEARS,NOW", "format": "yyyy/MM/dd"},
            "date",
            (),
            ("NOW-1YEARS", "NOW"),
            "yyyy/MM/dd",
        ),
        ({"type": "injected"}, "injected", (), None, ""),
    ],
)
def test_a_projection_tells_the_legal_values(
    parameters: dict[str, str],
    kind: str,
    values: tuple[str, ...],
    bounds: tuple[str, str] | None,
    form: str,
) -> None:
    told = {f"projection.k.{name}": value for name, value in parameters.items()}
    key = projected("k", {"projection.enabled": "true", **told})
    assert (key.projection, key.values, key.range, key.format) == (kind, values, bounds, form)


def test_a_projection_that_is_switched_off_tells_nothing() -> None:
    told = {"projection.k.type": "enum", "projection.k.values": "a"}
    assert projected("k", told).projection == ""


def test_numbers_sort_as_numbers_and_dates_as_texts() -> None:
    table = Table(name="t", columns=())
    found = [Partition(values=("9", "b")), Partition(values=("10", "a"))]
    newest = max(found, key=lambda p: ordering(table, p.values))
    assert newest.values == ("10", "a")
