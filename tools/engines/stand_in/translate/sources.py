"""FROM: tables, subqueries, UNNEST, VALUES, LATERAL, and how they are joined."""

from collections.abc import Sequence

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault
from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    field,
    filled,
    lambda_,
    number,
)
from querymend.tools.engines.stand_in.translate.physical import field_names
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.errors import QueryError
from querymend.tools.sql.outputs import UNNAMED
from querymend.tools.sql.sources import Block, Source
from querymend.tools.sql.types.model import BOOLEAN, TrinoType
from querymend.tools.sql.types.typer import Named

_ODD = ("pivots", "sample", "version", "when", "changes", "hints", "only", "partition")


def add_from(tr: Translator, node: exp.Select, made: exp.Select, block: Block) -> None:
    """Translate FROM and the joins of a SELECT."""
    from_ = node.args.get("from_")
    if from_ is not None:
        made.set("from_", exp.From(this=_relation(tr, from_.this, block)))
    joins = [_join(tr, j, block) for j in node.args.get("joins") or []]
    if joins:
        made.set("joins", joins)
    if node.args.get("laterals"):
        raise tr.refused("LATERAL VIEW", node)


def _join(tr: Translator, node: exp.Join, block: Block) -> exp.Join:
    made = exp.Join(this=_relation(tr, node.this, block))
    for key in ("side", "kind", "method"):
        if node.args.get(key):
            made.set(key, node.args[key])
    on = node.args.get("on")
    if on is not None:
        _check_lateral(node, on)
        made.set("on", tr.to(on, BOOLEAN))
    if node.args.get("using"):
        names = [exp.to_identifier(u.name, quoted=True) for u in node.args["using"]]
        made.set("using", names)
    if (node.kind or "").upper() not in ("", "INNER", "CROSS", "OUTER"):
        raise tr.refused(f"{node.kind} JOIN", node)
    return made


def _check_lateral(node: exp.Join, on: exp.Expr) -> None:
    if not isinstance(node.this, (exp.Unnest, exp.Lateral)):
        return
    if not (isinstance(on, exp.Boolean) and on.this):
        shown = "UNNEST" if isinstance(node.this, exp.Unnest) else "LATERAL"
        message = f"{node.side or 'INNER'} JOIN involving {shown} is only supported with condition"
        raise fault("NOT_SUPPORTED", f"{message} ON TRUE")


def _relation(tr: Translator, node: exp.Expr, block: Block) -> exp.Expr:
    _check_odd(tr, node)
    source = next((s for s in block.sources if s.node is node), None)
    if source is None:
        return _bracketed(tr, node, block)
    if not isinstance(node, exp.Unnest):
        check_listed(_listed(node), tr.columns(source), source.name)
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        return _table(tr, node, source, block)
    if isinstance(node, exp.Unnest):
        return _unnest(tr, node, source)
    if isinstance(node, exp.Values):
        return _values(tr, node, source)
    if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
        return _lateral(tr, node, source)
    if isinstance(node, exp.Query) and not isinstance(node, exp.Table):
        made = exp.Subquery(this=tr.query(node, None))
        made.set("alias", _alias(tr, source, with_columns=True))
        return made
    raise tr.refused(f"{node.sql('trino')[:60]} in FROM", node)


def _check_odd(tr: Translator, node: exp.Expr) -> None:
    for key in _ODD:
        if node.args.get(key):
            raise tr.refused(f"{key.upper()} in FROM", node)


def _lateral(tr: Translator, node: exp.Lateral, source: Source) -> exp.Expr:
    made = exp.Lateral(this=exp.Subquery(this=tr.query(node.this, None)))
    made.set("alias", _alias(tr, source, with_columns=True))
    return made


def _bracketed(tr: Translator, node: exp.Expr, block: Block) -> exp.Expr:
    """Translate ``(a JOIN b)``, which is no source of its own."""
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table) and not node.alias:
        return exp.Subquery(this=_relation(tr, node.this, block))
    raise tr.refused(f"{node.sql('trino')[:60]} in FROM", node)


def _table(tr: Translator, node: exp.Table, source: Source, block: Block) -> exp.Expr:
    if source.table is None:
        made = exp.Table(this=exp.to_identifier(node.name, quoted=True))
    else:
        schema = source.table.schema or "main"
        made = exp.table_(
            source.table.name, db=schema, catalog=tr.world.catalog or None, quoted=True
        )
    listed = bool(_listed(node))
    made.set("alias", _alias(tr, source, with_columns=listed))
    joins = [_join(tr, j, block) for j in node.args.get("joins") or []]
    if joins:
        made.set("joins", joins)
    return made


def _listed(node: exp.Expr) -> list[exp.Expr]:
    alias = node.args.get("alias")
    return list(alias.args.get("columns") or []) if isinstance(alias, exp.TableAlias) else []


def check_listed(listed: Sequence[object], columns: Sequence[object], name: str) -> None:
    """Refuse an alias that lists more columns than there are, or fewer."""
    if listed and len(listed) != len(columns):
        raise _mismatched(len(listed), len(columns), name)


def _mismatched(listed: int, there: int, name: str) -> QueryError:
    message = f"Column alias list has {listed} entries but '{name}' has {there} columns available"
    return fault("MISMATCHED_COLUMN_ALIASES", message)


def _alias(tr: Translator, source: Source, *, with_columns: bool) -> exp.TableAlias:
    made = exp.TableAlias(this=exp.to_identifier(tr.alias(source), quoted=True))
    if with_columns:
        names = column_names(tr.columns(source))
        made.set("columns", [exp.to_identifier(n, quoted=True) for n in names])
    return made


def column_names(columns: list[Named]) -> list[str]:
    """Return what the columns of a query are called in DuckDB: each by a name of its own."""
    names: list[str] = []
    for place, (name, _) in enumerate(columns):
        low = [n.lower() for n in names]
        shown = f"_col{place}" if name == UNNAMED else name
        names.append(shown if shown.lower() not in low else f"qm_{shown}_{place}")
    return names


def _values(tr: Translator, node: exp.Values, source: Source) -> exp.Expr:
    kinds = [_known(tr, node, kind) for _, kind in tr.columns(source)]
    made = value_rows(tr, node, kinds)
    made.set("alias", _alias(tr, source, with_columns=True))
    return made


def value_rows(tr: Translator, node: exp.Values, kinds: list[TrinoType]) -> exp.Values:
    """Translate the rows of VALUES, each cell cast to its column's type."""
    rows = []
    for row in node.expressions:
        cells = row.expressions if isinstance(row, exp.Tuple) else [row]
        if len(cells) == 1 and tr.kind(cells[0]).base == "row":
            raise tr.refused("VALUES of a row that is written as one value", row)
        made = [tr.to(c, k) for c, k in zip(cells, kinds, strict=True)]
        rows.append(exp.Tuple(expressions=made))
    return exp.Values(expressions=rows)


def _known(tr: Translator, node: exp.Expr, kind: TrinoType | None) -> TrinoType:
    if kind is None:
        raise tr.refused("A column whose type cannot be told", node)
    return kind


def _unnest(tr: Translator, node: exp.Unnest, source: Source) -> exp.Expr:
    """Translate UNNEST into a query that unfolds all its arrays side by side."""
    made: list[exp.Expr] = []
    lengths: list[exp.Expr] = []
    for given in node.expressions:
        parts, length = _unfolded(tr, given)
        made += parts
        lengths.append(length)
    if node.args.get("offset"):
        made.append(_ordinality(lengths))
    columns = tr.columns(source)
    names = column_names(columns)
    if len(names) != len(made):
        raise _mismatched(len(_listed(node)), len(made), source.name)
    query = exp.Select(expressions=[_named(e, n) for e, n in zip(made, names, strict=True)])
    lateral = exp.Lateral(this=exp.Subquery(this=query))
    lateral.set("alias", _alias(tr, source, with_columns=False))
    return lateral


def _named(node: exp.Expr, name: str) -> exp.Expr:
    return exp.Alias(this=node, alias=exp.to_identifier(name, quoted=True))


def _unfolded(tr: Translator, given: exp.Expr) -> tuple[list[exp.Expr], exp.Expr]:
    kind, whole = tr.kind(given), tr.expr(given)
    if kind.base == "map":
        keys, values = call("map_keys", whole), call("map_values", whole.copy())
        return [call("unnest", keys), call("unnest", values)], call("len", keys.copy())
    if kind.base != "array":
        raise fault("INVALID_FUNCTION_ARGUMENT", f"Cannot unnest type: {kind}")
    if kind.parts[0].base != "row":
        return [call("unnest", whole)], call("len", whole.copy())
    fields: list[exp.Expr] = [
        call(
            "unnest",
            call("list_transform", whole.copy(), lambda_(field(column("qm_u"), n), "qm_u")),
        )
        for n in field_names(kind.parts[0])
    ]
    return fields, call("len", whole)


def _ordinality(lengths: list[exp.Expr]) -> exp.Expr:
    known = [call("coalesce", n, number(0)) for n in lengths]
    most = known[0] if len(known) == 1 else call("greatest", *known)
    return cast(call("unnest", call("range", number(1), filled("a + 1", a=most))), "BIGINT")
