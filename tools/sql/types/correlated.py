"""Subqueries that name columns of the query around them, in ways that Trino cannot untie.

What Trino 435 unties was tried on it: aggregates over any condition; LIMIT only where the columns
outside are compared by ``=``, with an ORDER BY where one value is wanted; an UNNEST without WHERE.
"""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.sql.aggregates import walk_level
from querymend.tools.sql.binding import Binding, Ref
from querymend.tools.sql.trees import unwrap
from querymend.tools.sql.types.faults import Fault
from querymend.tools.sql.types.signatures import overloads

_CODE = "unsupported_correlation"


def tied(tree: exp.Expr, binding: Binding) -> Iterator[Fault]:
    """Yield the subqueries that Trino cannot untie from the query around them."""
    outside = {id(r.column): r for r in binding.refs if r.status == "found" and r.depth > 0}
    if not outside:
        return
    for select in tree.find_all(exp.Select):
        holder = select.parent
        while isinstance(holder, exp.Subquery):
            holder = holder.parent
        if holder is not None and (found := _fault(select, holder, outside)):
            yield found


def _fault(select: exp.Select, holder: exp.Expr, outside: dict[int, Ref]) -> Fault | None:
    if isinstance(holder, (exp.SetOperation, exp.From, exp.Join, exp.CTE)):
        return _of_part(select, holder, outside)
    if _unnests(select, outside):
        if _is_narrowed(select) or isinstance(holder, exp.In):
            return _make(
                select,
                "A subquery that unnests an outer array takes no WHERE, GROUP BY or HAVING.",
                "Write any_match(array, x -> …), contains(array, value) or"
                " cardinality(filter(array, x -> …)).",
            )
        return None
    conditions = _conditions(select, outside)
    if not conditions:
        return None
    return _of_limit(select, holder, conditions, outside) or _of_groups(
        select, holder, conditions, outside
    )


def _of_part(select: exp.Select, holder: exp.Expr, outside: dict[int, Ref]) -> Fault | None:
    """Judge a part of a subquery: an arm of a set operation, a query in its FROM."""
    conditions = _conditions(select, outside)
    simple = all(_is_equality(c, outside) for c in conditions)
    tangled = (
        isinstance(holder, exp.SetOperation)
        or _has_window(select)
        or (not simple and bool(select.args.get("group") or select.args.get("distinct")))
    )
    if not conditions or not tangled:
        return None
    return _make(
        select,
        "Trino cannot untie this part of a subquery from the query around it.",
        "Compute it for all keys in a subquery of FROM, and join that on the key.",
    )


def _has_window(select: exp.Select) -> bool:
    return any(isinstance(n, exp.Window) for n in walk_level(select.expressions))


def _unnests(select: exp.Select, outside: dict[int, Ref]) -> bool:
    """Tell whether FROM unnests a column of the query around."""
    sources = [j.this for j in select.args.get("joins") or []]
    from_ = select.args.get("from_")
    sources += [from_.this] if isinstance(from_, exp.From) else []
    return any(
        isinstance(s, exp.Unnest) and any(id(c) in outside for c in s.find_all(exp.Column))
        for s in sources
    )


def _is_narrowed(select: exp.Select) -> bool:
    return any(select.args.get(k) for k in ("where", "group", "having", "distinct"))


def _conditions(select: exp.Select, outside: dict[int, Ref]) -> list[exp.Expr]:
    """Return the parts of WHERE that name columns of both queries."""
    where = select.args.get("where")
    if not isinstance(where, exp.Where):
        return []
    parts = where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
    return [p for p in parts if _is_mixed(p, outside)]


def _is_mixed(part: exp.Expr, outside: dict[int, Ref]) -> bool:
    columns = list(walk_columns(part))
    return any(id(c) in outside for c in columns) and any(id(c) not in outside for c in columns)


def walk_columns(part: exp.Expr) -> Iterator[exp.Column]:
    """Yield the columns of an expression itself, not of queries within it."""
    return (n for n in walk_level(part) if isinstance(n, exp.Column))


def _is_equality(part: exp.Expr, outside: dict[int, Ref]) -> bool:
    """Tell whether a bare column of this query must equal something of the query around."""
    if isinstance(part, exp.Paren):
        return _is_equality(part.this, outside)
    if isinstance(part, exp.In):
        return True
    if not isinstance(part, exp.EQ):
        return False
    for mine, other in ((part.this, part.expression), (part.expression, part.this)):
        bare = isinstance(mine, exp.Column) and id(mine) not in outside
        if bare and all(id(c) in outside for c in walk_columns(other)):
            return True
    return False


def _of_limit(
    select: exp.Select, holder: exp.Expr, conditions: list[exp.Expr], outside: dict[int, Ref]
) -> Fault | None:
    if select.args.get("offset") is not None:
        return _limited(select, "OFFSET")
    limit = select.args.get("limit")
    if limit is None or (_aggregates(select) and not select.args.get("group")):
        return None
    simple = all(_is_equality(c, outside) for c in conditions)
    loose = not isinstance(holder, (exp.Exists, exp.Lateral)) and not select.args.get("order")
    if not simple or loose or isinstance(holder, exp.In):
        return _limited(select, "LIMIT")
    return None


def _limited(select: exp.Select, word: str) -> Fault:
    return _make(
        select,
        f"Trino cannot untie a subquery with {word} from the query around it.",
        "Take max_by(value, order) or min_by(value, order) instead of ORDER BY … LIMIT 1,"
        " or join with a subquery that numbers rows by row_number().",
    )


def _of_groups(
    select: exp.Select, holder: exp.Expr, conditions: list[exp.Expr], outside: dict[int, Ref]
) -> Fault | None:
    simple = all(_is_equality(c, outside) for c in conditions)
    distinct = select.args.get("distinct") is not None
    grouped = bool(select.args.get("group")) or _aggregates(select)
    having = select.args.get("having") is not None and not select.args.get("group")
    in_list = isinstance(holder, exp.In) and (distinct or grouped)
    if having or _has_window(select) or in_list or (distinct and not simple):
        return _make(
            select,
            "Trino cannot untie this subquery from the query around it.",
            "Write EXISTS with the conditions alone, or join with a grouped subquery.",
        )
    return None


def _aggregates(select: exp.Select) -> bool:
    return any(
        isinstance(n, exp.Anonymous)
        and any(s.kind == "aggregate" for s in overloads(n.name.lower()))
        and not isinstance(n.parent, exp.Window)
        for n in walk_level(select.expressions)
    )


def _make(select: exp.Select, message: str, hint: str) -> Fault:
    return Fault(code=_CODE, node=unwrap(select), message=message, hint=hint)
