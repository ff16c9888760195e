"""Columns, the fields below them, and the parameters of lambdas."""

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault
from querymend.tools.engines.stand_in.translate.build import (
    cast,
    column,
    field,
    filled,
    text,
)
from querymend.tools.engines.stand_in.translate.coercions import zoned
from querymend.tools.engines.stand_in.translate.physical import (
    ZONED_TIMESTAMP,
    field_names,
    physical,
)
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.sources import Ref
from querymend.tools.sql.types.fields import place_of
from querymend.tools.sql.types.model import (
    TrinoType,
)


def column_(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a column, and the fields that a dotted name takes out of it."""
    ref = tr.ref(node)
    if isinstance(node.this, exp.Star) or ref is None:
        return _parameter(tr, node)
    parts = [p.name for p in node.parts] if isinstance(node, exp.Column) else []
    if ref.status == "alias":
        return tr.expr(ref.block.aliases[ref.name.lower()])
    if ref.status != "found" or ref.source is None:
        raise tr.refused(f"The column {node.sql('trino')}, which cannot be told,", node)
    place = place_of(ref, parts)
    return fields_of(tr, node, *source_column(tr, ref, place, parts), parts[place + 1 :])


def _parameter(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a lambda's parameter that was read as a column, with fields below it."""
    parts = [p.name for p in node.parts] if isinstance(node, exp.Column) else [node.name]
    name = tr.parameter(parts[0])
    if name is None or len(parts) > 1:
        raise tr.refused(f"The name {node.sql('trino')}, which cannot be told,", node)
    return column(name)


def identifier(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate a lambda's parameter."""
    name = tr.parameter(node.name)
    if name is None:
        raise tr.refused(f"The name {node.name}, which cannot be told,", node)
    return column(name)


def source_column(
    tr: Translator, ref: Ref, place: int, parts: list[str]
) -> tuple[exp.Expr, TrinoType]:
    """Return a column of an entry of FROM with its type."""
    assert ref.source is not None
    columns = tr.columns(ref.source)
    low = ref.name.lower()
    kind = next((k for n, k in columns if n.lower() == low), None)
    if kind is None:
        raise tr.refused(f"The column {ref.name}, whose type cannot be told,", ref.column)
    if place == 0 and low in ref.block.merged:
        return column(ref.name), kind
    return stored_column(tr, ref.source.table, column(ref.name, tr.alias(ref.source)), kind), kind


def stored_column(tr: Translator, table: object, node: exp.Column, kind: TrinoType) -> exp.Expr:
    """Read a column of a table whose type in DuckDB is not the one that Trino's type has."""
    schema, name = getattr(table, "schema", ""), getattr(table, "name", "")
    own = tr.world.stored.get((schema.lower(), name.lower(), node.name.lower()), "")
    if not own or own == physical(kind):
        return node
    if own == "TIMESTAMP WITH TIME ZONE" and kind.base == ZONED_TIMESTAMP:
        return zoned(filled("timezone('UTC', a)", a=node), text("UTC"))
    return cast(node, physical(kind))


def fields_of(
    tr: Translator, node: exp.Expr, found: exp.Expr, kind: TrinoType, names: list[str]
) -> exp.Expr:
    """Take the field of a field out of a row."""
    for name in names:
        if kind.base != "row":
            raise tr.refused(f"The field {name} of {kind}", node)
        low = [n.lower() if n else None for n in kind.names]
        if name.lower() not in low:
            raise fault("COLUMN_NOT_FOUND", f"Column '{name}' cannot be resolved")
        at = low.index(name.lower())
        found, kind = field(found, field_names(kind)[at]), kind.parts[at]
    return found


def dot(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``row.field``."""
    return fields_of(tr, node, tr.expr(node.this), tr.kind(node.this), [node.expression.name])


def alias(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate what a name was given to."""
    return tr.expr(node.this)


def wrapped(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate what a bracket holds."""
    return exp.Paren(this=tr.expr(node.this))
