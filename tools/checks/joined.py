"""Joined tables that give nothing, and yet repeat what is added up or drop rows nobody excluded."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.links import Link, is_unique, links_of, targets
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.checks.unused import is_named, only_link, unused_table, without
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, name_words
from querymend.tools.sql.binding import Block, Source

_ADDS = (exp.Sum, exp.Avg, exp.Count)


def joined_rows(seen: Seen) -> Iterable[Finding]:
    """Find a joined table of which only the key is used, that changes which rows are counted."""
    if seen.unresolved or any(True for _ in unused_table(seen)):
        return
    links = list(links_of(seen))
    for block in seen.binding.blocks:
        useless = list(_useless(seen, block, links))
        fix = _without_all(seen, block, [(s, k) for s, k, _ in useless])
        for source, link, why in useless:
            yield _finding(seen, source, link, why, fix)


def _useless(seen: Seen, block: Block, links: list[Link]) -> Iterator[tuple[Source, Link, str]]:
    """Yield the sources that give nothing, each with its join and what that does."""
    if len(block.sources) < 2 or not _is_inner(block):
        return
    for source in block.sources:
        link = only_link(seen, block, source, links)
        if link is not None and not _is_meant(seen, block, source):
            why = _effect(seen, block, source, link)
            if why:
                yield source, link, why


def _is_meant(seen: Seen, block: Block, source: Source) -> bool:
    """The question names the table, or whatever its key in the other table is named by."""
    assert source.table is not None
    own = (w for w in name_words(source.table.name) if len(w) > 2)
    return is_named(seen, block, source) or any(alike(w, a) for w in own for a in seen.asked)


def _is_inner(block: Block) -> bool:
    joins = block.select.args.get("joins") or []
    return all(not j.side and j.kind in ("", "INNER") and not j.method for j in joins)


def _effect(seen: Seen, block: Block, source: Source, link: Link) -> str:
    """Say what the join does to the other tables' rows; nothing where it is harmless."""
    mine, other = link.side(source), link.other(source)
    if mine is None:
        return ""
    if not is_unique(mine.table, mine.column.name):
        if _adds(seen, block, source):
            return "repeats rows that are added up"
        return "drops rows that have none" if _leaves_out(seen, block, mine, other) else ""
    refers = (mine.table.qualified_name.lower(), mine.column.name.lower()) in targets(
        other, seen.catalog
    )
    return "drops rows" if refers and _has_nulls(other) and not _excluded(seen, other) else ""


def _adds(seen: Seen, block: Block, source: Source) -> bool:
    """A group adds up columns of other tables, each row once for every row of the join."""
    if not block.select.args.get("group"):
        return False
    calls = [c for e in block.select.expressions for c in e.find_all(*_ADDS)]
    return any(
        used.ref.source is not source
        for call in calls
        if call.parent_select is block.select and not isinstance(call.this, exp.Distinct)
        for used in seen.uses_in(call)
    )


def _leaves_out(seen: Seen, block: Block, mine: Used, other: Used) -> bool:
    """A number of different things is asked for, and not each has a row in the joined table."""
    items = block.select.expressions
    one = items[0].unalias() if len(items) == 1 and not block.select.args.get("group") else None
    if not isinstance(one, exp.Count) or not isinstance(one.this, exp.Distinct):
        return False
    counted = [u.ref.source for u in seen.uses_in(one)]
    held = mine.column.profile.distinct if mine.column.profile else None
    whole = other.table.rows
    if held is None or whole is None:
        return False
    return counted == [other.ref.source] and held < whole


def _has_nulls(used: Used) -> bool:
    profile = used.column.profile
    return profile is not None and bool(profile.null_share)


def _excluded(seen: Seen, used: Used) -> bool:
    """The statement itself holds the key, or asks that it is not NULL."""
    mine = [u for u in seen.used if u.ref.source is used.ref.source and u.column is used.column]
    return any(u.ref.clause in ("where", "having", "group") for u in mine)


def _without_all(seen: Seen, block: Block, useless: list[tuple[Source, Link]]) -> exp.Expr | None:
    """Return the statement without the joins, all at once where none is the first source."""
    if not useless:
        return None
    joins = block.select.args.get("joins") or []
    nodes = [s.node for s, _ in useless]
    places = [i for i, j in enumerate(joins) if any(j.this is n for n in nodes)]
    if len(places) != len(nodes):
        source, link = useless[0]
        return without(seen, block, source, link.other(source))
    copy, select = seen.copied(block.select)
    for place in reversed(places):
        select.args["joins"].pop(place)
    return copy


def _finding(seen: Seen, source: Source, link: Link, why: str, fix: exp.Expr | None) -> Finding:
    assert source.table is not None
    other = link.other(source)
    share = other.column.profile.null_share if other.column.profile else None
    told = f"{other.column.name} is NULL in {share:.0%} of the rows" if share else ""
    return seen.found(
        "joined_rows",
        "join",
        "repair",
        f"{source.table.name} is joined, nothing of it is used, and the join {why}.",
        node=source.node,
        evidence=told if why == "drops rows" else "",
        hint=f"Leave {source.table.name} out.",
        fix=fix,
    )
