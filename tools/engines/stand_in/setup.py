"""Builds a DuckDB file from DDL and INSERTs in Trino's SQL, types kept."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.catalog.read import database_of
from querymend.tools.engines.errors_duckdb import RAISED, clean
from querymend.tools.engines.stand_in.runtime.library import FUNCTIONS
from querymend.tools.engines.stand_in.runtime.scalar import register
from querymend.tools.engines.stand_in.stored import Stored, keep, kept
from querymend.tools.engines.stand_in.translate.build import written
from querymend.tools.engines.stand_in.translate.physical import physical
from querymend.tools.engines.stand_in.translate.reading import PlainTrino
from querymend.tools.engines.stand_in.translate.statement import Translated, translate_tree
from querymend.tools.engines.stand_in.translate.translator import World
from querymend.tools.errors import QueryError, SetupError
from querymend.tools.sql.parse import Parsed
from querymend.tools.sql.types.model import TrinoType
from querymend.tools.sql.types.spelling import read_type

_SHOWN = 80


def build(setup: str | Path, target: str | Path) -> Path:
    """Build a DuckDB file from a set-up script, and return where it is.

    The script may hold CREATE SCHEMA, CREATE TABLE (with columns, or AS a query), INSERT and DROP.
    The file appears whole or not at all; one that was built before is replaced.

    Raises:
        SetupError: a statement cannot be read or run (names its number), the script cannot be
            read, or the target is a file that no set-up built.
    """
    target = Path(target)
    text = _text(Path(setup))
    _check(target)
    scratch = target.with_name(f".{target.name}.building")
    try:
        scratch.unlink(missing_ok=True)
        with duckdb.connect(str(scratch)) as connection:
            run_script(connection, text)
        scratch.replace(target)
    except OSError as error:
        raise SetupError(f"{target} cannot be written: {error.strerror}.") from error
    finally:
        for left in target.parent.glob(f"{scratch.name}*"):
            left.unlink()
    return target


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"The set-up {path} cannot be read: {error}.") from error


def _check(target: Path) -> None:
    if not target.exists():
        return
    try:
        with duckdb.connect(str(target), read_only=True) as connection:
            built = bool(kept(connection).database)
    except RAISED:
        built = False
    if not built:
        raise SetupError(f"{target} is there already, and no set-up built it. Name another file.")


def run_script(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """Run a set-up script on an empty database.

    Raises:
        SetupError: a statement cannot be read or run; names its number.
    """
    builder = _Builder(connection)
    for number, tree in enumerate(_statements(text), start=1):
        try:
            builder.take(tree)
        except QueryError as error:
            raise _told(number, tree, str(error)) from error
        except RAISED as error:
            raise _told(number, tree, clean(error)) from error
    keep(connection, Stored(types=builder.types, database=builder.database))


def _told(number: int, tree: exp.Expr, why: str) -> SetupError:
    shown = tree.sql("trino")
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    return SetupError(f"Statement {number} of the set-up ({shown}) cannot be run: {why}")


def _statements(text: str) -> Iterator[exp.Expr]:
    try:
        trees = sqlglot.parse(text, read=PlainTrino)
    except SqlglotError as error:
        raise SetupError(f"The set-up cannot be read: {str(error).splitlines()[0]}") from error
    yield from (t for t in trees if isinstance(t, exp.Expr) and not isinstance(t, exp.Semicolon))


@dataclass(kw_only=True)
class _Made:
    """A table that was made."""

    table: Table
    kinds: list[TrinoType] = field(default_factory=list)


class _Builder:
    """Takes one statement after the other."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.types: dict[tuple[str, str, str], str] = {}
        self.database = ""
        self._connection = connection
        self._catalog = database_of(connection)
        self._made: dict[tuple[str, str], _Made] = {}
        self._registered: set[str] = set()

    def take(self, tree: exp.Expr) -> None:
        """Run one statement."""
        if isinstance(tree, exp.Create) and tree.kind in ("SCHEMA", "DATABASE"):
            self._schema(tree)
        elif isinstance(tree, exp.Create) and tree.kind == "TABLE":
            self._table(tree)
        elif isinstance(tree, exp.Insert):
            self._insert(tree)
        elif isinstance(tree, exp.Drop) and tree.kind == "TABLE":
            self._drop(tree)
        else:
            raise QueryError("A set-up creates schemas and tables, and inserts into them.")

    def _schema(self, tree: exp.Create) -> None:
        name = tree.this.db or tree.this.name
        self.database = self.database or name.lower()
        made = exp.Create(
            kind="SCHEMA", this=exp.table_("", db=name.lower(), catalog=self._catalog, quoted=True)
        )
        made.set("exists", tree.args.get("exists"))
        self._connection.execute(made.sql("duckdb"))

    def _table(self, tree: exp.Create) -> None:
        if isinstance(tree.this, exp.Schema):
            place = self._place(tree.this.this)
            columns = [(d.name, _type(d)) for d in tree.this.expressions if _is_column(d)]
            self._create(place, columns)
            return
        query = tree.expression
        if query is None:
            raise QueryError("CREATE TABLE needs its columns, or AS and a query.")
        translated = self._translated(query, None)
        self._create(self._place(tree.this), list(translated.columns))
        self._fill(self._place(tree.this), translated, [n for n, _ in translated.columns])

    def _create(self, place: tuple[str, str], columns: list[tuple[str, TrinoType]]) -> None:
        schema, name = place
        definitions = [
            exp.ColumnDef(
                this=exp.to_identifier(column.lower(), quoted=True),
                kind=exp.DataType.build(physical(kind), dialect="duckdb"),
            )
            for column, kind in columns
        ]
        where = exp.table_(name, db=schema, catalog=self._catalog, quoted=True)
        made = exp.Create(kind="TABLE", this=exp.Schema(this=where, expressions=definitions))
        self._connection.execute(made.sql("duckdb"))
        named = tuple(Column(name=c.lower(), type=str(k)) for c, k in columns)
        table = Table(name=name, schema=schema, columns=named)
        self._made[place] = _Made(table=table, kinds=[k for _, k in columns])
        for column, kind in columns:
            self.types[schema, name, column.lower()] = str(kind)

    def _insert(self, tree: exp.Insert) -> None:
        into = tree.this
        listed = [c.name for c in into.expressions] if isinstance(into, exp.Schema) else []
        place = self._place(into.this if isinstance(into, exp.Schema) else into)
        made = self._made.get(place)
        if made is None:
            raise QueryError(f"There is no table {'.'.join(place)}.")
        names = listed or [c.name for c in made.table.columns]
        by_name = dict(zip((c.name for c in made.table.columns), made.kinds, strict=True))
        missing = [n for n in names if n.lower() not in by_name]
        if missing:
            raise QueryError(f"There is no column {missing[0]}.")
        kinds = [by_name[n.lower()] for n in names]
        self._fill(place, self._translated(tree.expression, kinds), names)

    def _fill(self, place: tuple[str, str], translated: Translated, names: list[str]) -> None:
        table = exp.table_(place[1], db=place[0], catalog=self._catalog, quoted=True)
        columns = [exp.to_identifier(n.lower(), quoted=True) for n in names]
        into = exp.Schema(this=table, expressions=columns)
        made = exp.Insert(this=into, expression=translated.tree)
        missing = translated.functions - self._registered
        register(self._connection, tuple(f for f in FUNCTIONS if f.name in missing))
        self._registered |= missing
        self._connection.execute(written(made))

    def _drop(self, tree: exp.Drop) -> None:
        place = self._place(tree.this)
        made = exp.Drop(
            kind="TABLE", this=exp.table_(place[1], db=place[0], catalog=self._catalog, quoted=True)
        )
        made.set("exists", tree.args.get("exists"))
        self._connection.execute(made.sql("duckdb"))
        self._made.pop(place, None)
        self.types = {k: v for k, v in self.types.items() if k[:2] != place}

    def _place(self, table: exp.Expr) -> tuple[str, str]:
        schema = (table.text("db") or self.database).lower()
        if not schema:
            raise QueryError("The first statement of a set-up must be CREATE SCHEMA.")
        return schema, table.name.lower()

    def _translated(self, query: exp.Expr, kinds: list[TrinoType] | None) -> Translated:
        query.pop()
        catalog = Catalog(tables=tuple(m.table for m in self._made.values()))
        catalog = replace(catalog, default_schema=self.database)
        parsed = Parsed(text="", dialect="athena", tree=query)
        return translate_tree(
            parsed, catalog, World(catalog=self._catalog, database=self.database), wanted=kinds
        )


def _is_column(node: exp.Expr) -> bool:
    return isinstance(node, exp.ColumnDef) and node.args.get("kind") is not None


def _type(definition: exp.Expr) -> TrinoType:
    shown = definition.args["kind"].sql("trino")
    found = read_type(shown)
    if found is None:
        raise QueryError(f"The column {definition.name} has the type {shown}, which is not known.")
    physical(found)
    return found
