"""The value index: which phrases are values, what columns hold, and what must not be in it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import yaml

from querymend.tools.catalog.model import Catalog, Column, Scope, Table
from querymend.tools.engines.duckdb import DuckDBEngine, open_duckdb
from querymend.tools.errors import SetupError
from querymend.tools.index.matching import match
from querymend.tools.index.model import ValueLookup
from querymend.tools.index.read_values import read_values
from querymend.tools.index.scoped import ScopedValues
from querymend.tools.index.values import ColumnValues, ValueIndex, normal

DATA = yaml.safe_load((Path(__file__).parent / "index" / "match.yaml").read_text())
CATALOG = Catalog(
    tables=(
        Table(
            name="orders",
            columns=tuple(Column(name=name, type="VARCHAR") for name in DATA["values"]),
        ),
    )
)


def _values(
    column: str, *values: str, table: str = "orders", complete: bool = True
) -> ColumnValues:
    pairs = tuple((value, len(values) - place) for place, value in enumerate(values))
    return ColumnValues(table=table, column=column, values=pairs, complete=complete)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[ValueIndex]:
    with ValueIndex(tmp_path / "v.sqlite") as made:
        made.write([_values(column, *values) for column, values in DATA["values"].items()])
        yield made


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["question"] or "empty")
def test_a_question_names_these_values(index: ValueIndex, case: dict[str, object]) -> None:
    hits = match(str(case["question"]), index, CATALOG)
    assert [f"{h.column} = {h.value} ({h.phrase})" for h in hits] == case["finds"]
    assert all(0.88 <= h.score <= 1 for h in hits)


def test_equal_values_score_one_and_near_ones_less(index: ValueIndex) -> None:
    assert match("in MALMO", index)[0].score == 1
    assert match("in Seatle", index)[0].score < 1


def test_a_value_is_found_wherever_it_stands_in_any_case(index: ValueIndex) -> None:
    lookup: ValueLookup = index
    assert lookup.holding("sEATTLE") == [("orders", "city", "Seattle")]
    assert lookup.holding("Seattles") == []
    assert lookup.holding("' OR 1=1 --") == []


def test_a_column_tells_whether_it_holds_exactly_a_value(index: ValueIndex) -> None:
    assert index.has("ORDERS", "City", "Seattle") is True
    assert index.has("orders", "city", "seattle") is False
    assert index.has("orders", "city", "x" * 101) is None
    assert index.has("orders", "nothing", "Seattle") is None


def test_a_column_that_is_not_known_in_full_never_says_no(tmp_path: Path) -> None:
    with ValueIndex(tmp_path / "v.sqlite") as index:
        index.write([_values("city", "Rome", complete=False)])
        assert index.has("orders", "city", "Rome") is True
        assert index.has("orders", "city", "Oslo") is None


def test_the_nearest_values_come_best_first(index: ValueIndex) -> None:
    found = index.nearest("orders", "city", "Seatle")
    assert found[0][0] == "Seattle"
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
    assert index.nearest("orders", "product", "oak")[0] == ("Desk, oak", 0.9)
    assert index.nearest("orders", "nothing", "x") == []


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    index = ValueIndex(tmp_path / "none.sqlite")
    assert index.holding("x") == []
    assert index.has("t", "c", "x") is None
    assert match("Seatle", index) == []
    assert not (tmp_path / "none.sqlite").exists()


def test_a_broken_file_is_told_with_its_cure(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    path.write_bytes(b"no database" * 1000)
    with ValueIndex(path) as index, pytest.raises(SetupError, match="delete the file"):
        index.holding("x")
    with pytest.raises(SetupError, match="delete the file"):
        index.write([])


def test_writing_again_touches_only_what_changed(index: ValueIndex) -> None:
    columns = [_values(column, *values) for column, values in DATA["values"].items()]
    assert index.write(columns) == 0
    assert index.write([*columns[1:], _values("city", "Oslo")]) == 1
    assert index.holding("Seattle") == []
    assert index.holding("Oslo") == [("orders", "city", "Oslo")]
    assert match("in Osloo", index)[0].value == "Oslo"


def test_another_writer_is_noticed(index: ValueIndex, tmp_path: Path) -> None:
    assert match("Sales in Osslo", index) == []
    with ValueIndex(tmp_path / "v.sqlite") as other:
        other.write([_values("city", "Oslo")])
    assert [h.value for h in match("Sales in Osslo", index)] == ["Oslo"]


def test_a_value_in_many_columns_is_found_in_those_that_the_caller_sees(tmp_path: Path) -> None:
    scoped = CATALOG.within(Scope(tables={"orders": ("country",)}))
    with ValueIndex(tmp_path / "v.sqlite") as index:
        index.write([_values("city", "Paris"), _values("country", "Paris")])
        assert [h.column for h in match("in Paris", index, CATALOG)] == ["city", "country"]
        assert [h.column for h in match("in Paris", index, scoped)] == ["country"]
        narrowed = ScopedValues(index, scoped)
        assert narrowed.holding("paris") == [("orders", "country", "Paris")]
        assert narrowed.has("orders", "city", "Paris") is None
        assert narrowed.nearest("orders", "city", "Pari") == []
        assert narrowed.nearest("orders", "country", "Pari")[0][0] == "Paris"


def test_a_hidden_longer_value_does_not_shadow_a_visible_one(tmp_path: Path) -> None:
    scoped = CATALOG.within(Scope(tables={"orders": ("country",)}))
    with ValueIndex(tmp_path / "v.sqlite") as index:
        index.write([_values("city", "New Mexico"), _values("country", "Mexico")])
        assert [h.value for h in match("in New Mexico", index, scoped)] == ["Mexico"]


def test_threads_share_one_index(index: ValueIndex) -> None:
    found: list[int] = []

    def look() -> None:
        found.extend(len(match("Sales in Seattle and in Parris", index)) for _ in range(20))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2] * 80


def test_a_question_of_fifty_thousand_characters_is_answered(index: ValueIndex) -> None:
    assert match("Seattle " + "x y " * 12_500, index)[0].value == "Seattle"


def test_normal_forms_ignore_case_plural_diacritics_and_signs() -> None:
    assert normal("  Night-LAMPS ") == normal("night lamp")
    assert normal("Malmö") == "malmo"
    assert normal("C++") == "c++"
    assert normal("Straße") == normal("STRASSE")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[DuckDBEngine]:
    path = tmp_path / "w.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("""
            CREATE TABLE "order" (city VARCHAR, "odd ""name" VARCHAR, mail VARCHAR, n INTEGER,
                                  kind ENUM('a', 'b'), tags VARCHAR[]);
            INSERT INTO "order" VALUES ('Rome', 'x', 'canary', 1, 'a', ['t']),
              ('Rome', NULL, 'canary', 2, 'b', []),
              ('Oslo', repeat('y', 101), 'canary', 3, 'a', []);
        """)
    opened = open_duckdb(path)
    yield opened
    opened.close()


def test_values_are_read_through_the_gate_most_frequent_first(engine: DuckDBEngine) -> None:
    catalog = _private(engine.catalog(), "mail")
    found = {v.column: v for v in read_values(engine, catalog)}
    assert set(found) == {"city", 'odd "name', "kind"}
    assert found["city"].values == (("Rome", 2), ("Oslo", 1))
    assert found['odd "name'].values == (("x", 1),)
    assert found["city"].complete
    assert "canary" not in repr(found)


def test_columns_with_too_many_values_keep_the_frequent_ones(engine: DuckDBEngine) -> None:
    found = {v.column: v for v in read_values(engine, engine.catalog(), max_values=1)}
    assert found["city"].values == (("Rome", 2),)
    assert not found["city"].complete


def _private(catalog: Catalog, name: str) -> Catalog:
    from dataclasses import replace

    return Catalog(
        tables=tuple(
            replace(
                t, columns=tuple(replace(c, private=c.name == name or c.private) for c in t.columns)
            )
            for t in catalog.tables
        )
    )
