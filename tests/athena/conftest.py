"""A lake on the wire: real pyathena and boto3 against a server on loopback."""

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
import duckdb
import pytest

from querymend import Agent, Settings
from querymend.testing import ScriptedModel
from querymend.tools.engines.athena.engine import AthenaEngine, open_athena
from querymend.tools.engines.athena.place import read_url
from querymend.tools.engines.engine import Limits, Result
from querymend.tools.engines.wire.glue import GlueTable
from querymend.tools.engines.wire.server import AthenaStandIn
from querymend.tools.engines.wire.workgroups import Workgroup
from querymend.tools.sql.gate import admit

TODAY = date(2026, 7, 15)
LAKE = """
CREATE TABLE customers (customer_id BIGINT, name VARCHAR, segment VARCHAR);
INSERT INTO customers VALUES (1, 'Ann', 'gold'), (2, '', 'base'), (3, NULL, 'base');
CREATE TABLE orders (order_id BIGINT, customer_id BIGINT, amount DECIMAL(12,2), status VARCHAR,
  ordered_at TIMESTAMP, tags VARCHAR[],
  items STRUCT(sku VARCHAR, qty INTEGER, price DECIMAL(10,2))[],
  traits MAP(VARCHAR, VARCHAR), dt VARCHAR, region VARCHAR);
INSERT INTO orders SELECT i, 1 + i % 3, i * 0.25, CASE WHEN i % 4 = 0 THEN 'open' ELSE 'paid' END,
  TIMESTAMP '2026-07-01 10:00:00' + INTERVAL (i % 10) DAY, ['a, b', NULL],
  [{'sku': 'x=1, y', 'qty': 2, 'price': 9.50}], MAP {'k=1': 'v, w'},
  strftime(DATE '2026-07-01' + CAST(i % 10 AS INTEGER), '%Y-%m-%d'),
  CASE WHEN i % 2 = 0 THEN 'eu' ELSE 'us' END
  FROM range(6000) t(i);
CREATE TABLE visits (page VARCHAR, tenant VARCHAR, day DATE);
INSERT INTO visits VALUES ('/a', 'acme', DATE '2026-07-01');
"""
TABLES = {
    "orders": GlueTable(
        partitions=("dt", "region"),
        description="One row an order",
        comments={"amount": "gross, EUR"},
    ),
    "visits": GlueTable(
        partitions=("tenant", "day"),
        parameters={
            "projection.enabled": "true",
            "projection.tenant.type": "injected",
            "projection.day.type": "date",
            "projection.day.range": "2020-01-01,NOW",
            "projection.day.format": "yyyy-MM-dd",
        },
    ),
}
PARTITION = 40_000_000
"""Bytes that Glue notes for each partition of orders."""


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give AWS keys that mean nothing, each test its own, and hide the developer's own ones."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", f"AKIA{uuid.uuid4().hex[:12].upper()}")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))


@pytest.fixture(scope="session")
def lake_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the lake's data once."""
    path = tmp_path_factory.mktemp("lake") / "sales.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(LAKE)
    return path


@pytest.fixture(scope="session")
def lake(lake_file: Path) -> Iterator[AthenaStandIn]:
    """Serve it, for all tests that do not change it."""
    groups = (Workgroup(name="bare"), Workgroup(name="capped", cutoff=10_000_000))
    with AthenaStandIn(
        lake_file, database="sales", tables=TABLES, workgroups=groups, scale=1_000.0
    ) as server:
        note_sizes(server)
        yield server


def note_sizes(server: AthenaStandIn) -> None:
    """Write into Glue what a crawler would: the bytes of partitions and tables."""
    glue = boto3.client("glue", **server.client)
    wanted = {"DatabaseName": "sales", "TableName": "orders"}
    for found in glue.get_partitions(**wanted)["Partitions"]:
        told = {k: found[k] for k in ("Values", "StorageDescriptor")}
        glue.update_partition(
            **wanted,
            PartitionValueList=found["Values"],
            PartitionInput={**told, "Parameters": {"totalSize": str(PARTITION)}},
        )
    table = glue.get_table(DatabaseName="sales", Name="customers")["Table"]
    kept = ("Name", "StorageDescriptor", "PartitionKeys", "TableType", "Parameters")
    told = {k: table[k] for k in kept if k in table}
    told["Parameters"] = {**told.get("Parameters", {}), "totalSize": "1000"}
    glue.update_table(DatabaseName="sales", TableInput=told)


@pytest.fixture(autouse=True)
def _no_faults(request: pytest.FixtureRequest) -> Iterator[None]:
    """Leave no fault armed, and no query running, after any test."""
    yield
    if "lake" in request.fixturenames:
        server: AthenaStandIn = request.getfixturevalue("lake")
        server.clear_faults()
        assert server.running() == []


def url(server: AthenaStandIn, **more: object) -> str:
    """Return the address of the served lake."""
    given = {"output": server.output, "endpoint": server.endpoint_url, "poll": "0.02", **more}
    query = "&".join(f"{k}={v}" for k, v in given.items() if v != "")
    return f"athena://us-east-1/sales?{query}"


@dataclass(kw_only=True)
class Lake:
    """An engine on the served lake."""

    server: AthenaStandIn
    engine: AthenaEngine

    def run(self, sql: str, **limits: Any) -> Result:
        """Run a text through the gate."""
        return self.engine.run(self.admitted(sql), limits=Limits(**limits))

    def admitted(self, sql: str) -> Any:
        """Let a text through the gate."""
        found = admit(sql, dialect="athena", catalog=self.engine.catalog())
        assert found.sql is not None, found.findings
        return found.sql


@pytest.fixture
def opened(lake: AthenaStandIn) -> Iterator[Callable[..., Lake]]:
    """Return an opener of engines on the lake; its arguments go into the URL."""
    engines: list[AthenaEngine] = []

    def open_(**more: object) -> Lake:
        engines.append(open_athena(read_url(url(lake, **more))))
        return Lake(server=lake, engine=engines[-1])

    yield open_
    for engine in engines:
        engine.close()


@pytest.fixture
def on(opened: Callable[..., Lake]) -> Lake:
    """Return an engine on the lake."""
    return opened()


@pytest.fixture
def wait() -> Callable[[Callable[[], object]], None]:
    """Return what waits until something holds."""
    return until


Ask = Callable[..., Agent]


@pytest.fixture(scope="session")
def opened_once(lake: AthenaStandIn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """Open an agent on the lake once: its index serves every test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIAOPENING")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        cache = tmp_path_factory.mktemp("cache")
        settings = Settings(source=url(lake), cache_dir=cache, today=TODAY)
        with Agent.open(settings, writer=ScriptedModel()) as agent:
            yield agent


@pytest.fixture
def agent_on(lake: AthenaStandIn, opened_once: Agent) -> Iterator[Ask]:
    """Return a maker of agents on the lake, whose model replies as scripted.

    Each has an engine of its own; ``url`` goes into its address, ``budget`` and ``athena`` into
    the settings.
    """
    made: list[Agent] = []

    def make(*replies: object, **changes: dict[str, object]) -> Agent:
        warehouse = opened_once._warehouse
        settings = warehouse.deps.settings
        athena = settings.athena.model_copy(update=changes.get("athena", {}))
        budget = settings.budget.model_copy(update=changes.get("budget", {}))
        deps = replace(
            warehouse.deps,
            settings=settings.model_copy(update={"athena": athena, "budget": budget}),
            engine=open_athena(read_url(url(lake, **changes.get("url", {})))),
            writer=ScriptedModel(*replies),  # type: ignore[arg-type]
        )
        made.append(Agent(replace(warehouse, deps=deps)))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def until(holds: Callable[[], object], *, seconds: float = 20.0) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        pause.wait(0.01)
