"""Every case of tests/fixes/cases.yaml: mended on DuckDB, the rows are those that were meant."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import duckdb
import pytest
import yaml

from querymend.tools.catalog.model import Catalog, Column, Key, Table
from querymend.tools.fixes import Chosen, Known, Trial, candidates, choose
from querymend.tools.fixes.view import look
from querymend.tools.questions.period import resolve_periods

HERE = Path(__file__).parent / "fixes"
CASES = yaml.safe_load((HERE / "cases.yaml").read_text(encoding="utf-8"))


class Texts:
    """The values of text columns, as the index tells them."""

    def __init__(self, engine: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
        self.columns = {
            (t.name, c.name): [
                v for (v,) in engine.execute(f"SELECT DISTINCT {c.name} FROM {t.name}").fetchall()
            ]
            for t in catalog.tables
            for c in t.columns
            if c.type == "VARCHAR"
        }

    def holding(self, value: str) -> list[tuple[str, str, str]]:
        low = value.strip().lower()
        return [
            (*place, v)
            for place, texts in self.columns.items()
            for v in texts
            if v.strip().lower() == low
        ]

    def nearest(
        self, table: str, column: str, value: str, limit: int = 3
    ) -> list[tuple[str, float]]:
        texts = self.columns.get((table, column), [])
        scored = [(t, _like(t.lower(), value.lower())) for t in texts]
        return sorted(scored, key=lambda s: -s[1])[:limit]

    def has(self, table: str, column: str, value: str) -> bool | None:
        texts = self.columns.get((table, column))
        return None if texts is None else value in texts


def _like(a: str, b: str) -> float:
    shared = sum(a.count(c) if a.count(c) < b.count(c) else b.count(c) for c in set(a))
    return 2 * shared / (len(a) + len(b))


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute((HERE / "library.sql").read_text(encoding="utf-8"))
        yield connection


@pytest.fixture(scope="module")
def catalog(engine: duckdb.DuckDBPyConnection) -> Catalog:
    return Catalog(tables=tuple(_table(engine, n) for n in _names(engine)))


def _names(engine: duckdb.DuckDBPyConnection) -> list[str]:
    return [n for (n,) in engine.execute("SELECT table_name FROM duckdb_tables()").fetchall()]


def _table(engine: duckdb.DuckDBPyConnection, name: str) -> Table:
    asked = "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ?"
    columns = engine.execute(asked, [name]).fetchall()
    primary = columns[0][0]
    others = [c for c, _ in columns if c.endswith("_id") and c != primary]
    return Table(
        name=name,
        columns=tuple(Column(name=c, type=t) for c, t in columns),
        primary_key=(primary,),
        keys=tuple(_key(c) for c in others),
    )


def _key(column: str) -> Key:
    target = column.removeprefix("home_")
    stem = target.removesuffix("_id")
    plural = {"branch": "branches", "copy": "copies"}.get(stem, f"{stem}s")
    return Key(columns=(column,), table=plural, target_columns=(target,))


def run(engine: duckdb.DuckDBPyConnection) -> Callable[[str], Trial]:
    def try_(sql: str) -> Trial:
        try:
            rows = engine.execute(sql).fetchall()
        except duckdb.Error as error:
            return Trial(outcome="error", error=str(error))
        if not rows:
            return Trial(outcome="empty")
        told = sorted(map(repr, rows))
        empty = len(rows) == 1 and not any(rows[0])
        return Trial(
            outcome="hollow" if empty else "rows",
            key=hashlib.sha256("".join(told).encode()).hexdigest(),
            repeated=len(set(told)) < len(told),
        )

    return try_


@pytest.fixture(scope="module")
def mend(engine: duckdb.DuckDBPyConnection, catalog: Catalog) -> Callable[..., Chosen | None]:
    values = Texts(engine, catalog)

    def mended(sql: str, **known: object) -> Chosen | None:
        first = run(engine)(sql)
        flagged = str(known.pop("flagged", ""))
        told = Known.of(
            catalog,
            dialect="duckdb",
            values=values,
            periods=resolve_periods(str(known.get("question", "")), date(2026, 8, 14)),
            error=first.error or flagged,
            empty=first.outcome in ("empty", "hollow"),
            **known,  # type: ignore[arg-type]
        )
        return choose(sql, told, try_=run(engine))

    return mended


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_the_rows_are_those_that_were_meant(
    case: dict, mend: Callable[..., Chosen | None], engine: duckdb.DuckDBPyConnection
) -> None:
    known = {k: case[k] for k in ("question", "facts", "flagged") if k in case}
    chosen = mend(case["sql"], **known)
    rows = engine.execute(chosen.sql).fetchall() if chosen else []
    assert sorted(map(list, rows), key=str) == sorted(case["rows"], key=str), chosen
    if "rule" in case:
        assert chosen
        assert case["rule"] in chosen.codes


def test_a_query_without_trouble_gets_no_fix(catalog: Catalog) -> None:
    sql = "SELECT title FROM books WHERE year_published = 1066"
    assert candidates(sql, Known.of(catalog, dialect="duckdb", empty=True)) == []


def test_an_empty_result_whose_values_all_exist_stays(mend: Callable[..., Chosen | None]) -> None:
    assert mend("SELECT title FROM books WHERE genre = 'poetry' AND year_published = 1999") is None


def test_an_identifier_that_nobody_has_is_not_made_another(
    mend: Callable[..., Chosen | None],
) -> None:
    assert mend("SELECT branch_id FROM branches WHERE branch = 'North2'") is None


def test_two_rival_results_are_never_plain(mend: Callable[..., Chosen | None]) -> None:
    chosen = mend("SELECT name FROM loans WHERE loan_id = 3")
    assert chosen is None or not chosen.plain


def test_a_name_spelt_otherwise_is_plain_and_a_guessed_one_never(
    mend: Callable[..., Chosen | None],
) -> None:
    sure = mend("SELECT author_name FROM books WHERE title = 'Tides'")
    spelt = mend("SELECT FullName FROM members WHERE member_id = 2")
    guessed = mend("SELECT birth_date FROM members WHERE member_names = 'Ed Moss'")
    assert sure
    assert sure.plain
    assert spelt
    assert spelt.plain
    assert guessed
    assert guessed.certainty > 0
    assert not guessed.plain


def test_the_budget_of_trials_holds(catalog: Catalog) -> None:
    ran: list[str] = []

    def fails(sql: str) -> Trial:
        ran.append(sql)
        return Trial(outcome="error", error="no")

    choose(
        "SELECT nam FROM author JOIN book ON a = b WHERE x = 1",
        Known.of(catalog, dialect="duckdb", error="no such table"),
        try_=fails,
        max_trials=3,
    )
    assert 0 < len(ran) <= 3
    assert len(set(ran)) == len(ran)


def test_candidates_come_surest_first_and_once(catalog: Catalog) -> None:
    found = candidates(
        "SELECT name, branch FROM copies", Known.of(catalog, dialect="duckdb", error="no column")
    )
    assert len({f.sql for f in found}) == len(found) > 1
    assert [f.certainty for f in found] == sorted((f.certainty for f in found), reverse=True)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        ";",
        "no query at all",
        "DROP TABLE books",
        "SELECT",
        "SELECT * FROM nowhere, nothing",
        "WITH a AS (SELECT b FROM a) SELECT c FROM a",
        "SELECT x FROM (SELECT y FROM books) AS t JOIN t ON t.z = t.z",
        "SELECT title FROM books UNION SELECT nam FROM members ORDER BY what",
    ],
)
def test_nothing_that_a_model_writes_breaks_it(catalog: Catalog, sql: str) -> None:
    for fix in candidates(sql, Known.of(catalog, dialect="duckdb", error="x")):
        assert fix.sql.lower().lstrip("( ").startswith(("select", "with"))


def test_frames_know_what_they_see(catalog: Catalog) -> None:
    import sqlglot

    sql = "SELECT title FROM books WHERE author_id IN (SELECT author_id FROM authors)"
    outer, inner = look(sqlglot.parse_one(sql), catalog).frames
    assert outer.tables == ["books"]
    assert inner.outer is outer
    assert [c.name for c in outer.columns] == ["title", "author_id"]
