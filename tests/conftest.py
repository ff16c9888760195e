"""What tests share: a tiny shop, agents on it with a scripted model, and no way out."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from querymend.settings import Settings
from querymend.testing import ScriptedModel
from querymend.tools.errors import BudgetExceeded, EngineUnavailable

if TYPE_CHECKING:
    from loading import Trino

    from querymend import Agent, Answer
    from querymend.tools.engines.duckdb import DuckDBEngine
    from querymend.tools.engines.engine import Engine, Limits, Result
    from querymend.tools.sql.admitted import Admitted

TODAY = date(2026, 7, 15)
SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR, region VARCHAR, email VARCHAR);
CREATE TABLE products (sku VARCHAR PRIMARY KEY, title VARCHAR, price DECIMAL(10,2));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),
  order_date DATE, amount DECIMAL(10,2), status VARCHAR);
CREATE TABLE items (order_id INTEGER REFERENCES orders(id), sku VARCHAR REFERENCES products(sku),
  quantity INTEGER);
INSERT INTO customers VALUES (1, 'Ann', 'EMEA', 'ann@canary.test'), (2, 'Bob', 'APAC', NULL),
  (3, 'Cleo', 'EMEA', 'cleo@canary.test');
INSERT INTO products VALUES ('A1', 'Lamp', 20), ('B2', 'Desk', 150), ('C3', 'Chair', 80);
INSERT INTO orders VALUES (1, 1, '2026-05-02', 100, 'paid'), (2, 1, '2026-06-10', 50, 'paid'),
  (3, 2, '2026-06-11', 25, 'open'), (4, 3, '2026-02-01', 10, 'paid');
INSERT INTO items VALUES (1, 'A1', 2), (1, 'C3', 1), (2, 'A1', 1), (3, 'B2', 1), (4, 'C3', 3);
"""


def pytest_configure() -> None:
    """Set what holds for the whole run, before any library reads it."""
    os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
    # A shell that starts the tests in the background has Ctrl-C ignored, for their children too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the developer's own settings and keys from every test."""
    for name in list(os.environ):
        if name.startswith(("QUERYMEND_", "OPENAI_", "AWS_", "ANONYMIZED_")):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the tiny shop once; nothing can write to it."""
    path = tmp_path_factory.mktemp("shop") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SHOP)
    return path


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one cache folder for all tests of a run."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def trino_server() -> Iterator["Trino"]:
    """Start a real Trino on loopback once a run, or use the one that CONFORMANCE_TRINO names."""
    from loading import Trino
    from loopback import NoTrinoError, trino

    try:
        with trino() as address:
            yield Trino(address)
    except NoTrinoError as error:
        pytest.skip(str(error))


@pytest.fixture
def settings(cache: Path, shop: Path) -> Settings:
    """Return settings for the tiny shop."""
    return Settings(source=str(shop), cache_dir=cache, today=TODAY)


@pytest.fixture
def ask(settings: Settings) -> Iterator["Callable[..., Agent]"]:
    """Return a maker of agents on the tiny shop, whose model replies as scripted."""
    from querymend import Agent

    made: list[Agent] = []

    def make(*replies: object, **changes: object) -> Agent:
        writer = replies[0] if isinstance(replies[0], ScriptedModel) else ScriptedModel(*replies)  # type: ignore[arg-type]
        agent = Agent.open(settings.model_copy(update=changes), writer=writer)
        made.append(agent)
        return agent

    yield make
    for agent in made:
        agent.close()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator["Callable[[str], DuckDBEngine]"]:
    """Return an opener of engines on what a script makes."""
    from querymend.tools.engines.duckdb import open_duckdb

    engines: list[DuckDBEngine] = []

    def open_with(script: str) -> "DuckDBEngine":
        path = tmp_path / "data.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute(script)
        engines.append(open_duckdb(path))
        return engines[-1]

    yield open_with
    for engine in engines:
        engine.close()


class Recorded:
    """An engine that keeps every statement that reached it.

    It is away for its first calls, and out of budget past the most that it runs, if told so.
    """

    def __init__(self, engine: "Engine", *, away: int = 0, most: int | None = None) -> None:
        self._engine = engine
        self._away = away
        self._most = most
        self.ran: list[str] = []
        self.dialect = engine.dialect
        self.name = engine.name
        self.catalog = engine.catalog
        self.explain = engine.explain
        self.cancel = engine.cancel
        self.close = engine.close

    def run(self, sql: "Admitted", *, limits: "Limits") -> "Result":
        if self._most is not None and len(self.ran) >= self._most:
            raise BudgetExceeded("Nothing more may run.")
        self.ran.append(sql)
        if len(self.ran) <= self._away:
            raise EngineUnavailable("The engine is throttled.")
        return self._engine.run(sql, limits=limits)


def recorded(
    agent: "Agent", *, away: int = 0, most: int | None = None, **parts: object
) -> "tuple[Agent, Recorded]":
    """Return an agent like this one, other parts put in, with an engine that keeps what runs."""
    from querymend import Agent

    deps = agent._warehouse.deps
    engine = Recorded(deps.engine, away=away, most=most)
    changed = replace(deps, engine=engine, **parts)  # type: ignore[arg-type]
    return Agent(replace(agent._warehouse, deps=changed)), engine


@pytest.fixture
def watch() -> "Callable[..., tuple[Agent, Recorded]]":
    """Give what lets an agent's engine keep every statement that reaches it."""
    return recorded


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One agent, the model that writes for it, and what reached its engine."""

    agent: "Agent"
    model: ScriptedModel
    engine: Recorded

    def ask(self, question: str, **how: object) -> "Answer":
        return self.agent.ask(question, **how)  # type: ignore[call-overload, no-any-return]


@pytest.fixture(scope="session")
def opened_peers(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Agent"]:
    """Open once the shop that public fault reports are told with; each test has its own model."""
    from querymend import Agent

    folder = tmp_path_factory.mktemp("peers")
    path = folder / "peers.duckdb"
    script = Path(__file__).parent / "peers" / "warehouse.sql"
    with duckdb.connect(str(path)) as connection:
        connection.execute(script.read_text(encoding="utf-8"))
    settings = Settings(source=str(path), cache_dir=folder, today=date(2026, 3, 30))
    with Agent.open(settings, writer=ScriptedModel()) as agent:
        yield agent


@pytest.fixture
def peers(opened_peers: "Agent") -> "Callable[..., Asked]":
    """Return a maker of agents on that shop: one reply is given for ever, several in turn."""

    def make(*replies: object) -> Asked:
        first = replies[0]
        model = ScriptedModel(*replies)  # type: ignore[arg-type]
        if len(replies) == 1:
            given = isinstance(first, ScriptedModel)
            model = first if given else ScriptedModel.forever(first)  # type: ignore[assignment, arg-type]
        agent, engine = recorded(opened_peers, writer=model)
        return Asked(agent=agent, model=model, engine=engine)

    return make
