"""DuckDB's SQL said in Athena's: equal in rows and in kinds of values, or refused with a reason."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
import yaml

from querymend.fewshot import load_pack
from querymend.fewshot.build import warehouse_path
from querymend.tools.engines.duckdb import open_duckdb
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.engines.stand_in.engine import open_stand_in
from querymend.tools.results.compare import Rows, same_rows
from querymend.tools.sql.gate import admit
from querymend.tools.sql.parse import parse
from querymend.tools.sql.translate.statement import translated

if TYPE_CHECKING:
    from loading import Trino

HERE = Path(__file__).parent / "translate"
CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "cases.yaml").read_text("utf-8"))
REFUSED: list[dict[str, str]] = yaml.safe_load((HERE / "refused.yaml").read_text("utf-8"))
PACK = load_pack("retail")
ALL = Limits(rows=None, seconds=60.0, bytes=None)
Pair = tuple[Engine, Engine]


def both(path: Path, tmp_path: Path) -> Iterator[Pair]:
    """Open one warehouse as DuckDB and, a copy of it, as Athena."""
    # DuckDB opens a file once a process: what one engine adds to it another would see.
    own = shutil.copy(path, tmp_path / "athena.duckdb")
    with closing(open_duckdb(path)) as first, closing(open_stand_in(own)) as second:
        yield first, second


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("translate")
    with duckdb.connect(folder / "w.duckdb") as connection:
        connection.execute((HERE / "warehouse.sql").read_text("utf-8"))
    yield from both(folder / "w.duckdb", folder)


@pytest.fixture(scope="module")
def retail(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    yield from both(warehouse_path(PACK, cache), tmp_path_factory.mktemp("retail"))


def rows(engine: Engine, sql: str) -> Rows:
    found = admit(sql, dialect=engine.dialect, catalog=engine.catalog())
    assert found.sql is not None, found.findings
    return engine.run(found.sql, limits=ALL).rows


def kinds(found: Rows) -> list[set[str]]:
    """Return what each column's values are, numbers apart: their types may differ in width."""
    columns = zip(*found, strict=True)
    return [{_kind(v) for v in column if v is not None} for column in columns]


def _kind(value: object) -> str:
    if isinstance(value, datetime):
        return "instant"
    return "number" if isinstance(value, (int, float, Decimal)) else type(value).__name__


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_a_translated_statement_gives_duckdbs_rows(engines: Pair, case: dict[str, Any]) -> None:
    native, athena = engines
    found = translated(case["sql"], athena.catalog(), to="athena")
    assert found.sql is not None, found.reason
    wanted, got = rows(native, case["sql"]), rows(athena, found.sql)
    assert same_rows(got, wanted, ordered=case.get("ordered", False)), found.sql
    assert kinds(got) == kinds(wanted), found.sql


@pytest.mark.trino
def test_a_real_trino_gives_duckdbs_rows_for_every_case(
    engines: Pair, trino_server: "Trino", tmp_path: Path
) -> None:
    from loading import load_duckdb

    from querymend.tools.engines.trino.opening import open_trino

    with duckdb.connect(tmp_path / "w.duckdb") as connection:
        connection.execute((HERE / "warehouse.sql").read_text("utf-8"))
    load_duckdb(trino_server, tmp_path / "w.duckdb", "translate")
    wrong = []
    with closing(open_trino(trino_server.url("translate"))) as trino:
        for case in CASES:
            found = translated(case["sql"], trino.catalog(), to="trino")
            assert found.sql is not None, found.reason
            got, wanted = rows(trino, found.sql), rows(engines[0], case["sql"])
            if not same_rows(got, wanted, ordered=case.get("ordered", False)):
                wrong.append(found.sql)
    assert wrong == []


@pytest.mark.parametrize("case", REFUSED, ids=lambda c: c["sql"])
def test_what_has_no_sure_translation_is_refused_with_a_reason(
    engines: Pair, case: dict[str, str]
) -> None:
    found = translated(case["sql"], engines[1].catalog(), to="athena")
    assert found.sql is None
    assert case["word"] in found.reason


def test_a_catalog_of_duckdbs_types_gives_the_same_translation(engines: Pair) -> None:
    for case in CASES:
        first, second = (translated(case["sql"], e.catalog(), to="athena") for e in engines)
        assert first == second, case["id"]


@pytest.mark.parametrize("to", ["athena", "trino"])
def test_a_statement_that_means_the_same_in_both_keeps_its_text(engines: Pair, to: str) -> None:
    sql = "select  count(*) as n from sales where day >= DATE '2024-01-01'"
    assert translated(sql, engines[1].catalog(), to=to).sql == sql


def test_every_statement_of_the_pack_translates_and_gives_its_rows(retail: Pair) -> None:
    """All of the examples and golds, those that the pack itself gives in Athena's SQL too."""
    native, athena = retail
    examples = [(e.id, e.sql, False) for e in PACK.examples_in("duckdb")]
    golds = [(q.id, s, q.ordered) for q in PACK.questions for s in q.sql]
    untold, wrong = [], []
    for name, sql, ordered in examples + golds:
        found = translated(sql, athena.catalog(), to="athena")
        if found.sql is None:
            untold.append((name, found.reason))
        elif not same_rows(rows(athena, found.sql), rows(native, sql), ordered=ordered):
            wrong.append((name, found.sql))
    assert (untold, wrong) == ([], [])


def test_every_node_that_is_read_has_a_case() -> None:
    """A node is on the list only once a statement with it gave DuckDB's rows in Athena's SQL."""
    trees = [parse(case["sql"], "duckdb").tree for case in CASES]
    used = {type(node).__name__ for tree in trees if tree for node in tree.walk()}
    text = files("querymend.tools.sql.translate").joinpath("nodes.txt").read_text("utf-8")
    listed = [line.split()[0] for line in text.splitlines() if line and line[0] != "#"]
    assert sorted(set(listed) - used) == []
    assert listed == sorted(set(listed), key=str.lower)
