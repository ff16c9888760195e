"""Top N broken down, and top N in each: the tree that ``LIMIT N`` over pairs was meant to be.

"Top N X by M, broken down by Y" chooses N X by their total M first and splits them by Y
afterwards; "top N X in each Y" ranks within Y (DESIGN §2).
"""

from collections.abc import Sequence

from sqlglot import exp

from querymend.tools.index.words import parts, singular

PLACE = "place_in_group"


def split_after_choice(
    tree: exp.Expr, *, n: int, entity: str, split: Sequence[str]
) -> exp.Expr | None:
    """Choose N entities by their total in a subquery and group those by entity and part.

    Returns:
        A new tree, or None where the statement does not group by the entity and a part, or does
        not order by an aggregate.
    """
    keys = _keys(tree)
    measure = _measure(tree)
    if measure is None or len(keys) < 2 or not isinstance(tree, exp.Select):
        return None
    chosen = _named(keys, entity, not_by=split)
    if chosen is None:
        return None
    whole = _uncut(tree)
    return whole.where(exp.In(this=chosen.copy(), query=_choice(tree, chosen, measure, n)))


def rank_within(
    tree: exp.Expr, *, n: int, entity: str, each: Sequence[str], highest: bool | None = None
) -> exp.Expr | None:
    """Rank the groups, or plain rows, within each part and keep N of each.

    Args:
        tree: the statement, which is left as it is.
        n: how many of each.
        entity: what is ranked; empty where the words do not say.
        each: what it is ranked within.
        highest: which end is wanted, if the statement itself orders by nothing.

    Returns:
        A new tree, or None as for ``split_after_choice``.
    """
    keys = _keys(tree) or _listed(tree)
    measure = _measure(tree) or _ranked_row(tree) or _only_aggregate(tree, highest)
    if measure is None or len(keys) < 2 or not isinstance(tree, exp.Select):
        return None
    part = _named(keys, " ".join(each), not_by=(entity,))
    if part is None or any(not s.alias_or_name for s in tree.selects):
        return None
    window = exp.Window(
        this=exp.RowNumber(),
        partition_by=[part.copy()],
        order=exp.Order(expressions=[measure.copy()]),
    )
    inner = _uncut(tree)
    inner.set("order", None)
    inner = inner.select(exp.alias_(window, PLACE))
    columns = [exp.column(s.alias_or_name, quoted=_is_quoted(s)) for s in tree.selects]
    kept = exp.LTE(this=exp.column(PLACE), expression=exp.Literal.number(n))
    return exp.select(*columns).from_(inner.subquery("ranked")).where(kept)


def _uncut(tree: exp.Select) -> exp.Select:
    whole = tree.copy()
    whole.set("limit", None)
    return whole


def _choice(tree: exp.Select, chosen: exp.Expr, measure: exp.Ordered, n: int) -> exp.Subquery:
    """Write the subquery that chooses: the same rows, grouped by the entity alone."""
    inner = exp.select(chosen.copy())
    for part in ("from_", "joins", "where"):
        found = tree.args.get(part)
        if found:
            copies = [f.copy() for f in found] if isinstance(found, list) else found.copy()
            inner.set(part, copies)
    inner = inner.group_by(chosen.copy())
    inner.set("order", exp.Order(expressions=[measure.copy()]))
    return inner.limit(n).subquery()


def _keys(tree: exp.Expr) -> list[exp.Expr]:
    """Return what a statement groups by, aliases and places resolved."""
    group = tree.args.get("group") if isinstance(tree, exp.Select) else None
    return [_resolved(tree, key) for key in group.expressions] if group else []


def _measure(tree: exp.Expr) -> exp.Ordered | None:
    """Return the first order term if it is an aggregate."""
    order = tree.args.get("order")
    if not order or not order.expressions:
        return None
    first = order.expressions[0].copy()
    first.set("this", _resolved(tree, first.this).copy())
    return first if first.this.find(exp.AggFunc) else None


def _listed(tree: exp.Expr) -> list[exp.Expr]:
    """Return the columns of a list of plain rows."""
    if not isinstance(tree, exp.Select) or tree.find(exp.AggFunc, exp.Window):
        return []
    return [s.unalias() for s in tree.selects if isinstance(s.unalias(), exp.Column)]


def _ranked_row(tree: exp.Expr) -> exp.Ordered | None:
    """Return the first order term of plain rows, which no aggregate makes."""
    order = tree.args.get("order")
    if not order or tree.find(exp.AggFunc, exp.Window):
        return None
    first = order.expressions[0].copy()
    first.set("this", _resolved(tree, first.this).copy())
    return first if isinstance(first, exp.Ordered) else None


def _only_aggregate(tree: exp.Expr, highest: bool | None) -> exp.Ordered | None:
    """Return the one aggregate of the list as an order term, where nothing is ordered by."""
    if highest is None or tree.args.get("order") or not isinstance(tree, exp.Select):
        return None
    found = [s.unalias() for s in tree.selects if s.find(exp.AggFunc)]
    return exp.Ordered(this=found[0].copy(), desc=highest) if len(found) == 1 else None


def _resolved(tree: exp.Expr, term: exp.Expr) -> exp.Expr:
    """Return the expression behind an alias or a place of the select list."""
    selects = tree.selects if isinstance(tree, exp.Select) else []
    if isinstance(term, exp.Literal) and term.is_int and 0 < int(term.this) <= len(selects):
        return selects[int(term.this) - 1].unalias()
    if isinstance(term, exp.Column) and not term.table:
        behind = [s for s in selects if isinstance(s, exp.Alias) and s.alias == term.name]
        return behind[0].this if behind else term
    return term


def _named(keys: Sequence[exp.Expr], words: str, *, not_by: Sequence[str]) -> exp.Expr | None:
    """Return the one key that the words name best, and the other words do not name better."""
    others = " ".join(not_by)
    fits = {i: (_fit(k, words), _fit(k, others)) for i, k in enumerate(keys)}
    good = [i for i, (mine, other) in fits.items() if mine > other]
    best = max(good, key=lambda i: fits[i][0], default=None)
    if best is None or sum(fits[i][0] == fits[best][0] for i in good) > 1:
        return None
    return keys[best]


def _fit(key: exp.Expr, words: str) -> float:
    """Return the share of a key's name words that the words hold; a hit at all counts most."""
    said = {w for each in words.lower().split() for w in (singular(each), each.removesuffix("s"))}
    name = {singular(p) for p in parts(key.name if isinstance(key, exp.Column) else "")}
    return len(said & name) / len(name) if name else 0.0


def _is_quoted(select: exp.Expr) -> bool:
    named = select.args.get("alias") if isinstance(select, exp.Alias) else select.this
    return isinstance(named, exp.Identifier) and bool(named.args.get("quoted"))
