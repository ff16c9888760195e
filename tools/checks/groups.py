"""GROUP BY held against keys: counts that are always one, names that stand for several things."""

import re
from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.catalog.model import Table
from querymend.tools.checks.links import Link, is_unique, links_of, targets
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.sql.binding import Block


def group_keys(seen: Seen, block: Block) -> list[Used] | None:
    """Return the columns that a SELECT groups by; None where it does not, or by more than those."""
    group = block.select.args.get("group")
    if group is None:
        return None
    found = [seen.by_node.get(id(_meant(e, block))) for e in group.expressions]
    return None if not found or any(f is None for f in found) else [f for f in found if f]


def _meant(node: exp.Expr, block: Block) -> exp.Expr:
    """Return what an alias or a number in GROUP BY stands for."""
    if isinstance(node, exp.Literal) and node.is_int and isinstance(block.select, exp.Select):
        shown = block.select.expressions
        place = int(node.this) - 1
        return shown[place].unalias() if 0 <= place < len(shown) else node
    if isinstance(node, exp.Column) and not node.table and node.name.lower() in block.aliases:
        return block.aliases[node.name.lower()]
    return node


def always_one(seen: Seen) -> Iterable[Finding]:
    """Find COUNT over groups of one row: by a unique column, where nothing repeats the rows."""
    links = list(links_of(seen))
    for block in seen.binding.blocks:
        keys = group_keys(seen, block)
        counts = list(_counts(block.select))
        if not keys or not counts or any(s.table is None for s in block.sources):
            continue
        if _covers_all(keys, links, block):
            yield seen.found(
                "always_one",
                "shape",
                "repair",
                f"{keys[0].column.name} is unique, so that every group has one row to count.",
                node=block.select.args["group"],
                hint="Join the table whose rows are to be counted, or group by something coarser.",
            )


def _counts(select: exp.Expr) -> Iterable[exp.Expr]:
    clauses = [*select.expressions, select.args.get("having"), select.args.get("order")]
    for clause in clauses:
        if clause is not None:
            yield from (c for c in clause.find_all(exp.Count) if c.parent_select is select)


def determined(
    keys: list[Used], links: list[Link], block: Block, *, declared: bool = False
) -> set[int]:
    """Return the sources, by identity, of which the keys of a group determine one row each.

    Args:
        keys: what is grouped by.
        links: the joins of the statement.
        block: the SELECT.
        declared: hold to declared keys; in a small table other columns are unique by chance.
    """
    known = {(id(k.ref.source), k.column.name.lower()) for k in keys}
    found: set[int] = set()
    size = -1
    mine = [k for k in links if k.block.select is block.select]
    while size != len(found) + len(known):
        size = len(found) + len(known)
        for link in mine:
            for one, other in ((link.left, link.right), (link.right, link.left)):
                place = (id(one.ref.source), one.column.name.lower())
                if place in known or id(one.ref.source) in found:
                    known.add((id(other.ref.source), other.column.name.lower()))
        for source in block.sources:
            columns = [c for s, c in known if s == id(source)]
            if source.table and _identify(source.table, columns, declared):
                found.add(id(source))
    return found


def _identify(table: Table, columns: list[str], declared: bool) -> bool:
    if table.is_unique(columns):
        return True
    return not declared and any(is_unique(table, c) for c in columns)


def _covers_all(keys: list[Used], links: list[Link], block: Block) -> bool:
    """Every source gives one row a group."""
    return {id(s) for s in block.sources} <= determined(keys, links, block, declared=True)


def arbitrary_in_group(seen: Seen) -> Iterable[Finding]:
    """Find columns shown beside aggregates that the group does not determine."""
    links = list(links_of(seen))
    for block in seen.binding.blocks:
        keys = group_keys(seen, block)
        if not _folds(block.select, keys):
            continue
        known = determined(keys or [], links, block)
        grouped = _equal({_place(k) for k in keys or []}, links)
        for item in block.select.expressions:
            used = seen.by_node.get(id(item.unalias()))
            if used and id(used.ref.source) not in known and _place(used) not in grouped:
                yield _arbitrary(seen, item, used)
                break


def _folds(select: exp.Expr, keys: list[Used] | None) -> bool:
    """The SELECT folds rows, by columns or all into one, and not to the row of an extreme."""
    calls = [c for e in select.expressions for c in e.find_all(exp.AggFunc)]
    if any(isinstance(c, exp.Max | exp.Min) or c.find_ancestor(exp.Window) for c in calls):
        return False
    return keys is not None if select.args.get("group") else bool(calls)


def _place(used: Used) -> tuple[int, str]:
    return id(used.ref.source), used.column.name.lower()


def _arbitrary(seen: Seen, item: exp.Expr, used: Used) -> Finding:
    return seen.found(
        "arbitrary_in_group",
        "shape",
        "repair",
        f"{used.column.name} differs within a group: any one of its values is shown.",
        node=item,
        hint=f"Group by {used.column.name} too, or aggregate it.",
    )


def _equal(grouped: set[tuple[int, str]], links: list[Link]) -> set[tuple[int, str]]:
    found = set(grouped)
    for link in links:
        ends = {(id(u.ref.source), u.column.name.lower()) for u in (link.left, link.right)}
        if ends & found:
            found |= ends
    return found


def group_by_label(seen: Seen) -> Iterable[Finding]:
    """Find groups by a name that several things share, where the things have a key."""
    for block in seen.binding.blocks:
        keys = group_keys(seen, block)
        if not keys or len(keys) != 1 or len(block.sources) < 2:
            continue
        used = keys[0]
        profile, rows = used.column.profile, used.table.rows
        if not used.table.primary_key or profile is None or not rows or not profile.distinct:
            continue
        if targets(used, seen.catalog) or not re.search(r"(?:name|title)$", used.column.name, re.I):
            continue
        share = profile.distinct / rows
        if 0.6 <= share < 1 and not is_unique(used.table, used.column.name):
            yield seen.found(
                "group_by_label",
                "shape",
                "repair",
                f"Several rows of {used.table.name} share a {used.column.name}: they are merged.",
                node=block.select.args["group"],
                evidence=f"{profile.distinct} values in {rows} rows",
                hint=f"Group by {used.table.name}.{used.table.primary_key[0]}.",
            )
