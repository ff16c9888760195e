"""The demo pack: its data holds the traps it promises, and what it says is true of its data."""

import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import chain
from pathlib import Path

import duckdb
import pytest
import sqlglot
import yaml
from sqlglot import exp

from querymend.fewshot import Pack, Question, build_warehouse, load_pack
from querymend.fewshot.golden import differences, golden_rows

TAGS = {
    "single_table",
    "join",
    "three_table_join",
    "window",
    "conditional_aggregate",
    "multi_step",
    "ratio",
    "fan_out_trap",
    "look_alike_column",
    "value_case",
    "opaque_name",
    "needs_fact",
    "top_n_broken_down",
    "empty_is_right",
    "unanswerable",
}
PACK = load_pack("retail")
TRAPS = yaml.safe_load((Path(__file__).parent / "fewshot" / "traps.yaml").read_text())
ANSWERABLE = [q for q in PACK.questions if q.sql]
Warehouse = duckdb.DuckDBPyConnection


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("retail") / "retail.duckdb"
    build_warehouse(PACK, path)
    return path


@pytest.fixture(scope="module")
def warehouse(file: Path) -> Iterator[Warehouse]:
    with duckdb.connect(str(file), read_only=True) as connection:
        yield connection


def one(warehouse: Warehouse, sql: str) -> object:
    row = warehouse.execute(sql).fetchone()
    assert row is not None
    return row[0]


def columns_of(warehouse: Warehouse) -> dict[str, list[str]]:
    rows = warehouse.execute(
        "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns()"
        " WHERE NOT internal GROUP BY ALL"
    ).fetchall()
    return dict(rows)


def skeleton(sql: str) -> str:
    """Strip what differs between askings of the same kind: literals, aliases, forms of a range."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    for kinds in ((exp.Literal, exp.Column, exp.Table), (exp.Alias,), (exp.LT,), (exp.Between,)):
        tree = tree.transform(
            lambda node, kinds=kinds: _bare(node) if type(node) in kinds else node
        )
    return str(tree.sql("duckdb")).lower()


def _bare(node: exp.Expression) -> exp.Expression:
    match node:
        case exp.Literal():
            return exp.Placeholder()
        case exp.Alias():
            return node.this
        case exp.Column():
            return exp.column(node.name)
        case exp.Table():
            return exp.to_table(node.name)
        case exp.LT():
            return exp.LTE(this=node.this, expression=node.expression)
        case exp.Between():
            low, high = node.args["low"], node.args["high"]
            return exp.and_(
                exp.GTE(this=node.this.copy(), expression=low),
                exp.LTE(this=node.this.copy(), expression=high),
            )
    return node


# The data ----------------------------------------------------------------------------------------


def test_the_warehouse_builds_in_under_ten_seconds(tmp_path: Path) -> None:
    started = time.monotonic()
    build_warehouse(PACK, tmp_path / "again.duckdb")
    assert time.monotonic() - started < 10


def test_two_builds_hold_the_same_rows(warehouse: Warehouse, tmp_path: Path) -> None:
    build_warehouse(PACK, tmp_path / "again.duckdb")
    with duckdb.connect(str(tmp_path / "again.duckdb"), read_only=True) as again:
        for table in columns_of(warehouse):
            digest = f"SELECT bit_xor(hash(t)) FROM {table} AS t"
            assert one(warehouse, digest) == one(again, digest), table


def test_sales_are_about_200_000_over_three_years_up_to_the_day_before_today(
    warehouse: Warehouse,
) -> None:
    assert date(2026, 7, 15) == PACK.today
    low, high, count = warehouse.execute(
        "SELECT min(sale_date), max(sale_date), count(*) FROM sales_fact"
    ).fetchall()[0]
    assert (low, high, count) == (date(2023, 7, 15), date(2026, 7, 14), 200_000)


def test_the_sales_of_the_article_are_there(warehouse: Warehouse) -> None:
    rows = warehouse.execute(
        "SELECT sale_id, product_id, region_id, CAST(sale_date AS VARCHAR), CAST(amount AS DOUBLE)"
        " FROM sales_fact WHERE sale_id IN (1001, 1002) ORDER BY 1"
    ).fetchall()
    assert rows == [(1001, 42, 3, "2024-01-15", 249.95), (1002, 17, 1, "2024-01-15", 89.90)]


def test_the_cities_of_the_article_are_there(warehouse: Warehouse) -> None:
    seattle = warehouse.execute(
        "SELECT city_name, state, population, region, founded, CAST(area_sq_mi AS DOUBLE),"
        " CAST(gdp_busd AS DOUBLE), CAST(growth_pct AS DOUBLE)"
        " FROM us_cities JOIN us_metro_economics ON city_id = id WHERE id = 5"
    ).fetchall()
    assert seattle == [("Seattle", "WA", 737015, "Pacific Northwest", 1851, 83.78, 413.0, 4.2)]
    others = warehouse.execute(
        "SELECT id, city_name, population FROM us_cities WHERE id IN (8, 12) ORDER BY id"
    ).fetchall()
    assert others == [(8, "Portland", 652503), (12, "Boise", 235684)]
    employers = "SELECT string_agg(employer_name ORDER BY 1) FROM us_employers WHERE city_id = 5"
    assert one(warehouse, employers) == "Amazon,Boeing,Microsoft"


def test_fifty_cities_stand_in_five_regions_and_boise_is_the_smallest(
    warehouse: Warehouse,
) -> None:
    sizes = "SELECT region, count(*) FROM us_cities GROUP BY region"
    assert dict(warehouse.execute(sizes).fetchall()) == {
        "Northeast": 12,
        "South": 15,
        "Midwest": 10,
        "West": 8,
        "Pacific Northwest": 5,
    }
    assert one(warehouse, "SELECT arg_min(city_name, population) FROM us_cities") == "Boise"
    pnw = "SELECT sum(population) FROM us_cities WHERE region = 'Pacific Northwest'"
    assert round(int(str(one(warehouse, pnw))) / 1e6, 1) == 2.1


@pytest.mark.parametrize("case", TRAPS, ids=[c["trap"] for c in TRAPS])
def test_the_data_holds_its_traps(case: dict[str, str], warehouse: Warehouse) -> None:
    assert int(str(one(warehouse, case["sql"]))) > 0


def test_sales_are_skewed_and_seasonal(warehouse: Warehouse) -> None:
    top = """
        SELECT sum(n) FILTER (WHERE place <= 24) / sum(n) FROM (
            SELECT count(*) AS n, row_number() OVER (ORDER BY count(*) DESC) AS place
            FROM sales_fact GROUP BY product_id)"""
    assert float(str(one(warehouse, top))) > 0.3
    december = """
        SELECT count_if(month(sale_date) = 12) / count_if(month(sale_date) = 2)
        FROM sales_fact"""
    assert float(str(one(warehouse, december))) > 1.5


def test_nothing_was_sold_before_its_launch_or_by_a_closed_store(warehouse: Warehouse) -> None:
    early = (
        "SELECT count(*) FROM sales_fact JOIN product_dim USING (product_id) WHERE sale_date"
        " NOT BETWEEN launched_on AND coalesce(discontinued_on, DATE '2099-01-01')"
    )
    closed = (
        "SELECT count(*) FROM sales_fact JOIN store_dim USING (store_id) WHERE sale_date"
        " NOT BETWEEN opened_on AND coalesce(closed_on, DATE '2099-01-01')"
    )
    assert (one(warehouse, early), one(warehouse, closed)) == (0, 0)


# The catalog -------------------------------------------------------------------------------------


def test_the_catalog_names_every_table_and_column_and_no_other(warehouse: Warehouse) -> None:
    noted = {t.name: [c.name for c in t.columns] for t in PACK.notes.tables}
    assert noted == columns_of(warehouse)


def test_descriptions_are_short_enough_for_a_small_prompt() -> None:
    tables = {t.name: len(t.description) for t in PACK.notes.tables}
    columns = {
        f"{t.name}.{c.name}": len(c.description) for t in PACK.notes.tables for c in t.columns
    }
    assert all(0 < size <= 90 for size in tables.values()), tables
    assert all(size <= 60 for size in columns.values()), columns


def test_primary_keys_are_unique_in_the_data(warehouse: Warehouse) -> None:
    for table in PACK.notes.tables:
        for key in (table.primary_key, *table.unique):
            twice = (
                f"SELECT count(*) FROM (SELECT 1 FROM {table.name} GROUP BY {', '.join(key)}"
                " HAVING count(*) > 1)"
            )
            assert one(warehouse, twice) == 0, (table.name, key)


def test_keys_lead_to_unique_columns_that_exist() -> None:
    for table in PACK.notes.tables:
        for key in table.keys:
            target = PACK.notes.table(key.table)
            assert target is not None, key
            assert target.is_unique(key.target_columns), key
            assert all(table.column(c) for c in key.columns), key


def test_mail_and_telephone_are_private_and_nothing_else() -> None:
    private = [(t.name, c.name) for t in PACK.notes.tables for c in t.columns if c.private]
    assert private == [("customers", "email"), ("customers", "phone")]


def test_no_text_of_the_pack_holds_a_private_value(warehouse: Warehouse) -> None:
    texts = "".join(p.read_text() for p in PACK.folder.glob("*.yaml"))
    assert "example.com" in str(one(warehouse, "SELECT min(email) FROM customers"))
    assert "example.com" not in texts
    assert "555-" not in texts


# Facts and examples ------------------------------------------------------------------------------


def test_facts_are_short_and_speak_of_tables_that_exist() -> None:
    assert 15 <= len(PACK.facts) <= 20
    for fact in PACK.facts:
        assert len(fact.text) <= 140, fact.id
        assert fact.terms, fact.id
        assert all(PACK.notes.table(t) for t in fact.tables), fact.id


@pytest.mark.parametrize("example", PACK.examples_in("duckdb"), ids=lambda e: e.id)
def test_an_example_runs_and_names_the_tables_that_it_uses(
    example: object, warehouse: Warehouse
) -> None:
    sql, tables = getattr(example, "sql", ""), getattr(example, "tables", ())
    assert 0 < len(warehouse.execute(sql).fetchall()) <= 60
    assert set(tables) == _tables(sql)


def _tables(sql: str) -> set[str]:
    tree = sqlglot.parse_one(sql, read="duckdb")
    own = {cte.alias for cte in tree.find_all(exp.CTE)}
    return {t.name for t in tree.find_all(exp.Table)} - own


def test_examples_are_20_to_30_in_both_dialects() -> None:
    assert 20 <= len(PACK.examples_in("duckdb")) <= 30
    both = [[e.id for e in PACK.examples_in(d)] for d in ("duckdb", "athena")]
    assert both[0] == both[1]


# Questions ---------------------------------------------------------------------------------------


def test_every_tag_has_five_questions_and_eight_cannot_be_answered() -> None:
    counts = Counter(chain.from_iterable(q.tags for q in PACK.questions))
    assert set(counts) == TAGS
    assert min(counts.values()) >= 5, counts
    assert counts["unanswerable"] >= 8
    assert len(PACK.questions) >= 80


def test_no_question_is_an_example() -> None:
    asked = {q.question.lower() for q in PACK.questions}
    assert not asked & {e.question.lower() for e in PACK.examples}
    assert not {q.id for q in PACK.questions} & {e.id for e in PACK.examples}


def test_at_least_half_of_the_questions_share_no_skeleton_with_an_example() -> None:
    known = {skeleton(e.sql) for e in PACK.examples_in("duckdb")}
    shared = [q.id for q in ANSWERABLE if any(skeleton(sql) in known for sql in q.sql)]
    assert len(shared) <= len(PACK.questions) / 2, shared


def test_exactly_the_unanswerable_questions_have_no_gold() -> None:
    assert all(("unanswerable" in q.tags) == (not q.sql) for q in PACK.questions)
    assert all(not q.rows for q in PACK.questions if not q.sql)


def test_the_golden_rows_are_those_of_the_gold(file: Path) -> None:
    assert differences(PACK, golden_rows(PACK, file)) == []


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda q: q.id)
def test_every_gold_answers_with_something_unless_empty_is_right(
    question: Question, warehouse: Warehouse
) -> None:
    for sql in question.sql:
        rows = warehouse.execute(sql).fetchall()
        found = any(cell is not None for row in rows for cell in row)
        assert found != ("empty_is_right" in question.tags)
        assert len(rows) <= 60


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda q: q.id)
def test_tags_about_tables_and_windows_are_true_of_the_gold(question: Question) -> None:
    tables = _tables(question.sql[0])
    windows = sqlglot.parse_one(question.sql[0], read="duckdb").find(exp.Window)
    assert ("single_table" in question.tags) == (len(tables) == 1)
    assert "three_table_join" not in question.tags or len(tables) >= 3
    assert ("window" in question.tags) == (windows is not None)
    assert ("opaque_name" in question.tags) == ("t_ord_x" in tables)


def test_no_limit_of_a_gold_cuts_a_tie(warehouse: Warehouse) -> None:
    """One row more or less must change the rows by one: the last place is not shared."""
    for question in ANSWERABLE:
        tree = sqlglot.parse_one(question.sql[0], read="duckdb")
        for limit in tree.find_all(exp.Limit):
            assert _is_decided(warehouse, limit), question.id


def _is_decided(warehouse: Warehouse, limit: exp.Limit) -> bool:
    """Tell whether the order's key differs between the last row taken and the first one left."""
    select = limit.parent
    assert isinstance(select, exp.Select)
    asked = int(limit.expression.name)
    key = select.args["order"].expressions[0].this
    key = select.expressions[int(key.name) - 1] if isinstance(key, exp.Literal) else key
    wide = select.copy()
    wide.set("limit", None)
    wide = wide.select(exp.alias_(key.unalias().copy(), "key_of_order"))
    rows = warehouse.execute(wide.sql("duckdb")).fetchall()
    return len(rows) <= asked or rows[asked - 1][-1] != rows[asked][-1]


# Athena ------------------------------------------------------------------------------------------


def test_twins_are_as_many_as_the_golds_that_they_stand_for() -> None:
    for question in ANSWERABLE:
        assert len(question.sql_athena) in (0, len(question.sql)), question.id


@pytest.mark.parametrize(
    "sql",
    [sql for q in ANSWERABLE for sql in q.gold("athena")]
    + [e.sql for e in PACK.examples_in("athena")],
)
def test_athena_sql_parses_and_uses_nothing_that_athena_lacks(sql: str) -> None:
    tree = sqlglot.parse_one(sql, read="athena")
    assert not tree.find(exp.Qualify, exp.ILike, exp.IntDiv)
    assert not any(g.args.get("all") for g in tree.find_all(exp.Group))
    assert "strftime" not in sql.lower()
    assert "::" not in sql


@pytest.mark.parametrize(
    "sql",
    [sql for q in ANSWERABLE for sql in q.gold("athena")]
    + [e.sql for e in PACK.examples_in("athena")],
)
def test_athena_sql_never_divides_or_averages_a_decimal_which_would_round(sql: str) -> None:
    tree = sqlglot.parse_one(sql, read="athena")
    for division in tree.find_all(exp.Div):
        assert _has_double(division.this), division.sql()
    for average in tree.find_all(exp.Avg):
        assert _has_double(average.this) or not _is_money(tree, average.this), average.sql()


def _has_double(node: exp.Expression) -> bool:
    return any(c.to.is_type("double") for c in node.find_all(exp.Cast))


def _is_money(tree: exp.Expression, node: exp.Expression) -> bool:
    money = {"amount", "invoice_amount", "mrr", "list_price", "unit_cost", "c14", "gdp_busd"}
    aliased = {a.alias: a.this for a in tree.find_all(exp.Alias)}
    named = [aliased.get(c.name, c) for c in node.find_all(exp.Column)]
    columns = chain.from_iterable(n.find_all(exp.Column) for n in named)
    in_double = any(_has_double(n) for n in named)
    return not in_double and any(c.name in money for c in columns)


def test_a_pack_serves_both_engines_of_one_family() -> None:
    pack: Pack = PACK
    assert pack.examples_in("trino") == pack.examples_in("athena")
