"""Attacks on DuckDB that go past the gate, straight to a sealed connection in a child process.

Some never come back: DuckDB does not look for an interrupt inside one function call. A child that
does not answer in time, or that asks for too much memory, is killed, and the next attack gets a new
one. After every attack files, tables and settings must be what they were.
"""

import multiprocessing
import os
import resource
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

import duckdb

from querymend.tools.engines.duckdb import DuckDBEngine, open_duckdb
from querymend.tools.engines.engine import Limits
from querymend.tools.errors import QuerymendError
from querymend.tools.sql.admitted import Admitted

SECONDS = 2.0
"""What one attack may take before the engine is told to stop."""
GRACE_SECONDS = 4.0
"""… and before the child is killed."""
MEMORY = 3 * 1024**3
"""Bytes of address space that a child may have."""
WATCHED = (
    "SELECT COUNT(*), MIN(id), MAX(a) FROM orders",
    "SELECT list(name || '=' || value ORDER BY name) FROM duckdb_settings()",
    "SELECT list(table_name ORDER BY table_name) FROM duckdb_tables()",
)
CANARY = "canary-in-a-file"


@dataclass(frozen=True, kw_only=True)
class Fate:
    """What became of one attack."""

    sql: str
    fate: Literal["refused", "ran", "killed"]
    shown: str = ""
    """The first rows, where it ran."""


def attacked(attacks: Sequence[str]) -> Iterator[Fate]:
    """Send each attack, and yield what became of it.

    Raises:
        AssertionError: a file, a table or a setting is no more what it was, or a file was read.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, canary = Path(folder) / "a.duckdb", Path(folder) / "canary.csv"
        canary.write_text(f"a\n{CANARY}\n", encoding="utf-8")
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE orders AS SELECT 1 AS id, 'x' AS a")
        reach = (f"SELECT * FROM '{canary}'", f"SELECT * FROM read_text('{canary}')")
        before = _files(Path(folder))
        with _cell(path) as cell:
            for sql in (*attacks, *reach):
                fate = cell.send(sql)
                assert CANARY not in fate.shown, sql
                assert _files(Path(folder)) == before, sql
                yield fate


def _files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


class Cell:
    """A child process with a sealed connection; one that was killed gets a successor."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._watched = ""
        self._start()

    def send(self, sql: str) -> Fate:
        """Run one text in the child."""
        try:
            self._end.send(sql)
            answered = self._end.poll(SECONDS + GRACE_SECONDS)
            told = self._end.recv() if answered else None
        except (EOFError, BrokenPipeError, ConnectionResetError):
            told = None
        if told is None:
            self.stop()
            self._start()
            return Fate(sql=sql, fate="killed")
        shown, watched = told
        assert watched == self._watched, sql
        return Fate(sql=sql, fate="refused" if shown is None else "ran", shown=shown or "")

    def stop(self) -> None:
        """Kill the child."""
        self._child.kill()
        self._child.join()
        self._end.close()

    def _start(self) -> None:
        """Start a child; what it holds must be what the first one held."""
        context = multiprocessing.get_context("spawn")
        self._end, theirs = context.Pipe()
        self._child = context.Process(target=_serve, args=(theirs, str(self._path)), daemon=True)
        self._child.start()
        theirs.close()
        held = str(self._end.recv())
        assert self._watched in ("", held), "a table or a setting has changed"
        self._watched = held


@contextmanager
def _cell(path: Path) -> Iterator[Cell]:
    cell = Cell(path)
    try:
        yield cell
    finally:
        cell.stop()


def _serve(end: Connection, path: str) -> None:
    """Run in the child: say what is held, then run each text that comes."""
    os.chdir(Path(path).parent)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    engine = open_duckdb(path, memory="1GB", threads=1)
    end.send(_held(engine))
    while True:
        shown = _ran(engine, end.recv())
        end.send((shown, _held(engine)))


def _held(engine: DuckDBEngine) -> str:
    return str([engine.run(Admitted(sql), limits=Limits()).rows for sql in WATCHED])


def _ran(engine: DuckDBEngine, sql: str) -> str | None:
    try:
        return str(engine.run(Admitted(sql), limits=Limits(rows=5, seconds=SECONDS)).rows)[:2_000]
    except (QuerymendError, MemoryError):
        return None
