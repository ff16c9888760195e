"""SELECT, set operations, WITH: their clauses and the order of their rows."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault
from querymend.tools.engines.stand_in.translate.build import column
from querymend.tools.engines.stand_in.translate.coercions import coerced
from querymend.tools.engines.stand_in.translate.grouping import add_group
from querymend.tools.engines.stand_in.translate.names import stored_column
from querymend.tools.engines.stand_in.translate.ordering import add_limits, ordered
from querymend.tools.engines.stand_in.translate.recursion import recursive
from querymend.tools.engines.stand_in.translate.sources import (
    add_from,
    check_listed,
    column_names,
    value_rows,
)
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.outputs import alias_columns
from querymend.tools.sql.sources import Block, Source
from querymend.tools.sql.types.model import BOOLEAN, TrinoType
from querymend.tools.sql.types.typer import Named

_UNKNOWN_CLAUSES = (
    *("qualify", "match", "connect", "cluster", "distribute", "sort", "into", "prewhere"),
    *("pivots", "hint", "sample", "locks", "settings", "format", "options", "operation_modifiers"),
)
_MODIFIERS = ("order", "limit", "offset")


def query(tr: Translator, node: exp.Expr, wanted: list[TrinoType] | None) -> exp.Query:
    """Translate a query whose columns take the wanted types."""
    kinds = wanted or own_types(tr, node)
    if isinstance(node, exp.Subquery):
        return _wrapped(tr, node, kinds)
    if isinstance(node, exp.SetOperation):
        made: exp.Query = _set_operation(tr, node, kinds)
    elif isinstance(node, exp.Select):
        made = _select(tr, node, kinds)
    elif isinstance(node, exp.Values):
        return exp.Select(
            expressions=[exp.Star()], from_=exp.From(this=value_rows(tr, node, kinds))
        )
    else:
        raise tr.refused(f"The query {node.sql('trino')[:60]}", node)
    _add_with(tr, node, made)
    return made


def own_types(tr: Translator, node: exp.Expr) -> list[TrinoType]:
    """Return the types of a query's columns."""
    return [_known(tr, node, kind) for _, kind in own_columns(tr, node)]


def own_columns(tr: Translator, node: exp.Expr) -> list[Named]:
    """Return the columns of a query."""
    columns = tr.types.columns(node)
    if columns is None:
        raise tr.refused("A query whose columns cannot be told", node)
    return list(columns)


def _known(tr: Translator, node: exp.Expr, kind: TrinoType | None) -> TrinoType:
    if kind is None:
        raise tr.refused("A query with a column whose type cannot be told", node)
    return kind


def _wrapped(tr: Translator, node: exp.Subquery, kinds: list[TrinoType]) -> exp.Query:
    if any(node.args.get(k) for k in (*_MODIFIERS, "pivots", "sample")):
        raise tr.refused("A bracketed query with clauses behind the bracket", node)
    if node.args.get("with_"):
        raise tr.refused("WITH before a bracketed query", node)
    return query(tr, node.this, kinds)


def _add_with(tr: Translator, node: exp.Expr, made: exp.Query) -> None:
    with_ = node.args.get("with_")
    if with_ is None:
        return
    ctes: list[exp.Expr] = []
    is_recursive = bool(with_.args.get("recursive"))
    for cte in with_.expressions:
        ctes += recursive(tr, cte) if is_recursive and _meets_itself(cte) else [_cte(tr, cte)]
    made.set("with_", exp.With(expressions=ctes, recursive=is_recursive))


def _meets_itself(cte: exp.CTE) -> bool:
    name = cte.alias.lower()
    tables = cte.this.find_all(exp.Table)
    return any(t.name.lower() == name and not t.db for t in tables)


def _cte(tr: Translator, cte: exp.CTE) -> exp.CTE:
    listed = alias_columns(cte.args.get("alias"))
    check_listed(listed, own_columns(tr, cte.this), cte.alias)
    names = listed or column_names(own_columns(tr, cte.this))
    alias = exp.TableAlias(
        this=exp.to_identifier(cte.alias, quoted=True),
        columns=[exp.to_identifier(n, quoted=True) for n in names],
    )
    return exp.CTE(this=query(tr, cte.this, None), alias=alias)


def _select(tr: Translator, node: exp.Select, kinds: list[TrinoType]) -> exp.Select:
    for key in _UNKNOWN_CLAUSES:
        if node.args.get(key):
            raise tr.refused(key.upper() if key != "match" else "MATCH_RECOGNIZE", node)
    block = tr.block(node)
    made = exp.Select()
    add_from(tr, node, made, block)
    _add_projections(tr, node, made, block, kinds)
    _add_conditions(tr, node, made)
    add_group(tr, node, made)
    for window in node.args.get("windows") or []:
        made.append("windows", tr.expr(window))
    if node.args.get("distinct"):
        if node.args["distinct"].args.get("on"):
            raise tr.refused("DISTINCT ON", node)
        made.set("distinct", exp.Distinct())
    if node.args.get("order"):
        made.set("order", ordered(tr, node, block))
    return add_limits(tr, node, made)


def _add_conditions(tr: Translator, node: exp.Select, made: exp.Select) -> None:
    where, having = node.args.get("where"), node.args.get("having")
    if where is not None:
        made.set("where", exp.Where(this=tr.to(where.this, BOOLEAN)))
    if having is not None:
        made.set("having", exp.Having(this=tr.to(having.this, BOOLEAN)))


def _add_projections(
    tr: Translator, node: exp.Select, made: exp.Select, block: Block, kinds: list[TrinoType]
) -> None:
    names = column_names(own_columns(tr, node))
    found = [pair for p in node.expressions for pair in _projected(tr, p, block)]
    if not len(found) == len(kinds) == len(names):
        raise tr.refused("A query whose columns cannot be told", node)
    projections = [
        exp.Alias(this=coerced(value, kind, wanted), alias=exp.to_identifier(name, quoted=True))
        for (value, kind), wanted, name in zip(found, kinds, names, strict=True)
    ]
    made.set("expressions", projections)


_Pair = tuple[exp.Expr, TrinoType]


def _projected(tr: Translator, node: exp.Expr, block: Block) -> Iterator[_Pair]:
    """Yield what one item of the list selects: a star stands for many."""
    if isinstance(node, exp.Star):
        yield from _star(tr, block, "")
    elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        yield from _star(tr, block, node.text("table"))
    elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star):
        raise tr.refused(node.sql("trino"), node)
    else:
        yield tr.expr(node), tr.kind(node)


def _star(tr: Translator, block: Block, table: str) -> Iterator[_Pair]:
    chosen = [s for s in block.sources if not table or s.name.lower() == table.lower()]
    pairs = [(s, n, k) for s in chosen for n, k in zip(*_all(tr, s), strict=True)]
    used = block.used
    seen: set[str] = set()
    for _, name, kind in pairs if not table else ():
        if name.lower() in used and name.lower() not in seen:
            seen.add(name.lower())
            yield column(name), kind
    for source, name, kind in pairs:
        if name.lower() not in used:
            yield stored_column(tr, source.table, column(name, tr.alias(source)), kind), kind


def _all(tr: Translator, source: Source) -> tuple[list[str], list[TrinoType]]:
    columns = tr.columns(source)
    return column_names(columns), [_known(tr, source.node, k) for _, k in columns]


_KINDS: dict[type[exp.Expr], type[exp.SetOperation]] = {
    exp.Union: exp.Union,
    exp.Intersect: exp.Intersect,
    exp.Except: exp.Except,
}


def _set_operation(
    tr: Translator, node: exp.SetOperation, kinds: list[TrinoType]
) -> exp.SetOperation:
    kind = _KINDS.get(type(node))
    if kind is None or any(node.args.get(k) for k in ("by_name", "side", "kind")):
        raise tr.refused(f"{node.key.upper()} of this form", node)
    common = own_types(tr, node)
    made = kind(
        this=_arm(tr, node.this, common, node, left=True),
        expression=_arm(tr, node.expression, common, node, left=False),
        distinct=bool(node.args.get("distinct")),
    )
    if common != kinds:
        raise tr.refused("A set operation whose result is cast", node)
    if node.args.get("order"):
        made.set("order", ordered(tr, node, None))
    add_limits(tr, node, made)
    return made


def _arm(
    tr: Translator, node: exp.Expr, kinds: list[TrinoType], whole: exp.SetOperation, *, left: bool
) -> exp.Query:
    """Translate one side; it is bracketed unless the chain reads the same without."""
    made = _as(tr, node, kinds)
    same = left and type(node) is type(whole)
    plain = isinstance(node, exp.Select) and not any(node.args.get(k) for k in _MODIFIERS)
    plain = plain and not node.args.get("with_")
    return made if same or plain else exp.Subquery(this=made)


def _as(tr: Translator, node: exp.Expr, kinds: list[TrinoType]) -> exp.Query:
    """Translate an arm in the types of the whole; a set operation within is cast from outside."""
    inner = node
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    own = own_types(tr, inner)
    if len(own) != len(kinds):
        raise fault("TYPE_MISMATCH", "The queries have different numbers of fields")
    if not isinstance(inner, exp.SetOperation) or own == kinds:
        return query(tr, node, kinds)
    names = column_names(own_columns(tr, inner))
    alias = tr.fresh("s")
    cells = [
        exp.Alias(this=coerced(column(n, alias), a, b), alias=exp.to_identifier(n, quoted=True))
        for n, a, b in zip(names, own, kinds, strict=True)
    ]
    table = exp.Subquery(
        this=query(tr, node, None), alias=exp.TableAlias(this=exp.to_identifier(alias))
    )
    return exp.Select(expressions=cells, from_=exp.From(this=table))
