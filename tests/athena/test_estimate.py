"""What a statement would scan: from Glue's partitions, noted sizes and listed files."""

from typing import Any

import boto3  # type: ignore[import-untyped]
import pytest

from querymend.tools.catalog.glue import Storage, size_of, storage_of
from querymend.tools.engines.athena.estimating import Listing
from querymend.tools.engines.wire.server import AthenaStandIn

PARTITION = 40_000_000


def told(on: Any, sql: str) -> Any:
    return on.engine.estimate(on.admitted(sql))


def test_no_query_is_started(on: Any) -> None:
    before = on.server.operations().count("StartQueryExecution")
    told(on, "SELECT * FROM orders")
    assert on.server.operations().count("StartQueryExecution") == before


@pytest.mark.parametrize(
    ("where", "partitions"),
    [
        ("", 10),
        ("WHERE dt = '2026-07-03'", 1),
        ("WHERE dt >= '2026-07-03' AND region = 'eu'", 4),
        ("WHERE dt IN ('2026-07-03', '2026-07-04')", 2),
        ("WHERE dt LIKE '2026-07-0%'", 9),
        ("WHERE dt = '2026-07-03' OR dt = '2026-07-05'", 2),
        ("WHERE dt BETWEEN '2026-07-03' AND '2026-07-05'", 3),
        ("WHERE status = 'paid'", 10),
    ],
)
def test_partitions_are_counted_by_the_predicates(on: Any, where: str, partitions: int) -> None:
    found = told(on, f"SELECT * FROM orders {where}")
    (scan,) = found.scans
    assert (scan.partitions, scan.of) == (partitions, 10)
    assert found.bytes == partitions * PARTITION
    assert found.usd == pytest.approx(partitions * PARTITION / 10**12 * 5)


def test_only_the_named_columns_of_columnar_files_are_read(on: Any) -> None:
    one = told(on, "SELECT order_id FROM orders WHERE dt = '2026-07-03'").bytes
    two = told(on, "SELECT order_id, amount FROM orders WHERE dt = '2026-07-03'").bytes
    every = told(on, "SELECT * FROM orders WHERE dt = '2026-07-03'").bytes
    assert 0 < one < two < every == PARTITION


def test_every_table_of_a_join_counts(on: Any) -> None:
    found = told(
        on,
        "SELECT c.name, o.amount FROM orders o JOIN customers c ON c.customer_id = o.customer_id"
        " WHERE o.dt = '2026-07-03'",
    )
    assert [s.table for s in found.scans] == ["orders", "customers"]
    assert found.bytes == sum(s.bytes for s in found.scans)


def test_a_projected_table_is_unknown_and_says_so(on: Any) -> None:
    found = told(on, "SELECT page FROM visits WHERE tenant = 'acme'")
    assert (found.bytes, found.usd) == (None, None)
    assert found.scans[0].where == "(tenant = 'acme')"


def test_the_workgroups_cutoff_is_told(opened: Any) -> None:
    on = opened(workgroup="capped")
    assert told(on, "SELECT * FROM orders").cutoff == 10_000_000


def test_files_are_listed_where_nobody_noted_sizes(lake: AthenaStandIn, opened: Any) -> None:
    keys = {"aws_access_key_id": "AKIAFILES", "aws_secret_access_key": "x"}
    given = {**lake.client, **keys}
    glue, s3 = boto3.client("glue", **given), boto3.client("s3", **given)
    lake.make_bucket("files")
    for name in ("a", "b"):
        s3.put_object(Bucket="files", Key=f"logs/{name}.csv", Body=b"x" * 500)
    columns = [{"Name": "line", "Type": "string"}, {"Name": "n", "Type": "int"}]
    stored = {"Columns": columns, "Location": "s3://files/logs/", "InputFormat": "text"}
    glue.create_table(
        DatabaseName="sales", TableInput={"Name": "logs", "StorageDescriptor": stored}
    )
    try:
        assert told(opened(), "SELECT n FROM logs").bytes == 1_000
    finally:
        glue.delete_table(DatabaseName="sales", Name="logs")


def test_lists_are_remembered_for_a_while() -> None:
    now, asked = [0.0], []

    class Pages:
        def paginate(self, **wanted: object) -> list[dict[str, object]]:
            asked.append(wanted)
            return [{"Partitions": [{"Values": ["1"]}]}]

    class Glue:
        def get_paginator(self, name: str) -> Pages:
            return Pages()

    listing = Listing(seconds=60, clock=lambda: now[0])
    for moment, calls in ((0.0, 1), (59.0, 1), (61.0, 2)):
        now[0] = moment
        assert listing.of(Glue(), "d", "t", "") is not None
        assert len(asked) == calls


@pytest.mark.parametrize(
    ("parameters", "size"),
    [
        ({"totalSize": "12"}, 12),
        ({"sizeKey": "7", "recordCount": "3"}, 7),
        ({"totalSize": "-1"}, None),
        ({}, None),
    ],
)
def test_sizes_are_what_crawlers_and_hive_noted(
    parameters: dict[str, str], size: int | None
) -> None:
    assert size_of(parameters) == size


def test_a_view_has_no_files() -> None:
    assert storage_of({"Name": "v", "TableType": "VIRTUAL_VIEW"}) == Storage(view=True)
