"""Looking at the data: counts, ranges, frequent values, sample rows."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from querymend.tools.catalog.model import Catalog, Profile, Table
from querymend.tools.catalog.profile import profile
from querymend.tools.catalog.stored import dump_catalog, load_catalog
from querymend.tools.engines.duckdb import DuckDBEngine
from querymend.tools.engines.engine import Limits, Result
from querymend.tools.errors import BudgetExceeded
from querymend.tools.sql.admitted import Admitted

Open = Callable[[str], DuckDBEngine]


def profiled(engine: DuckDBEngine) -> Table:
    return profile(engine, engine.catalog()).tables[0]


def seen(table: Table, column: str) -> Profile:
    found = table.column(column)
    assert found
    assert found.profile
    return found.profile


def private(catalog: Catalog, *names: str) -> Catalog:
    return Catalog(
        tables=tuple(
            replace(t, columns=tuple(replace(c, private=c.name in names) for c in t.columns))
            for t in catalog.tables
        )
    )


def test_counts_ranges_and_frequent_values(opened: Open):
    table = profiled(
        opened(
            "CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a', 1.50, DATE '2024-01-01'),"
            " (2, 'b', NULL, DATE '2024-03-01'), (3, 'a', 2.25, NULL), (4, 'c', 2.25, NULL))"
            " AS v(id, code, price, day)"
        )
    )
    assert table.rows == 4
    assert seen(table, "id") == Profile(distinct=4, null_share=0, minimum=1, maximum=4)
    code = seen(table, "code")
    assert (code.distinct, code.minimum, code.maximum) == (3, "a", "c")
    assert code.frequent == (("a", 2), ("b", 1), ("c", 1))
    price = seen(table, "price")
    assert (price.null_share, price.maximum) == (0.25, Decimal("2.25"))
    assert price.frequent == ((Decimal("2.25"), 2), (Decimal("1.50"), 1))
    assert seen(table, "day").maximum == date(2024, 3, 1)


def test_samples_are_whole_rows_spread_over_the_table(opened: Open):
    engine = opened("CREATE TABLE t AS SELECT i AS a, i * 2 AS b FROM range(300) AS r(i)")
    table = profiled(engine)
    assert table.sample == ((0, 0), (100, 200), (200, 400))
    assert profiled(engine) == table
    assert profile(engine, engine.catalog(), sample_rows=1).tables[0].sample == ((0, 0),)


def test_an_empty_table_has_a_profile_without_values(opened: Open):
    table = profiled(opened("CREATE TABLE t (a INT)"))
    assert (table.rows, table.sample) == (0, ())
    assert seen(table, "a") == Profile(distinct=0)


def test_private_columns_are_never_read(opened: Open):
    engine = opened(
        "CREATE TABLE t AS SELECT i AS id, 'canary' || i % 2 AS mail FROM range(9) r(i)"
    )
    asked: list[str] = []

    class Spy(DuckDBEngine):
        def run(self, sql: Admitted, *, limits: Limits) -> Result:
            asked.append(sql)
            return engine.run(sql, limits=limits)

    spy = Spy(engine._connection.cursor(), name="spy")
    catalog = profile(spy, private(engine.catalog(), "mail"))
    assert catalog.tables[0].sample == ((0, None), (3, None), (6, None))
    assert catalog.tables[0].columns[1].profile is None
    assert "canary" not in dump_catalog(catalog)
    assert asked
    assert not [sql for sql in asked if "mail" in sql]


def test_a_table_of_private_columns_alone_has_rows_only(opened: Open):
    engine = opened("CREATE TABLE t AS SELECT 'canary' AS mail")
    table = profile(engine, private(engine.catalog(), "mail")).tables[0]
    assert (table.rows, table.sample) == (1, ())


def test_nested_and_binary_columns_have_no_profile_but_samples(opened: Open):
    table = profiled(
        opened(
            "CREATE TABLE t AS SELECT [1, 2] AS l, {'a': 1} AS s, MAP {'k': 1} AS m,"
            " '\\xAA'::BLOB AS b, '{\"a\": 1}'::JSON AS j, 'x'::ENUM('x', 'y') AS e, TRUE AS t"
        )
    )
    assert [bool(c.profile) for c in table.columns] == [
        False,
        False,
        False,
        False,
        False,
        True,
        True,
    ]
    assert table.sample == (([1, 2], {"a": 1}, {"k": 1}, b"\xaa", '{"a": 1}', "x", True),)


def test_long_texts_are_no_values_and_are_cut_in_samples(opened: Open):
    table = profiled(opened("CREATE TABLE t AS SELECT repeat('x', 5000) AS s FROM range(2)"))
    assert seen(table, "s") == Profile(distinct=1, null_share=0)
    assert [len(str(row[0])) for row in table.sample] == [500, 500]


def test_odd_names_schemas_and_views_are_profiled(opened: Open):
    engine = opened(
        'CREATE SCHEMA "my s"; CREATE TABLE "my s"."or""der" ("a b" INT, "select" INT);'
        'INSERT INTO "my s"."or""der" VALUES (1, 2); CREATE VIEW v AS FROM "my s"."or""der"'
    )
    tables = profile(engine, engine.catalog()).tables
    assert [(t.rows, t.sample) for t in tables] == [(1, ((1, 2),)), (1, ((1, 2),))]


def test_a_view_that_fails_keeps_its_place_and_is_logged(
    opened: Open, caplog: pytest.LogCaptureFixture
):
    engine = opened(
        "CREATE TABLE t AS SELECT 'x' AS s; CREATE VIEW v AS SELECT CAST(s AS INT) AS i FROM t"
    )
    t, v = profile(engine, engine.catalog()).tables
    assert t.rows == 1
    assert (v.name, v.columns[0].profile, v.sample) == ("v", None, ())
    assert "table v has no profile" in caplog.text


def test_a_table_that_takes_too_long_keeps_its_place(opened: Open):
    engine = opened("CREATE TABLE t AS SELECT 1 AS a")

    class Slow(DuckDBEngine):
        def run(self, sql: Admitted, *, limits: Limits) -> Result:
            raise BudgetExceeded("too slow")

    slow = Slow(engine._connection.cursor(), name="slow")
    assert profile(slow, engine.catalog()) == engine.catalog()


def test_progress_is_told_for_each_table(opened: Open):
    engine = opened("CREATE TABLE t (a INT); CREATE TABLE u (a INT)")
    told: list[tuple[str, float]] = []
    profile(engine, engine.catalog(), progress=lambda n, s: told.append((n, s)))
    assert told == [("t", 0.5), ("u", 1.0)]


def test_a_profile_survives_being_stored(opened: Open):
    engine = opened(
        "CREATE TABLE t AS SELECT 1.50 AS d, DATE '2024-01-01' AS day, 'x' AS s, NULL AS n,"
        " TIMESTAMP '2024-01-01 00:00:00' AS ts, 'NaN'::DOUBLE AS nan FROM range(2)"
    )
    catalog = profile(engine, engine.catalog())
    assert dump_catalog(load_catalog(dump_catalog(catalog))) == dump_catalog(catalog)


def test_many_columns_are_profiled(opened: Open):
    columns = ", ".join(f"{i} AS c{i}" for i in range(120))
    table = profiled(opened(f"CREATE TABLE t AS SELECT {columns}"))
    assert seen(table, "c119") == Profile(distinct=1, null_share=0, minimum=119, maximum=119)


def test_a_table_of_200000_rows_is_profiled_quickly(opened: Open):
    columns = ", ".join(
        f"'v' || (hash(i * {k}) % {10**k}) AS s{k}, hash(i + {k}) % {10**k} AS n{k}"
        for k in range(1, 11)
    )
    engine = opened(f"CREATE TABLE t AS SELECT {columns} FROM range(200000) AS r(i)")
    started = time.process_time()
    assert profiled(engine).rows == 200_000
    assert time.process_time() - started < 5
