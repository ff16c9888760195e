"""DuckDB's clauses that Athena lacks: GROUP BY ALL, names of the result anywhere, QUALIFY."""

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.sql.aggregates import is_aggregate, walk_level
from querymend.tools.sql.binding import bind
from querymend.tools.sql.parse import Parsed
from querymend.tools.sql.sources import Ref
from querymend.tools.sql.translate.known import Untranslatable, untold

_MOST = 100
"""Names replaced in one statement; more means that two stand for each other."""
_KEPT = "qm_kept"


def spelt_out(tree: exp.Expr, catalog: Catalog) -> exp.Expr:
    """Return the tree without these clauses; the given one is changed.

    Raises:
        Untranslatable: one of them is used in a way that is not known.
    """
    for select in list(tree.find_all(exp.Select)):
        _group_by_all(select)
    _replace_aliases(tree, catalog)
    for select in list(tree.find_all(exp.Select)):
        tree = _without_qualify(tree, select)
    return tree


def _group_by_all(select: exp.Select) -> None:
    group = select.args.get("group")
    if not isinstance(group, exp.Group) or not group.args.get("all"):
        return
    if any(e.find(exp.Star) and not is_aggregated(e) for e in select.expressions):
        raise untold(group)
    keys = [i for i, e in enumerate(select.expressions, start=1) if not is_aggregated(e)]
    numbers = [exp.Literal.number(i) for i in keys]
    select.set("group", exp.Group(expressions=numbers) if numbers else None)


def is_aggregated(node: exp.Expr) -> bool:
    """Tell whether a column of the result is worked out of groups."""
    return any(isinstance(n, exp.Window) or is_aggregate(n, "duckdb") for n in walk_level(node))


def _replace_aliases(tree: exp.Expr, catalog: Catalog) -> None:
    for _ in range(_MOST):
        parsed = Parsed(text="", dialect="duckdb", tree=tree)
        found = next((r for r in bind(parsed, catalog).refs if _is_foreign(r)), None)
        if found is None:
            return
        _replace_alias(found)
    raise Untranslatable("Its columns' names stand for each other")


def _is_foreign(ref: Ref) -> bool:
    return ref.status == "alias" and ref.clause != "order"


def _replace_alias(ref: Ref) -> None:
    """Put a number in GROUP BY, elsewhere the expression itself, in the place of its name."""
    name = ref.column.name.lower()
    named = enumerate(ref.block.select.expressions, start=1)
    places = [(i, e) for i, e in named if e.alias_or_name.lower() == name]
    if len(places) != 1:
        raise untold(ref.column)
    at, meant = places[0]
    if ref.clause == "group" and isinstance(ref.column.parent, exp.Group):
        ref.column.replace(exp.Literal.number(at))
        return
    if meant.find(exp.Window) and ref.clause != "qualify":
        raise untold(ref.column)
    ref.column.replace(exp.paren(meant.unalias().copy(), copy=False))


def _without_qualify(tree: exp.Expr, select: exp.Select) -> exp.Expr:
    """Filter by windows in a query around; order and limit come after, as they do in DuckDB."""
    qualify = select.args.get("qualify")
    if not isinstance(qualify, exp.Qualify):
        return tree
    names = [e.alias_or_name for e in select.expressions]
    is_plain = all(names) and len({n.lower() for n in names}) == len(names) and "*" not in names
    if not is_plain or select.args.get("distinct"):
        raise untold(qualify)
    outer = exp.Select(expressions=[_named(n) for n in names])
    for part in ("order", "limit", "offset", "with_"):
        outer.set(part, select.args.get(part))
        select.set(part, None)
    _hold_order(outer, names)
    inner = select.copy()
    inner.set("qualify", None)
    inner.append("expressions", exp.alias_(qualify.this.copy(), _KEPT))
    outer.set("from_", exp.From(this=inner.subquery("qm_all", copy=False)))
    outer.set("where", exp.Where(this=exp.column(_KEPT)))
    return outer if select is tree else _put(tree, select, outer)


def _put(tree: exp.Expr, old: exp.Expr, new: exp.Expr) -> exp.Expr:
    old.replace(new)
    return tree


def _named(name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name))


def _hold_order(outer: exp.Select, names: list[str]) -> None:
    order = outer.args.get("order")
    known = {n.lower() for n in names}
    for item in order.expressions if isinstance(order, exp.Order) else ():
        key = item.this if isinstance(item, exp.Ordered) else item
        is_number = isinstance(key, exp.Literal)
        is_name = isinstance(key, exp.Column) and len(key.parts) == 1
        if not (is_number or (is_name and key.name.lower() in known)):
            raise untold(item)
