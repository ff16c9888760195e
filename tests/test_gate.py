"""The gate: attacks stay out, questions get in, and nothing else makes admitted SQL."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from querymend.tools.catalog.model import Catalog, Column, Scope, Table
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.functions import allowed_functions
from querymend.tools.sql.gate import Verdict, admit

ROOT = Path(__file__).parent.parent
SHOP = Catalog(
    tables=(
        Table(name="orders", columns=(Column(name="id", type="INT"),)),
        Table(name="t$partitions", columns=(Column(name="dt", type="VARCHAR"),)),
        Table(name="sales-2024.csv", columns=(Column(name="id", type="INT"),)),
    )
)


def lines(name: str) -> list[dict[str, str]]:
    text = (ROOT / "tests" / "sql" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def title(case: dict[str, str]) -> str:
    return f"{case['dialect']}: {case['sql'][:60]}"


@pytest.mark.parametrize("case", lines("attacks.jsonl"), ids=title)
def test_an_attack_is_refused(case: dict[str, str]) -> None:
    verdict = admit(case["sql"], dialect=case["dialect"])
    assert verdict.sql is None
    assert all(f.message and f.severity == "block" for f in verdict.findings)


@pytest.mark.parametrize("case", lines("innocent.jsonl"), ids=title)
def test_a_question_is_let_through_as_written(case: dict[str, str]) -> None:
    verdict = admit(case["sql"], dialect=case["dialect"])
    assert verdict.findings == ()
    assert verdict.sql == case["sql"].rstrip(";")
    assert isinstance(verdict.sql, Admitted)


def test_there_are_enough_cases() -> None:
    assert len(lines("attacks.jsonl")) >= 160
    innocent = [c["dialect"] for c in lines("innocent.jsonl")]
    assert min(innocent.count("duckdb"), innocent.count("postgres")) >= 60


def test_only_the_gate_makes_admitted_sql() -> None:
    made = [
        path.relative_to(ROOT).as_posix()
        for folder in ("agent", "tools", "prompts", "fewshot")
        for path in (ROOT / folder).rglob("*.py")
        if "Admitted(" in path.read_text(encoding="utf-8").replace("class Admitted(", "")
    ]
    assert made == ["tools/sql/gate.py"]


def huge() -> Iterator[tuple[str, str]]:
    yield "brackets", "SELECT " + "(" * 20_000 + "1" + ")" * 20_000
    yield "sum", "SELECT " + " + ".join(["1"] * 20_000)
    yield "and", "SELECT 1 FROM t WHERE " + " AND ".join(["a = 1"] * 20_000)
    yield "not", "SELECT " + "NOT " * 20_000 + "a"
    yield "minus", "SELECT " + "- " * 20_000 + "a"
    yield "case", "SELECT " + "CASE WHEN a THEN " * 8_000 + "1" + " END" * 8_000
    yield "calls", "SELECT " + "abs(" * 20_000 + "1" + ")" * 20_000
    yield "lists", "SELECT " + "[" * 20_000 + "]" * 20_000
    yield "subscripts", "SELECT a" + "[1]" * 20_000
    yield "casts", "SELECT a" + "::int" * 20_000
    yield "dots", "SELECT a" + ".b" * 20_000
    yield "subqueries", "SELECT * FROM (" * 8_000 + "t" + ")" * 8_000
    yield "unions", " UNION ALL ".join(["SELECT 1"] * 20_000)
    yield "joins", "SELECT * FROM t " + "JOIN t ON 1=1 " * 15_000
    yield "queries", "WITH " + ",".join(f"c{i} AS (SELECT 1)" for i in range(9_000)) + " SELECT 1"
    yield "types", "SELECT CAST(a AS " + "STRUCT(a " * 8_000 + "INT" + ")" * 8_000 + ")"
    yield "comments", "SELECT 1 " + "/*" * 20_000 + "*/" * 20_000
    yield "bytes", "SELECT '" + "ä" * 140_000 + "'"


@pytest.mark.parametrize("dialect", ["duckdb", "athena"])
@pytest.mark.parametrize("sql", [s for _, s in huge()], ids=[n for n, _ in huge()])
def test_a_huge_statement_is_refused_and_not_slowly(sql: str, dialect: str) -> None:
    begun = time.process_time()
    assert admit(sql, dialect=dialect).sql is None
    assert time.process_time() - begun < 5


def test_a_nearly_exhausted_stack_is_a_refusal() -> None:
    def dig(depth: int) -> Verdict:
        nested = "SELECT " + "(" * 40 + "1" + ")" * 40
        return dig(depth - 1) if depth else admit(nested, dialect="duckdb")

    assert [f.code for f in dig(850).findings] == ["too_deep"]
    assert dig(0).sql is not None


@pytest.mark.parametrize("character", ["\0", "\u200b", "\u202e", "\ufeff", "\u00ad", "\ud800"])
def test_invisible_characters_in_names_are_refused(character: str) -> None:
    assert admit(f"SELECT a{character}b FROM t", dialect="duckdb").sql is None


def test_invisible_characters_in_texts_are_data() -> None:
    sql = "SELECT '\u200d👩\u200d👧 \u202eabc' AS x FROM t -- ‏"
    assert admit(sql, dialect="duckdb").sql == sql


@pytest.mark.parametrize("sql", ["SELECT nope FROM", "SELECT 'a", "SELEC 1", "SELECT (1", "?"])
def test_a_syntax_error_is_told_without_colours_or_class_names(sql: str) -> None:
    (finding,) = admit(sql, dialect="duckdb").findings
    assert finding.severity == "block"
    assert "\x1b" not in finding.message
    assert "class '" not in finding.message
    assert "Token" not in finding.message


def test_a_refusal_says_what_and_where() -> None:
    sql = "SELECT a,\n  nextval('s') FROM t"
    (finding,) = admit(sql, dialect="duckdb").findings
    assert (finding.code, finding.kind) == ("function_not_allowed", "safety")
    assert finding.clause == "nextval"
    assert finding.position == (2, 3)


def test_semicolons_at_the_end_are_cut_and_nothing_else() -> None:
    sql = "SELECT 'a;b'  -- c;\n ;; /* d */"
    assert admit(sql, dialect="duckdb").sql == "SELECT 'a;b'  -- c;"


def test_a_catalog_allows_its_own_odd_names_and_no_others() -> None:
    for name in ("t$partitions", "sales-2024.csv"):
        assert admit(f'SELECT * FROM "{name}"', dialect="duckdb", catalog=SHOP).sql is not None
    for name in ("t$files", "sales-2025.csv", "order"):
        assert admit(f'SELECT * FROM "{name}"', dialect="duckdb", catalog=SHOP).sql is None


def test_an_unknown_table_names_the_nearest() -> None:
    (finding,) = admit("SELECT id FROM ordrs", dialect="duckdb", catalog=SHOP).findings
    assert (finding.code, finding.kind) == ("unknown_table", "name")
    assert "orders" in finding.hint


def test_a_scope_without_a_catalog_allows_only_the_tables_it_names() -> None:
    scope = Scope(tables={"orders": (), "sales.items": (), "people": ("name",)})
    for allowed in ("orders", "ORDERS", "sales.items"):
        assert admit(f"SELECT * FROM {allowed}", dialect="duckdb", scope=scope).sql is not None
    for refused in ("items", "other.orders", "people", "secret"):
        assert admit(f"SELECT * FROM {refused}", dialect="duckdb", scope=scope).sql is None


def test_quoted_names_of_postgres_keep_their_case() -> None:
    scope = Scope.of("orders")
    sql = 'WITH "T" AS (SELECT 1 AS a) SELECT * FROM t'
    assert admit(sql, dialect="postgres", scope=scope).sql is None
    assert admit(sql.replace('"T"', "T"), dialect="postgres", scope=scope).sql is not None


def test_a_function_of_a_schema_of_the_catalog_is_not_a_built_in() -> None:
    catalog = Catalog(tables=(Table(name="t", schema="s", columns=()),))
    assert admit("SELECT s.lower('A')", dialect="duckdb", catalog=catalog).sql is None
    assert admit("SELECT 'A'.lower()", dialect="duckdb", catalog=catalog).sql is not None


def test_an_unknown_dialect_is_the_callers_fault() -> None:
    with pytest.raises(ValueError, match="unknown dialect 'oracle'"):
        admit("SELECT 1", dialect="oracle")


@pytest.mark.parametrize("dialect", ["duckdb", "athena", "postgres", "sqlite"])
def test_allow_lists_are_sorted_sets_of_lower_case_names(dialect: str) -> None:
    text = (ROOT / "tools" / "sql" / f"functions_{dialect}.txt").read_text(encoding="utf-8")
    names = text.split()
    assert len(names) == len(set(names))
    assert all(n == n.lower() for n in names)
    assert {"count", "sum", "coalesce", "cast"} <= allowed_functions(dialect)
