"""The DuckDB engine: what it runs, refuses, stops and says."""

import gc
import inspect
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import duckdb
import numpy
import pytest
import yaml

from querymend.tools import errors
from querymend.tools.engines.duckdb import SEAL, DuckDBEngine, open_duckdb
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.engines.errors_duckdb import OURS, clean, translate
from querymend.tools.errors import (
    AccessDenied,
    BudgetExceeded,
    QueryError,
    QuerymendError,
    SetupError,
)
from querymend.tools.sql.admitted import Admitted

HERE = Path(__file__).parent
FAULTS = yaml.safe_load((HERE / "engines/duckdb_faults.yaml").read_text(encoding="utf-8"))
ENDLESS = Admitted("SELECT count(*) FROM range(100000000000) AS a, range(100000) AS b")
SHOP = """
CREATE TABLE sales (id INTEGER PRIMARY KEY, amount DECIMAL(12, 2), note VARCHAR);
INSERT INTO sales VALUES (1, 12345.50, 'it''s canary'), (2, NULL, ''), (3, 7.25, 'c');
CREATE TABLE "order" ("select" INTEGER, "a ""quoted"" one" VARCHAR, "größe" DOUBLE);
INSERT INTO "order" VALUES (1, 'x', 2.5);
CREATE SEQUENCE ids;
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SHOP)
    return path


@pytest.fixture
def engine(shop: Path) -> Iterator[DuckDBEngine]:
    engine = open_duckdb(shop)
    yield engine
    engine.close()


def run(engine: Engine, sql: str, **limits: float | None) -> list[tuple[object, ...]]:
    return list(engine.run(Admitted(sql), limits=Limits(**limits)).rows)


def test_rows_come_back_as_tuples_with_names_and_types_in_duckdb_spelling(engine: DuckDBEngine):
    result = engine.run(Admitted("SELECT * FROM sales ORDER BY id"), limits=Limits())
    assert [(c.name, c.type) for c in result.columns] == [
        ("id", "INTEGER"),
        ("amount", "DECIMAL(12,2)"),
        ("note", "VARCHAR"),
    ]
    assert result.rows[1:] == ((2, None, ""), (3, Decimal("7.25"), "c"))
    assert (result.truncated, result.row_count) == (False, 3)
    assert 0 < result.seconds < 5


def test_it_says_what_it_is(engine: DuckDBEngine):
    assert (engine.dialect, engine.name) == ("duckdb", "DuckDB shop.duckdb")


def test_equal_column_names_are_kept_apart(engine: DuckDBEngine):
    sql = Admitted("SELECT a.id, b.id, b.id AS id FROM sales a JOIN sales b ON a.id = b.id - 1")
    result = engine.run(sql, limits=Limits())
    assert [c.name for c in result.columns] == ["id", "id", "id"]
    assert sorted(result.rows) == [(1, 2, 2), (2, 3, 3)]


def test_values_are_python_objects(engine: DuckDBEngine):
    cells = run(
        engine,
        "SELECT DATE '2024-02-29', TIMESTAMP '2024-01-02 03:04:05', INTERVAL 2 DAYS, [1, NULL],"
        " {'a': 1, 'b': 'x'}, MAP {'k': 2}, '\\xAA'::BLOB, 10::HUGEINT, TRUE, NULL,"
        " '00000000-0000-0000-0000-000000000001'::UUID, TIMESTAMPTZ '2024-01-01 00:00:00+02'",
    )[0]
    assert cells[:5] == (
        date(2024, 2, 29),
        datetime(2024, 1, 2, 3, 4, 5),
        timedelta(days=2),
        [1, None],
        {"a": 1, "b": "x"},
    )
    assert cells[5:10] == ({"k": 2}, b"\xaa", 10, True, None)
    assert cells[10] == UUID(int=1)
    assert cells[11] == datetime.fromisoformat("2023-12-31T22:00:00+00:00")


def test_a_value_that_python_cannot_hold_is_a_query_error(engine: DuckDBEngine):
    with pytest.raises(QueryError):
        run(engine, "SELECT INTERVAL 2147483647 DAYS")


def test_tables_and_columns_with_odd_names_work(engine: DuckDBEngine):
    sql = 'SELECT "select", "a ""quoted"" one", "größe" FROM "order"'
    assert run(engine, sql) == [(1, "x", 2.5)]
    table = engine.catalog().table("order")
    assert table
    assert [c.name for c in table.columns] == ["select", 'a "quoted" one', "größe"]


@pytest.mark.parametrize(
    ("limit", "rows", "truncated"), [(2, 2, True), (3, 3, False), (4, 3, False), (0, 0, True)]
)
def test_the_row_cap_tells_whether_there_are_more(engine, limit, rows, truncated):
    result = engine.run(Admitted("SELECT id FROM sales"), limits=Limits(rows=limit))
    assert (len(result.rows), result.truncated) == (rows, truncated)
    assert result.row_count == (None if truncated else rows)


def test_without_a_row_cap_all_rows_come(engine: DuckDBEngine):
    assert len(run(engine, "SELECT * FROM range(25000)", rows=None)) == 25_000


def test_a_row_cap_stops_the_work_early(engine: DuckDBEngine):
    started = time.perf_counter()
    assert len(run(engine, "SELECT * FROM range(100000000000)", rows=10)) == 10
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("method", ["run", "explain"])
def test_a_plain_string_never_runs(engine: DuckDBEngine, method: str):
    kwargs = {"limits": Limits()} if method == "run" else {}
    with pytest.raises(TypeError, match="gate"):
        getattr(engine, method)("SELECT 1", **kwargs)


@pytest.mark.parametrize("case", FAULTS, ids=lambda c: c["sql"][:50])
def test_each_fault_is_told_as_ours(engine: DuckDBEngine, case: dict[str, object]):
    with pytest.raises(QuerymendError) as caught:
        run(engine, str(case["sql"]))
    error = caught.value
    assert type(error) is getattr(errors, str(case["error"])), error
    if isinstance(error, QueryError):
        assert error.code == case["code"]
        assert "position" not in case or list(error.position or ()) == case["position"]
    assert str(case.get("says", "")) in str(error)
    assert "hides" not in case or str(case["hides"]) not in str(error)
    assert len(str(error)) <= 500


def test_every_seal_is_on(engine: DuckDBEngine):
    settings = dict(run(engine, "SELECT name, value FROM duckdb_settings()"))
    sealed = {name: settings[name] for name in SEAL if name != "max_temp_directory_size"}
    assert sealed == {name: SEAL[name] for name in sealed}
    assert settings["max_temp_directory_size"] == "0 bytes"


def test_variables_of_the_program_are_no_tables(
    engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch
):
    """DuckDB reads frames by the names of variables where it is called, unless told not to."""
    frame = {"x": numpy.array([42])}
    monkeypatch.setattr("querymend.tools.engines.duckdb.secret_frame", frame, raising=False)
    with pytest.raises(QueryError, match="secret_frame does not exist"):
        run(engine, "SELECT * FROM secret_frame")


def test_a_fault_leaves_the_engine_usable(engine: DuckDBEngine):
    with pytest.raises(QueryError):
        run(engine, "SELECT 1/CAST(note AS INTEGER) FROM sales")
    assert run(engine, "SELECT 1") == [(1,)]


def test_explain_judges_without_running(engine: DuckDBEngine):
    assert "sales" in engine.explain(Admitted("SELECT sum(amount) FROM sales"))
    assert engine.explain(ENDLESS)
    with pytest.raises(QueryError) as caught:
        engine.explain(Admitted("SELECT id\nFROM sales\nWHERE nope = 1"))
    assert caught.value.position == (3, 7)


def classes() -> list[type[Exception]]:
    found = inspect.getmembers(duckdb, inspect.isclass)
    return [c for _, c in found if issubclass(c, Exception)]


@pytest.mark.parametrize("kind", classes(), ids=lambda c: c.__name__)
def test_every_exception_class_of_duckdb_is_mapped(kind: type[Exception]):
    assert kind in OURS
    assert type(translate(kind("x"))) is OURS[kind]


def test_messages_lose_colours_and_folders_and_are_capped():
    text = (
        'IO Error: \x1b[31mCannot open\x1b[0m "/home/ann/secret project/../a b.duckdb": x/y ' * 30
    )
    shown = clean(duckdb.IOException(text))
    assert "\x1b" not in shown
    assert "/home/ann" not in shown
    assert "x/y" in shown
    assert len(shown) == 500


def test_a_long_message_keeps_the_line_that_it_points_at():
    text = "Binder Error: " + "candidate " * 100 + "\n\nLINE 1: SELECT sum(x)\n               ^"
    assert clean(duckdb.BinderException(text)).endswith("LINE 1: SELECT sum(x)\n               ^")


def test_a_query_past_its_deadline_is_stopped(engine: DuckDBEngine):
    started = time.perf_counter()
    with pytest.raises(BudgetExceeded, match=r"0\.2 seconds"):
        engine.run(ENDLESS, limits=Limits(seconds=0.2))
    assert time.perf_counter() - started < 5
    assert run(engine, "SELECT 1") == [(1,)]


def test_a_deadline_stops_that_query_alone(engine: DuckDBEngine):
    def quick() -> list[tuple[object, ...]]:
        return run(engine, "SELECT count(*) FROM range(30000000)", seconds=60)

    with ThreadPoolExecutor(2) as pool:
        other = pool.submit(quick)
        with pytest.raises(BudgetExceeded):
            engine.run(ENDLESS, limits=Limits(seconds=0.05))
        assert other.result() == [(30_000_000,)]


def test_a_deadline_that_is_over_at_once_still_stops_it(engine: DuckDBEngine):
    with pytest.raises(BudgetExceeded):
        engine.run(ENDLESS, limits=Limits(seconds=0))


def test_cancel_stops_what_runs(engine: DuckDBEngine):
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(engine.run, ENDLESS, limits=Limits(seconds=60)) for _ in range(2)]
        while not all(f.done() for f in running):
            engine.cancel()
    for future in running:
        with pytest.raises(BudgetExceeded, match="cancelled"):
            future.result()
    assert run(engine, "SELECT 1") == [(1,)]


def test_whoever_asked_may_lose_interest(engine: DuckDBEngine):
    cancelled = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(engine.run, ENDLESS, limits=Limits(seconds=60, cancelled=cancelled))
        cancelled.set()
    with pytest.raises(BudgetExceeded, match="The question was cancelled"):
        running.result()


def test_no_watch_is_left_behind(engine: DuckDBEngine):
    for _ in range(5):
        run(engine, "SELECT 1")
    assert not [t for t in threading.enumerate() if t.name == "querymend-watch"]


def test_many_questions_run_at_once(engine: DuckDBEngine):
    def one(number: int) -> object:
        return run(engine, f"SELECT {number} + count(*) FROM sales")[0][0]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(200))) == [n + 3 for n in range(200)]


def test_memory_is_bounded(shop: Path):
    engine = open_duckdb(shop, memory="100MB")
    with pytest.raises(BudgetExceeded):
        run(engine, "SELECT count(*) FROM (SELECT DISTINCT range % 50000001 FROM range(60000000))")
    engine.close()


def test_the_same_file_opens_twice(shop: Path, engine: DuckDBEngine):
    other = open_duckdb(shop)
    assert run(other, "SELECT count(*) FROM sales") == [(3,)]
    other.close()
    assert run(engine, "SELECT count(*) FROM sales") == [(3,)]


def test_a_closed_engine_says_so(shop: Path):
    engine = open_duckdb(shop)
    engine.close()
    with pytest.raises(QuerymendError):
        run(engine, "SELECT 1")


def test_a_missing_file_is_a_set_up_error_and_is_not_made(tmp_path: Path):
    path = tmp_path / "nothing.duckdb"
    with pytest.raises(SetupError, match=r"no database file .*nothing\.duckdb"):
        open_duckdb(path)
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"no database", b"\0" * 50_000])
def test_a_damaged_file_is_a_set_up_error(tmp_path: Path, content: bytes):
    path = tmp_path / "broken.duckdb"
    path.write_bytes(content)
    with pytest.raises(SetupError, match=r"broken\.duckdb"):
        open_duckdb(path)


def test_a_file_cut_short_is_a_set_up_error_or_fails_with_ours(shop: Path, tmp_path: Path):
    cut = tmp_path / "cut.duckdb"
    cut.write_bytes(shop.read_bytes()[:20_000])
    with pytest.raises(SetupError, match=r"cut\.duckdb"):
        open_duckdb(cut)


def test_a_file_open_for_writing_here_is_a_set_up_error(shop: Path):
    writer = duckdb.connect(str(shop))
    with pytest.raises(SetupError, match="this process has it open"):
        open_duckdb(shop)
    writer.close()


def test_a_file_open_for_writing_elsewhere_is_a_set_up_error(shop: Path):
    code = (
        f"import duckdb, sys; c = duckdb.connect({str(shop)!r}); print('open', flush=True);"
        " sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == b"open\n"
        with pytest.raises(SetupError, match="another process"):
            open_duckdb(shop)
        writer.communicate()


def test_two_processes_may_read_one_file(shop: Path, engine: DuckDBEngine):
    code = (
        "from querymend.tools.engines.duckdb import open_duckdb;"
        f"open_duckdb({str(shop)!r}).close(); print('fine')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "fine\n"


def test_the_database_is_left_as_it_was(shop: Path, engine: DuckDBEngine):
    before = shop.read_bytes()
    for case in FAULTS:
        with pytest.raises(QuerymendError):
            run(engine, case["sql"])
    engine.close()
    gc.collect()
    assert shop.read_bytes() == before
    assert [p.name for p in shop.parent.iterdir()] == ["shop.duckdb"]


def test_a_copy_of_a_database_being_written_is_read(shop: Path, tmp_path: Path):
    """The write-ahead log of the copy is replayed in memory."""
    writer = duckdb.connect(str(shop))
    writer.execute("SET checkpoint_threshold = '1GB'; INSERT INTO sales (id) VALUES (4)")
    copy = tmp_path / "copy.duckdb"
    shutil.copy(shop, copy)
    shutil.copy(f"{shop}.wal", f"{copy}.wal")
    writer.close()
    engine = open_duckdb(copy)
    assert run(engine, "SELECT count(*) FROM sales") == [(4,)]
    engine.close()


def test_access_denied_is_final():
    assert issubclass(AccessDenied, errors.Final)
