"""Tables joined only to get from one to another that a key connects straight."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.checks.links import Link, keys_between, links_of
from querymend.tools.checks.named import has_run
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, name_words
from querymend.tools.sql.binding import Source
from querymend.tools.sql.trees import copied


@dataclass(frozen=True, kw_only=True)
class Detour:
    """Two joins through a source, and the key that makes them needless."""

    bridge: Source
    first: Link
    second: Link
    key: tuple[str, str]
    """The columns of the two ends, here and there."""

    @property
    def ends(self) -> tuple[Used, Used]:
        """The columns that the two joins take of the sources at either end."""
        return self.first.other(self.bridge), self.second.other(self.bridge)


def detour(seen: Seen) -> Iterable[Finding]:
    """Find sources that only lead from one table to another, where a known key does so too.

    Such a join leaves out what has no row in between, which the question did not ask for.
    """
    for found in _detours(seen):
        here, there = found.ends
        table = found.bridge.table
        assert table is not None
        pair = f"{here.table.name}.{found.key[0]} = {there.table.name}.{found.key[1]}"
        yield seen.found(
            "detour",
            "join",
            "repair",
            f"{here.table.name} and {there.table.name} are joined through {table.name}, which "
            "leaves out what has no row there; a key connects them.",
            node=found.second.node,
            hint=f"Join ON {pair}.",
            fix=_straight(seen, found),
        )


def _detours(seen: Seen) -> Iterator[Detour]:
    links = list(links_of(seen))
    for source in {id(s): s for link in links for s in link.sources}.values():
        mine = [link for link in links if any(s is source for s in link.sources)]
        if len(mine) != 2 or not _only_leads(seen, source) or _asked(seen, source):
            continue
        one, other = (link.other(source) for link in mine)
        keys = keys_between(one.table, other.table, seen.catalog)
        if len(keys) == 1 and one.table is not other.table:
            yield Detour(bridge=source, first=mine[0], second=mine[1], key=keys[0])


def _only_leads(seen: Seen, source: Source) -> bool:
    """The statement takes nothing of a table but the columns of its two joins."""
    uses = [r for r in seen.binding.refs if r.source is source]
    return source.table is not None and len(uses) == 2 and not seen.tree.find(exp.Star)


def _asked(seen: Seen, source: Source) -> bool:
    """The question speaks of the table in between."""
    words = name_words(source.table.name) if source.table else ()
    return has_run(seen.asked, words) or any(
        len(w) > 2 and any(alike(w, a) for a in seen.asked) for w in words
    )


def _straight(seen: Seen, found: Detour) -> exp.Expr | None:
    """Return the statement with the one join along the key, where both joins are plain."""
    joins = [j for link in (found.first, found.second) if (j := _plain_join(link)) is not None]
    if len(joins) != 2 or joins[0].this is not found.bridge.node:
        return None
    copy, (node, bridge) = copied(seen.tree, [found.second.node, joins[0]])
    here, there = (
        exp.column(name, table=end.ref.source.name if end.ref.source else None)
        for end, name in zip(found.ends, found.key, strict=True)
    )
    node.set("this", here)
    node.set("expression", there)
    bridge.pop()
    return copy


def _plain_join(link: Link) -> exp.Join | None:
    """Return the inner join whose whole condition the link is."""
    join = link.node.parent
    if not isinstance(join, exp.Join) or join.args.get("side") or join.args.get("using"):
        return None
    return join if join.args.get("on") is link.node else None
