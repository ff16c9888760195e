"""Bytes by partition and column, what is billed, the workgroup's cutoff, and reused results."""

from collections.abc import Callable
from typing import Any

import pytest
from pyathena.error import OperationalError

from querymend.testing import AthenaStandIn, Fault, Workgroup

Make = Callable[..., Any]
ORDERS = 1_000


@pytest.fixture
def scanned(server: AthenaStandIn, connect: Make) -> Callable[[str], int]:
    """Return what runs a query and tells the bytes that it scanned."""

    def run(sql: str) -> int:
        cursor = connect(server).cursor()
        cursor.execute(sql)
        return int(cursor.data_scanned_in_bytes)

    return run


@pytest.mark.parametrize(
    ("sql", "share"),
    [
        ("SELECT id FROM orders", 1.0),
        ("SELECT id FROM orders WHERE dt = '2024-01-01'", 0.25),
        ("SELECT id FROM orders WHERE dt IN ('2024-01-01', '2024-01-02')", 0.5),
        ("SELECT id FROM orders WHERE dt >= '2024-01-03'", 0.5),
        ("SELECT id FROM orders o WHERE o.dt = '2024-01-01' AND o.region = 'eu'", 0.125),
        ("SELECT id FROM orders WHERE dt = '2024-01-01' OR id = 7", 1.0),
        ("SELECT id FROM orders WHERE id = 7", 1.0),
        ("SELECT id FROM (SELECT * FROM orders WHERE dt = '2024-01-01') x", 0.25),
        ("WITH o AS (SELECT id FROM orders WHERE dt = '2024-01-09') SELECT id FROM o", 0.0),
        ("SELECT o.id FROM orders o JOIN orders p ON o.id = p.id WHERE p.dt = '2024-01-01'", 1.25),
        ("SELECT id FROM orders LIMIT 1", 1.0),
    ],
)
def test_a_predicate_on_a_key_skips_partitions(
    scanned: Callable[[str], int], sql: str, share: float
) -> None:
    id_only = 4 * ORDERS
    whole = scanned(sql)
    columns = 5 if "*" in sql else 1
    if columns == 1:
        assert whole == share * id_only
    else:
        assert 0 < whole < id_only * 25


def test_a_star_costs_every_column_and_a_count_none(scanned: Callable[[str], int]) -> None:
    one, all_of_them = scanned("SELECT id FROM orders"), scanned("SELECT * FROM orders")
    assert 0 == scanned("SELECT count(*) FROM orders") < one < all_of_them
    assert scanned("SELECT dt, region FROM orders") == 0, "keys are in the paths, not in the files"


def test_bytes_are_counted_once_for_each_place_that_reads(scanned: Callable[[str], int]) -> None:
    once = scanned("SELECT id FROM orders")
    assert scanned("SELECT id FROM orders UNION ALL SELECT id FROM orders") == 2 * once


def test_billing_is_in_whole_megabytes_and_ten_at_least(serve: Make, connect: Make) -> None:
    server = serve(scale=1_000.0, workgroups=[Workgroup(name="capped", cutoff=10_000_000)])
    cursor = connect(server, work_group="capped").cursor()
    cursor.execute("SELECT id FROM orders")
    cursor.execute("SELECT count(*) FROM orders")
    with pytest.raises(OperationalError):
        cursor.execute("SELECT nope FROM orders")
    with pytest.raises(OperationalError, match="Bytes scanned limit was exceeded"):
        cursor.execute("SELECT amount FROM orders")
    cursor.execute("EXPLAIN SELECT id FROM orders")
    whole = connect(server).cursor()
    whole.execute("SELECT amount FROM orders WHERE id < 5")
    billed = [e.billed_bytes() for e in server.executions()]
    assert billed == [10_000_000, 10_000_000, 0, 10_000_000, 0, 20_000_000]


def test_past_the_cutoff_a_query_is_cancelled_and_billed_for_the_cutoff(
    serve: Make, connect: Make
) -> None:
    server = serve(scale=1_000.0, workgroups=[Workgroup(name="capped", cutoff=10_000_000)])
    cursor = connect(server, work_group="capped").cursor()
    with pytest.raises(OperationalError, match=r"^Bytes scanned limit was exceeded$"):
        cursor.execute("SELECT amount FROM orders")
    (execution,) = server.executions()
    assert (execution.state, execution.bytes_scanned) == ("CANCELLED", 10_000_000)
    cursor.execute("SELECT amount FROM orders WHERE dt = '2024-01-01' AND region = 'eu'")
    assert len(cursor.fetchall()) == ORDERS / 8


def test_a_cutoff_below_athenas_least_is_refused() -> None:
    with pytest.raises(ValueError, match="10,000,000"):
        Workgroup(name="x", cutoff=1_000)


def test_a_workgroup_tells_its_settings(server: AthenaStandIn, clients: Make) -> None:
    athena = clients(server, "athena")
    group = athena.get_work_group(WorkGroup="capped")["WorkGroup"]
    assert group["Configuration"]["BytesScannedCutoffPerQuery"] == 10_000_000
    names = [g["Name"] for g in athena.list_work_groups()["WorkGroups"]]
    assert names == ["primary", "capped", "kept"]


def test_an_enforced_output_wins_and_a_managed_one_needs_none(serve: Make, connect: Make) -> None:
    server = serve(
        workgroups=[
            Workgroup(name="strict", output="s3://audited/results/", enforce=True),
            Workgroup(name="kept", managed=True),
        ]
    )
    cursor = connect(server, work_group="strict").cursor()
    cursor.execute("SELECT 1")
    assert cursor.output_location == f"s3://audited/results/{cursor.query_id}.csv"
    cursor = connect(server, work_group="kept", s3_staging_dir="").cursor()
    cursor.execute("SELECT 1")
    assert (cursor.output_location, cursor.fetchall()) == (None, [(1,)])


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def test_the_same_text_is_reused_while_it_is_young(serve: Make, connect: Make) -> None:
    clock = Clock()
    server = serve(clock=clock)
    options = {"result_reuse_enable": True, "result_reuse_minutes": 10}

    def run(sql: str, **more: Any) -> tuple[bool, int]:
        cursor = connect(server, **{**options, **more}).cursor()
        cursor.execute(sql)
        assert len(cursor.fetchall()) == 3
        return cursor.reused_previous_result, cursor.data_scanned_in_bytes

    sql = "SELECT id FROM customers"
    assert run(sql) == (False, 24)
    assert run(sql) == (True, 0)
    assert run("SELECT  id FROM customers") == (False, 24), "another text"
    assert run(sql, result_reuse_enable=False) == (False, 24)
    clock.now += 601
    assert run(sql) == (False, 24), "too old"
    assert [e.billed_bytes() for e in server.executions()][:2] == [10_000_000, 0]


@pytest.mark.parametrize(
    "sql", ["SELECT id FROM customers LIMIT 1", "SELECT id, random() FROM customers"]
)
def test_what_may_come_out_otherwise_is_not_reused(
    server: AthenaStandIn, connect: Make, sql: str
) -> None:
    cursor = connect(server, result_reuse_enable=True, result_reuse_minutes=60).cursor()
    for _ in range(2):
        cursor.execute(sql)
        assert cursor.reused_previous_result is False


def test_a_failed_query_is_not_reused(server: AthenaStandIn, connect: Make) -> None:
    cursor = connect(server, result_reuse_enable=True, result_reuse_minutes=60).cursor()
    server.fault(Fault("exhausted"))
    with pytest.raises(OperationalError):
        cursor.execute("SELECT name FROM customers")
    cursor.execute("SELECT name FROM customers")
    assert cursor.reused_previous_result is False
