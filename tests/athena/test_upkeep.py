"""Tables that change meanwhile, and tables that are looked at because somebody asked."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from querymend import Agent, BudgetExceeded, Settings, SetupError
from querymend.testing import ScriptedModel
from querymend.tools.engines.wire.glue import GlueTable
from querymend.tools.engines.wire.server import AthenaStandIn

SHOP = """
CREATE TABLE orders (order_id BIGINT, customer_id BIGINT, amount DOUBLE, status VARCHAR,
  dt VARCHAR);
INSERT INTO orders SELECT i, i % 5, i, CASE WHEN i % 2 = 0 THEN 'open' ELSE 'paid' END,
  CASE WHEN i < 50 THEN '2026-07-01' ELSE '2026-07-02' END FROM range(100) t(i);
CREATE TABLE customers (customer_id BIGINT, name VARCHAR);
INSERT INTO customers VALUES (1, 'Ann'), (2, 'Bob');
"""
TABLES = {"orders": GlueTable(partitions=("dt",))}
COUNT = "SELECT COUNT(*) AS n FROM orders WHERE dt = '2026-07-01'"


def built(path: Path, script: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[AthenaStandIn]:
    source = built(tmp_path / "shop.duckdb", SHOP)
    with AthenaStandIn(source, database="shop", tables=TABLES) as server:
        yield server
        assert server.running() == []


def agent_of(server: AthenaStandIn, cache: Path, *replies: str, **changes: Any) -> Agent:
    query = f"output={server.output}&endpoint={server.endpoint_url}&poll=0.02"
    settings = Settings(source=f"athena://us-east-1/shop?{query}", cache_dir=cache)
    athena = settings.athena.model_copy(update={"drift_minutes": 0.0, "reuse_minutes": 0})
    budget = settings.budget.model_copy(update=changes)
    settings = settings.model_copy(update={"athena": athena, "budget": budget})
    return Agent.open(settings, writer=ScriptedModel(*replies))


def started(server: AthenaStandIn) -> int:
    return server.operations().count("StartQueryExecution")


def test_a_table_that_changes_between_two_questions_is_followed_and_told(
    shop: AthenaStandIn, tmp_path: Path
) -> None:
    other = built(tmp_path / "other.duckdb", SHOP.replace("amount DOUBLE", "worth DOUBLE"))
    sql = "SELECT SUM(worth) AS total FROM orders WHERE dt = '2026-07-01'"
    with agent_of(shop, tmp_path / "cache", COUNT, sql) as agent:
        first = agent.ask("How many orders were placed on 2026-07-01?")
        assert first.rows == ((50,),)
        shop.replace(other)
        second = agent.ask("What was the total worth of orders on 2026-07-01?")
        orders = agent.catalog.table("orders")
        assert orders is not None
        assert orders.column("worth") is not None
        assert second.rows == ((1225.0,),)
        told = [f.message for f in second.findings if f.code == "catalog_changed"]
        assert any("orders" in t and "worth" in t and "amount" in t for t in told)


def test_a_dropped_table_and_a_new_partition_key_are_told(
    shop: AthenaStandIn, tmp_path: Path
) -> None:
    with agent_of(shop, tmp_path / "cache", COUNT, COUNT) as agent:
        shop._stock = _keyed(shop)
        shop.replace(built(tmp_path / "less.duckdb", SHOP.split("CREATE TABLE customers")[0]))
        answer = agent.ask("How many orders were placed on 2026-07-01?")
        told = " ".join(f.message for f in answer.findings if f.code == "catalog_changed")
        assert "customers is gone" in told
        assert "partition keys dt, status" in told
        assert agent.catalog.table("customers") is None


def _keyed(server: AthenaStandIn) -> Any:
    """Return what fills Glue with one partition key more."""
    from querymend.tools.engines.wire.stocked import stock

    tables = {"orders": GlueTable(partitions=("dt", "status"))}
    return lambda what: stock(what, server._beneath, database="shop", given=tables)


def test_an_unchanged_catalog_is_not_indexed_again(shop: AthenaStandIn, tmp_path: Path) -> None:
    with agent_of(shop, tmp_path / "cache", COUNT, COUNT) as agent:
        catalog = agent.catalog
        assert agent.ask("How many orders were placed on 2026-07-01?").findings == ()
        assert agent.catalog is catalog


def test_between_two_looks_at_the_catalog_some_minutes_pass(
    shop: AthenaStandIn, tmp_path: Path
) -> None:
    from querymend.upkeep import Upkeep

    now = [0.0]
    with agent_of(shop, tmp_path / "cache") as agent:
        warehouse = agent._warehouse
        athena = warehouse.deps.settings.athena.model_copy(update={"drift_minutes": 10.0})
        settings = warehouse.deps.settings.model_copy(update={"athena": athena})
        from dataclasses import replace

        changed = replace(warehouse, deps=replace(warehouse.deps, settings=settings))
        upkeep = Upkeep(changed, clock=lambda: now[0])
        before = shop.operations("glue").count("GetTables")
        now[0] = 599.0
        upkeep.in_step()
        assert shop.operations("glue").count("GetTables") == before
        now[0] = 601.0
        upkeep.in_step()
        assert shop.operations("glue").count("GetTables") > before


def test_a_table_is_looked_at_only_when_asked_and_only_its_newest_partition(
    shop: AthenaStandIn, tmp_path: Path
) -> None:
    lines: list[str] = []
    before = started(shop)
    with agent_of(shop, tmp_path / "cache") as agent:
        assert started(shop) == before
        agent.look_at("orders", log=lines.append)
        ran = [e.asked.sql for e in shop.executions()]
        assert ran
        assert all("'2026-07-02'" in sql for sql in ran)
        orders = agent.catalog.table("orders")
        assert orders is not None
        status = orders.column("status")
        assert status is not None
        assert status.profile is not None
        assert {v for v, _ in status.profile.frequent} == {"open", "paid"}
        assert status.profile.maximum is None
        assert "newest partition dt=2026-07-02" in lines[0]
        assert "at most" in lines[0]
        assert "bytes scanned" in lines[-1]


def test_an_unchanged_partition_is_not_read_again(shop: AthenaStandIn, tmp_path: Path) -> None:
    lines: list[str] = []
    with agent_of(shop, tmp_path / "cache") as agent:
        agent.look_at("orders")
    before = started(shop)
    with agent_of(shop, tmp_path / "cache") as agent:
        agent.look_at("orders", log=lines.append)
        orders = agent.catalog.table("orders")
        assert orders is not None
        assert orders.sample
    assert lines == ["orders: unchanged since it was read."]
    assert started(shop) == before


def test_looking_at_a_table_keeps_its_byte_budget(shop: AthenaStandIn, tmp_path: Path) -> None:
    shop._scans._scale = 10_000.0
    told = pytest.raises(BudgetExceeded, match="QUERYMEND_BUDGET__INDEX_BYTES")
    with agent_of(shop, tmp_path / "cache", index_bytes=1_000) as agent, told:
        agent.look_at("orders")
    ran = shop.executions()
    assert [e.state for e in ran if e.bytes_scanned] == ["CANCELLED"]


def test_a_table_over_the_budget_is_not_read_at_all(shop: AthenaStandIn, tmp_path: Path) -> None:
    import boto3  # type: ignore[import-untyped]

    glue = boto3.client("glue", **shop.client)
    told = glue.get_table(DatabaseName="shop", Name="customers")["Table"]
    kept = {k: told[k] for k in ("Name", "StorageDescriptor", "PartitionKeys", "TableType")}
    parameters = {**told["Parameters"], "totalSize": "5000000000"}
    glue.update_table(DatabaseName="shop", TableInput={**kept, "Parameters": parameters})
    before = started(shop)
    with agent_of(shop, tmp_path / "cache") as agent:
        with pytest.raises(BudgetExceeded, match="QUERYMEND_BUDGET__INDEX_BYTES"):
            agent.look_at("customers")
        with pytest.raises(SetupError, match="no table 'nope'"):
            agent.look_at("nope")
    assert started(shop) == before


def test_keys_are_told_by_names_without_a_query(shop: AthenaStandIn, tmp_path: Path) -> None:
    with agent_of(shop, tmp_path / "cache") as agent:
        orders, customers = agent.catalog.table("orders"), agent.catalog.table("customers")
    assert orders is not None
    assert customers is not None
    assert customers.unique == (("customer_id",),)
    assert orders.unique == ()
    assert [(k.columns, k.table, k.origin) for k in orders.keys] == [
        (("customer_id",), "customers", "inferred")
    ]
    assert started(shop) == 0
