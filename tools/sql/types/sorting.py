"""ORDER BY beside DISTINCT, and GROUPING beside GROUP BY: both must repeat what is listed."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.sql.types.cures import shown
from querymend.tools.sql.types.faults import Fault


def unlisted(tree: exp.Expr) -> Iterator[Fault]:
    """Yield what is ordered by or grouped over without being listed."""
    for node in tree.walk():
        if isinstance(node, exp.Select) and node.args.get("distinct") is not None:
            yield from _of_select(node)
        elif isinstance(node, exp.Anonymous) and node.name.lower() == "grouping":
            yield from _of_grouping(node)
        elif isinstance(node, exp.Order) and isinstance(node.this, exp.Distinct):
            yield from _of_call(node)


def _plain(node: exp.Expr) -> str:
    """Spell an expression without the names of tables, for a comparison."""
    copy = node.unalias().copy()
    for column in copy.find_all(exp.Column):
        column.set("table", None)
        column.set("db", None)
    while isinstance(copy, exp.Paren):
        copy = copy.this
    return copy.sql("trino").lower()


def _of_select(node: exp.Select) -> Iterator[Fault]:
    order, distinct = node.args.get("order"), node.args["distinct"]
    listed = node.expressions
    if order is None or distinct.args.get("on") or any(p.find(exp.Star) for p in listed):
        return
    named = (p for p in listed if isinstance(p, (exp.Alias, exp.Column, exp.Dot)))
    names = {p.alias_or_name.lower() for p in named}
    texts = {_plain(p) for p in listed}
    for item in order.expressions:
        if not _is_listed(item.this, names, texts):
            message = f"SELECT DISTINCT does not select {shown(item.this)}, which ORDER BY names."
            hint = f"Select {shown(item.this)} too and order by its alias or number, or GROUP BY."
            yield Fault(code="order_outside_distinct", node=item.this, message=message, hint=hint)


def _is_listed(node: exp.Expr, names: set[str], texts: set[str]) -> bool:
    """Tell whether Trino finds an ORDER BY item among the outputs.

    A name that is an output means the output, so that an expression over one is none of the list.
    """
    if isinstance(node, exp.Literal) and node.is_int:
        return True
    if isinstance(node, exp.Column):
        return node.name.lower() in names or _plain(node) in texts
    if any(isinstance(n, exp.DPipe) or n.name.lower() == "concat" for n in node.walk()):
        return True  # two spellings of one call
    bare = {c.name.lower() for c in node.find_all(exp.Column) if not c.table}
    return not bare & names and _plain(node) in texts


def _of_call(node: exp.Order) -> Iterator[Fault]:
    given = {_plain(e) for e in node.this.expressions}
    for item in node.expressions:
        if _plain(item.this) not in given:
            message = f"An aggregate of DISTINCT values cannot order by {shown(item.this)}."
            hint = "Order by the aggregated expression itself, or leave DISTINCT out."
            yield Fault(code="order_outside_distinct", node=item.this, message=message, hint=hint)


def _of_grouping(node: exp.Anonymous) -> Iterator[Fault]:
    select = node.find_ancestor(exp.Select)
    group = select.args.get("group") if select is not None else None
    if group is None or any(n.is_int for n in group.find_all(exp.Literal)):
        return
    keys = {_plain(c) for c in group.find_all(exp.Column)}
    for given in node.expressions:
        if isinstance(given, exp.Column) and _plain(given) not in keys:
            message = f"grouping names {shown(given)}, which GROUP BY does not."
            yield Fault(
                code="not_grouped",
                node=given,
                message=message,
                hint=f"Name columns of GROUP BY: {', '.join(sorted(keys))}.",
            )
