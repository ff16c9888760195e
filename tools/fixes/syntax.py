"""Texts that are no single statement: prose around it, or several of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import QUERY
from querymend.tools.sql.trees import with_plain_negations

FOREIGN = ("duckdb", "mysql", "postgres", "sqlite", "tsql", "bigquery")
STARTS = ("select", "with")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One tree that a text may mean."""

    tree: exp.Expr
    code: str = ""
    why: str = ""
    certainty: float = 1.0


def readings(sql: str, dialect: str, *, error: str = "") -> list[Reading]:
    """Return the trees that a text may mean, the likeliest first; none if there is no SQL in it."""
    plain = statements(sql, dialect)
    if len(plain) == 1:
        return [Reading(tree=plain[0])]
    if plain:
        return _several(plain)
    found = list(_buried(sql, dialect)) or list(_foreign(sql, dialect))
    return found[:4]


def statements(sql: str, dialect: str) -> list[exp.Expr]:
    """Parse a text; an empty list if any of it is no query."""
    try:
        trees = [t for t in sqlglot.parse(sql, read=dialect) if t is not None]
    except (SqlglotError, RecursionError):
        return []
    plain = [with_plain_negations(t) for t in trees]
    return plain if plain and all(isinstance(t, QUERY) for t in plain) else []


def _several(trees: list[exp.Expr]) -> list[Reading]:
    """Each of several statements may be the one that was meant."""
    code = "one_statement"
    why = "one of several statements"
    texts = {t.sql() for t in trees}
    sure = [prior(code) / len(texts)] * len(trees)
    return [
        Reading(tree=t, code=code, why=why, certainty=s) for t, s in zip(trees, sure, strict=True)
    ]


def _buried(sql: str, dialect: str) -> Iterator[Reading]:
    """A statement stands among prose: from each SELECT or WITH to the next end."""
    for start in _starts(sql):
        for end in _ends(sql, start):
            trees = statements(sql[start:end], dialect)
            if trees:
                why = "took the statement out of the text around it"
                sure = prior("buried")
                yield Reading(tree=trees[0], code="buried", why=why, certainty=sure)
                break


def _starts(sql: str) -> list[int]:
    """Return where a statement may begin, outside brackets first."""
    low, found = sql.lower(), []
    for word in STARTS:
        at = low.find(word)
        while at >= 0:
            before, after = low[at - 1 : at], low[at + len(word) : at + len(word) + 1]
            if not before.isalnum() and before != "(" and not after.isalnum():
                found.append(at)
            at = low.find(word, at + 1)
    return sorted(found)[:8]


def _ends(sql: str, start: int) -> list[int]:
    """Return where a statement that begins here may end, the farthest first."""
    marks = [len(sql)]
    for mark in (";", "\n\n", "```", "\n"):
        at = sql.find(mark, start)
        while at >= 0 and len(marks) < 24:
            marks.append(at)
            at = sql.find(mark, at + 1)
    return sorted(set(marks), reverse=True)


def _foreign(sql: str, dialect: str) -> Iterator[Reading]:
    """Another dialect's parser reads it."""
    for other in FOREIGN:
        trees = statements(sql, other) if other != dialect else []
        if len(trees) == 1:
            why = f"written for {other}"
            sure = prior("foreign")
            yield Reading(tree=trees[0], code="foreign", why=why, certainty=sure)
            return
