"""The pack's golds and examples in Athena's SQL give their DuckDB twins' rows, wherever they run.

Three places: the stand-in in this process, real pyathena on the wire stand-in, and a real Trino
(marker ``trino``).
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from querymend.fewshot import load_pack
from querymend.fewshot.build import warehouse_path
from querymend.tools.engines.duckdb import open_duckdb
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.engines.stand_in.engine import open_stand_in
from querymend.tools.results.compare import Rows, same_rows
from querymend.tools.sql.gate import admit

if TYPE_CHECKING:
    from loading import Trino

PACK = load_pack("retail")
SCHEMA = "retail"
ALL = Limits(rows=None, seconds=120.0, bytes=None)


@dataclass(frozen=True, kw_only=True)
class Twins:
    """One statement in both dialects."""

    name: str
    duckdb: str
    athena: str
    ordered: bool


def twins() -> Iterator[Twins]:
    """Yield every gold of every question, and every example, whose order may leave ties open."""
    for q in PACK.questions:
        for at, (duckdb, athena) in enumerate(zip(q.sql, q.gold("athena"), strict=True)):
            yield Twins(name=f"{q.id}-{at}", duckdb=duckdb, athena=athena, ordered=q.ordered)
    athena_examples = {e.id: e.sql for e in PACK.examples_in("athena")}
    for e in PACK.examples_in("duckdb"):
        yield Twins(name=e.id, duckdb=e.sql, athena=athena_examples[e.id], ordered=False)


TWINS = list(twins())
Opened = AbstractContextManager[Engine]


@pytest.fixture(scope="module")
def warehouse(cache: Path) -> Path:
    return warehouse_path(PACK, cache)


@pytest.fixture(scope="module")
def duckdb_twin(warehouse: Path) -> Iterator[Engine]:
    with closing(open_duckdb(warehouse)) as engine:
        yield engine


@contextmanager
def stand_in(path: Path, request: pytest.FixtureRequest) -> Iterator[Engine]:
    with closing(open_stand_in(path)) as engine:
        yield engine


@contextmanager
def wire(path: Path, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Open the Athena engine, real pyathena and boto3 in it, on a server of the file."""
    pytest.importorskip("moto")
    from querymend.testing import AthenaStandIn
    from querymend.tools.engines.athena.engine import open_athena
    from querymend.tools.engines.athena.place import read_url

    with pytest.MonkeyPatch.context() as patch, AthenaStandIn(path, database=SCHEMA) as server:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "any")
        with closing(open_athena(read_url(f"{server.url(SCHEMA)}&reuse=0"))) as engine:
            yield engine
        assert server.running() == []


@contextmanager
def real_trino(path: Path, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Load the file into a real Trino, and open that."""
    from loading import load_duckdb

    from querymend.tools.engines.trino.opening import open_trino

    server: Trino = request.getfixturevalue("trino_server")
    load_duckdb(server, path, SCHEMA)
    with closing(open_trino(server.url(SCHEMA))) as engine:
        yield engine


@pytest.fixture(
    scope="module",
    params=[stand_in, wire, pytest.param(real_trino, marks=pytest.mark.trino)],
    ids=lambda place: place.__name__,
)
def engine(
    request: pytest.FixtureRequest, warehouse: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    place: Callable[[Path, pytest.FixtureRequest], Opened] = request.param
    # DuckDB opens a file once a process: what one engine adds to it another would see.
    own = shutil.copy(warehouse, tmp_path_factory.mktemp("own") / "retail.duckdb")
    with place(own, request) as opened:
        yield opened


def rows(engine: Engine, sql: str) -> Rows:
    """Run a text as the loop would, through the gate."""
    found = admit(sql, dialect=engine.dialect, catalog=engine.catalog())
    assert found.sql is not None, found.findings
    return engine.run(found.sql, limits=ALL).rows


@pytest.mark.parametrize("pair", TWINS, ids=lambda p: p.name)
def test_athena_sql_gives_the_rows_of_its_duckdb_twin(
    engine: Engine, duckdb_twin: Engine, pair: Twins
) -> None:
    wanted = rows(duckdb_twin, pair.duckdb)
    assert same_rows(rows(engine, pair.athena), wanted, ordered=pair.ordered)


def test_every_question_that_has_an_answer_and_every_example_is_compared() -> None:
    compared = {p.name.rpartition("-")[0] or p.name for p in TWINS}
    answerable = {q.id for q in PACK.questions if "unanswerable" not in q.tags}
    assert answerable <= compared
    assert {e.id for e in PACK.examples} <= {p.name for p in TWINS}
