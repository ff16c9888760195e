"""A schema file as a catalog: database → table → column → type, as Glue would tell it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.errors import SetupError

Columns = Mapping[str, str]


@dataclass(frozen=True)
class SchemaFile:
    """The databases of one file, and the catalog that a statement sees of them."""

    databases: Mapping[str, Mapping[str, Columns]]
    _built: dict[tuple[str, ...], Catalog] = field(default_factory=dict)

    def catalog(self, sql: str, db: str = "") -> Catalog:
        """Return what a statement sees: the tables of ``db`` by bare name, others qualified.

        Another database is in sight only where the statement names it, so that a bare name never
        finds a table elsewhere.

        Args:
            sql: the statement.
            db: where its unqualified names belong; the first database of the file if empty.

        Raises:
            SetupError: the file has no such database.
        """
        home = self._home(db)
        low = sql.lower()
        named = tuple(original for folded, original in self._folded.items() if folded in low)
        if (home, *named) not in self._built:
            tables = _tables(self.databases[home], "")
            for name in named:
                tables += _tables(self.databases[name], name)
            self._built[(home, *named)] = Catalog(tables=tuple(tables))
        return self._built[(home, *named)]

    def _home(self, db: str) -> str:
        if not db:
            return next(iter(self.databases))
        found = self._folded.get(db.lower())
        if found is None:
            shown = ", ".join(list(self.databases)[:10])
            raise SetupError(f"The schema file has no database {db!r}; it has {shown}.")
        return found

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {name.lower(): name for name in self.databases}


def read_schema(path: Path) -> SchemaFile:
    """Read a schema file.

    Raises:
        SetupError: it cannot be read or is not of that form; says where.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise SetupError(f"{path} cannot be read as JSON: {error}.") from error
    _refuse_other_forms(path, data)
    return SchemaFile(data)


def _refuse_other_forms(path: Path, data: object) -> None:
    form = f"{path} must hold database → table → column → type"
    for db, tables in _mapping(data, form).items():
        for table, columns in _mapping(tables, f"{form}; see {db!r}").items():
            for column, kind in _mapping(columns, f"{form}; see {db}.{table}").items():
                if not isinstance(kind, str):
                    raise SetupError(f"{form}; see {db}.{table}.{column}.")
    if not data:
        raise SetupError(f"{path} names no database.")


def _mapping(value: object, fault: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise SetupError(f"{fault}.")
    return value


def _tables(tables: Mapping[str, Columns], schema: str) -> list[Table]:
    return [
        Table(
            name=name,
            schema=schema,
            columns=tuple(Column(name=column, type=kind) for column, kind in columns.items()),
        )
        for name, columns in tables.items()
    ]
