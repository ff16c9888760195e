"""One aggregate or window call taken apart, and written again: DISTINCT, ORDER BY, FILTER, OVER."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
)
from querymend.tools.engines.stand_in.translate.calls import Call, overload
from querymend.tools.engines.stand_in.translate.ordering import order_key
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.engines.stand_in.translate.windows import window_parts
from querymend.tools.sql.types.model import (
    BOOLEAN,
    INTEGERS,
    TrinoType,
)

SAFE_ORDER = ("varchar", "date", "timestamp", "decimal", "boolean", "time", "char", *INTEGERS)
"""Types whose values DuckDB orders as Trino does."""


@dataclass(frozen=True, kw_only=True)
class Aggregate:
    """One call of an aggregate or window function, taken apart."""

    node: exp.Expr
    name: str
    arguments: tuple[exp.Expr, ...]
    gives: TrinoType
    star: bool = False
    distinct: bool = False
    order: tuple[exp.Expr, ...] = ()
    filter: exp.Expr | None = None
    ignore_nulls: bool = False
    window: exp.Window | None = None
    separator: exp.Expr | None = field(default=None)


def taken_apart(tr: Translator, node: exp.Expr) -> Aggregate:
    """Take a call apart, from its outermost node."""
    gives = tr.kind(node)
    window = condition = None
    ignore = False
    current = node
    order: tuple[exp.Expr, ...] = ()
    while not isinstance(current, (exp.Anonymous, exp.GroupConcat)):
        if isinstance(current, exp.Window) and window is None:
            window = current
        elif isinstance(current, exp.Filter) and condition is None:
            condition = current.expression.this
        elif isinstance(current, exp.IgnoreNulls):
            ignore = True
        elif isinstance(current, exp.WithinGroup):
            order = tuple(current.expression.expressions)
        elif not isinstance(current, exp.RespectNulls):
            raise tr.refused(f"{current.key.upper()} around a function", node)
        current = current.this
    whole = Aggregate(
        node=node,
        name=current.name.lower() if isinstance(current, exp.Anonymous) else "listagg",
        arguments=(),
        gives=gives,
        filter=condition,
        ignore_nulls=ignore,
        window=window,
        order=order,
    )
    return _with_arguments(tr, whole, current)


def _with_arguments(tr: Translator, whole: Aggregate, node: exp.Expr) -> Aggregate:
    if isinstance(node, exp.GroupConcat):
        return _listed(tr, whole, node)
    items = list(node.expressions)
    distinct = False
    order = whole.order
    if items and isinstance(items[-1], exp.Order):
        order = tuple(items[-1].expressions)
        last = items[-1].this
        items = [*items[:-1], last] if isinstance(last, exp.Expr) else items[:-1]
    if items and isinstance(items[0], exp.Distinct):
        distinct = True
        items = [*items[0].expressions, *items[1:]]
    if items and isinstance(items[-1], exp.Order):
        order = tuple(items[-1].expressions)
        items = [*items[:-1], items[-1].this]
    star = len(items) == 1 and isinstance(items[0], exp.Star)
    arguments = () if star else tuple(items)
    return replace(whole, arguments=arguments, distinct=distinct, order=order, star=star)


def _listed(tr: Translator, whole: Aggregate, node: exp.GroupConcat) -> Aggregate:
    inner = node.this
    if node.args.get("on_overflow"):
        raise tr.refused("LISTAGG … ON OVERFLOW", whole.node)
    order = whole.order
    if isinstance(inner, exp.Order):
        order, inner = tuple(inner.expressions), inner.this
    distinct = isinstance(inner, exp.Distinct)
    items = tuple(inner.expressions) if isinstance(inner, exp.Distinct) else (inner,)
    return replace(
        whole, arguments=items, order=order, distinct=distinct, separator=node.args.get("separator")
    )


def emit(tr: Translator, given: Aggregate, name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call one of DuckDB's aggregates with all that hangs on the given one."""
    items: list[exp.Expr] = list(arguments)
    if given.ignore_nulls and items:
        items[-1] = exp.IgnoreNulls(this=items[-1])
    if given.distinct:
        items = [exp.Distinct(expressions=items)]
    if given.order:
        keys = [order_key(tr, k) for k in given.order]
        items[-1] = exp.Order(this=items[-1], expressions=keys)
    made: exp.Expr = call(name, *items)
    if given.filter is not None:
        condition = exp.Where(this=tr.to(given.filter, BOOLEAN))
        made = exp.Filter(this=made, expression=condition)
    if given.window is None:
        return made
    return exp.Window(this=made, **window_parts(tr, given.window))


def wanted(tr: Translator, given: Aggregate) -> list[exp.Expr]:
    """Translate the arguments as the overload takes them."""
    whole = Call(node=given.node, name=given.name, arguments=given.arguments, gives=given.gives)
    match = overload(tr, whole)
    return [tr.to(a, k) for a, k in zip(given.arguments, match.arguments, strict=True)]


AggregateRule = Callable[[Translator, Aggregate], exp.Expr]
