"""Reads a Trino catalog's tables, columns, types and comments."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Cell, Column, Table
from querymend.tools.errors import AccessDenied, QueryError, SetupError

Ask = Callable[[str], Sequence[tuple[Cell, ...]]]
"""Runs one SQL text and returns its rows."""
_Name = tuple[str, str]
_HIDDEN = ("information_schema",)


def read_catalog(ask: Ask, catalog: str, schema: str = "") -> Catalog:
    """Read one schema, whose tables then have schema '', or all schemas of a catalog.

    Comments come from the ``system`` catalog, and are left out where it is closed to the user.

    Raises:
        SetupError: there is no such catalog or schema, or it shows this user no table.
    """
    found: defaultdict[_Name, list[Column]] = defaultdict(list)
    for place, table, name, kind, comment in _columns(ask, catalog, schema):
        found[str(place), str(table)].append(
            Column(name=str(name), type=str(kind), description=str(comment or ""))
        )
    if not found:
        raise _nothing(catalog, schema)
    comments = _comments(ask, catalog, schema)
    return Catalog(tables=tuple(_table(n, c, comments, schema) for n, c in found.items()))


def _table(
    name: _Name, columns: Sequence[Column], comments: Mapping[_Name, str], default: str
) -> Table:
    return Table(
        name=name[1],
        schema="" if name[0] == default else name[0],
        description=comments.get(name, ""),
        columns=tuple(columns),
    )


def _columns(ask: Ask, catalog: str, schema: str) -> Sequence[tuple[Cell, ...]]:
    try:
        return ask(_with_remarks(catalog, schema))
    except AccessDenied:
        return _asked(ask, _without_remarks(catalog, schema), catalog, schema)
    except QueryError as error:
        raise _nothing(catalog, schema) from error


def _asked(ask: Ask, sql: str, catalog: str, schema: str) -> Sequence[tuple[Cell, ...]]:
    try:
        return ask(sql)
    except QueryError as error:
        raise _nothing(catalog, schema) from error


def _with_remarks(catalog: str, schema: str) -> str:
    names = ("table_schem", "table_name", "column_name", "type_name", "remarks")
    query = _select(names, exp.table_("columns", db="jdbc", catalog="system"))
    query = query.where(_is("table_cat", catalog)).where(*_within("table_schem", schema))
    return query.order_by(*_by("table_schem")).sql("trino")


def _without_remarks(catalog: str, schema: str) -> str:
    names = ("table_schema", "table_name", "column_name", "data_type")
    source = exp.table_("columns", db="information_schema", catalog=catalog, quoted=True)
    query = _select(names, source).select(exp.Null())
    query = query.where(*_within("table_schema", schema))
    return query.order_by(*_by("table_schema")).sql("trino")


def _comments(ask: Ask, catalog: str, schema: str) -> Mapping[_Name, str]:
    names = ("schema_name", "table_name", "comment")
    query = _select(names, exp.table_("table_comments", db="metadata", catalog="system"))
    query = query.where(_is("catalog_name", catalog)).where(*_within("schema_name", schema))
    try:
        rows = ask(query.sql("trino"))
    except (AccessDenied, QueryError):
        return {}
    return {(str(place), str(table)): str(text) for place, table, text in rows if text}


def _select(names: Sequence[str], source: exp.Table) -> exp.Select:
    return exp.select(*(exp.column(name) for name in names)).from_(source)


def _by(schema: str) -> tuple[exp.Column, ...]:
    return tuple(exp.column(name) for name in (schema, "table_name", "ordinal_position"))


def _within(name: str, schema: str) -> list[exp.Condition]:
    if schema:
        return [_is(name, schema)]
    hidden = [exp.Literal.string(n) for n in _HIDDEN]
    return [exp.not_(exp.column(name).isin(*hidden))]


def _is(name: str, value: str) -> exp.Condition:
    return exp.column(name).eq(exp.Literal.string(value))


def _nothing(catalog: str, schema: str) -> SetupError:
    where = f"schema {schema!r} of catalog {catalog!r}" if schema else f"catalog {catalog!r}"
    return SetupError(
        f"Trino shows this user no table in {where}. Check the names at the end of the URL,"
        " and the user's grants.",
        setting="QUERYMEND_SOURCE",
    )
