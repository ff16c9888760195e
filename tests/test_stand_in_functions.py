"""The functions that the stand-in adds to DuckDB: they outlive whoever added them first."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from querymend.tools.catalog.model import Cell
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.stand_in.engine import StandInEngine, open_stand_in
from querymend.tools.engines.stand_in.runtime.scalar import register, scalar
from querymend.tools.engines.stand_in.setup import build
from querymend.tools.sql.admitted import Admitted

LIMITS = Limits(rows=None, seconds=60.0)
ASKED: dict[str, tuple[tuple[Cell, ...], ...]] = {
    "SELECT to_base(BIGINT '9' / INTEGER '2', 2)": (("100",),),
    "SELECT date_format(date '2024-02-29', '%d.%m.%Y')": (("29.02.2024",),),
    "SELECT count(regexp_extract(name, '[0-9]+')) FROM things": ((3000,),),
    "SELECT max(json_extract_scalar('{\"a\": 7}', '$.a')), max(upper(name)) FROM things": (
        ("7", "N999"),
    ),
    "SELECT TRY(from_base('x', 2)), from_base('11', 2)": ((None, 3),),
}
"""Each calls at least one of them, on the caller's thread or on DuckDB's own."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("functions")
    script = folder / "setup.sql"
    script.write_text(
        "CREATE SCHEMA s; CREATE TABLE s.things (name varchar);"
        "INSERT INTO s.things SELECT 'n' || CAST(i AS varchar)"
        " FROM UNNEST(sequence(0, 2999)) AS t (i);",
        encoding="utf-8",
    )
    return build(script, folder / "functions.duckdb")


def wrong(engine: StandInEngine) -> list[str]:
    """Name the statements whose rows are not what they must be."""
    return [s for s, rows in ASKED.items() if engine.run(Admitted(s), limits=LIMITS).rows != rows]


def strangers() -> Iterator[Callable[..., None]]:
    """Make functions, one of which comes to lie where one that was dropped lay before."""
    for _ in range(500):

        def silent(one: object, two: object = None, three: object = None) -> None: ...

        yield silent


@pytest.mark.parametrize("first_closes", [True, False])
def test_an_engine_answers_after_another_on_its_file_was_closed(
    file: Path, first_closes: bool
) -> None:
    engines = [open_stand_in(file), open_stand_in(file)]
    assert [wrong(e) for e in engines] == [[], []]
    stays, goes = engines if not first_closes else reversed(engines)
    goes.close()
    here = list(strangers())
    with closing(stays):
        assert wrong(stays) == []
    assert len(here) == 500


def test_engines_that_come_and_go_on_one_file_do_not_disturb_each_other(file: Path) -> None:
    start = threading.Barrier(6)

    def come_and_go(_: int) -> list[str]:
        start.wait()
        found = []
        for _ in range(3):
            with closing(open_stand_in(file)) as engine:
                found += wrong(engine)
            list(strangers())
        return found

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(come_and_go, range(6))) == [[]] * 6


def test_many_threads_may_be_the_first_to_ask_one_engine(file: Path) -> None:
    start = threading.Barrier(8)

    def ask(engine: StandInEngine) -> list[str]:
        start.wait()
        return wrong(engine)

    with closing(open_stand_in(file)) as engine, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, [engine] * 8)) == [[]] * 8


def test_the_first_question_of_a_process_may_come_from_many_threads(file: Path) -> None:
    script = (
        "import sys, test_stand_in_functions as t\n"
        "t.test_many_threads_may_be_the_first_to_ask_one_engine(t.Path(sys.argv[1]))\n"
        "print('right')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


def test_a_function_that_could_lose_a_nan_is_not_made() -> None:
    with pytest.raises(ValueError, match="NaN"):
        scalar("half", "DOUBLE", "DOUBLE", lambda x: x)


def test_a_value_that_cannot_be_taken_is_an_error_and_no_null() -> None:
    def fails(text: str) -> str:
        raise ValueError(text)

    with duckdb.connect() as connection:
        register(connection, (scalar("fails", "VARCHAR", "VARCHAR", fails),))
        with pytest.raises(duckdb.Error, match="here"):
            connection.execute("SELECT qm_fails('here')")
        with pytest.raises(duckdb.Error, match="9"):
            connection.execute("SELECT count(qm_fails(i::VARCHAR)) FROM range(9, 10) t(i)")


def test_numbers_that_are_none_stay_so(file: Path) -> None:
    sql = "SELECT CAST('NaN' AS double), mod(5e0, 0e0), CAST(' -Infinity ' AS real)"
    with closing(open_stand_in(file)) as engine:
        rows = engine.run(Admitted(sql), limits=LIMITS).rows
    assert str(rows) == "((nan, nan, -inf),)"
