"""Questions are read from JSONL of every form that is about, and from packs."""

from pathlib import Path

import pytest
import yaml

from querymend.evaluation.questions import by_database, find_database, of_pack, read_jsonl
from querymend.fewshot.pack import load_pack
from querymend.tools.errors import SetupError

HERE = Path(__file__).parent / "evaluation"
LINES = yaml.safe_load((HERE / "lines.yaml").read_text())
BROKEN = yaml.safe_load((HERE / "broken.yaml").read_text())
GOOD = '{"question": "How many?", "gold": "SELECT 1"}'


@pytest.mark.parametrize("case", LINES, ids=lambda c: c["line"][:60])
def test_a_line_is_read(case: dict[str, object], tmp_path: Path) -> None:
    (path := tmp_path / "q.jsonl").write_text(f"{case['line']}\n\n")
    [question] = read_jsonl(path)
    wanted = case["is"]
    assert isinstance(wanted, dict)
    for name, value in wanted.items():
        assert getattr(question, name) == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize("case", BROKEN, ids=lambda c: c["line"])
def test_a_broken_line_is_named(case: dict[str, str], tmp_path: Path) -> None:
    (path := tmp_path / "q.jsonl").write_text(f"{GOOD}\n{case['line']}\n")
    with pytest.raises(SetupError, match=case["says"]):
        read_jsonl(path)


def test_equal_ids_get_keys_of_their_own(tmp_path: Path) -> None:
    line = '{"id": 1, "db": "s", "question": "Q"}\n'
    (path := tmp_path / "q.jsonl").write_text(line * 3)
    assert [q.key for q in read_jsonl(path)] == ["s/1", "s/1#2", "s/1#3"]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be read"):
        read_jsonl(tmp_path / "none.jsonl")


def test_another_gold_makes_another_digest(tmp_path: Path) -> None:
    (path := tmp_path / "q.jsonl").write_text(f"{GOOD}\n{GOOD.replace('1', '2')}\n{GOOD}\n")
    one, two, three = read_jsonl(path)
    assert one.digest == three.digest != two.digest


def test_questions_are_grouped_by_database_in_the_order_of_the_file(tmp_path: Path) -> None:
    lines = [f'{{"db": "{db}", "question": "{i}"}}' for i, db in enumerate("baabc")]
    (path := tmp_path / "q.jsonl").write_text("\n".join(lines))
    groups = {db: [q.text for q in group] for db, group in by_database(read_jsonl(path)).items()}
    assert groups == {"b": ["0", "3"], "a": ["1", "2"], "c": ["4"]}


@pytest.mark.parametrize("place", ["shop.sqlite", "shop.duckdb", "shop/shop.sqlite"])
def test_a_database_is_found_by_name(place: str, tmp_path: Path) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).touch()
    assert find_database(tmp_path, "shop") == tmp_path / place


def test_a_name_with_a_dot_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "shop.v2.sqlite").touch()
    assert find_database(tmp_path, "shop.v2").name == "shop.v2.sqlite"


def test_a_database_that_is_not_there_is_told_with_the_option(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="--databases"):
        find_database(tmp_path, "shop")


def test_the_pack_that_ships_gives_its_questions() -> None:
    questions = of_pack(load_pack("retail"))
    assert len(questions) >= 80
    assert len({q.key for q in questions}) == len(questions)
    assert any(not q.answerable for q in questions)
    assert all(q.tags for q in questions)
