"""Tables that are joined and give nothing: no column of theirs is used, no word names them."""

import re
from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.checks.links import Link, is_unique, links_of, targets
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, content_words, name_words
from querymend.tools.sql.binding import Block, Source


def unused_table(seen: Seen) -> Iterable[Finding]:
    """Find a joined table at the edge of the join tree that neither SQL nor question needs."""
    if seen.unresolved:
        return
    links = list(links_of(seen))
    for block in seen.binding.blocks:
        if len(block.sources) < 2:
            continue
        for source in block.sources:
            link = only_link(seen, block, source, links)
            if (
                link is None
                or not _changes(link, source, seen.catalog)
                or is_named(seen, block, source)
            ):
                continue
            counted = _counts_rows(block.select)
            if _counts_other(seen, block, source) if counted else not _folds(block.select):
                yield _finding(seen, block, source, link)


def only_link(seen: Seen, block: Block, source: Source, links: list[Link]) -> Link | None:
    """Return the one join that a source hangs on, if nothing else uses its columns."""
    mine = [k for k in links if any(s is source for s in k.sources)]
    uses = [r for r in seen.binding.refs if r.source is source]
    if source.table is None or len(mine) != 1 or len(uses) != 1:
        return None
    if _stars(block.select):
        return None
    return mine[0]


def _stars(select: exp.Expr) -> bool:
    return any(e.is_star for e in select.expressions if not e.find(exp.Count))


def _folds(select: exp.Expr) -> bool:
    """Repeated rows do not show: they are grouped, made distinct, or only compared with."""
    if select.args.get("group") or select.find(exp.Distinct) or _takes_one(select):
        return True
    return select.find_ancestor(exp.In, exp.Exists, exp.Intersect, exp.Except) is not None


def _takes_one(select: exp.Expr) -> bool:
    limit = select.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    return isinstance(count, exp.Literal) and str(count.this) == "1"


def _counts_rows(select: exp.Expr) -> bool:
    """COUNT(*) and the like read the joined rows without naming a column."""
    return any(c.find(exp.Star) for c in select.find_all(exp.Count))


def _counts_other(seen: Seen, block: Block, source: Source) -> bool:
    """The question asks for a number of what another table holds."""
    others = (s.table for s in block.sources if s is not source and s.table)
    return any(alike(name_words(t.name)[-1], w) for t in others for w in seen.counted)


def _changes(link: Link, source: Source, catalog: Catalog) -> bool:
    """The join can repeat or drop the other's rows; what those refer to is there once for each."""
    mine, other = link.side(source), link.other(source)
    if mine is None:
        return False
    refers = (other.table.qualified_name.lower(), other.column.name.lower()) in targets(
        mine, catalog
    )
    return refers or not is_unique(mine.table, mine.column.name)


def is_named(seen: Seen, block: Block, source: Source) -> bool:
    """Tell whether a word of the question names the table, one that no other table here has."""
    assert source.table is not None
    others = {w for s in block.sources if s.table and s is not source for w in _words(s)}
    own = set(name_words(source.table.name)) - others
    own |= {w for c in source.table.columns for w in name_words(c.name)} - others
    own |= set(content_words(source.table.description)) - others
    named = re.compile(rf"\b{re.escape(source.table.name)}\b", re.IGNORECASE)
    told = any(named.search(fact) for fact in seen.facts)
    return told or any(alike(w, asked) for w in own if len(w) > 2 for asked in seen.asked)


def _words(source: Source) -> set[str]:
    assert source.table is not None
    columns = {w for c in source.table.columns for w in name_words(c.name)}
    return {*name_words(source.table.name), *columns, *content_words(source.table.description)}


def _finding(seen: Seen, block: Block, source: Source, link: Link) -> Finding:
    assert source.table is not None
    return seen.found(
        "unused_counted" if _counts_rows(block.select) else "unused_table",
        "join",
        "repair",
        f"{source.table.name} is joined, but nothing of it is used, and the question names it not.",
        node=source.node,
        hint=f"Leave {source.table.name} out.",
        fix=without(seen, block, source, link.other(source)),
    )


def without(seen: Seen, block: Block, source: Source, kept: Used) -> exp.Expr | None:
    """Return the statement without the join; the first source is put in the other's place."""
    joins = block.select.args.get("joins") or []
    copy, select = seen.copied(block.select)
    at = next((i for i, j in enumerate(joins) if j.this is source.node), None)
    if at is not None:
        select.args["joins"].pop(at)
        return copy
    if len(joins) == 1 and kept.ref.source is not None and joins[0].this is kept.ref.source.node:
        select.set("from_", exp.From(this=joins[0].this.copy()))
        select.set("joins", None)
        return copy
    return None
