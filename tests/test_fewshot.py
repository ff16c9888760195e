"""Packs: what loads, what is refused and how, and warehouses that are built once."""

from contextlib import closing
from pathlib import Path

import duckdb
import pytest
import yaml

from querymend.dialect_examples import examples_for
from querymend.fewshot import build_warehouse, load_pack, pack_names, warehouse_path
from querymend.fewshot.golden import as_json, differences, golden_rows, write_questions
from querymend.fewshot.pack import Question
from querymend.tools.catalog.model import Catalog, Column, Key, Leak, Table
from querymend.tools.engines.duckdb import open_duckdb
from querymend.tools.errors import SetupError

BROKEN = yaml.safe_load((Path(__file__).parent / "fewshot" / "broken.yaml").read_text())
SQL = """
CREATE TABLE orders AS SELECT i AS id, i * 10 AS amount FROM range(3) AS t(i) ORDER BY 1;
CREATE TABLE customers AS SELECT 'Zoë; O''Brien' AS name;
"""


def make_pack(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(text, encoding="utf-8")
    return folder


def test_the_installed_packs_are_named_and_load_by_name() -> None:
    assert "retail" in pack_names()
    assert load_pack("retail").name == "retail"


def test_a_folder_with_a_catalog_alone_is_a_pack(tmp_path: Path) -> None:
    folder = make_pack(tmp_path / "mine", catalog_yaml="tables: {t: {description: Things}}")
    pack = load_pack(folder)
    assert (pack.name, pack.title, pack.today, pack.default_schema) == ("mine", "mine", None, "")
    assert pack.notes.tables[0].description == "Things"
    assert (pack.facts, pack.examples, pack.questions, pack.warehouse_sql) == ((), (), (), None)


def test_a_pack_may_lack_the_catalog(tmp_path: Path) -> None:
    folder = make_pack(tmp_path / "mine", facts_yaml="- {id: a, text: Revenue is amount}")
    assert load_pack(str(folder)).facts[0].text == "Revenue is amount"


def test_everything_a_catalog_says_arrives(tmp_path: Path) -> None:
    text = """
    tables:
      shop.orders:
        description: Orders
        primary_key: id
        unique: [number, [day, place]]
        keys: {"day, place": 'shop.visits(day, place)'}
        columns:
          id:
          number: order number
          total: {description: value, unit: USD, grain: order, time_window: 90 days}
          mail: {private: true}
          lost: {leaks: {target: churned, known_from: a year later}}
    """
    table = load_pack(make_pack(tmp_path / "p", catalog_yaml=text)).notes.tables[0]
    assert (table.qualified_name, table.primary_key) == ("shop.orders", ("id",))
    assert table.unique == (("number",), ("day", "place"))
    assert table.keys == (
        Key(
            columns=("day", "place"),
            table="shop.visits",
            target_columns=("day", "place"),
            origin="pack",
        ),
    )
    ident, number, total, mail, lost = table.columns
    assert (ident.description, number.description) == ("", "order number")
    assert (total.unit, total.grain, total.time_window) == ("USD", "order", "90 days")
    assert mail.private
    assert not total.private
    assert lost.leaks == Leak(target="churned", known_from="a year later")
    assert {c.type for c in table.columns} == {""}


def test_an_example_is_there_in_each_dialect_that_it_is_written_for(tmp_path: Path) -> None:
    text = """
    - {id: both, question: A?, sql: SELECT 1}
    - {id: differs, question: B?, sql: SELECT 2, sql_athena: SELECT 3}
    - {id: athena_only, question: C?, sql_athena: SELECT 4}
    """
    pack = load_pack(make_pack(tmp_path / "p", examples_yaml=text))
    duckdb_sql = {e.id: e.sql for e in pack.examples_in("duckdb")}
    athena_sql = {e.id: e.sql for e in pack.examples_in("athena")}
    assert duckdb_sql == {"both": "SELECT 1", "differs": "SELECT 2"}
    assert athena_sql == {"both": "SELECT 1", "differs": "SELECT 3", "athena_only": "SELECT 4"}
    assert pack.examples_in("trino") == pack.examples_in("athena")


def test_a_question_without_sql_is_unanswerable_and_one_text_stands_for_a_list(
    tmp_path: Path,
) -> None:
    text = """
    - {id: none, question: What is the weather?, tags: unanswerable}
    - {id: one, question: How many?, sql: SELECT 1, evidence: "Count", rows: [[1, null, 2.5, a]]}
    - {id: two, question: How many?, sql: [SELECT 1, SELECT 2], sql_athena: [SELECT 3, SELECT 4]}
    """
    none, one, two = load_pack(make_pack(tmp_path / "p", questions_yaml=text)).questions
    assert (none.sql, none.gold("duckdb"), none.tags) == ((), (), ("unanswerable",))
    assert (one.sql, one.rows, one.evidence) == (("SELECT 1",), ((1, None, 2.5, "a"),), "Count")
    assert one.gold("athena") == ("SELECT 1",)
    assert two.gold("trino") == ("SELECT 3", "SELECT 4")


@pytest.mark.parametrize("case", BROKEN, ids=[c["name"] for c in BROKEN])
def test_a_broken_pack_is_refused_with_file_entry_and_cure(
    case: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / case["file"]).write_text(case["text"], encoding="utf-8")
    with pytest.raises(SetupError) as refused:
        load_pack(tmp_path)
    for said in case["says"]:
        assert said in str(refused.value)


@pytest.mark.parametrize("name", ["nowhere", "/no/such/folder", "../retail", ""])
def test_a_pack_that_is_not_there_is_refused_naming_those_that_are(name: str) -> None:
    with pytest.raises(SetupError, match="retail") as refused:
        load_pack(name or "?")
    assert refused.value.setting == "QUERYMEND_PACK"


def test_a_folder_with_nothing_of_a_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="is no pack"):
        load_pack(tmp_path)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "facts.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SetupError, match=r"facts\.yaml"):
        load_pack(tmp_path)


def test_a_warehouse_is_built_with_progress(tmp_path: Path) -> None:
    pack = load_pack(make_pack(tmp_path / "p", warehouse_sql=SQL))
    seen: list[tuple[int, int]] = []
    build_warehouse(pack, tmp_path / "new" / "w.duckdb", lambda *step: seen.append(step))
    assert seen == [(0, 2), (1, 2), (2, 2)]
    with duckdb.connect(str(tmp_path / "new" / "w.duckdb"), read_only=True) as built:
        assert built.execute("SELECT sum(amount) FROM orders").fetchall() == [(30,)]
        assert built.execute("SELECT name FROM customers").fetchall() == [("Zoë; O'Brien",)]


def test_a_warehouse_is_built_once_and_again_after_a_change(tmp_path: Path) -> None:
    folder = make_pack(tmp_path / "p", warehouse_sql=SQL)
    first = warehouse_path(load_pack(folder), tmp_path / "cache")
    stamp = first.stat().st_mtime_ns
    make_pack(folder, facts_yaml="- {id: a, text: No part of the data}")
    assert warehouse_path(load_pack(folder), tmp_path / "cache") == first
    assert first.stat().st_mtime_ns == stamp
    make_pack(folder, warehouse_sql=SQL + "CREATE TABLE more AS SELECT 1 AS one;")
    assert warehouse_path(load_pack(folder), tmp_path / "cache") != first


def test_a_script_may_read_the_packs_own_files_and_is_built_again_when_they_change(
    tmp_path: Path,
) -> None:
    script = f"CREATE TABLE t AS SELECT * FROM read_csv('{tmp_path}/p/rows.csv');"
    folder = make_pack(tmp_path / "p", warehouse_sql=script, rows_csv="a,b\n1,2\n")
    first = warehouse_path(load_pack(folder), tmp_path / "cache")
    make_pack(folder, rows_csv="a,b\n3,4\n")
    second = warehouse_path(load_pack(folder), tmp_path / "cache")
    with duckdb.connect(str(second), read_only=True) as built:
        assert built.execute("SELECT a FROM t").fetchall() == [(3,)]
    assert first != second


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE t AS SELECT * FROM read_text('/etc/hostname')",
        "COPY orders TO '/tmp/querymend-stolen.csv'",
        "SET enable_external_access = true",
        "SELECT nonsense",
    ],
)
def test_a_failing_script_leaves_nothing_and_cannot_leave_its_folder(
    statement: str, tmp_path: Path
) -> None:
    pack = load_pack(make_pack(tmp_path / "p", warehouse_sql=f"{SQL}{statement};"))
    with pytest.raises(SetupError, match=r"warehouse\.sql fails"):
        build_warehouse(pack, tmp_path / "cache" / "w.duckdb")
    assert list((tmp_path / "cache").iterdir()) == []
    assert not Path("/tmp/querymend-stolen.csv").exists()


def test_a_pack_without_a_script_has_no_warehouse(tmp_path: Path) -> None:
    pack = load_pack(make_pack(tmp_path / "p", facts_yaml="- {id: a, text: Fact}"))
    with pytest.raises(SetupError, match=r"no warehouse\.sql") as refused:
        warehouse_path(pack, tmp_path)
    assert refused.value.setting == "QUERYMEND_SOURCE"


def test_golden_rows_are_written_and_then_agree(tmp_path: Path) -> None:
    text = """# kept
- {id: all, question: List the IDs., sql: [SELECT id FROM orders ORDER BY id DESC, SELECT 1]}
- {id: ordered, question: List them., ordered: true, sql: SELECT id FROM orders ORDER BY id DESC}
- {id: none, question: Why?, tags: [unanswerable]}
"""
    folder = make_pack(tmp_path / "p", warehouse_sql=SQL, questions_yaml=text)
    pack = load_pack(folder)
    rows = golden_rows(pack, warehouse_path(pack, tmp_path / "cache"))
    assert rows == {"all": ((0,), (1,), (2,)), "ordered": ((2,), (1,), (0,)), "none": ()}
    assert [d.id for d in differences(pack, rows)] == ["all", "ordered"]
    write_questions(
        folder / "questions.yaml",
        [
            Question(
                id=q.id,
                question=q.question,
                tags=q.tags,
                sql=q.sql,
                ordered=q.ordered,
                rows=rows[q.id],
            )
            for q in pack.questions
        ],
    )
    assert (folder / "questions.yaml").read_text().startswith("# kept\n- id: all\n")
    assert differences(load_pack(folder), rows) == []


def test_a_gold_that_fails_is_named(tmp_path: Path) -> None:
    text = "- {id: bad, question: How many?, sql: [SELECT 1, SELECT nope FROM orders]}"
    pack = load_pack(make_pack(tmp_path / "p", warehouse_sql=SQL, questions_yaml=text))
    with pytest.raises(SetupError, match="bad: the statement fails"):
        golden_rows(pack, warehouse_path(pack, tmp_path / "cache"))


def test_cells_become_json_values() -> None:
    with duckdb.connect() as connection:
        row = connection.execute(
            "SELECT NULL, true, 7, 1.25::DECIMAL(9,2), 1/3, 'é', DATE '2026-01-02',"
            " TIMESTAMP '2026-01-02 03:04:05', INTERVAL 1 DAY"
        ).fetchone()
    assert row is not None
    assert [as_json(cell) for cell in row] == [
        None,
        True,
        7,
        1.25,
        0.333333333333,
        "é",
        "2026-01-02",
        "2026-01-02T03:04:05",
        "1 day, 0:00:00",
    ]


EXAMPLES = """
- {id: plain, question: A?, sql: SELECT COUNT(*) AS n FROM orders}
- {id: twins, question: B?, sql: "SELECT id::VARCHAR FROM orders", sql_athena: SELECT 1 FROM orders}
- {id: said, question: E?, sql: "SELECT strftime(order_date, '%Y') AS y FROM orders"}
- {id: theirs, question: C?, sql: "SELECT arg_max(id, order_date) AS y FROM orders"}
- {id: ours, question: D?, sql_athena: "SELECT date_format(order_date, '%Y') AS y FROM orders"}
"""
TABLES = Catalog(
    tables=(
        Table(
            name="orders",
            columns=(Column(name="id", type="bigint"), Column(name="order_date", type="date")),
        ),
    )
)


@pytest.mark.parametrize(
    ("dialect", "shown", "told"),
    [
        ("duckdb", ["plain", "twins", "said", "theirs"], ["ours is left out: it has no SQL"]),
        ("athena", ["plain", "twins", "said", "ours"], ["theirs is left out: "]),
        ("trino", ["plain", "twins", "said", "ours"], ["theirs is left out: "]),
    ],
)
def test_an_example_that_the_dialects_checks_refuse_is_left_out_and_told(
    tmp_path: Path, dialect: str, shown: list[str], told: list[str]
) -> None:
    pack = load_pack(make_pack(tmp_path / "p", examples_yaml=EXAMPLES))
    said: list[str] = []
    found = examples_for(pack, dialect, TABLES, log=said.append)
    assert [e.id for e in found] == shown
    assert len(said) == len(told)
    assert all(t in s for t, s in zip(told, said, strict=True))


@pytest.mark.parametrize("dialect", ["duckdb", "athena"])
def test_every_example_of_the_shipped_pack_is_shown(cache: Path, dialect: str) -> None:
    pack = load_pack("retail")
    with closing(open_duckdb(warehouse_path(pack, cache))) as engine:
        catalog = engine.catalog()
    said: list[str] = []
    found = examples_for(pack, dialect, catalog, log=said.append)
    assert (said, len(found)) == ([], len(pack.examples_in(dialect)))
