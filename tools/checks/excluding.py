"""A join that keeps what differs, written anew as what has none: ``NOT EXISTS``."""

from collections.abc import Sequence

from sqlglot import exp

from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.links import Link
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.sql.binding import Source
from querymend.tools.sql.trees import copied


def none_like_it(seen: Seen, one: Comparison, link: Link) -> exp.Expr | None:
    """Return the statement that keeps what has no such row, or None where that is not certain.

    Args:
        seen: the statement, a single SELECT.
        one: the negated comparison of a column of the many side.
        link: the join of the many side with the things asked for.
    """
    select, source = link.block.select, one.used.ref.source
    if source is None or select is not seen.tree or not isinstance(select, exp.Select):
        return None
    mine, other = link.side(source), link.other(source)
    plain = _turned(one)
    if mine is None or plain is None or not _is_required(one):
        return None
    shown = _own_keys(seen, source, [mine.ref.column, *one.node.find_all(exp.Column)])
    home = other.ref.source
    key = home.table.primary_key if home is not None and home.table is not None else ()
    if shown is None or home is None or (shown and len(key) != 1):
        return None
    nodes = [one.node, source.node, home.node, *(u.ref.column for u in shown)]
    copy, (node, there, here, *keys) = copied(select, nodes)
    for column in keys:
        column.replace(exp.column(key[0], table=home.name))
    return _rewritten(copy, node, there, here, _inner(source, plain, mine, other))


def _turned(one: Comparison) -> exp.Expr | None:
    """Return the comparison without its negation."""
    if isinstance(one.node, exp.NEQ):
        return exp.EQ(this=one.node.this.copy(), expression=one.node.expression.copy())
    return one.node.copy() if isinstance(one.node.parent, exp.Not) else None


def _is_required(one: Comparison) -> bool:
    """The comparison is one of those that all must hold."""
    outer = one.node.parent if isinstance(one.node.parent, exp.Not) else one.node
    above = outer.parent if outer is not None else None
    while isinstance(above, exp.And | exp.Paren):
        above = above.parent
    return isinstance(above, exp.Where)


def _own_keys(seen: Seen, source: Source, known: Sequence[exp.Expr]) -> list[Used] | None:
    """Return the uses of the many side's own key in the list; None if more of it is used."""
    rest = [u for u in seen.used if u.ref.source is source]
    rest = [u for u in rest if all(u.ref.column is not k for k in known)]
    keys = [u for u in rest if u.ref.clause == "select" and u.column.name in u.table.primary_key]
    bare = all(isinstance(u.ref.column.parent, exp.Select) for u in keys)
    return keys if len(keys) == len(rest) and bare else None


def _inner(source: Source, plain: exp.Expr, mine: Used, other: Used) -> exp.Expr:
    same = exp.EQ(this=mine.ref.column.copy(), expression=other.ref.column.copy())
    inner = exp.select("1").from_(source.node.copy()).where(same).where(plain)
    return exp.Not(this=exp.Exists(this=inner))


def _rewritten(
    copy: exp.Expr, node: exp.Expr, there: exp.Expr, here: exp.Expr, instead: exp.Expr
) -> exp.Expr | None:
    """Take the many side out of FROM and put the new condition in the old one's place."""
    join = there.parent
    if isinstance(join, exp.From):
        join = here.parent
        if not isinstance(join, exp.Join) or len(copy.args.get("joins") or []) != 1:
            return None
        there.replace(here.copy())
    if not isinstance(join, exp.Join) or not isinstance(join.args.get("on"), exp.EQ):
        return None
    join.pop()
    (node.parent if isinstance(node.parent, exp.Not) else node).replace(instead)
    return copy
