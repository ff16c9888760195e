"""Trino's grammar: what its parser reads is read, and where it stops is told with a cure."""

from pathlib import Path

import pytest
import yaml

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.sql.checks import check
from querymend.tools.sql.grammar.cures import cure
from querymend.tools.sql.grammar.judge import first_mismatch
from querymend.tools.sql.grammar.lexemes import lexemes

FOLDER = Path(__file__).parent / "types"
CASES = yaml.safe_load((FOLDER / "syntax.yaml").read_text(encoding="utf-8"))
READ = yaml.safe_load((FOLDER / "accepted.yaml").read_text(encoding="utf-8"))
CATALOG = Catalog(tables=(Table(name="t", columns=(Column(name="a", type="varchar"),)),))


def sql_of(case: dict[str, str]) -> str:
    return case["sql"]


@pytest.mark.parametrize("case", CASES, ids=sql_of)
def test_the_parser_stops_where_trinos_does(case: dict[str, str]) -> None:
    found = first_mismatch(case["sql"])
    assert found is not None
    assert found[0].lexeme.text == case["stops"]


@pytest.mark.parametrize("case", CASES, ids=sql_of)
def test_the_hint_names_what_to_write_instead(case: dict[str, str]) -> None:
    found = first_mismatch(case["sql"])
    assert found is not None
    assert case["hint"] in cure(*found)


@pytest.mark.parametrize("case", READ, ids=sql_of)
def test_what_trino_reads_is_read(case: dict[str, str]) -> None:
    assert first_mismatch(case["sql"]) is None


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "order", date, timestamp, year, interval FROM t -- a comment\n',
        "TABLE t",
        "VALUES (1, 'a'), (2, NULL)",
        "(SELECT 1) UNION ALL (SELECT 2 LIMIT 1) ORDER BY 1 OFFSET 1 ROW FETCH FIRST 3 ROWS ONLY",
        "SELECT ALL a FROM t FETCH FIRST ROW WITH TIES",
        "SELECT x -> x FROM t",
        "SELECT transform(a, x -> x + 1), reduce(a, 0, (s, x) -> s + x, s -> s), f(() -> 1) FROM t",
        "SELECT count(*) FILTER (WHERE a > 1), listagg(a, ',') WITHIN GROUP (ORDER BY a) FROM t",
        "SELECT lag(a) IGNORE NULLS OVER (w ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING)"
        " FROM t WINDOW w AS (PARTITION BY b ORDER BY c)",
        "SELECT a FROM t GROUP BY GROUPING SETS ((a, b), a, ()), ROLLUP (c), CUBE (d)",
        "SELECT a.b.c[1]['x'].d, (a).b, CAST(ROW(1) AS ROW(x bigint)).x FROM t",
        "SELECT CAST(a AS timestamp(3) with time zone), CAST(a AS array(row(b map(date, json))))",
        "SELECT a AT TIME ZONE 'UTC', INTERVAL - '1-2' YEAR TO MONTH, TIME '10:00', U&'x', X'00'",
        "SELECT TRIM(BOTH ' ' FROM a), SUBSTRING(a FROM 1 FOR 2), POSITION('a' IN b), .5, 1e5, 1.",
        "SELECT a FROM t TABLESAMPLE BERNOULLI (10) CROSS JOIN UNNEST(b) WITH ORDINALITY u(x, n)",
        "SELECT a FROM (t JOIN u USING (a)) LEFT JOIN LATERAL (SELECT 1) x ON TRUE NATURAL JOIN v",
        "SELECT a FROM ((SELECT 1 AS a)) x, ((SELECT 2) UNION (SELECT 3)) y",
        "SELECT a IS DISTINCT FROM b, a <> ALL (SELECT 1), NOT a IN (SELECT 1), a LIKE b ESCAPE c",
        "SELECT a FROM t FOR TIMESTAMP AS OF current_timestamp",
        "SELECT t.* AS (x, y), JSON_OBJECT('a' : 1 NULL ON NULL), JSON_VALUE(a, 'lax $.b') FROM t",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r LIMIT ALL",
    ],
)
def test_the_whole_of_a_querys_grammar_is_known(sql: str) -> None:
    assert first_mismatch(sql) is None


def test_lexemes_keep_their_places_and_leave_comments_out() -> None:
    text = "SELECT /* x */ 'it''s', \"a b\" -- end\n, 1.5e3"
    found = [(x.sort, x.text) for x in lexemes(text)]
    assert found[1:4] == [("string", "'it''s'"), ("sign", ","), ("quoted", '"a b"')]
    assert all(text[x.start : x.end] == x.text for x in lexemes(text))


def test_a_text_that_no_parser_reads_is_explained_by_trinos_grammar() -> None:
    (found,) = check("SELECT TOP 10 a FROM t", dialect="athena", catalog=CATALOG)
    assert (found.code, found.position) == ("syntax_error", (1, 12))
    assert "LIMIT 10" in found.hint


def test_a_missing_argument_is_told_though_the_parser_stumbles_over_it() -> None:
    (found,) = check("SELECT date_diff('day', a) FROM t", dialect="athena", catalog=CATALOG)
    assert (found.code, found.position) == ("wrong_arguments", (1, 8))


def test_a_parsers_complaint_stays_where_trinos_grammar_has_none() -> None:
    (found,) = check("SELECT FROM", dialect="duckdb", catalog=CATALOG)
    assert found.code == "syntax_error"
