"""Glue as boto3 and pyathena see it: types, keys, partitions, projection, views, drift."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from botocore.exceptions import ClientError
from pyathena.error import OperationalError

from querymend.testing import AthenaStandIn, Fault, GlueTable

Make = Callable[..., Any]


def test_databases_and_tables_are_those_of_the_source(server: AthenaStandIn, clients: Make) -> None:
    glue = clients(server, "glue")
    assert [d["Name"] for d in glue.get_databases()["DatabaseList"]] == ["sales", "web"]
    tables = glue.get_tables(DatabaseName="sales")["TableList"]
    assert sorted(t["Name"] for t in tables) == ["customers", "orders"]
    with pytest.raises(ClientError, match="EntityNotFoundException"):
        glue.get_table(DatabaseName="sales", Name="nothing")


def test_a_table_has_hive_types_comments_and_keys_apart(
    server: AthenaStandIn, clients: Make
) -> None:
    table = clients(server, "glue").get_table(DatabaseName="sales", Name="orders")["Table"]
    columns = {c["Name"]: c for c in table["StorageDescriptor"]["Columns"]}
    assert {n: c["Type"] for n, c in columns.items()} == {
        "id": "int",
        "status": "string",
        "amount": "decimal(10,2)",
        "items": "array<struct<sku:string,qty:int>>",
    }
    assert columns["amount"]["Comment"] == "gross, EUR"
    assert table["PartitionKeys"] == [
        {"Name": "dt", "Type": "string"},
        {"Name": "region", "Type": "string"},
    ]
    assert table["Description"] == "One row an order."
    assert (table["TableType"], table["VersionId"]) == ("EXTERNAL_TABLE", "1")


def test_partitions_are_listed_and_filtered(server: AthenaStandIn, clients: Make) -> None:
    glue = clients(server, "glue")
    asked = {"DatabaseName": "sales", "TableName": "orders"}
    found = glue.get_partitions(**asked)["Partitions"]
    assert len(found) == 8
    assert found[0]["Values"] == ["2024-01-01", "eu"]
    assert found[0]["StorageDescriptor"]["Location"].endswith("/orders/dt=2024-01-01/region=eu")
    some = glue.get_partitions(**asked, Expression="dt >= '2024-01-03' AND region = 'us'")
    assert [p["Values"][0] for p in some["Partitions"]] == ["2024-01-03", "2024-01-04"]


def test_a_projected_table_lists_no_partitions_but_tells_its_rules(
    server: AthenaStandIn, clients: Make
) -> None:
    glue = clients(server, "glue")
    table = glue.get_table(DatabaseName="web", Name="visits")["Table"]
    assert table["Parameters"]["projection.visitor.type"] == "injected"
    assert glue.get_partitions(DatabaseName="web", TableName="visits")["Partitions"] == []


@pytest.mark.parametrize(
    "where", ["visitor = 'v1'", "visitor IN ('v1', 'v2')", "v.visitor = 'v1' AND v.day IS NULL"]
)
def test_an_injected_key_is_content_with_its_values(
    server: AthenaStandIn, connect: Make, where: str
) -> None:
    connect(server, schema_name="web").cursor().execute(f"SELECT 1 FROM visits v WHERE {where}")


@pytest.mark.parametrize(
    "where", ["1 = 1", "visitor > 'v1'", "visitor = 'v1' OR day IS NULL", "visitor LIKE 'v1%'"]
)
def test_an_injected_key_without_its_values_fails_the_query(
    server: AthenaStandIn, connect: Make, where: str
) -> None:
    with pytest.raises(OperationalError, match=r"CONSTRAINT_VIOLATION: .* column visitor, "):
        connect(server, schema_name="web").cursor().execute(
            f"SELECT count(*) FROM visits WHERE {where}"
        )


def test_pyathena_lists_tables_by_athena_and_by_glue_when_throttled(
    server: AthenaStandIn, connect: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_GLUE", server.endpoint_url)
    cursor = connect(server).cursor()
    listed = [t.name for t in cursor.list_table_metadata()]
    assert sorted(listed) == ["customers", "orders"]
    server.fault(Fault("throttle", on="ListTableMetadata"))
    assert [t.name for t in cursor.list_table_metadata()] == listed
    assert server.operations("glue")[-1] == "GetTables"
    table = cursor.get_table_metadata("orders")
    assert [c.name for c in table.columns] == ["id", "status", "amount", "items"]
    assert [c.name for c in table.partition_keys] == ["dt", "region"]
    assert [d.name for d in cursor.list_databases(None)] == ["sales", "web"]
    with pytest.raises(OperationalError, match="EntityNotFoundException: Table nothing not found"):
        cursor.get_table_metadata("nothing", logging_=False)


def test_a_view_brings_its_text(sales: Path, tmp_path: Path, serve: Make, clients: Make) -> None:
    path = tmp_path / "viewed.duckdb"
    path.write_bytes(sales.read_bytes())
    sql = "SELECT id FROM sales.orders WHERE status = 'ok'"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE VIEW sales.good AS {sql}")
    server = serve(path, tables={"sales.good": GlueTable(view_sql=sql)})
    table = clients(server, "glue").get_table(DatabaseName="sales", Name="good")["Table"]
    assert table["TableType"] == "VIRTUAL_VIEW"
    assert table["ViewOriginalText"].startswith("/* Presto View: ")


def test_a_changed_table_has_a_new_version_and_a_dropped_one_is_gone(
    sales: Path, tmp_path: Path, serve: Make, clients: Make, connect: Make
) -> None:
    server = serve()
    glue = clients(server, "glue")
    before = glue.get_table(DatabaseName="sales", Name="customers")["Table"]
    changed = tmp_path / "changed.duckdb"
    changed.write_bytes(sales.read_bytes())
    with duckdb.connect(str(changed)) as connection:
        connection.execute("ALTER TABLE sales.customers RENAME COLUMN name TO full_name")
        connection.execute("DROP TABLE web.visits")
    server.replace(changed)
    after = glue.get_table(DatabaseName="sales", Name="customers")["Table"]
    assert (before["VersionId"], after["VersionId"]) == ("1", "2")
    assert "UpdateTime" in after
    orders = glue.get_table(DatabaseName="sales", Name="orders")["Table"]
    assert orders["VersionId"] == "1", "what did not change keeps its version"
    cursor = connect(server).cursor()
    cursor.execute("SELECT full_name FROM customers WHERE id = 1")
    assert cursor.fetchall() == [("Ann",)]
    with pytest.raises(ClientError, match="EntityNotFoundException"):
        glue.get_table(DatabaseName="web", Name="visits")


def test_two_servers_share_nothing(shop: Path, serve: Make, clients: Make) -> None:
    one, other = serve(), serve(shop, database="shop", tables={})
    assert [d["Name"] for d in clients(other, "glue").get_databases()["DatabaseList"]] == ["shop"]
    assert len(clients(one, "glue").get_databases()["DatabaseList"]) == 2
    assert one.output != other.output
    one.close()
    clients(other, "glue").get_databases()


def test_buckets_are_made_on_request(server: AthenaStandIn, connect: Make, clients: Make) -> None:
    server.make_bucket("mine-alone")
    cursor = connect(server, s3_staging_dir="s3://mine-alone/here").cursor()
    cursor.execute("SELECT 1 AS n")
    key = f"here/{cursor.query_id}.csv"
    body = clients(server, "s3").get_object(Bucket="mine-alone", Key=key)["Body"].read()
    assert body == b'"n"\n"1"\n'


def test_glue_gives_a_hundred_tables_at_a_time(tmp_path: Path, serve: Make, clients: Make) -> None:
    path = tmp_path / "many.duckdb"
    with duckdb.connect(str(path)) as connection:
        for number in range(230):
            connection.execute(f"CREATE TABLE t{number:03} (id INTEGER)")
    glue = clients(serve(path, database="many", tables={}), "glue")
    first = glue.get_tables(DatabaseName="many")
    assert (len(first["TableList"]), first["NextToken"]) == (100, "100")
    pages = glue.get_paginator("get_tables").paginate(DatabaseName="many")
    sizes = [len(page["TableList"]) for page in pages]
    assert sizes == [100, 100, 30]
    some = glue.get_partitions(DatabaseName="many", TableName="t001", MaxResults=5)
    assert some["Partitions"] == []
