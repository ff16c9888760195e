"""The golden questions of the pack: their Athena SQL on the wire gives the rows of DuckDB SQL."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from querymend.fewshot.build import warehouse_path
from querymend.fewshot.pack import Question, load_pack
from querymend.testing import AthenaStandIn
from querymend.tools.engines.duckdb import DuckDBEngine, open_duckdb
from querymend.tools.engines.engine import Limits
from querymend.tools.results.compare import same_rows
from querymend.tools.sql.gate import admit

PACK = load_pack("retail")
STATEMENTS = [
    (q, duckdb, athena)
    for q in PACK.questions
    for duckdb, athena in zip(q.gold("duckdb"), q.gold("athena"), strict=True)
]
Make = Callable[..., Any]


@pytest.fixture(scope="module")
def retail(cache: Path) -> Iterator[tuple[AthenaStandIn, DuckDBEngine]]:
    """Serve the pack's warehouse, and open it beside that."""
    path = warehouse_path(PACK, cache)
    engine = open_duckdb(path)
    with AthenaStandIn(path, database="retail") as server:
        yield server, engine
    engine.close()


@pytest.fixture
def rows(
    retail: tuple[AthenaStandIn, DuckDBEngine], connect: Make
) -> Callable[[str], list[tuple[Any, ...]]]:
    """Return what asks Athena through pyathena."""
    cursor = connect(retail[0], schema_name="retail").cursor()

    def run(sql: str) -> list[tuple[Any, ...]]:
        cursor.execute(sql)
        return list(cursor.fetchall())

    return run


@pytest.mark.parametrize(
    ("question", "duckdb", "athena"), STATEMENTS, ids=[q.id for q, _, _ in STATEMENTS]
)
def test_a_gold_gives_the_same_rows_on_the_wire(
    retail: tuple[AthenaStandIn, DuckDBEngine],
    rows: Callable[[str], list[tuple[Any, ...]]],
    question: Question,
    duckdb: str,
    athena: str,
) -> None:
    admitted = admit(duckdb, dialect="duckdb").sql
    assert admitted is not None
    wanted = retail[1].run(admitted, limits=Limits(rows=None)).rows
    assert same_rows(rows(athena), wanted, ordered=question.ordered)
    assert retail[0].running() == []


@pytest.mark.parametrize("sql", [e.sql for e in PACK.examples_in("athena")])
def test_an_example_runs_on_the_wire(
    rows: Callable[[str], list[tuple[Any, ...]]], sql: str
) -> None:
    assert rows(sql)
