"""Columns of arrays, maps and rows: asked for as JSON, since Athena's own text is ambiguous.

``[a, b]`` may be one element or two. Where the outermost SELECT shows a nested column whose type
is known, it is cast to JSON on its way out; order, rows and names stay. Elsewhere the text comes
back as Athena writes it.
"""

from collections.abc import Iterator, Mapping

from sqlglot import MappingSchema, exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.athena.cells import CASTABLE
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.gate import admit
from querymend.tools.sql.parse import parse

DIALECT = "athena"
_NESTED = (exp.DType.ARRAY, exp.DType.MAP, exp.DType.STRUCT)
_DEFAULT = "querymend_default"
"""Stands for the default schema, whose name the catalog leaves out."""


def shown_as_json(sql: Admitted, catalog: Catalog) -> tuple[Admitted, Mapping[int, exp.DataType]]:
    """Return the text to send, and the types of the columns that it sends as JSON."""
    if not _may_have_nested(catalog, sql):
        return sql, {}
    tree = parse(sql, DIALECT).tree
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return sql, {}
    typed = _typed(tree, catalog)
    nested = {i: k for i, k in enumerate(_kinds(typed)) if k and _fits(k)} if typed else {}
    if typed is None or not nested or _ordered_by(typed, nested):
        return sql, {}
    admitted = admit(_cast(typed, nested), dialect=DIALECT, catalog=catalog).sql
    return (admitted, nested) if admitted else (sql, {})


def _may_have_nested(catalog: Catalog, sql: str) -> bool:
    """Tell by a quick look whether it is worth typing the statement."""
    low = sql.lower()
    made = any(w in low for w in ("array", "map", "split", "row(", "sequence", "histogram"))
    return made or any(
        "(" in c.type and c.type.lower().startswith(("array", "map", "row"))
        for t in catalog.tables
        if t.name.lower() in low
        for c in t.columns
    )


def _typed(tree: exp.Select, catalog: Catalog) -> exp.Select | None:
    """Return the statement with its stars written out and its expressions typed."""
    tables: dict[str, object] = {}
    for schema_name in {t.schema for t in catalog.tables}:
        own = [t for t in catalog.tables if t.schema == schema_name]
        listed = {t.name: {c.name: c.type for c in t.columns} for t in own}
        tables[schema_name or _DEFAULT] = listed
    try:
        schema = MappingSchema(tables, dialect=DIALECT)
        whole = qualify(
            tree.copy(),
            schema=schema,
            dialect=DIALECT,
            db=_DEFAULT,
            expand_alias_refs=False,
            validate_qualify_columns=False,
        )
        typed = annotate_types(whole, schema=schema, dialect=DIALECT)
    except (SqlglotError, ValueError, KeyError, RecursionError):
        return None
    return typed if isinstance(typed, exp.Select) else None


def _kinds(tree: exp.Select) -> Iterator[exp.DataType | None]:
    for projection in tree.expressions:
        yield projection.type if isinstance(projection.type, exp.DataType) else None


def _fits(kind: exp.DataType) -> bool:
    """Tell whether a type is nested, known to its leaves, and castable to JSON."""
    return kind.this in _NESTED and _castable(kind)


def _castable(kind: exp.DataType) -> bool:
    if kind.this not in _NESTED:
        return kind.this in CASTABLE
    if kind.this == exp.DType.STRUCT:
        named = [f for f in kind.expressions if isinstance(f, exp.ColumnDef)]
        inner = [f.kind for f in named]
        if not inner or len(named) < len(kind.expressions):
            return False
    else:
        inner = list(kind.expressions)
    return bool(inner) and all(isinstance(k, exp.DataType) and _castable(k) for k in inner)


def _ordered_by(tree: exp.Select, nested: Mapping[int, exp.DataType]) -> bool:
    """Tell whether ORDER BY or an ordinal refers to what would become JSON."""
    names = {tree.expressions[i].alias_or_name for i in nested}
    places = {str(i + 1) for i in nested}
    for key in ("order", "group"):
        clause = tree.args.get(key)
        if clause is None:
            continue
        used = {c.name for c in clause.find_all(exp.Column) if not c.table}
        numbers = {n.name for n in clause.find_all(exp.Literal) if n.is_int}
        if used & names or numbers & places:
            return True
    return False


def _cast(tree: exp.Select, nested: Mapping[int, exp.DataType]) -> str:
    for index in nested:
        projection = tree.expressions[index]
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        cast = exp.Cast(this=inner.copy(), to=exp.DataType.build("json"))
        tree.expressions[index].replace(exp.alias_(cast, projection.alias_or_name, quoted=True))
    for table in tree.find_all(exp.Table):
        if table.db == _DEFAULT:
            table.set("db", None)
    return tree.sql(DIALECT)
