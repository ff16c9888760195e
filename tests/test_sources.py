"""Opening local data: DuckDB and SQLite files, folders and globs of Parquet, CSV and JSON."""

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path

import duckdb
import pytest

from querymend.tools.catalog.model import Key
from querymend.tools.engines.duckdb import DuckDBEngine
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.sources import open_source
from querymend.tools.errors import AccessDenied, SetupError
from querymend.tools.sql.admitted import Admitted


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.mkdir()
    return path


def sqlite(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def parquet(path: Path, query: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(query).write_parquet(str(path))
    return path


def rows(engine: DuckDBEngine, sql: str) -> list[tuple[object, ...]]:
    return list(engine.run(Admitted(sql), limits=Limits()).rows)


def types(engine: DuckDBEngine, table: str) -> dict[str, str]:
    found = engine.catalog().table(table)
    assert found
    return {c.name: c.type for c in found.columns}


def names(engine: DuckDBEngine) -> list[str]:
    return [t.qualified_name for t in engine.catalog().tables]


def copies(cache: Path) -> list[str]:
    return sorted(p.name for p in cache.iterdir() if p.suffix != ".lock")


# DuckDB files


def test_a_duckdb_file_is_opened_where_it_is(data: Path, cache: Path):
    with duckdb.connect(str(data / "a.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    engine = open_source(data / "a.duckdb", cache_dir=cache)
    assert rows(engine, "SELECT * FROM t") == [(1,)]
    assert engine.name == "DuckDB a.duckdb"
    assert not cache.exists()


def test_a_duckdb_file_of_another_name_is_known_by_its_content(data: Path, cache: Path):
    with duckdb.connect(str(data / "a.db")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    assert rows(open_source(data / "a.db", cache_dir=cache), "SELECT * FROM t") == [(1,)]


# SQLite files


def test_a_sqlite_file_is_copied_exactly(data: Path, cache: Path):
    path = sqlite(
        data / "a.sqlite",
        "CREATE TABLE t (i INTEGER, r REAL, s TEXT, b BLOB);"
        "INSERT INTO t VALUES (9223372036854775807, 0.1, '', x'00ff'), (NULL, NULL, NULL, NULL),"
        " (-1, 1e300, 'it''s \"é\" \n 日本 \\x', x'');",
    )
    engine = open_source(path, cache_dir=cache)
    assert types(engine, "t") == {"i": "BIGINT", "r": "DOUBLE", "s": "VARCHAR", "b": "BLOB"}
    assert rows(engine, "SELECT * FROM t") == [
        (9223372036854775807, 0.1, "", b"\x00\xff"),
        (None, None, None, None),
        (-1, 1e300, 'it\'s "é" \n 日本 \\x', b""),
    ]


@pytest.mark.parametrize(
    ("declared", "values", "kind", "stored"),
    [
        ("TEXT", "'1', '2'", "VARCHAR", ["1", "2"]),
        ("INTEGER", "1, 'N/A'", "VARCHAR", ["1", "N/A"]),
        ("", "1, 2", "BIGINT", [1, 2]),
        ("", "1, 2.5", "DOUBLE", [1.0, 2.5]),
        ("REAL", "1, 2", "DOUBLE", [1.0, 2.0]),
        ("DECIMAL(10,2)", "1, 2", "BIGINT", [1, 2]),
        ("DECIMAL(10,2)", "1, 2.50", "DOUBLE", [1.0, 2.5]),
        ("BOOLEAN", "1, 0", "BIGINT", [1, 0]),
        ("DATE", "'2024-01-02'", "VARCHAR", ["2024-01-02"]),
        ("DATE", "20240102", "BIGINT", [20240102]),
        ("BLOB", "1.5, 'a'", "VARCHAR", ["1.5", "a"]),
        ("TEXT", "x'616263', 'd'", "VARCHAR", ["abc", "d"]),
        ("INTEGER", "NULL", "BIGINT", [None]),
        ("VARCHAR(20)", "NULL", "VARCHAR", [None]),
        ("DOUBLE PRECISION", "NULL", "DOUBLE", [None]),
        ("NUMERIC", "NULL", "DOUBLE", [None]),
        ("DATETIME", "NULL", "VARCHAR", [None]),
        ("BLOB", "NULL", "BLOB", [None]),
        ("", "NULL", "VARCHAR", [None]),
    ],
)
def test_a_sqlite_column_gets_the_type_of_its_values(
    data: Path, cache: Path, declared: str, values: str, kind: str, stored: list[object]
):
    script = f"CREATE TABLE t (c {declared});" + "".join(
        f"INSERT INTO t VALUES ({v});" for v in values.split(", ")
    )
    engine = open_source(sqlite(data / "a.sqlite", script), cache_dir=cache)
    assert types(engine, "t") == {"c": kind}
    assert [r[0] for r in rows(engine, "SELECT c FROM t")] == stored


def test_text_that_is_no_utf8_is_read_as_latin1(data: Path, cache: Path):
    path = sqlite(
        data / "a.sqlite",
        "CREATE TABLE t (s TEXT); INSERT INTO t VALUES (CAST(x'4dfc6e' AS TEXT)), ('Köln');",
    )
    engine = open_source(path, cache_dir=cache)
    assert rows(engine, "SELECT s FROM t") == [("Mün",), ("Köln",)]


def test_names_with_quotes_blanks_and_other_letters_survive(data: Path, cache: Path):
    path = sqlite(
        data / "a.sqlite",
        'CREATE TABLE "order" ("a ""b"" c" INT, "sélect" INT, [x y] INT, "group" INT);'
        'INSERT INTO "order" VALUES (1, 2, 3, 4); CREATE TABLE "t able\'s" (x);',
    )
    engine = open_source(path, cache_dir=cache)
    assert names(engine) == ["order", "t able's"]
    sql = 'SELECT "a ""b"" c", "sélect", "x y", "group" FROM "order"'
    assert rows(engine, sql) == [(1, 2, 3, 4)]


def test_views_hidden_and_generated_columns_are_copied_as_content(data: Path, cache: Path):
    path = sqlite(
        data / "a.sqlite",
        "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a * 2)); INSERT INTO t (a) VALUES (3);"
        "CREATE VIEW v AS SELECT b + 1 AS c FROM t; CREATE VIEW broken AS SELECT * FROM gone;",
    )
    engine = open_source(path, cache_dir=cache)
    assert names(engine) == ["t", "v"]
    assert rows(engine, "SELECT a, b, c FROM t, v") == [(3, 6, 7)]


def test_shadow_tables_of_full_text_search_are_left_out(data: Path, cache: Path):
    path = sqlite(
        data / "a.sqlite",
        "CREATE VIRTUAL TABLE docs USING fts5(body); INSERT INTO docs VALUES ('hello');",
    )
    engine = open_source(path, cache_dir=cache)
    assert names(engine) == ["docs"]
    assert rows(engine, "SELECT body FROM docs") == [("hello",)]


def test_declared_keys_are_facts_and_no_constraints(data: Path, cache: Path):
    """The data break every key that is declared: they are loaded all the same."""
    path = sqlite(
        data / "a.sqlite",
        "CREATE TABLE customers (ID INT PRIMARY KEY, mail TEXT UNIQUE);"
        "CREATE TABLE lines (doc INT, no INT, who INT REFERENCES CUSTOMERS, x REFERENCES gone(y),"
        " PRIMARY KEY (doc, no), FOREIGN KEY (DOC, NO) REFERENCES notes (doc, line));"
        "CREATE TABLE notes (line INT, doc INT); CREATE UNIQUE INDEX u ON notes (doc, line);"
        "CREATE UNIQUE INDEX p ON notes (line) WHERE line > 3;"
        "INSERT INTO lines VALUES (1, 1, 99, 7), (2, 1, 98, 7);",
    )
    engine = open_source(path, cache_dir=cache)
    customers, lines, notes = engine.catalog().tables
    assert (customers.primary_key, customers.unique) == (("ID",), (("mail",),))
    assert lines.primary_key == ("doc", "no")
    assert lines.keys == (
        Key(columns=("who",), table="customers", target_columns=("ID",)),
        Key(columns=("doc", "no"), table="notes", target_columns=("doc", "line")),
    )
    assert notes.unique == (("doc", "line"),)
    assert rows(engine, "SELECT count(*) FROM lines") == [(2,)]


def test_more_rows_than_one_chunk_are_copied(data: Path, cache: Path):
    path = sqlite(
        data / "a.sqlite",
        "CREATE TABLE t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
        " WHERE i < 20000) SELECT i, CASE WHEN i % 3 THEN 'n' || i END AS s FROM n;",
    )
    engine = open_source(path, cache_dir=cache)
    sql = "SELECT count(*), sum(i), count(s), max(s) FROM t"
    assert rows(engine, sql) == [(20_000, 200_010_000, 13_334, "n9998")]


def test_a_sqlite_file_is_known_by_its_content_and_left_as_it_is(data: Path, cache: Path):
    path = sqlite(data / "strange.name", "CREATE TABLE t (x); INSERT INTO t VALUES (1);")
    before = path.read_bytes()
    assert rows(open_source(path, cache_dir=cache), "SELECT * FROM t") == [(1,)]
    assert path.read_bytes() == before
    assert [p.name for p in data.iterdir()] == ["strange.name"]


def test_rows_in_a_write_ahead_log_count(data: Path, cache: Path):
    path = data / "a.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
        writer.execute("INSERT INTO t VALUES (1)")
        assert rows(open_source(path, cache_dir=cache), "SELECT count(*) FROM t") == [(1,)]
        writer.execute("INSERT INTO t VALUES (2)")
        assert rows(open_source(path, cache_dir=cache), "SELECT count(*) FROM t") == [(2,)]


def test_an_empty_sqlite_database_has_no_tables(data: Path, cache: Path):
    path = sqlite(data / "a.sqlite", "CREATE TABLE t (x); DROP TABLE t;")
    assert names(open_source(path, cache_dir=cache)) == []


def test_a_damaged_sqlite_file_is_a_set_up_error(data: Path, cache: Path):
    path = sqlite(data / "a.sqlite", "CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(9000));")
    write(path, path.read_bytes()[:5000])
    with pytest.raises(SetupError, match=r"a\.sqlite cannot be read"):
        open_source(path, cache_dir=cache)
    assert copies(cache) == []


# Files and folders


def test_each_file_of_a_folder_is_a_table(data: Path, cache: Path):
    parquet(data / "sales.parquet", "SELECT 1 AS id, DATE '2024-01-02' AS day")
    write(data / "sub/Customers.csv", "id,name,note\n1,Ann,\n2,Bob,x\n")
    write(data / "events.jsonl", '{"kind": "a", "at": {"x": 1}}\n{"kind": "b"}\n')
    write(data / "list.json", '[{"v": 1}, {"v": 2}]')
    write(data / "tabs.tsv", "a\tb\n1\t2\n")
    write(data / "README.md", "no data")
    write(data / "_SUCCESS", "")
    write(data / ".hidden/x.csv", "a\n1\n")
    engine = open_source(data, cache_dir=cache)
    assert sorted(names(engine)) == ["Customers", "events", "list", "sales", "tabs"]
    assert rows(engine, "SELECT * FROM sales") == [(1, date(2024, 1, 2))]
    assert rows(engine, "SELECT * FROM customers") == [(1, "Ann", None), (2, "Bob", "x")]
    assert rows(engine, 'SELECT kind, "at".x FROM events') == [("a", 1), ("b", None)]
    assert rows(engine, "SELECT sum(v) FROM list") == [(3,)]
    assert rows(engine, "SELECT b FROM tabs") == [(2,)]
    assert engine.name == "DuckDB data"


def test_packed_files_are_read(data: Path, cache: Path):
    duckdb.sql("SELECT 1 AS x").write_csv(str(data / "a.csv.gz"), compression="gzip")
    assert rows(open_source(data, cache_dir=cache), "SELECT x FROM a") == [(1,)]


def test_a_partitioned_folder_is_one_table(data: Path, cache: Path):
    parquet(data / "sales/year=2023/month=1/a.parquet", "SELECT 1 AS id")
    parquet(data / "sales/year=2024/month=2/b.parquet", "SELECT 2 AS id, 'x' AS extra")
    parquet(data / "other.parquet", "SELECT 3 AS id")
    engine = open_source(data, cache_dir=cache)
    assert sorted(names(engine)) == ["other", "sales"]
    found = rows(engine, "SELECT id, extra, year, month FROM sales ORDER BY id")
    assert found == [(1, None, 2023, 1), (2, "x", 2024, 2)]


def test_a_folder_that_is_itself_partitioned_is_one_table(data: Path, cache: Path):
    parquet(data / "year=2023/a.parquet", "SELECT 1 AS id")
    parquet(data / "year=2024/a.parquet", "SELECT 2 AS id")
    engine = open_source(data, cache_dir=cache)
    assert names(engine) == ["data"]
    assert rows(engine, "SELECT sum(id), sum(year) FROM data") == [(3, 4047)]


def test_a_folder_of_numbered_parts_is_one_table(data: Path, cache: Path):
    for number in range(3):
        parquet(data / f"orders/part-0000{number}-abc.parquet", f"SELECT {number} AS id")
    parquet(data / "q1.parquet/0.parquet", "SELECT 1 AS x")
    engine = open_source(data, cache_dir=cache)
    assert sorted(names(engine)) == ["orders", "q1"]
    assert rows(engine, "SELECT count(*) FROM orders") == [(3,)]


def test_names_are_cleaned_and_kept_apart(data: Path, cache: Path):
    for name in (
        "north/my sales.csv",
        "south/my sales.csv",
        "My-Sales.csv",
        "2024.csv",
        "größe.csv",
    ):
        write(data / name, "a\n1\n")
    write(data / "order.csv", "select,a b\n1,2\n")
    engine = open_source(data, cache_dir=cache)
    assert sorted(names(engine)) == [
        "My_Sales",
        "größe",
        "north_my_sales",
        "order",
        "south_my_sales",
        "t_2024",
    ]
    assert rows(engine, 'SELECT "select", "a b" FROM "order"') == [(1, 2)]


def test_a_glob_chooses_files(data: Path, cache: Path):
    for name in ("a1.csv", "a2.csv", "b.csv", "sub/a3.csv"):
        write(data / name, "x\n1\n")
    assert sorted(names(open_source(f"{data}/a*.csv", cache_dir=cache))) == ["a1", "a2"]
    assert sorted(names(open_source(f"{data}/**/a*.csv", cache_dir=cache))) == ["a1", "a2", "a3"]


def test_one_file_is_one_table_even_with_a_pattern_for_a_name(data: Path, cache: Path):
    write(data / "s[1]*.csv", "x\n1\n")
    write(data / "s1x.csv", "x\n2\n")
    engine = open_source(data / "s[1]*.csv", cache_dir=cache)
    assert names(engine) == ["s_1"]
    assert rows(engine, "SELECT x FROM s_1") == [(1,)]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_csv_files_of_other_encodings_are_read(data: Path, cache: Path, encoding: str):
    text = "München" if encoding == "latin-1" else "München 5 €"
    write(data / "a.csv", f"name,n\n{text},1\n".encode(encoding))
    assert rows(open_source(data, cache_dir=cache), "SELECT name, n FROM a") == [(text, 1)]


def test_partitions_may_differ_in_encoding(data: Path, cache: Path):
    write(data / "t/y=1/a.csv", "name\nMünchen\n".encode("latin-1"))
    write(data / "t/y=2/a.csv", "name\nKöln\n")
    engine = open_source(data, cache_dir=cache)
    assert rows(engine, "SELECT name, y FROM t ORDER BY y") == [("München", 1), ("Köln", 2)]


def test_late_values_decide_a_csv_column_too(data: Path, cache: Path):
    lines = "\n".join(["x", *("1" for _ in range(30_000)), "n/a"])
    write(data / "a.csv", lines)
    engine = open_source(data, cache_dir=cache)
    assert types(engine, "a") == {"x": "VARCHAR"}
    assert rows(engine, "SELECT count(*) FROM a") == [(30_001,)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bad.parquet", b"PAR1 no"),
        ("bad.json", b"{"),
        ("empty.csv", b""),
        ("empty.parquet", b""),
        ("bad.csv.gz", b"no gzip"),
    ],
)
def test_an_unreadable_file_is_named(data: Path, cache: Path, name: str, content: bytes):
    write(data / "good.csv", "a\n1\n")
    write(data / name, content)
    with pytest.raises(SetupError, match=name.replace(".", r"\.") + " cannot be read: .+"):
        open_source(data, cache_dir=cache)
    assert copies(cache) == []


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nothing.duckdb", "There is no"),
        ("nothing.sqlite", "There is no"),
        ("nothing.csv", "There is no"),
        ("nothing", "There is no"),
        ("empty_folder", "no Parquet, CSV or JSON"),
        ("*.parquet", "no Parquet, CSV or JSON"),
        ("zero.sqlite", "empty"),
        ("zero", "empty"),
        ("noise.db", "neither a SQLite nor a DuckDB"),
        ("noise.duckdb", "not a DuckDB"),
        ("noise.xlsx", "no kind of data"),
    ],
)
def test_what_is_no_data_is_told_with_the_cure(data: Path, cache: Path, name: str, says: str):
    (data / "empty_folder").mkdir()
    for file in ("zero.sqlite", "zero"):
        write(data / file, b"")
    for file in ("noise.db", "noise.duckdb", "noise.xlsx"):
        write(data / file, b"0123456789abcdef" * 10)
    before = sorted(data.iterdir())
    with pytest.raises(SetupError, match=says):
        open_source(data / name, cache_dir=cache)
    assert sorted(data.iterdir()) == before


# The cache


def test_a_copy_is_made_once(data: Path, cache: Path):
    path = sqlite(data / "a.sqlite", "CREATE TABLE t (x); CREATE TABLE u (y);")
    told: list[tuple[str, float]] = []

    def progress(name: str, share: float) -> None:
        told.append((name, share))

    open_source(path, cache_dir=cache, progress=progress).close()
    open_source(path, cache_dir=cache, progress=progress).close()
    assert told == [("t", 0.5), ("u", 1.0)]
    assert len(copies(cache)) == 1


def test_a_changed_source_is_copied_anew_and_the_old_copy_goes(data: Path, cache: Path):
    path = write(data / "a.csv", "x\n1\n")
    engine = open_source(data, cache_dir=cache)
    first = copies(cache)
    write(path, "x\n1\n2\n")
    write(data / "b.csv", "y\n1\n")
    newer = open_source(data, cache_dir=cache)
    assert rows(newer, "SELECT count(*) FROM a, b") == [(2,)]
    assert rows(engine, "SELECT count(*) FROM a") == [(1,)]
    assert len(copies(cache)) == 1
    assert copies(cache) != first


def test_a_source_of_equal_size_and_new_time_is_copied_anew(data: Path, cache: Path):
    path = write(data / "a.csv", "x\n1\n")
    open_source(path, cache_dir=cache).close()
    write(path, "x\n2\n")
    os.utime(path, ns=(1, 1))
    assert rows(open_source(path, cache_dir=cache), "SELECT x FROM a") == [(2,)]


def test_sources_of_equal_names_do_not_share_a_copy(data: Path, cache: Path):
    for number in (1, 2):
        write(data / str(number) / "a.csv", f"x\n{number}\n")
    engines = [open_source(data / str(n) / "a.csv", cache_dir=cache) for n in (1, 2)]
    assert [rows(e, "SELECT x FROM a") for e in engines] == [[(1,)], [(2,)]]
    assert len(copies(cache)) == 2


def test_a_copy_is_sealed_like_any_database(data: Path, cache: Path):
    write(data / "a.csv", "x\n1\n")
    engine = open_source(data, cache_dir=cache)
    with pytest.raises(AccessDenied):
        rows(engine, f"SELECT * FROM read_csv('{data}/a.csv')")


def test_threads_that_open_one_source_share_one_copy(data: Path, cache: Path):
    path = sqlite(data / "a.sqlite", "CREATE TABLE t (x); INSERT INTO t VALUES (1);")
    built: list[str] = []

    def one(_: int) -> list[tuple[object, ...]]:
        engine = open_source(path, cache_dir=cache, progress=lambda n, _: built.append(n))
        return rows(engine, "SELECT * FROM t")

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(one, range(6))) == [[(1,)]] * 6
    assert built == ["t"]


def test_processes_that_open_one_source_share_one_copy(data: Path, cache: Path):
    path = sqlite(data / "a.sqlite", "CREATE TABLE t (x); INSERT INTO t VALUES (1);")
    code = (
        "from pathlib import Path; from querymend.tools.engines.sources import open_source;"
        f"open_source({str(path)!r}, cache_dir=Path({str(cache)!r}),"
        " progress=lambda n, _: print(n)).close()"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(3)
    ]
    outputs = [p.communicate()[0] for p in started]
    assert [p.returncode for p in started] == [0, 0, 0]
    assert sorted(outputs) == [b"", b"", b"t\n"]


def test_a_failed_copy_leaves_nothing_and_can_be_tried_again(data: Path, cache: Path):
    path = write(data / "a.json", "{")
    with pytest.raises(SetupError):
        open_source(data, cache_dir=cache)
    write(path, '{"x": 1}')
    assert rows(open_source(data, cache_dir=cache), "SELECT x FROM a") == [(1,)]


def test_what_a_killed_process_left_is_cleared(data: Path, cache: Path):
    write(data / "a.csv", "x\n1\n")
    open_source(data, cache_dir=cache).close()
    copy = cache / copies(cache)[0]
    shutil.move(copy, copy.with_suffix(".building"))
    write(copy.with_name(f"{copy.stem}.building.wal"), b"half")
    open_source(data, cache_dir=cache).close()
    assert copies(cache) == [copy.name]


def test_a_cache_folder_that_cannot_be_made_is_told(data: Path):
    write(data / "a.csv", "x\n1\n")
    with pytest.raises(SetupError, match="cache folder"):
        open_source(data / "a.csv", cache_dir=write(data / "file", "x") / "cache")


def test_a_full_disk_is_told(data: Path, cache: Path):
    """A limit on the size of files stands for the disk: the write fails alike."""
    write(data / "a.csv", "x\n" + "\n".join(str(n * 7919) for n in range(200_000)))
    code = (
        "import resource, signal; from pathlib import Path;"
        "from querymend.tools.engines.sources import open_source;"
        "from querymend.tools.errors import SetupError;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        f"try: open_source({str(data)!r}, cache_dir=Path({str(cache)!r}))\n"
        "except SetupError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "is full" in done.stdout
    assert copies(cache) == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 100_000


def test_nested_json_keeps_its_types(data: Path, cache: Path):
    write(data / "a.json", json.dumps([{"a": None, "b": [1, 2], "c": {"d": "x"}}]))
    engine = open_source(data, cache_dir=cache)
    assert rows(engine, "SELECT b, c FROM a") == [([1, 2], {"d": "x"})]
