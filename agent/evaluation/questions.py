"""Evaluation questions: a pack's own, or one JSON object a line."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from querymend.tools.errors import SetupError

if TYPE_CHECKING:
    from querymend.fewshot.pack import Pack
    from querymend.fewshot.pack import Question as PackQuestion

DATABASE_ENDINGS = (".sqlite", ".duckdb", ".db")


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question with its accepted answers."""

    key: str
    """Names the question in output files: ``db/id``."""
    text: str
    db: str = ""
    """The database it is about; empty where the whole file is about one."""
    gold: tuple[str, ...] = ()
    """Accepted statements for the engine that is evaluated; any of them will do."""
    gold_sqlite: tuple[str, ...] = ()
    """Accepted statements for the SQLite file, used where ``gold`` is empty."""
    ordered: bool | None = None
    """Whether the rows' order counts; None: where the gold orders them."""
    tags: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """Knowledge that is given with this question alone."""

    @property
    def answerable(self) -> bool:
        """Tell whether there is a right answer; without one, refusing is right."""
        return bool(self.gold or self.gold_sqlite)

    @property
    def digest(self) -> str:
        """Return a hash of the question and its golds: another digest is another question."""
        said = [self.text, *self.facts, *self.gold, *self.gold_sqlite, str(self.ordered)]
        return hashlib.sha256("\0".join(said).encode()).hexdigest()[:12]


def _as_list(value: object) -> object:
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class _Line(BaseModel):
    """One line of a JSONL file; what is not named here is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    question: str = Field(min_length=1)
    id: str | int | None = None
    db: str = ""
    db_id: str = ""
    gold: Texts = ()
    gold_duckdb: Texts = ()
    evidence: str | None = None
    tags: Texts = ()
    difficulty: str = ""
    category: str = ""


def read_jsonl(path: Path) -> tuple[Question, ...]:
    """Read questions, one JSON object a line, in the file's order.

    Raises:
        SetupError: the file cannot be read, or a line does not fit; names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}.") from error
    numbered = enumerate(lines, start=1)
    return _distinct(_question(path, number, text) for number, text in numbered if text.strip())


def of_pack(pack: "Pack", dialect: str = "duckdb") -> tuple[Question, ...]:
    """Return a pack's questions."""
    return tuple(_of_pack(question, dialect) for question in pack.questions)


def find_database(folder: Path, db: str) -> Path:
    """Return the file of a database: ``DIR/db.sqlite`` or ``.duckdb``, or in a folder of its name.

    Raises:
        SetupError: the folder has no such file.
    """
    for place in (folder / db, folder / db / db):
        for ending in DATABASE_ENDINGS:
            if (path := place.with_name(place.name + ending)).is_file():
                return path
    raise SetupError(
        f"{folder} has no {db}.sqlite or {db}.duckdb; --databases names the folder that has them."
    )


def _question(path: Path, number: int, text: str) -> Question:
    try:
        line = _Line.model_validate(json.loads(text))
    except json.JSONDecodeError as error:
        raise SetupError(f"{path}, line {number}: no JSON ({error}).") from error
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"])) or "the line"
        raise SetupError(f"{path}, line {number}: {where}: {fault['msg']}.") from error
    return _of_line(line, number)


def _of_line(line: _Line, number: int) -> Question:
    db = line.db or line.db_id
    name = str(number) if line.id is None else str(line.id)
    return Question(
        key=f"{db}/{name}" if db else name,
        text=line.question,
        db=db,
        gold=line.gold_duckdb,
        gold_sqlite=line.gold,
        tags=line.tags or tuple(filter(None, (line.difficulty or line.category,))),
        facts=_facts(line.evidence),
    )


def _of_pack(question: "PackQuestion", dialect: str) -> Question:
    return Question(
        key=question.id,
        text=question.question,
        gold=question.gold(dialect),
        ordered=question.ordered,
        tags=question.tags,
        facts=_facts(question.evidence),
    )


def _facts(evidence: str | None) -> tuple[str, ...]:
    said = (evidence or "").strip()
    return (said,) if said else ()


def _distinct(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Give each question a key of its own, whatever ids the file has."""
    seen: Counter[str] = Counter()
    found = []
    for question in questions:
        seen[question.key] += 1
        twin = seen[question.key]
        found.append(question if twin == 1 else replace(question, key=f"{question.key}#{twin}"))
    return tuple(found)


def by_database(questions: Sequence[Question]) -> dict[str, list[Question]]:
    """Group questions by database, in the order in which the databases first occur."""
    groups: dict[str, list[Question]] = {}
    for question in questions:
        groups.setdefault(question.db, []).append(question)
    return groups
