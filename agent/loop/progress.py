"""Which attempt is best, and whether another one is any progress. Pure functions."""

from collections.abc import Sequence

import sqlglot
from sqlglot.errors import SqlglotError

from querymend.answer import Attempt
from querymend.tools.findings import acting, weight

EMPTY = "empty_result"


def whole(attempts: Sequence[Attempt]) -> tuple[Attempt, ...]:
    """Return the attempts at the whole question, without those at its steps."""
    return tuple(a for a in attempts if not a.step)


def best(attempts: Sequence[Attempt]) -> Attempt | None:
    """Return the attempt with the fewest and lightest findings; of equals the earlier one."""
    return min(
        whole(attempts), key=lambda a: (a.summary is None, *weight(a.findings)), default=None
    )


def no_progress(attempts: Sequence[Attempt], dialect: str) -> str:
    """Tell why asking again is useless after the last attempt, or return an empty text.

    The same tree, the same complaint, or the same rows with the same findings as before.
    """
    *before, last = whole(attempts)
    if any(_tree(a.sql, dialect) == _tree(last.sql, dialect) for a in before):
        return "the same query was written again"
    if any(_complaint(a) == _complaint(last) for a in before):
        return "the same fault came again"
    return ""


def repaired_empty_before(attempts: Sequence[Attempt]) -> bool:
    """Tell whether an empty result already had its one repair."""
    return sum(_only_empty(a) for a in whole(attempts)) > 1


def _only_empty(attempt: Attempt) -> bool:
    found = acting(attempt.findings)
    return bool(found) and all(f.code.startswith("empty") for f in found)


def _complaint(attempt: Attempt) -> tuple[object, ...]:
    """Return what the loop was told of an attempt: its acting findings and its rows."""
    told = sorted((f.code, f.message) for f in acting(attempt.findings))
    rows = attempt.summary.digest if attempt.summary else ""
    return (*told, rows)


def _tree(sql: str, dialect: str) -> str:
    """Return a text that two spellings of one query share."""
    try:
        return sqlglot.parse_one(sql, read=dialect).sql(dialect=dialect, normalize=True)
    except (SqlglotError, RecursionError):
        return " ".join(sql.split())
