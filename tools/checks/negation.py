"""A negation over a to-many join: rows that differ are not things that have none."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.excluding import none_like_it
from querymend.tools.checks.links import Link, is_unique, links_of, targets
from querymend.tools.checks.named import has_run
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.words import name_words

_NONE = re.compile(r"\b(?:not|never|without|no)\b|n't\b", re.IGNORECASE)
_EXCLUDES = re.compile(
    r"\b(?:not|never|without|no|neither|nor|except|exclud\w+)\b|n't\b", re.IGNORECASE
)
_NO_EXCLUSION = re.compile(
    r"\bno (?:more|less|fewer|later|earlier)\b|\bnot only\b|\bor not\b", re.IGNORECASE
)
_HEAD = 8
"""Words at a question's beginning, where what it asks for stands."""
_DENIES = re.compile(r"\bno[nt]?\b|n't\b", re.IGNORECASE)
"""A fact that says which value stands for what the question denies."""
_EXCLUDING = (exp.Not, exp.NEQ, exp.Except, exp.Is, exp.LT, exp.GT, exp.LTE, exp.GTE)


def differs_for_none(seen: Seen) -> Iterable[Finding]:
    """Find ``<>`` on the many side of a join where the question asks for things that have none."""
    if not seen.reading.negated:
        return
    links = list(links_of(seen))
    for one in seen.comparisons:
        if one.negated and one.op in ("=", "<>", "in", "like") and one.texts:
            link = _to_many(one, links)
            if link is not None and not _shows_many(seen, one, link):
                yield _finding(seen, one, link)
            elif link is None and (_in_subquery(seen, one) or _lists_owners(seen, one)):
                yield _finding(seen, one, None)


def _to_many(one: Comparison, links: list[Link]) -> Link | None:
    """Return the join through which the compared table repeats the rows of another."""
    source = one.used.ref.source
    for link in links:
        if source is not None and any(s is source for s in link.sources):
            mine, other = link.side(source), link.other(source)
            if mine is not None and not is_unique(mine.table, mine.column.name):
                return link if is_unique(other.table, other.column.name) else None
    return None


def _in_subquery(seen: Seen, one: Comparison) -> bool:
    """The comparison filters a subquery that gives non-unique keys to an IN."""
    select = one.used.ref.block.select
    holder = select.find_ancestor(exp.In)
    if holder is None or holder.args.get("query") is None or isinstance(holder.parent, exp.Not):
        return False
    shown = [seen.by_node.get(id(e.unalias())) for e in _list(select)]
    return any(u is not None and not is_unique(u.table, u.column.name) for u in shown)


def _lists_owners(seen: Seen, one: Comparison) -> bool:
    """The compared table's rows belong to things, and only the keys of those are listed."""
    if not _NONE.search(seen.question) or one.used.ref.block.select is not seen.top:
        return False
    shown = [seen.by_node.get(id(e.unalias())) for e in _list(one.used.ref.block.select)]
    return bool(shown) and all(
        u is not None
        and u.table is one.used.table
        and bool(targets(u, seen.catalog))
        and not is_unique(u.table, u.column.name)
        for u in shown
    )


def _list(select: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(select, exp.Select):
        yield from select.expressions


def _shows_many(seen: Seen, one: Comparison, link: Link) -> bool:
    """The result shows or counts rows of the many side itself, so that each may differ.

    Its bare key is no such thing where the question asks for the keys of the other side.
    """
    top, source = one.used.ref.block.select, one.used.ref.source
    shown = [u for e in _list(top) for u in seen.uses_in(e) if u.ref.source is source]
    if not shown:
        return False
    asked = name_words(link.other(source).table.name) if source is not None else ()
    keys = all(u.column.name in u.table.primary_key for u in shown)
    return not (keys and has_run(seen.asked[:_HEAD], asked))


def _finding(seen: Seen, one: Comparison, link: Link | None) -> Finding:
    table = one.used.table.name
    return seen.found(
        "differs_for_none",
        "question",
        "repair",
        f"This keeps whatever has some {table} that differs, not what has none like it.",
        node=one.node,
        hint="Use NOT EXISTS, or NOT IN over those that do have it.",
        fix=none_like_it(seen, one, link) if link is not None else None,
    )


def negation_missing(seen: Seen) -> Iterable[Finding]:
    """Find questions with a negation whose SQL has none."""
    if not _EXCLUDES.search(seen.question) or _NO_EXCLUSION.search(seen.question):
        return
    if any(_DENIES.search(fact) for fact in seen.facts):
        return
    if seen.tree.find(*_EXCLUDING) is None and not any(_zero(c) for c in seen.comparisons):
        yield seen.found(
            "negation_missing",
            "question",
            "note",
            "The question excludes something; the SQL excludes nothing.",
            hint="Use NOT EXISTS, NOT IN or <>.",
        )


def _zero(one: Comparison) -> bool:
    return any(v in (0.0, "0", "no", "false") for v in one.values)
