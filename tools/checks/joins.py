"""Joins on columns that are no key, and sources that nothing joins."""

import re
from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.catalog.key_names import KEY_WORDS, words
from querymend.tools.checks.links import Link, is_key, keys_between, links_of
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.sql.binding import Source

_OPAQUE = re.compile(r"[a-z]{0,3}_?\d+$", re.IGNORECASE)


def off_key(seen: Seen) -> Iterable[Finding]:
    """Find joins on columns that no known key connects, where the tables have known keys."""
    for link in links_of(seen):
        left, right = link.left, link.right
        if left.table is right.table or is_key(left, right, seen.catalog):
            continue
        if not left.table.keys and not right.table.keys and not _referred(seen, link):
            continue
        known = keys_between(left.table, right.table, seen.catalog)
        if known or not _may_be_key(left, right):
            yield _finding(seen, link, known)


def _may_be_key(left: Used, right: Used) -> bool:
    """No key is known, but the names may mean one thing, or say nothing: t_ord_x.c02."""
    if _OPAQUE.match(left.column.name) or _OPAQUE.match(right.column.name):
        return True
    one, other = _subject(left), _subject(right)
    return bool(one & (other | _words(right.table.name)) or other & _words(left.table.name))


def _subject(used: Used) -> set[str]:
    """Return what a column speaks of: its words without id and code, else those of its table."""
    return _words(used.column.name) - KEY_WORDS or _words(used.table.name)


def _words(name: str) -> set[str]:
    return set(words(name)) - {"is", "of", "by", "in", "has"}


def _referred(seen: Seen, link: Link) -> bool:
    names = {link.left.table.qualified_name, link.right.table.qualified_name}
    return any(key.table in names for table in seen.catalog.tables for key in table.keys)


def _finding(seen: Seen, link: Link, known: list[tuple[str, str]]) -> Finding:
    left, right = link.left, link.right
    code = "join_off_known_key" if known else "join_off_key"
    pairs = [f"{left.table.name}.{a} = {right.table.name}.{b}" for a, b in known]
    return seen.found(
        code,
        "join",
        "repair",
        f"No key connects {left.table.name}.{left.column.name} with "
        f"{right.table.name}.{right.column.name}.",
        node=link.node,
        hint=f"Join ON {' or '.join(pairs)}." if pairs else "Join along the keys between them.",
        fix=_on_key(seen, link, known[0]) if len(known) == 1 else None,
    )


def _on_key(seen: Seen, link: Link, pair: tuple[str, str]) -> exp.Expr:
    """Return the statement with the one known key in the join's place."""
    copy, here = seen.copied(link.node)
    for side, column in zip((here.this, here.expression), pair, strict=True):
        side.set("this", exp.to_identifier(column))
    return copy


def crossed(seen: Seen) -> Iterable[Finding]:
    """Find sources of a SELECT, or groups of them, that no condition ties to the others."""
    for block in seen.binding.blocks:
        tables = [s for s in block.sources if s.table is not None]
        if block.merged or len(tables) < 2 or len(tables) < len(block.sources):
            continue
        apart = _apart(seen, [s for s in tables if not _one_row(s)])
        if apart:
            names = " and ".join(s.name for s in apart)
            yield seen.found(
                "cross_join",
                "join",
                "repair",
                f"Nothing joins {names} to the other tables: every row meets every row.",
                node=apart[-1].node,
                hint="Add the join condition between their keys.",
            )
            return


def _apart(seen: Seen, sources: list[Source]) -> list[Source]:
    """Return the smaller of two groups of sources that nothing ties; none where all are tied."""
    columns = [[r.column for r in seen.binding.refs if r.source is s] for s in sources]
    reached, new = {0}, [0]
    while new:
        here = new.pop()
        for place in set(range(len(sources))) - reached:
            if any(_meet(a, b) for a in columns[here] for b in columns[place]):
                reached.add(place)
                new.append(place)
    tied = [s for i, s in enumerate(sources) if i in reached]
    free = [s for i, s in enumerate(sources) if i not in reached]
    return min(tied, free, key=len) if free else []


def _one_row(source: Source) -> bool:
    return source.table is not None and source.table.rows is not None and source.table.rows <= 1


def _meet(one: exp.Column, other: exp.Column) -> bool:
    """Two columns stand in one comparison."""
    up = one.find_ancestor(exp.Predicate)
    while up is not None:
        if any(n is other for n in up.find_all(exp.Column)):
            return True
        up = up.find_ancestor(exp.Predicate)
    return False
