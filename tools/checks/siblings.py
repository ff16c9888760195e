"""Joins along one of several keys to a table, where the question's words name another of them."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.links import links_of
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, name_words, tokens

_VAGUE = frozenset(("id", "key", "code", "no", "number", "fk"))


def sibling_key(seen: Seen) -> Iterable[Finding]:
    """Find a join by the hair's colour where the question speaks of eyes."""
    used = {(u.table.qualified_name, u.column.name.lower()) for u in seen.used}
    for link in links_of(seen):
        for here, there in ((link.left, link.right), (link.right, link.left)):
            other = _meant(seen, here, there)
            if other and (here.table.qualified_name, other.lower()) not in used:
                yield seen.found(
                    "sibling_key",
                    "join",
                    "repair",
                    f"The join takes {here.table.name}.{here.column.name}; the question's words "
                    f"name {here.table.name}.{other}.",
                    node=link.node,
                    hint=f"Join ON {here.table.name}.{other}.",
                    fix=_with(seen, here, other),
                )


def _meant(seen: Seen, here: Used, there: Used) -> str:
    """Return the one sibling of a key column whose own words are asked for, if its own are not."""
    siblings = _siblings(here, there)
    mine = here.column.name.lower()
    if mine not in {s.lower() for s in siblings} or len(siblings) < 2:
        return ""
    things = {*_VAGUE, *name_words(here.table.name), *name_words(there.table.name)}
    if set(name_words(here.column.name)) & {*tokens(seen.question)} - _VAGUE:
        return ""
    asked = [s for s in siblings if _is_asked(seen, s, siblings, things)]
    return asked[0] if len(asked) == 1 and asked[0].lower() != mine else ""


def _siblings(here: Used, there: Used) -> list[str]:
    """Return the single columns of a table that refer to the same column of another."""
    target = (there.table.name.lower(), there.table.qualified_name.lower())
    return [
        key.columns[0]
        for key in here.table.keys
        if len(key.columns) == 1
        and key.table.lower() in target
        and key.target_columns[0].lower() == there.column.name.lower()
    ]


def _is_asked(seen: Seen, column: str, siblings: list[str], vague: set[str]) -> bool:
    """A word that only this sibling has stands in the question."""
    shared = {w for s in siblings if s != column for w in name_words(s)}
    own = [w for w in name_words(column) if w not in shared and not any(alike(w, v) for v in vague)]
    return any(alike(w, a) for w in own for a in seen.asked)


def _with(seen: Seen, here: Used, column: str) -> exp.Expr:
    """Return the statement with the other key column in the join's place."""
    copy, twin = seen.copied(here.ref.column)
    twin.set("this", exp.to_identifier(column))
    return copy
