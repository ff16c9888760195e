"""Whether two results differ only in which of several equal sort keys come first, or are cut."""

from collections.abc import Callable, Iterator

import sqlglot
from cases import Case, Said
from forms import same_rows
from sqlglot import exp

Ask = Callable[[str], Said]


def is_tie(case: Case, trino: Said, ask: Ask) -> bool:
    """Tell whether Trino's rows are a choice among those that the statement leaves open.

    The judged engine is asked for every row with its sort keys; Trino's rows must be the same
    group by group of equal keys, and only the last group may be cut.

    Args:
        case: the statement.
        trino: what Trino says of it.
        ask: asks the judged engine.
    """
    wide = _widened(case.sql)
    if wide is None:
        return False
    whole, cut = wide
    found = ask(whole.sql("trino"))
    shown = len(trino.columns)
    if found.error or len(found.columns) <= shown:
        return False
    groups = _groups(found, shown)
    return _fits(list(groups), trino, cut=cut)


def _widened(sql: str) -> tuple[exp.Select, bool] | None:
    """Return the statement without its LIMIT and with its keys shown, and whether it had one."""
    select = _deciding(sqlglot.parse_one(sql, read="trino"))
    order = select.args.get("order") if select else None
    if select is None or order is None or any(select.args.get(a) for a in ("offset", "distinct")):
        return None
    named = {e.alias.lower(): e.this for e in select.expressions if isinstance(e, exp.Alias)}
    keys = [named.get(o.this.name.lower(), o.this) for o in order.expressions]
    select.set("expressions", [*select.expressions, *(k.copy() for k in keys)])
    return select, bool(select.args.pop("limit", None))


def _deciding(tree: exp.Expr) -> exp.Select | None:
    """Return the SELECT that orders: the statement, or the only one that it takes columns of."""
    source = tree.args.get("from_") or tree.args.get("from")
    if not isinstance(tree, exp.Select):
        return None
    if tree.args.get("order") or source is None or not isinstance(source.this, exp.Subquery):
        return tree
    inner = source.this.this
    plain = all(isinstance(e, exp.Column) for e in tree.expressions)
    if not plain or any(tree.args.get(a) for a in ("where", "group", "joins", "limit")):
        return None
    wanted = [e.name.lower() for e in tree.expressions]
    found = [e for name in wanted for e in inner.expressions if e.alias_or_name.lower() == name]
    inner.set("expressions", found)
    return inner if isinstance(inner, exp.Select) and len(found) == len(wanted) else None


def _groups(found: Said, shown: int) -> Iterator[list[list[object]]]:
    """Yield the rows group by group of equal keys, without the keys."""
    last: list[object] | None = None
    group: list[list[object]] = []
    for row in found.rows:
        if group and row[shown:] != last:
            yield group
            group = []
        last = row[shown:]
        group.append(row[:shown])
    if group:
        yield group


def _fits(groups: list[list[list[object]]], trino: Said, *, cut: bool) -> bool:
    left = list(trino.rows)
    for group in groups:
        part, left = left[: len(group)], left[len(group) :]
        if len(part) < len(group):
            return cut and not left and _is_part(part, group)
        if not same_rows(part, group, trino.types):
            return False
    return not left


def _is_part(rows: list[list[object]], group: list[list[object]]) -> bool:
    free = [repr(row) for row in group]
    for row in map(repr, rows):
        if row not in free:
            return False
        free.remove(row)
    return True
