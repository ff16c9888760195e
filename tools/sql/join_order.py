"""Joins whose conditions name a table that is joined only after them, put in order."""

from sqlglot import exp

from querymend.tools.sql.parse import Parsed


def joined_in_order(parsed: Parsed) -> str | None:
    """Return the statement with each table joined before a condition names it.

    None where nothing is out of order, or outer joins stand there: their order means something.
    """
    assert parsed.tree is not None
    tree = parsed.tree.copy()
    moved = [_sorted(select) for select in tree.find_all(exp.Select)]
    return tree.sql(parsed.dialect, normalize_functions=False) if any(moved) else None


def _sorted(select: exp.Select) -> bool:
    """Sort the joins of one SELECT; tell whether that changed anything."""
    joins = list(select.args.get("joins") or [])
    start = select.args.get("from_")
    if start is None or any(j.side or j.method or j.args.get("using") for j in joins):
        return False
    names = {j.this.alias_or_name.lower() for j in joins}
    there, kept, left = {start.this.alias_or_name.lower()}, [], joins
    while left:
        fit = next((j for j in left if _names(j) & names <= there | _own(j)), None)
        if fit is None:
            return False
        kept.append(fit)
        there |= _own(fit)
        left = [j for j in left if j is not fit]
    select.set("joins", kept)
    return any(a is not b for a, b in zip(joins, kept, strict=True))


def _names(join: exp.Join) -> set[str]:
    """Return the qualifiers that a join's condition names."""
    on = join.args.get("on")
    return {c.table.lower() for c in on.find_all(exp.Column) if c.table} if on else set()


def _own(join: exp.Join) -> set[str]:
    return {join.this.alias_or_name.lower()}
