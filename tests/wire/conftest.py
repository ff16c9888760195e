"""A small warehouse with schemas and partitions, served once a module, and patient-less clients."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import duckdb
import pyathena
import pytest
from botocore.config import Config
from pyathena.util import RetryConfig

from querymend.testing import AthenaStandIn, GlueTable, Workgroup

if TYPE_CHECKING:
    from pyathena.connection import Connection

SALES = """
CREATE SCHEMA sales; CREATE SCHEMA web;
CREATE TABLE sales.orders (id INTEGER, status VARCHAR, amount DECIMAL(10,2), items
  STRUCT(sku VARCHAR, qty INTEGER)[], dt VARCHAR, region VARCHAR);
COMMENT ON COLUMN sales.orders.amount IS 'gross, EUR';
INSERT INTO sales.orders SELECT i, ['ok', 'bad'][1 + i % 2], i * 1.5, [{'sku': 'a', 'qty': i}],
  '2024-01-0' || (1 + i % 4), ['eu', 'us'][1 + i // 4 % 2] FROM range(1000) t(i);
CREATE TABLE sales.customers (id BIGINT, name VARCHAR, born DATE);
INSERT INTO sales.customers VALUES (1, 'Ann', NULL), (2, '', DATE '1990-05-01'), (3, NULL, NULL);
CREATE TABLE web.visits (visitor VARCHAR, day DATE);
INSERT INTO web.visits SELECT 'v' || i, DATE '2024-01-01' + (i % 3)::INT FROM range(2500) t(i);
"""
TABLES = {
    "sales.orders": GlueTable(partitions=("dt", "region"), description="One row an order."),
    "web.visits": GlueTable(
        partitions=("visitor",),
        parameters={
            "projection.enabled": "true",
            "projection.visitor.type": "injected",
            "storage.location.template": "s3://querymend-data/web/visits/${visitor}/",
        },
    ),
}
AT_ONCE = Config(retries={"total_max_attempts": 1, "mode": "standard"})
NO_RETRY = RetryConfig(exceptions=(), attempt=1)


@pytest.fixture(scope="session")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the warehouse once."""
    path = tmp_path_factory.mktemp("wire") / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SALES)
    return path


@pytest.fixture
def serve(sales: Path) -> Iterator[Callable[..., AthenaStandIn]]:
    """Return a maker of servers of the warehouse."""
    started: list[AthenaStandIn] = []

    def make(source: Any = None, **options: Any) -> AthenaStandIn:
        options = {"database": "sales", "tables": TABLES, **options}
        started.append(AthenaStandIn(sales if source is None else source, **options).start())
        return started[-1]

    yield make
    for server in started:
        server.close()


@pytest.fixture(scope="module")
def shared(sales: Path) -> Iterator[AthenaStandIn]:
    """Serve the warehouse to a whole module; its tests leave it as they found it."""
    groups = [Workgroup(name="capped", cutoff=10_000_000), Workgroup(name="kept", managed=True)]
    with AthenaStandIn(sales, database="sales", tables=TABLES, workgroups=groups) as server:
        yield server


@pytest.fixture(scope="module")
def plain(sales: Path) -> Iterator[AthenaStandIn]:
    """Serve the warehouse in DuckDB's own SQL."""
    from querymend.tools.engines.duckdb import open_duckdb

    with AthenaStandIn(lambda: open_duckdb(sales), database="sales") as server:
        yield server


@pytest.fixture
def server(shared: AthenaStandIn) -> Iterator[AthenaStandIn]:
    """Give the shared server, and see that nothing is left running on it."""
    yield shared
    shared.clear_faults()
    assert shared.running() == []


@pytest.fixture(scope="session")
def keys() -> boto3.Session:
    """Return one session for all clients: it reads the services' descriptions once."""
    return boto3.Session(aws_access_key_id="AKIATESTS00000000000", aws_secret_access_key="any")


@pytest.fixture
def clients(keys: boto3.Session) -> Iterator[Callable[..., Any]]:
    """Return a maker of boto3 clients that do not try again."""
    made: list[Any] = []

    def make(server: AthenaStandIn, service: str, **more: Any) -> Any:
        made.append(keys.client(service, config=AT_ONCE, **{**server.client, **more}))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def connect(keys: boto3.Session) -> "Iterator[Callable[..., Connection[Any]]]":
    """Return a maker of pyathena connections that do not try again."""
    made: list[Connection[Any]] = []

    def make(server: AthenaStandIn, **more: Any) -> "Connection[Any]":
        options = {
            "schema_name": "sales",
            "s3_staging_dir": server.output,
            "poll_interval": 0.005,
            "config": AT_ONCE,
            "session": keys,
            "retry_config": NO_RETRY,
            **server.client,
            **more,
        }
        made.append(pyathena.connect(**options))
        return made[-1]

    yield make
    for connection in made:
        connection.close()
