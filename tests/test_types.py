"""Static types of Athena SQL, held against what a real Trino 435 said of the same texts."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
import sqlglot
import yaml

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.findings import Finding
from querymend.tools.sql.checks import check
from querymend.tools.sql.types.casts import castable
from querymend.tools.sql.types.coercion import coerces, common_of, common_type
from querymend.tools.sql.types.foreign import trinos_way
from querymend.tools.sql.types.inference import Types, infer
from querymend.tools.sql.types.model import TrinoType
from querymend.tools.sql.types.operators import arithmetic, comparable, joined
from querymend.tools.sql.types.signatures import overloads
from querymend.tools.sql.types.spelling import read_type
from querymend.tools.sql.types.written import read_as_written

FOLDER = Path(__file__).parent / "types"


def read(name: str) -> object:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


SCHEMA = read("schema.yaml")
ACCEPTED = read("accepted.yaml")
HINTS = read("hints.yaml")
REFUSED = [
    {"code": code, **case}
    for code, cases in read("refused.yaml").items()  # type: ignore[attr-defined]
    for case in cases
]
CATALOG = Catalog(
    tables=tuple(
        Table(name=name, columns=tuple(Column(name=c, type=t) for c, t in columns.items()))
        for name, columns in SCHEMA.items()  # type: ignore[attr-defined]
    )
)


def blocked(sql: str, dialect: str = "athena") -> list[Finding]:
    found = check(sql, dialect=dialect, catalog=CATALOG)
    return [f for f in found if f.severity == "block"]


def typed(expression: str) -> str:
    columns = inferred(f"SELECT {expression} FROM o").columns()
    assert columns is not None
    return str(columns[0][1])


def inferred(sql: str) -> Types:
    return infer(sqlglot.parse_one(sql, read="athena"), CATALOG)


def kind(text: str) -> TrinoType:
    found = read_type(text)
    assert found is not None, text
    return found


def sql_of(case: dict[str, object]) -> str:
    return str(case["sql"])


@pytest.mark.parametrize("case", ACCEPTED, ids=sql_of)
def test_what_trino_takes_is_not_refused(case: dict[str, object]) -> None:
    assert blocked(sql_of(case)) == []


@pytest.mark.parametrize("case", [c for c in ACCEPTED if c["types"]], ids=sql_of)  # type: ignore[attr-defined]
def test_columns_have_the_types_that_trino_gives_them(case: dict[str, object]) -> None:
    for tree in (sqlglot.parse_one(sql_of(case), read="athena"), read_as_written(sql_of(case))):
        assert tree is not None
        columns = infer(tree, CATALOG).columns()
        assert columns is not None
        assert [k and k.displayed() for _, k in columns] == case["types"]


@pytest.mark.parametrize("case", REFUSED, ids=sql_of)
def test_what_trino_refuses_is_found_at_its_place_with_a_cure(case: dict[str, object]) -> None:
    found = blocked(sql_of(case))
    assert case["code"] in [f.code for f in found]
    first = next(f for f in found if f.code == case["code"])
    assert list(first.position or ()) == case["at"]
    assert first.message.endswith(".")
    assert first.hint


@pytest.mark.parametrize("case", HINTS, ids=sql_of)
def test_the_hint_names_the_cure(case: dict[str, object]) -> None:
    assert str(case["hint"]) in " ".join(f.hint for f in blocked(sql_of(case)))


@pytest.mark.parametrize("case", REFUSED[::10], ids=sql_of)
def test_trino_and_athena_are_judged_alike(case: dict[str, object]) -> None:
    athena, trino = blocked(sql_of(case)), blocked(sql_of(case), "trino")
    assert [f.code for f in athena] == [f.code for f in trino]


def operators() -> Iterator[tuple[str, str, str, str | None]]:
    lines = (FOLDER / "operators.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    everything = next(r["left"] for r in records), [r["left"] for r in records if r["op"] == "+"]
    for record in records:
        for right in record.get("asked", everything[1]):
            yield record["op"], record["left"], right, record["gives"].get(right)


def outcome(symbol: str, left: TrinoType, right: TrinoType) -> str | None:
    if symbol in "+-*/%":
        found: object = arithmetic(symbol, left, right)
    elif symbol == "||":
        found = joined(left, right)
    elif symbol == "coalesce":
        found = common_type(left, right)
    else:
        fits = castable(left, right) if symbol == "cast" else None
        fits = comparable(left, right, ordered=symbol == "<") if fits is None else fits
        found = ("boolean" if symbol != "cast" else right) if fits else None
    return None if found is None else str(found)


def test_operators_and_casts_give_what_trino_gives_for_every_pair_of_types() -> None:
    wrong = [
        (left, symbol, right, given)
        for symbol, left, right, given in operators()
        if outcome(symbol, kind(left), kind(right)) != (given and str(kind(given)))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("spelt", "meant"),
    [
        ("array<struct<sku:string,qty:int>>", "array(row(sku varchar, qty integer))"),
        ("map<string,double>", "map(varchar, double)"),
        ("decimal(12,2)", "decimal(12,2)"),
        ("timestamp", "timestamp(3)"),
        ("TIMESTAMP WITH TIME ZONE", "timestamp(3) with time zone"),
        ("STRUCT(a INTEGER, b VARCHAR[])", "row(a integer, b array(varchar))"),
        ("INTEGER[]", "array(integer)"),
        ("HUGEINT", "decimal(38,0)"),
        ("double precision", "double"),
        ("row(date date, n double precision)", "row(date date, n double)"),
    ],
)
def test_types_of_glue_trino_and_duckdb_are_read(spelt: str, meant: str) -> None:
    assert str(read_type(spelt)) == meant


@pytest.mark.parametrize("text", ["geometry3d", "", "decimal(", "array<", "int int", "🦆"])
def test_what_is_no_type_is_unknown(text: str) -> None:
    assert read_type(text) is None


def test_every_signature_of_the_list_is_read() -> None:
    text = files("querymend.tools.sql.types").joinpath("signatures.txt").read_text("utf-8")
    names = [line.partition("(")[0] for line in text.splitlines() if not line.startswith("#")]
    assert sum(len(overloads(name)) for name in set(names)) == len(names)


def test_a_column_of_an_unknown_type_silences_every_check_of_it() -> None:
    odd = Catalog(tables=(Table(name="t", columns=(Column(name="x", type="geography"),)),))
    sql = "SELECT x + 1, upper(x), x.a, x[1], sum(x) OVER () FROM t WHERE x = 1 AND x LIKE 'a'"
    assert check(sql, dialect="athena", catalog=odd) == ()


@pytest.mark.parametrize(
    "sql",
    [
        "WITH a AS (SELECT s AS n FROM o), b AS (SELECT n FROM a) SELECT 1 FROM b WHERE n = 1",
        "SELECT 1 FROM (SELECT max(s) AS n FROM o) x WHERE n = 1",
        "SELECT 1 FROM o CROSS JOIN UNNEST(tags) AS t(n) WHERE n = 1",
        "SELECT 1 FROM (SELECT s AS n FROM o UNION ALL SELECT code FROM p) x WHERE n = 1",
        "SELECT 1 FROM o x LEFT JOIN p ON p.code = x.id",
        "SELECT 1 FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.code = o.id)",
        "SELECT 1 FROM o WHERE cid = (SELECT max(code) FROM p)",
        "SELECT filter(tags, n -> n = 1) FROM o",
        "SELECT CASE WHEN s = 1 THEN 2 END FROM o",
        "SELECT 1 FROM o GROUP BY s HAVING s = 1",
        "SELECT 1 FROM o ORDER BY CASE WHEN s = 1 THEN 2 END",
        "SELECT 1 FROM (VALUES ('a'), ('b')) AS t(n) WHERE n = 1",
        "SELECT 1 FROM o CROSS JOIN LATERAL (SELECT s AS n) AS l WHERE n = 1",
    ],
)
def test_types_are_followed_to_wherever_a_value_goes(sql: str) -> None:
    assert [f.code for f in blocked(sql)] == ["type_mismatch"]


def test_other_dialects_are_left_alone() -> None:
    sql = "SELECT id FROM o WHERE s = 1 LIMIT 10 OFFSET 5"
    for dialect in ("duckdb", "sqlite"):
        assert check(sql, dialect=dialect, catalog=CATALOG) == ()


def test_decimals_keep_what_trino_keeps_of_them() -> None:
    assert typed("100.0 * 1 / 3") == "decimal(14,1)"
    assert typed("v * v") == "decimal(24,4)"
    assert typed("sum(v) / count(*)") == "decimal(38,2)"
    assert typed("7 / 2") == "integer"


def test_of_tells_the_type_of_any_expression_in_the_tree() -> None:
    tree = sqlglot.parse_one("SELECT upper(s), id + 1.5 FROM o", read="athena")
    types = infer(tree, CATALOG)
    assert [str(types.of(e)) for e in tree.expressions] == ["varchar", "decimal(21,1)"]
    assert types.of(None) is None


def test_a_null_fits_everywhere_and_lengths_do_not_matter() -> None:
    assert coerces(kind("unknown"), kind("map(varchar,bigint)"))
    assert str(common_of([kind("varchar(3)"), kind("unknown"), kind("varchar(9)")])) == "varchar(9)"
    assert common_of([kind("bigint"), kind("varchar")]) is None


def test_functions_of_other_systems_are_none_of_trinos() -> None:
    assert trinos_way("NVL") == "coalesce(a, b)"
    assert trinos_way("no_such_function") is None
