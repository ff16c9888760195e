"""Loads tables into a Trino: from its own DDL, from a DuckDB file, from a SQLite file."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import sqlglot
from loopback import BUILT, CATALOG
from sqlglot import exp
from sqlglot.tokens import Token, TokenType
from trino.dbapi import connect

CHUNK = 2_000_000
"""Letters of rows in one INSERT; the starter allows ten times as many in a statement."""
Types = Mapping[str, Mapping[str, str]]
"""Table → column → type, in Trino's spelling."""


class Trino:
    """A Trino that may be written to."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "", parts.port or 8080

    def url(self, schema: str = "") -> str:
        """Return what QueryMend opens it by."""
        return f"trino://conformance@{self.host}:{self.port}/{CATALOG}/{schema}".rstrip("/")

    def execute(self, *statements: str) -> list[list[object]]:
        """Run statements one after the other; return the last one's rows."""
        rows: list[list[object]] = []
        with closing(
            connect(host=self.host, port=self.port, user="conformance", catalog=CATALOG)
        ) as connection:
            for statement in statements:
                rows = connection.cursor().execute(statement).fetchall()
        return rows

    def version(self) -> str:
        """Return its number; one that was started here is of the version that was built."""
        told = str(self.execute("SELECT version()")[0][0])
        return BUILT if told == "testversion" else told

    def schemas(self) -> set[str]:
        """Name the schemas that are there."""
        return {str(row[0]) for row in self.execute(f"SHOW SCHEMAS FROM {CATALOG}")}


def load_script(trino: Trino, script: str) -> None:
    """Run DDL and INSERTs, unless the first schema that they make is there already."""
    statements = list(statements_of(script))
    schema = made_schemas(statements)[0]
    if schema not in trino.schemas():
        trino.execute(*statements)


def statements_of(script: str) -> Iterator[str]:
    """Cut a script at its semicolons; a comment before a statement is left out."""
    inside: list[Token] = []
    for token in sqlglot.tokenize(script, read="trino"):
        if token.token_type is not TokenType.SEMICOLON:
            inside.append(token)
        elif inside:
            yield script[inside[0].start : inside[-1].end + 1]
            inside = []
    if inside:
        yield script[inside[0].start : inside[-1].end + 1]


def made_schemas(statements: Iterable[str]) -> list[str]:
    """Name the schemas that the statements make, in order."""
    heads = (s.split()[2] for s in statements if s.upper().startswith("CREATE SCHEMA"))
    return [name.rpartition(".")[2] for name in heads]


def load_duckdb(trino: Trino, path: Path, schema: str) -> None:
    """Copy a DuckDB file's tables of its default schema, types kept as Trino has them."""
    if schema in trino.schemas():
        return
    trino.execute(f"CREATE SCHEMA {schema}")
    with duckdb.connect(str(path), read_only=True) as source:
        names = source.execute(
            "SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY table_oid"
        ).fetchall()
        for (name,) in names:
            table = source.execute(f'SELECT * FROM "{name}"')
            types = {str(d[0]): trino_type(str(d[1])) for d in table.description}
            _fill(trino, schema, str(name), types, table.fetchall())


def load_sqlite(trino: Trino, path: Path, schema: str, types: Types) -> None:
    """Copy a SQLite file's tables with the types given; other tables are left out."""
    if schema in trino.schemas():
        return
    trino.execute(f"CREATE SCHEMA {schema}")
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source:
        for table, columns in types.items():
            names = ", ".join(f'"{c}"' for c in columns)
            rows = source.execute(f'SELECT {names} FROM "{table}"').fetchall()
            _fill(trino, schema, table, columns, rows)


def trino_type(kind: str) -> str:
    """Spell a DuckDB type as Trino does."""
    built = exp.DataType.build(kind, dialect="duckdb")
    return "timestamp(6)" if built.this == exp.DType.TIMESTAMP else built.sql("trino").lower()


def _fill(
    trino: Trino,
    schema: str,
    table: str,
    types: Mapping[str, str],
    rows: Sequence[Sequence[object]],
) -> None:
    columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
    trino.execute(f'CREATE TABLE {schema}."{table}" ({columns})')
    names = [f"c{i}" for i in range(len(types))]
    cast = ", ".join(f"CAST({n} AS {k})" for n, k in zip(names, types.values(), strict=True))
    texts = ", ".join(f"{n} varchar" for n in names)
    for part in _parts(rows):
        trino.execute(
            f'INSERT INTO {schema}."{table}" SELECT {cast} FROM UNNEST(CAST(json_parse'
            f"('{part}') AS array(row({texts})))) AS t ({', '.join(names)})"
        )


def _parts(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the rows as JSON of texts, so many at a time, fit to stand in a literal."""
    lines: list[str] = []
    size = 0
    for row in rows:
        cells = [None if cell is None else _text(cell) for cell in row]
        lines.append(json.dumps(cells, ensure_ascii=False).replace("'", "''"))
        size += len(lines[-1])
        if size > CHUNK:
            yield f"[{','.join(lines)}]"
            lines, size = [], 0
    if lines:
        yield f"[{','.join(lines)}]"


def _text(cell: object) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)
