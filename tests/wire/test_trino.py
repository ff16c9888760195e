"""A real Trino behind the wire: rows, faults, stops, and two whole questions.

Starts one, or uses the one that ``CONFORMANCE_TRINO`` names.
"""

import os
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyathena.error import OperationalError

from querymend.testing import AthenaStandIn, ScriptedModel

if TYPE_CHECKING:
    from loading import Trino

    from querymend import Answer

pytestmark = pytest.mark.trino
SCHEMA = f"wire_{os.getpid()}"
SET_UP = (
    f"CREATE SCHEMA {SCHEMA}",
    f"CREATE TABLE {SCHEMA}.sales (id bigint, region varchar, amount decimal(10, 2), tags"
    " array(varchar))",
    f"INSERT INTO {SCHEMA}.sales VALUES (1, 'EMEA', DECIMAL '100.00', ARRAY['a', 'b']),"
    " (2, 'APAC', DECIMAL '25.50', ARRAY[]), (3, 'EMEA', DECIMAL '10.00', NULL)",
)
TEAR_DOWN = (f"DROP TABLE {SCHEMA}.sales", f"DROP SCHEMA {SCHEMA}")
FOR_EVER = (
    "WITH s AS (SELECT n FROM UNNEST(sequence(1, 10000)) AS t(n))"
    " SELECT count(*) FROM s a, s b, s c, s d WHERE a.n + b.n + c.n + d.n <> 7"
)
Make = Callable[..., Any]


@pytest.fixture(scope="module")
def trino(trino_server: "Trino") -> Iterator[AthenaStandIn]:
    """Load a schema into the Trino and serve it."""
    from querymend.tools.engines.trino.opening import open_trino

    trino_server.execute(*SET_UP)
    url = trino_server.url(SCHEMA)
    with AthenaStandIn(lambda: open_trino(url), database=SCHEMA) as server:
        yield server
    trino_server.execute(*TEAR_DOWN)


@pytest.fixture
def cursor(trino: AthenaStandIn, connect: Make) -> Iterator[Any]:
    yield connect(trino, schema_name=SCHEMA).cursor()
    assert trino.running() == []


def test_rows_and_types_are_trinos(cursor: Any) -> None:
    cursor.execute("SELECT * FROM sales ORDER BY id")
    assert cursor.fetchall() == [
        (1, "EMEA", Decimal("100.00"), ["a", "b"]),
        (2, "APAC", Decimal("25.50"), []),
        (3, "EMEA", Decimal("10.00"), None),
    ]
    assert [d[1] for d in cursor.description] == ["bigint", "varchar", "decimal", "array"]
    cursor.execute(f"SELECT count(*) FROM awsdatacatalog.{SCHEMA}.sales")
    assert cursor.fetchall() == [(3,)]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT nope FROM sales", "COLUMN_NOT_FOUND: line 1:8: Column 'nope' cannot be resolved"),
        ("SELECT 1 / 0", "DIVISION_BY_ZERO"),
        ("SELECT id FROM sales WHERE region = 1", "TYPE_MISMATCH: line 1:35: Cannot apply"),
    ],
)
def test_faults_come_in_trinos_words(cursor: Any, sql: str, says: str) -> None:
    with pytest.raises(OperationalError) as caught:
        cursor.execute(sql)
    assert str(caught.value).startswith(says)


def test_glue_holds_its_tables(trino: AthenaStandIn, clients: Make) -> None:
    table = clients(trino, "glue").get_table(DatabaseName=SCHEMA, Name="sales")["Table"]
    kinds = [c["Type"] for c in table["StorageDescriptor"]["Columns"]]
    assert kinds == ["bigint", "string", "decimal(10,2)", "array<string>"]


def test_a_stop_reaches_trino(trino: AthenaStandIn, cursor: Any) -> None:
    failed: list[str] = []
    begun = threading.Event()

    def run() -> None:
        try:
            cursor.execute(FOR_EVER, on_start_query_execution=lambda identifier: begun.set())
        except OperationalError as error:
            failed.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(10)
    (execution,) = (e for e in trino.executions() if e.is_running)
    assert execution.began.wait(10)
    trino.stop(execution.id)
    thread.join()
    assert failed == ["Query cancelled by user"]
    assert execution.finished.is_set()


@pytest.mark.parametrize(
    ("question", "sql", "rows"),
    [
        ("How many sales are there?", "SELECT count(*) AS n FROM sales", ((3,),)),
        (
            "What is the total amount by region?",
            "SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region",
            (("APAC", Decimal("25.50")), ("EMEA", Decimal("110.00"))),
        ),
    ],
)
def test_a_whole_question_is_answered(
    trino: AthenaStandIn,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    sql: str,
    rows: tuple[tuple[Any, ...], ...],
) -> None:
    from querymend import Agent
    from querymend.settings import Settings

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    settings = Settings(source=trino.url(SCHEMA), cache_dir=cache)
    with Agent.open(settings, writer=ScriptedModel(sql)) as agent:
        answer: Answer = agent.ask(question)
    assert answer.outcome == "answered", answer.findings
    assert sorted(answer.rows) == sorted(rows)
    assert trino.running() == []
