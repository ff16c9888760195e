"""The parts of the rule fixes: likeness of names, key paths, readings of a text, doubts."""

import pytest

from querymend.tools.catalog.model import Catalog, Column, Key, Table
from querymend.tools.findings import Finding
from querymend.tools.fixes import candidates
from querymend.tools.fixes.doubts import doubts
from querymend.tools.fixes.duplicates import distinct
from querymend.tools.fixes.fix import Known, phrases
from querymend.tools.fixes.graph import Graph, certainty
from querymend.tools.fixes.names import likeness, words
from querymend.tools.fixes.syntax import readings


def table(name: str, columns: str, *keys: str) -> Table:
    """Make a table: its first column is its key; a key is written ``column>table.column``."""
    names = columns.split()
    made = []
    for key in keys:
        column, target = key.split(">")
        there, other = target.split(".")
        made.append(Key(columns=(column,), table=there, target_columns=(other,)))
    return Table(
        name=name,
        columns=tuple(Column(name=n, type="VARCHAR") for n in names),
        primary_key=(names[0],),
        keys=tuple(made),
    )


HEROES = Catalog(
    tables=(
        table("colour", "id colour"),
        table(
            "hero",
            "id hero_name eye_colour_id hair_colour_id team_id",
            "eye_colour_id>colour.id",
            "hair_colour_id>colour.id",
            "team_id>team.id",
        ),
        table("team", "id team_name city"),
        table("hero_power", "hero_id power_id", "hero_id>hero.id", "power_id>power.id"),
        table("power", "id power_name"),
    )
)


def known(question: str = "", **more: object) -> Known:
    return Known.of(HEROES, dialect="duckdb", question=question, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "real", "of_table", "at_least"),
    [
        ("FullName", "full_name", "", 1.0),
        ("order_ids", "OrderID", "", 1.0),
        ("race_name", "race", "race", 0.84),
        ("name", "power_name", "power", 0.9),
        ("skin_color_id", "skin_colour_id", "", 0.84),
        ("bond_ype", "bond_type", "", 0.84),
    ],
)
def test_names_that_mean_the_same_are_alike(
    wanted: str, real: str, of_table: str, at_least: float
) -> None:
    assert likeness(wanted, real, of_table) >= at_least


@pytest.mark.parametrize(("wanted", "real"), [("city", "country"), ("height", "weight"), ("", "a")])
def test_names_that_mean_something_else_are_not_alike(wanted: str, real: str) -> None:
    assert likeness(wanted, real) < 0.84


def test_words_are_singular_and_split_at_case_and_underscores() -> None:
    assert words("EyeColourIDs cities_of address") == (
        "eye",
        "colour",
        "id",
        "city",
        "of",
        "address",
    )


def test_parallel_keys_are_several_paths() -> None:
    paths = Graph(catalog=HEROES).paths({"hero"}, "colour")
    assert {p[0].columns for p in paths} == {("eye_colour_id",), ("hair_colour_id",)}


def test_a_path_goes_over_a_table_between() -> None:
    (path,) = Graph(catalog=HEROES).paths({"hero"}, "power")
    assert [e.target for e in path] == ["hero_power", "power"]
    assert 0.5 < certainty(path) < 0.98


def test_no_path_where_no_key_leads() -> None:
    lone = Catalog(tables=(*HEROES.tables, table("weather", "day rain")))
    assert Graph(catalog=lone).paths({"hero"}, "weather") == []


def test_the_words_of_the_question_choose_among_parallel_keys() -> None:
    first, *_ = candidates(
        "SELECT colour FROM hero WHERE hero_name = 'Ix'",
        known("Which hair colour has Ix?", error="no column"),
    )
    assert "hair_colour_id" in first.sql


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("SELECT a FROM b", [""]),
        ("SELECT a FROM b; SELECT c FROM d", ["one_statement", "one_statement"]),
        ("Sure:\n```sql\nSELECT a FROM b\n```\nThis selects a.", ["buried"]),
        ("no query", []),
        ("DELETE FROM b", []),
    ],
)
def test_a_text_is_read_as_the_statements_in_it(text: str, codes: list[str]) -> None:
    assert [r.code for r in readings(text, "duckdb")] == codes


def test_phrases_keep_signs_and_come_longest_first() -> None:
    found = phrases("flights of JetBlue Airways to O'Hare", longest=2)
    assert found.index("JetBlue Airways") < found.index("JetBlue")
    assert "O'Hare" in found


def test_a_fact_that_the_query_leaves_out_is_a_doubt() -> None:
    asked = known("Which heroes are villains?", facts=("villains refers to team_name = 'Dark'",))
    assert list(doubts("SELECT hero_name FROM hero", asked))
    assert not list(doubts("SELECT hero_name FROM hero, team WHERE team_name = 'Dark'", asked))


def test_a_fact_about_something_else_is_no_doubt() -> None:
    asked = known("How many powers are there?", facts=("villains refers to team_name = 'Dark'",))
    assert not list(doubts("SELECT COUNT(*) FROM power", asked))


def test_a_column_that_only_sorts_is_a_doubt() -> None:
    sql = "SELECT city, COUNT(*) AS n FROM team GROUP BY city ORDER BY n DESC LIMIT 1"
    assert list(doubts(sql, known("Which city has the most teams?")))


def test_a_column_that_is_listed_twice_is_doubted() -> None:
    twice = "SELECT hero_name, hero_name AS again FROM hero"
    assert list(doubts(twice, known("Which heroes?")))
    assert not list(doubts("SELECT hero_name, hero_id FROM hero", known("Which heroes?")))


def test_distinct_is_likeliest_where_the_question_asks_for_different_things() -> None:
    sql = "SELECT city FROM team JOIN hero ON team.id = hero.team_id"
    asked = distinct(sql, known("Which different cities?"))
    plain = distinct(sql, known("Which cities?"))
    assert asked
    assert plain
    assert asked.certainty > plain.certainty


def test_groups_and_aggregates_need_no_distinct() -> None:
    assert distinct("SELECT COUNT(*) FROM team", known()) is None
    assert distinct("SELECT city FROM team GROUP BY city", known()) is None


def test_a_finding_of_repeated_rows_asks_for_distinct() -> None:
    finding = Finding(
        code="duplicate_rows", kind="shape", severity="repair", message="Rows are there twice."
    )
    (fix,) = candidates("SELECT city FROM team", known(findings=[finding]))
    assert fix.sql == "SELECT DISTINCT city FROM team"


def test_reserved_words_are_quoted_when_a_rule_writes_them() -> None:
    shop = Catalog(
        tables=(table("items", "id order_id", "order_id>order.id"), table("order", "id placed"))
    )
    (first, *_) = candidates(
        "SELECT placed FROM items", Known.of(shop, dialect="duckdb", error="no column")
    )
    assert '"order"' in first.sql


def test_a_schema_goes_with_its_table() -> None:
    a = Table(name="a", schema="s", columns=(Column(name="id", type="INT"),), primary_key=("id",))
    key = Key(columns=("a_id",), table="s.a", target_columns=("id",))
    b = Table(
        name="b",
        schema="s",
        columns=(Column(name="a_id", type="INT"), Column(name="x", type="INT")),
        keys=(key,),
    )
    fixes = candidates(
        "SELECT id FROM s.b WHERE x = 1",
        Known.of(Catalog(tables=(a, b)), dialect="duckdb", error="e"),
    )
    assert any("JOIN s.a" in f.sql for f in fixes)


def test_a_column_that_the_outer_query_should_have_is_no_crash_inside_a_subquery() -> None:
    sql = (
        "SELECT h.hero_name FROM hero AS h WHERE h.weight < (SELECT AVG(h.weight) FROM colour AS c)"
    )
    assert all(fix.sql != sql for fix in candidates(sql, known()))
