"""Subqueries that bind, compare or exclude otherwise than they read."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.comparisons import value_of
from querymend.tools.checks.links import is_unique
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding


def outer_by_mistake(seen: Seen) -> Iterable[Finding]:
    """Find bare columns in a subquery that its own tables lack, so that the outer query's serve."""
    for ref in seen.binding.refs:
        inner = [s.table.name for s in ref.block.sources if s.table is not None]
        if ref.depth and not ref.column.table and ref.status == "found" and inner and ref.source:
            yield seen.found(
                "outer_by_mistake",
                "name",
                "repair",
                f"{ref.name} is no column of {', '.join(inner)}: the outer {ref.source.name}'s "
                "is taken.",
                node=ref.column,
                hint=f"Name a column of {', '.join(inner)}.",
            )


def null_in_not_in(seen: Seen) -> Iterable[Finding]:
    """Find NOT IN over a column with NULLs: one NULL among them and no row is kept."""
    for node in seen.all(exp.Not):
        inside = node.this.unnest()
        query = inside.args.get("query") if isinstance(inside, exp.In) else None
        select = query.unnest() if query is not None else None
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            continue
        used = seen.by_node.get(id(select.expressions[0].unalias()))
        profile = used.column.profile if used else None
        if used is None or used.ref.depth or profile is None or _guarded(select):
            continue
        if not profile.null_share:
            continue
        yield seen.found(
            "null_in_not_in",
            "literal",
            "repair",
            f"{used.column.name} holds NULLs: NOT IN keeps no row.",
            node=used.ref.column,
            evidence=f"{profile.null_share:.0%} NULL",
            hint=f"Add WHERE {used.column.name} IS NOT NULL.",
            fix=_without_null(seen, select),
        )


def _guarded(select: exp.Select) -> bool:
    where = select.args.get("where")
    return where is not None and where.find(exp.Is) is not None


def _without_null(seen: Seen, select: exp.Select) -> exp.Expr:
    copy, here = seen.copied(select)
    assert isinstance(here, exp.Select)
    column = here.expressions[0].unalias().copy()
    here.where(exp.Not(this=exp.Is(this=column, expression=exp.Null())), copy=False)
    return copy


def one_of_many(seen: Seen) -> Iterable[Finding]:
    """Find ``=`` with a subquery that may give many rows: an engine fails, or takes any one."""
    for node in seen.all(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE):
        for side in (node.this, node.expression):
            select = side.this if isinstance(side, exp.Subquery) else None
            if isinstance(select, exp.Select) and _may_be_many(seen, select):
                yield seen.found(
                    "one_of_many",
                    "shape",
                    "repair",
                    "The subquery may give several rows; one value is needed here.",
                    node=side,
                    hint="Use IN, an aggregate, or ORDER BY with LIMIT 1.",
                    fix=_in_place_of(seen, node) if isinstance(node, exp.EQ) else None,
                )


def _may_be_many(seen: Seen, select: exp.Select) -> bool:
    """Neither an aggregate, nor a LIMIT, nor an equality on a unique column keeps it to one row."""
    if select.args.get("limit") or select.find(exp.Limit):
        return False
    if not select.args.get("group") and any(e.find(exp.AggFunc) for e in select.expressions):
        return False
    blocks = [b for b in seen.binding.blocks if b.select is select]
    if not blocks or any(s.table is None for s in blocks[0].sources):
        return False
    return not _pinned(seen, select)


def _pinned(seen: Seen, select: exp.Select) -> bool:
    where = select.args.get("where")
    for node in where.find_all(exp.EQ) if where is not None else ():
        for side, other in ((node.this, node.expression), (node.expression, node.this)):
            used = seen.by_node.get(id(side))
            if used is None:
                continue
            literal = value_of(other, seen.is_text)
            rows = used.table.rows
            outer = (o := seen.by_node.get(id(other))) is not None and o.ref.depth > 0
            scalar = isinstance(other, exp.Subquery)
            if (literal is not None or outer or scalar) and _nearly_unique(used):
                return True
            if rows is not None and rows <= 1:
                return True
    return False


def _nearly_unique(used: Used) -> bool:
    """A name that few rows share: a person who asks by it means one of them."""
    if is_unique(used.table, used.column.name):
        return True
    profile, rows = used.column.profile, used.table.rows
    return bool(profile and profile.distinct and rows and profile.distinct > 0.8 * rows)


def _in_place_of(seen: Seen, node: exp.Expr) -> exp.Expr | None:
    """Return the statement with IN for ``=``."""
    if not isinstance(node.expression, exp.Subquery):
        return None
    copy, here = seen.copied(node)
    here.replace(exp.In(this=here.this.copy(), query=here.expression.copy()))
    return copy
