"""Columns of arrays, maps and rows: asked for as JSON, since Athena's own text is ambiguous.

``[a, b]`` may be one element or two. Where the outermost SELECT shows a nested column whose type
is known, it is cast to JSON on its way out; order, rows and names stay. Elsewhere the text comes
back as Athena writes it.
"""

from collections.abc import Mapping

from sqlglot import MappingSchema, exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.athena.cells import CASTABLE, NESTED
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.gate import admit
from querymend.tools.sql.parse import parse
from querymend.tools.sql.types.inference import infer
from querymend.tools.sql.types.model import TrinoType

DIALECT = "athena"
_DEFAULT = "querymend_default"
"""Stands for the default schema, whose name the catalog leaves out."""


def shown_as_json(sql: Admitted, catalog: Catalog) -> tuple[Admitted, Mapping[int, TrinoType]]:
    """Return the text to send, and the types of the columns that it sends as JSON."""
    tree = parse(sql, DIALECT).tree
    if not isinstance(tree, exp.Select) or not _nested(tree, catalog):
        return sql, {}
    plain = _without_stars(tree, catalog) if _has_star(tree) else tree
    nested = _nested(plain, catalog) if plain is not None else {}
    if plain is None or not nested or _referred_to(plain, nested):
        return sql, {}
    admitted = admit(_cast(plain, nested), dialect=DIALECT, catalog=catalog).sql
    return (admitted, nested) if admitted else (sql, {})


def _nested(tree: exp.Select, catalog: Catalog) -> dict[int, TrinoType]:
    """Return the types of the columns that are nested and can be cast to JSON."""
    columns = infer(tree, catalog, dialect=DIALECT).columns() or ()
    kinds = ((i, kind) for i, (_, kind) in enumerate(columns))
    return {i: k for i, k in kinds if k is not None and k.base in NESTED and _castable(k)}


def _castable(kind: TrinoType) -> bool:
    """Tell whether a type is known to its leaves, and all of them can be cast to JSON."""
    if kind.base not in NESTED:
        return kind.base in CASTABLE
    return bool(kind.parts) and all(_castable(part) for part in kind.parts)


def _has_star(tree: exp.Select) -> bool:
    return any(e.is_star for e in tree.expressions)


def _without_stars(tree: exp.Select, catalog: Catalog) -> exp.Select | None:
    """Write the stars of a statement out, or return None where that cannot be done."""
    tables: dict[str, object] = {}
    for name in {t.schema for t in catalog.tables}:
        own = [t for t in catalog.tables if t.schema == name]
        tables[name or _DEFAULT] = {t.name: {c.name: "text" for c in t.columns} for t in own}
    try:
        whole = qualify(
            tree.copy(),
            schema=MappingSchema(tables, dialect=DIALECT),
            dialect=DIALECT,
            db=_DEFAULT,
            expand_alias_refs=False,
            validate_qualify_columns=False,
        )
    except (SqlglotError, ValueError, KeyError, RecursionError):
        return None
    for table in whole.find_all(exp.Table):
        if table.db == _DEFAULT:
            table.set("db", None)
    return whole if isinstance(whole, exp.Select) and not _has_star(whole) else None


def _referred_to(tree: exp.Select, nested: Mapping[int, TrinoType]) -> bool:
    """Tell whether ORDER BY or GROUP BY refers to what would become JSON, by alias or number."""
    names = {tree.expressions[i].alias_or_name for i in nested}
    places = {str(i + 1) for i in nested}
    for key in ("order", "group"):
        clause = tree.args.get(key)
        if clause is None:
            continue
        aliased = {c.name for c in clause.find_all(exp.Column) if not c.table}
        if key == "order" and aliased & names:
            return True
        if places & {n.name for n in clause.find_all(exp.Literal) if n.is_int}:
            return True
    return False


def _cast(tree: exp.Select, nested: Mapping[int, TrinoType]) -> str:
    tree = tree.copy()
    for index in nested:
        projection = tree.expressions[index]
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        cast: exp.Expr = exp.Cast(this=inner.copy(), to=exp.DataType.build("json"))
        name = projection.alias_or_name
        projection.replace(exp.alias_(cast, name, quoted=True) if name else cast)
    return tree.sql(DIALECT)
