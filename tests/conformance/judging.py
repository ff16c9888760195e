"""Holds the stand-in and the static checks against what Trino said of each case."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import sqlglot
from cases import Case, Said, ask
from forms import same_order, same_rows
from sqlglot.tokens import TokenType
from ties import is_tie

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.engine import Engine
from querymend.tools.errors import QuerymendError
from querymend.tools.sql.checks import check

UNABLE = "NOT_IN_STAND_IN"
"""What the stand-in says of a statement that it knows it cannot run."""
Outcome = Literal["equal", "told", "different", "unasked"]
"""``told``: the stand-in refused what Trino runs and said why; ``different``: in silence."""
KEPT = 200
"""So many rows of a long result are in the files of a data folder."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One case, and where the judged differ from Trino."""

    case: Case
    said: Said
    """What Trino says."""
    stand_in: Outcome
    why: str = ""
    """What differs; empty where nothing does."""
    checks: bool = True
    """The static checks accept what Trino accepts, and refuse what it refuses before it runs."""
    checked: str = ""
    """What the static checks said, where they differ."""


def judge(case: Case, said: Said, engine: Engine) -> Judged:
    """Ask the checks and, if they let it through, the stand-in about a case, and compare."""
    catalog = engine.catalog()
    blocks = blocked(case, catalog)
    answer = Said(error=UNABLE, message=blocks) if blocks else stand_in(engine, case.sql)
    keys = case.sort_keys(said.columns) if case.ordered else []
    outcome, why = compare(said, answer, ordered=case.ordered, keys=keys)
    if outcome == "different" and not answer.error and not said.error:
        same = (said.columns, said.types) == (answer.columns, answer.types)
        if same and is_tie(case, said, lambda sql: stand_in(engine, sql)):
            outcome, why = "equal", ""
    agree, checked = static(said, blocks)
    return Judged(case=case, said=said, stand_in=outcome, why=why, checks=agree, checked=checked)


def judge_verdict(case: Case, said: Said, engine: Engine) -> Judged:
    """Ask the checks alone."""
    agree, checked = static(said, blocked(case, engine.catalog()))
    return Judged(case=case, said=said, stand_in="unasked", checks=agree, checked=checked)


def is_as_recorded(then: Said, now: Said, *, ordered: bool, run: bool = True) -> bool:
    """Tell whether Trino says what was recorded; places among equal sort keys are free."""
    if then.error or now.error or not run:
        return then.error == now.error
    if len(then.rows) == KEPT < len(now.rows):
        return (then.columns, then.types) == (now.columns, now.types)
    return any(compare(then, now, ordered=o)[0] == "equal" for o in {ordered, False})


def stand_in(engine: Engine, sql: str) -> Said:
    """Return what the stand-in says; whatever is no fault of the SQL counts as refused."""
    try:
        return ask(engine, sql)
    except QuerymendError as error:
        return Said(error=type(error).__name__, message=str(error))


def compare(
    trino: Said, other: Said, *, ordered: bool, keys: Sequence[int] = ()
) -> tuple[Outcome, str]:
    """Hold one answer against Trino's.

    Args:
        trino: what Trino says.
        other: what is judged.
        ordered: whether the order counts.
        keys: the columns that decide it; all of them if empty.
    """
    if other.error and not trino.error:
        return "told", f"{other.error}: {other.message}"
    if trino.error:
        return ("equal", "") if other.error else ("different", f"runs, Trino says {trino.error}")
    if other.types != trino.types:
        return "different", f"types {other.types}, not {trino.types}"
    if other.columns != trino.columns:
        return "different", f"columns {other.columns}, not {trino.columns}"
    same = same_rows(trino.rows, other.rows, trino.types)
    if not same or (ordered and not _in_order(trino, other, keys)):
        return "different", f"rows {other.rows[:3]}, not {trino.rows[:3]}"
    return "equal", ""


def _in_order(trino: Said, other: Said, keys: Sequence[int]) -> bool:
    picked = list(keys) or list(range(len(trino.columns)))
    left, right = ([[row[k] for k in picked] for row in said.rows] for said in (trino, other))
    return same_order(left, right, [trino.types[k] for k in picked])


def blocked(case: Case, catalog: Catalog) -> str:
    """Return why gate or checks refuse a statement; empty if they let it through."""
    found = check(case.sql, dialect="athena", catalog=catalog)
    return "; ".join(f"{f.code}: {f.message}" for f in found if f.severity == "block")


def static(said: Said, blocks: str) -> tuple[bool, str]:
    """Tell whether gate and checks agree with Trino's verdict before running."""
    if said.error and said.when == "analysis":
        return bool(blocks), blocks or f"accepted, Trino says {said.error}: {said.message}"
    return bool(said.error) or not blocks, blocks


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the table of agreement."""

    name: str
    statements: int
    equal: int
    told: int
    different: int
    checks: int
    """How many the checks judge as Trino does."""


def by_construct(judged: Iterable[Judged]) -> list[Line]:
    """Count by list and construct."""
    return _lines((f"{j.case.list}: {j.case.kind}", j) for j in judged)


def by_list(judged: Iterable[Judged]) -> list[Line]:
    """Count by list."""
    return _lines((j.case.list, j) for j in judged)


def by_function(judged: Iterable[Judged]) -> list[Line]:
    """Count by function that a statement calls."""
    return _lines((name, j) for j in judged for name in functions_of(j.case.sql))


def _lines(pairs: Iterable[tuple[str, Judged]]) -> list[Line]:
    found: dict[str, Counter[str]] = {}
    for name, judged in pairs:
        counts = found.setdefault(name, Counter())
        counts.update(("statements", judged.stand_in))
        counts["checks"] += judged.checks
    return [_line(name, counts) for name, counts in found.items()]


def _line(name: str, counts: Mapping[str, int]) -> Line:
    return Line(
        name=name,
        statements=counts["statements"],
        equal=counts["equal"],
        told=counts["told"],
        different=counts["different"],
        checks=counts["checks"],
    )


def functions_of(sql: str) -> set[str]:
    """Name the functions that a statement calls: words right before a bracket."""
    try:
        tokens = sqlglot.tokenize(sql, read="trino")
    except sqlglot.errors.TokenError:
        return set()
    return set(_called(tokens))


def _called(tokens: list[sqlglot.tokens.Token]) -> Iterator[str]:
    for token, after in pairwise(tokens):
        word = token.text.lower()
        opens = after.token_type is TokenType.L_PAREN and after.start == token.end + 1
        if opens and word.isidentifier() and token.token_type is not TokenType.IDENTIFIER:
            yield word
