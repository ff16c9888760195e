"""What Trino refuses for its shape: modifiers of calls, joins with UNNEST, names given twice."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.sql.trees import is_comma
from querymend.tools.sql.types.cures import shown
from querymend.tools.sql.types.faults import Fault
from querymend.tools.sql.types.signatures import overloads

_ORDERED = ("lag", "lead")
_NULLS = ("lag", "lead", "first_value", "last_value", "nth_value")
_WRAPS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)
_SUBQUERY = "in a subquery first"


def misshapen(tree: exp.Expr) -> Iterator[Fault]:
    """Yield what Trino's analyser refuses in a tree that keeps calls as written."""
    for node in tree.walk():
        if isinstance(node, exp.Window):
            yield from _window(node)
        elif isinstance(node, (exp.Anonymous, exp.Filter)):
            yield from _scalar(node)
        elif isinstance(node, exp.Join):
            yield from _unnest_join(node)
        elif isinstance(node, exp.With):
            yield from _twice(node)
        elif isinstance(node, exp.Select):
            yield from _star(node)


def _kind(call: exp.Expr) -> str:
    """Return what a call is to Trino, empty where that is not known."""
    if not isinstance(call, exp.Anonymous):
        return ""
    kinds = {s.kind for s in overloads(call.name.lower())}
    return kinds.pop() if len(kinds) == 1 else ""


def _call(node: exp.Expr) -> exp.Expr:
    while isinstance(node, _WRAPS):
        node = node.this
    return node


def _window(node: exp.Window) -> Iterator[Fault]:
    call = _call(node.this)
    over = "OVER (…)"
    if isinstance(node.this, exp.Filter):
        wanted = node.this.expression.this
        first = call.expressions[0] if call.expressions else exp.Literal.number(1)
        cure = f"Write {call.name}(IF({shown(wanted)}, {shown(first)})) {over}."
        message = "A window takes no FILTER."
        yield Fault(code="filter_over_window", node=node, message=message, hint=cure)
    if any(isinstance(a, exp.Distinct) for a in call.expressions):
        message = "A window takes no DISTINCT."
        cure = f"Write approx_distinct(x) {over}, or count distinct values {_SUBQUERY}."
        yield Fault(code="distinct_over_window", node=node, message=message, hint=cure)
    if _kind(call) == "scalar":
        message = f"{call.name} is no window function: it takes no OVER."
        cure = f"Remove OVER, or put an aggregate or window function inside {call.name}(…)."
        yield Fault(code="not_a_window", node=node, message=message, hint=cure)
    if isinstance(node.this, exp.IgnoreNulls) and call.name.lower() not in _NULLS:
        message = f"{call.name} takes no IGNORE NULLS."
        cure = "Remove IGNORE NULLS, or filter the NULLs in a subquery."
        yield Fault(code="null_treatment", node=node, message=message, hint=cure)
    if call.name.lower() in _ORDERED and node.args.get("spec") is not None:
        message = f"{call.name} takes no frame."
        cure = "Remove ROWS or RANGE: the offset says which row is taken."
        yield Fault(code="frame_not_allowed", node=node, message=message, hint=cure)
    if call.name.lower() in _ORDERED and not _is_ordered(node):
        message = f"{call.name} needs an order."
        cure = f"Write {call.name}(…) OVER (PARTITION BY … ORDER BY …)."
        yield Fault(code="missing_order", node=node, message=message, hint=cure)


def _is_ordered(node: exp.Window) -> bool:
    return node.args.get("order") is not None or node.args.get("alias") is not None


def _scalar(node: exp.Expr) -> Iterator[Fault]:
    """Yield FILTER, DISTINCT and ORDER BY of what aggregates nothing."""
    call = _call(node)
    if call.name.lower() == "grouping" and not _is_grouped(node):
        message = "grouping needs a GROUP BY."
        cure = "Add GROUP BY ROLLUP (…) or GROUPING SETS (…)."
        yield Fault(code="missing_group_by", node=node, message=message, hint=cure)
    if _kind(call) != "scalar":
        return
    held = next((a for a in call.expressions if isinstance(a, (exp.Distinct, exp.Order))), None)
    word = "FILTER" if isinstance(node, exp.Filter) else held.key.upper() if held else ""
    if word:
        message = f"{call.name} is no aggregate: it takes no {word}."
        cure = f"Put {word} into the aggregate inside, or remove it."
        yield Fault(code="not_an_aggregate", node=call, message=message, hint=cure)


def _is_grouped(node: exp.Expr) -> bool:
    select = node.find_ancestor(exp.Select)
    return select is None or select.args.get("group") is not None


def _unnest_join(node: exp.Join) -> Iterator[Fault]:
    on = node.args.get("on")
    if not isinstance(node.this, exp.Unnest) or is_comma(node) or node.kind == "CROSS":
        return
    side = node.side.upper()
    if side in ("RIGHT", "FULL"):
        message = f"A {side} JOIN cannot unnest what stands to its left."
        cure = "Write LEFT JOIN UNNEST(…) AS t(…) ON TRUE, or CROSS JOIN UNNEST(…)."
    elif isinstance(on, exp.Expr) and not (isinstance(on, exp.Boolean) and on.this):
        message = "A join with UNNEST takes no condition but ON TRUE."
        cure = f"Write ON TRUE, and {shown(on)} in WHERE or in filter(array, x -> …)."
    else:
        return
    yield Fault(code="unnest_condition", node=on or node.this, message=message, hint=cure)


def _twice(node: exp.With) -> Iterator[Fault]:
    seen: set[str] = set()
    for cte in node.expressions:
        name = cte.alias.lower()
        if name in seen:
            message = f"WITH defines {cte.alias} twice."
            yield Fault(
                code="defined_twice",
                node=cte.args["alias"],
                message=message,
                hint=f"Give the second {cte.alias} another name.",
            )
        seen.add(name)


def _star(node: exp.Select) -> Iterator[Fault]:
    if node.args.get("from_") is None and any(isinstance(p, exp.Star) for p in node.expressions):
        message = "There is no FROM that * could stand for."
        cure = "Add FROM with the table."
        yield Fault(code="star_without_from", node=node, message=message, hint=cure)
