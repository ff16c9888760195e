"""What is asked of a judge, and what it says: the cases of this folder and of a data folder."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import sqlglot
import yaml
from forms import Cell, recorded
from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.engines.engine import Engine, Limits, Result
from querymend.tools.errors import QueryError, QuerymendError
from querymend.tools.sql.admitted import Admitted

HERE = Path(__file__).parent
CASES = HERE / "cases"
RECORDED = HERE / "recorded"
GALLERY = "gallery"
LISTS = ("constructs", "functions", "refused")
LIMITS = Limits(rows=None, seconds=600.0, bytes=None)
FREE = (exp.TableSample, exp.AnyValue, exp.Rand)
When = Literal["", "analysis", "run"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One statement, and where it comes from."""

    list: str
    """``constructs``, ``functions``, ``refused``, or a file of a data folder."""
    kind: str
    """The construct, the function, or the kind of fault."""
    sql: str
    schema: str = GALLERY

    @property
    def ordered(self) -> bool:
        """Whether the statement's result has an order of its own."""
        try:
            tree = sqlglot.parse_one(self.sql, read="trino")
        except SqlglotError:
            return False
        return isinstance(tree, exp.Query) and tree.args.get("order") is not None

    @property
    def free(self) -> bool:
        """Whether it may give other rows each time: a sample, or any one of several values."""
        try:
            return sqlglot.parse_one(self.sql, read="trino").find(*FREE) is not None
        except SqlglotError:
            return False

    def sort_keys(self, columns: Sequence[str]) -> Sequence[int]:
        """Return which of a result's columns decide its order: rows equal in them may swap.

        All of them where the statement sorts by something that it does not show.
        """
        tree = sqlglot.parse_one(self.sql, read="trino")
        order = tree.args.get("order")
        shown = [s.unalias() for s in tree.selects] if isinstance(tree, exp.Query) else []
        keys = [_place(o.this, columns, shown) for o in order.expressions] if order else [None]
        known = [k for k in keys if k is not None]
        return known if len(known) == len(keys) else range(len(columns))


def _place(key: exp.Expr, columns: Sequence[str], shown: list[exp.Expr]) -> int | None:
    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.name) - 1
    if isinstance(key, exp.Column) and columns.count(key.name.lower()) == 1:
        return columns.index(key.name.lower())
    return shown.index(key) if key in shown and len(shown) == len(columns) else None


@dataclass(frozen=True, kw_only=True)
class Said:
    """What an engine said of a statement: a result, or an error."""

    columns: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    error: str = ""
    """The error's name, in Trino's words; empty for a result."""
    message: str = ""
    when: When = ""
    """Whether it refused before reading any row, or only when it ran."""


def own_cases() -> Iterator[Case]:
    """Yield the statements of this folder's lists."""
    for name in LISTS:
        listed = yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
        for kind, texts in listed.items():
            for text in texts:
                sql = f"SELECT {text}" if name == "functions" else text
                yield Case(list=name, kind=kind, sql=sql)


def ask(engine: Engine, sql: str) -> Said:
    """Return what the engine says of a statement, which goes past the gate: it judges the engine.

    An error that no other text would cure is not caught.
    """
    try:
        result = engine.run(Admitted(sql), limits=LIMITS)
    except QueryError as error:
        return Said(error=error.code, message=str(error), when=_when(engine, sql))
    return _result(result)


def verdict(engine: Engine, sql: str) -> Said:
    """Return whether the engine refuses a statement before it runs; nothing runs."""
    try:
        engine.explain(Admitted(sql))
    except QueryError as error:
        return Said(error=error.code, message=str(error), when="analysis")
    return Said()


def _result(result: Result) -> Said:
    types = [c.type for c in result.columns]
    return Said(
        columns=[c.name for c in result.columns],
        types=types,
        rows=[[recorded(c, k) for c, k in zip(row, types, strict=True)] for row in result.rows],
    )


def _when(engine: Engine, sql: str) -> When:
    try:
        engine.explain(Admitted(sql))
    except QuerymendError:
        return "analysis"
    return "run"


def write(path: Path, pairs: Iterable[tuple[Case, Said]]) -> None:
    """Write what was said, a line a case."""
    with path.open("w", encoding="utf-8") as file:
        for case, said in pairs:
            kept = {k: v for k, v in asdict(said).items() if v or (not said.error and k == "rows")}
            file.write(json.dumps({**asdict(case), **kept}, ensure_ascii=False) + "\n")


def read(path: Path) -> list[tuple[Case, Said]]:
    """Read what was written."""
    with path.open(encoding="utf-8") as file:
        return [_pair(json.loads(line)) for line in file]


def _pair(line: dict[str, object]) -> tuple[Case, Said]:
    names = Case.__dataclass_fields__
    case = {k: v for k, v in line.items() if k in names}
    said = {k: v for k, v in line.items() if k not in names}
    return Case(**case), Said(**said)  # type: ignore[arg-type]
