"""A real Trino on loopback: the engine, and whole questions through ``trino://``."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from cases import CASES, GALLERY
from loading import Trino, load_script

from querymend import Agent, Settings
from querymend.testing import ScriptedModel
from querymend.tools.engines.engine import Limits, Result
from querymend.tools.engines.trino.engine import TrinoEngine
from querymend.tools.engines.trino.opening import open_trino
from querymend.tools.errors import BudgetExceeded, QueryError, SetupError
from querymend.tools.sql.admitted import Admitted

pytestmark = pytest.mark.trino
ALL = Limits(rows=None, seconds=120.0, bytes=None)


@pytest.fixture(scope="session")
def server(trino_server: Trino) -> Trino:
    load_script(trino_server, (CASES / "gallery.sql").read_text(encoding="utf-8"))
    return trino_server


@pytest.fixture(scope="session")
def gallery(server: Trino) -> TrinoEngine:
    return open_trino(server.url(GALLERY))


def asked(engine: TrinoEngine, sql: str, limits: Limits = ALL) -> Result:
    return engine.run(Admitted(sql), limits=limits)


# The engine --------------------------------------------------------------------------------------


def test_tables_columns_types_and_comments_are_read(server: Trino, gallery: TrinoEngine) -> None:
    server.execute(
        f"COMMENT ON TABLE {GALLERY}.artists IS 'Who made it'",
        f"COMMENT ON COLUMN {GALLERY}.artists.born IS 'Day of birth'",
    )
    artists = gallery.catalog().table("artists")
    assert artists is not None
    assert (artists.schema, artists.description) == ("", "Who made it")
    born = artists.column("born")
    assert born is not None
    assert (born.type, born.description) == ("date", "Day of birth")


def test_a_schema_that_is_not_there_is_told(server: Trino) -> None:
    with pytest.raises(SetupError, match="no table in schema 'nowhere'"):
        open_trino(server.url("nowhere")).catalog()


def test_null_and_empty_repeated_names_and_exact_numbers_come_back(gallery: TrinoEngine) -> None:
    result = asked(gallery, "SELECT NULL AS a, '' AS a, 0.10, 1")
    assert [c.name for c in result.columns] == ["a", "a", "_col2", "_col3"]
    assert result.rows == ((None, "", Decimal("0.10"), 1),)


def test_the_row_cap_is_told_and_the_deadline_is_kept(gallery: TrinoEngine) -> None:
    cut = asked(gallery, "SELECT visit_id FROM visits", Limits(rows=3, seconds=60.0, bytes=None))
    assert (len(cut.rows), cut.truncated) == (3, True)
    numbers = "unnest(sequence(1, 10000))"
    slow = f"SELECT count(*) FROM {numbers} a, {numbers} b, {numbers} c"
    with pytest.raises(BudgetExceeded):
        asked(gallery, slow, Limits(rows=3, seconds=1.0, bytes=None))


def test_a_fault_has_its_name_and_its_place(gallery: TrinoEngine) -> None:
    for judge in (asked, lambda engine, sql: engine.explain(Admitted(sql))):
        with pytest.raises(QueryError) as caught:
            judge(gallery, "SELECT title, titel FROM works")
        assert (caught.value.code, caught.value.position) == ("COLUMN_NOT_FOUND", (1, 15))


# Whole questions ---------------------------------------------------------------------------------


def gallery_agent(server: Trino, cache: Path, *replies: str) -> Agent:
    settings = Settings(source=server.url(GALLERY), cache_dir=cache, today=date(2026, 7, 15))
    return Agent.open(settings, writer=ScriptedModel(*replies))


def test_a_question_is_answered_right_first_time(server: Trino, cache: Path) -> None:
    agent = gallery_agent(server, cache, "SELECT count(*) FROM works WHERE kind = 'painting'")
    answer = agent.ask("How many works are paintings?")
    agent.close()
    assert answer.rows == ((3,),)
    assert answer.outcome.startswith("answered")


def test_a_misspelt_column_is_mended(server: Trino, cache: Path) -> None:
    agent = gallery_agent(server, cache, *["SELECT max(prize) FROM works"] * 3)
    answer = agent.ask("What is the highest price of a work?")
    agent.close()
    assert answer.rows == ((Decimal("9999.99"),),)
    assert answer.outcome.startswith("answered")


@pytest.mark.parametrize(
    ("sql", "question", "rows"),
    [
        ("SELECT count(*) FROM works WHERE kind = 'painting'", "How many works are paintings?", 3),
        ("SELECT max(prize) FROM works", "What is the highest price of a work?", "9999.99"),
    ],
)
def test_a_question_goes_through_real_pyathena_and_the_wire_to_trino(
    server: Trino,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    sql: str,
    question: str,
    rows: object,
) -> None:
    pytest.importorskip("moto")
    from querymend.tools.engines.wire.server import AthenaStandIn

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with AthenaStandIn(lambda: open_trino(server.url(GALLERY)), database=GALLERY) as wire:
        settings = Settings(source=wire.url(GALLERY), cache_dir=cache, today=date(2026, 7, 15))
        agent = Agent.open(settings, writer=ScriptedModel(sql, sql, sql))
        answer = agent.ask(question)
        agent.close()
        assert [str(r) for (r,) in answer.rows] == [str(rows)]
        assert wire.running() == []
