"""ORDER BY, OFFSET, LIMIT and FETCH."""

from typing import TypeVar

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault
from querymend.tools.engines.stand_in.translate.build import column, field, number
from querymend.tools.engines.stand_in.translate.physical import ZONED_TIMESTAMP
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.sources import Block

Q = TypeVar("Q", bound=exp.Query)


def ordered(tr: Translator, node: exp.Expr, block: Block | None) -> exp.Order:
    """Translate the ORDER BY of a query; what names a column of the result is its number."""
    keys = [_key(tr, node, item) for item in node.args["order"].expressions]
    return exp.Order(expressions=keys)


def _key(tr: Translator, node: exp.Expr, item: exp.Expr) -> exp.Ordered:
    inner = item.this if isinstance(item, exp.Ordered) else item
    place = _place(tr, node, inner)
    if place is not None:
        return directed(item, place)
    if isinstance(node, exp.SetOperation):
        raise tr.refused("ORDER BY an expression behind a set operation", item)
    return order_key(tr, item)


def _place(tr: Translator, node: exp.Expr, inner: exp.Expr) -> exp.Expr | None:
    """Return the number of the result's column that is named."""
    columns = tr.types.columns(node) or ()
    if isinstance(inner, exp.Literal) and inner.is_int:
        if not 1 <= int(inner.name) <= len(columns):
            message = f"ORDER BY position {inner.name} is not in select list"
            raise fault("INVALID_COLUMN_REFERENCE", message)
        return number(int(inner.name))
    if not isinstance(inner, exp.Column) or len(inner.parts) > 1:
        return None
    ref = tr.ref(inner)
    is_output = ref is not None and (ref.status == "alias" or isinstance(node, exp.SetOperation))
    places = [i for i, (n, _) in enumerate(columns, start=1) if n.lower() == inner.name.lower()]
    return number(places[0]) if is_output and places else None


def order_key(tr: Translator, item: exp.Expr) -> exp.Ordered:
    """Translate one key of an ORDER BY by its value."""
    inner = item.this if isinstance(item, exp.Ordered) else item
    made, kind = tr.expr(inner), tr.kind(inner)
    if kind.base == ZONED_TIMESTAMP:
        made = field(made, "i")
    if isinstance(made, exp.Literal) or kind.base in ("map", "json"):
        raise tr.refused(f"ORDER BY {inner.sql('trino')[:60]}", item)
    return directed(item, made)


def directed(item: exp.Expr, key: exp.Expr) -> exp.Ordered:
    """Keep a key's direction; NULLs come last either way unless it says otherwise."""
    return exp.Ordered(
        this=key,
        desc=bool(item.args.get("desc")),
        nulls_first=bool(item.args.get("nulls_first")),
    )


def add_limits(tr: Translator, node: exp.Expr, made: Q) -> Q:
    """Translate OFFSET, LIMIT and FETCH."""
    offset, limit = node.args.get("offset"), node.args.get("limit")
    if offset is not None:
        made.set("offset", exp.Offset(expression=_count(tr, offset.expression)))
    if isinstance(limit, exp.Limit):
        made.set("limit", exp.Limit(expression=_count(tr, limit.expression)))
    elif isinstance(limit, exp.Fetch):
        return _fetch(tr, limit, made, offset)
    elif limit is not None:
        raise tr.refused("LIMIT of this form", node)
    return made


def _count(tr: Translator, node: exp.Expr) -> exp.Expr:
    inner = node.this if isinstance(node, exp.Paren) else node
    if not isinstance(inner, exp.Literal) or not inner.is_int:
        raise tr.refused(f"LIMIT or OFFSET {node.sql('trino')}", node)
    return number(int(inner.name))


def _fetch(tr: Translator, node: exp.Fetch, made: Q, offset: object) -> Q:
    count = node.args.get("count") or exp.Literal.number(1)
    options = node.args.get("limit_options")
    if options is None or not options.args.get("with_ties"):
        if options is not None and options.args.get("percent"):
            raise tr.refused("FETCH FIRST … PERCENT", node)
        made.set("limit", exp.Limit(expression=_count(tr, count)))
        return made
    if offset is not None or not isinstance(made, exp.Select) or not made.args.get("order"):
        raise tr.refused("FETCH FIRST … WITH TIES of this form", node)
    return _with_ties(tr, made, _count(tr, count))


def _with_ties(tr: Translator, made: Q, count: exp.Expr) -> Q:
    """Keep the rows whose rank is within the count."""
    names = [p.alias for p in made.expressions]
    keys = [_by_value(made, key) for key in made.args["order"].expressions]
    if made.args.get("distinct"):
        raise tr.refused("SELECT DISTINCT with FETCH FIRST … WITH TIES", made)
    rank = exp.Window(
        this=exp.Anonymous(this="rank"), order=exp.Order(expressions=keys), over="OVER"
    )
    place = tr.fresh("rank")
    made.append("expressions", exp.Alias(this=rank, alias=exp.to_identifier(place, quoted=True)))
    made.set("order", None)
    table = exp.Subquery(this=made, alias=exp.TableAlias(this=exp.to_identifier(tr.fresh("s"))))
    return exp.Select(  # type: ignore[return-value]  # what is ordered is a SELECT
        expressions=[column(n) for n in names],
        from_=exp.From(this=table),
        where=exp.Where(this=exp.LTE(this=column(place), expression=count)),
        order=exp.Order(expressions=[exp.Ordered(this=column(place), nulls_first=False)]),
    )


def _by_value(made: exp.Query, key: exp.Expr) -> exp.Expr:
    """Return a key with the expression that its number stands for."""
    new = key.copy()
    inner = new.this
    if isinstance(inner, exp.Literal) and inner.is_int:
        inner.replace(made.expressions[int(inner.name) - 1].this.copy())
    return new
