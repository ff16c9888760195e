"""The distinct values of text columns: which phrases of a question are values, and where.

They stand in one SQLite file beside the Chroma collections: Chroma writes 2,000 chunks a second,
this file 200,000 values, and a look-up needs equality, not likeness of meaning.
"""

import hashlib
import json
import re
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from rapidfuzz import fuzz, process

from querymend.tools.errors import SetupError
from querymend.tools.index.words import fold, words

MAX_VALUES = 50_000
"""Values of one column at most, the most frequent ones."""
MAX_LENGTH = 100
"""Longer texts are prose, not values that a question names."""
NEAR = 0.88
PART = 0.9
"""Likeness of a value that holds the one looked for as whole words: Seattle, WA."""
LEAST_PART = 3
_BATCH = 400
_NUMBER = re.compile(r"\d+")
_SCHEMA = """
CREATE TABLE columns (id INTEGER PRIMARY KEY, tab TEXT, col TEXT, hash TEXT, complete INTEGER,
                      UNIQUE (tab, col));
CREATE TABLE vals (column_id INTEGER, value TEXT, norm TEXT, times INTEGER,
                   PRIMARY KEY (column_id, value)) WITHOUT ROWID;
CREATE INDEX by_norm ON vals (norm);
"""


@dataclass(frozen=True, kw_only=True)
class ColumnValues:
    """One text column's distinct values."""

    table: str
    """Qualified name."""
    column: str
    values: tuple[tuple[str, int], ...]
    """Each with its count, most frequent first; none longer than ``MAX_LENGTH``."""
    complete: bool = True
    """No value of at most ``MAX_LENGTH`` characters is missing."""

    @property
    def hash(self) -> str:
        """Changes with the values; counts may vary."""
        whole = json.dumps([sorted(value for value, _ in self.values), self.complete])
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True)
class Held:
    """Where a value stands."""

    table: str
    column: str
    value: str
    times: int


class ValueIndex:
    """Looks values up in a file; a file that is not there holds none. Serves threads at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._norms: dict[tuple[int, str], list[str]] = {}
        self._norms_of = -1

    def holding(self, value: str) -> list[tuple[str, str, str]]:
        """Return (table, column, exact value) wherever the value stands, in any case."""
        wanted = value.strip().casefold()
        held = self.held([normal(value)])[normal(value)]
        same = [h for h in held if h.value.strip().casefold() == wanted]
        return [(h.table, h.column, h.value) for h in same]

    def nearest(
        self, table: str, column: str, value: str, limit: int = 3
    ) -> list[tuple[str, float]]:
        """Return the column's values most like this one, with likeness (0 to 1), best first."""
        rows = self._read(
            "SELECT value, norm FROM vals JOIN columns ON id = column_id "
            "WHERE lower(tab) = lower(?) AND lower(col) = lower(?) ORDER BY times DESC, value",
            (table, column),
        )
        norm = normal(value)
        norms = [row[1] for row in rows]
        like = process.extract(norm, norms, scorer=fuzz.ratio, processor=None, limit=limit)
        found = {place: score / 100 for _, score, place in like}
        for place, other in enumerate(norms) if len(norm) >= LEAST_PART else ():
            if f" {norm} " in f" {other} ":
                found[place] = max(found.get(place, 0.0), PART)
        best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
        return [(rows[place][0], score) for place, score in best]

    def has(self, table: str, column: str, value: str) -> bool | None:
        """Tell whether the column holds exactly this value; None if it is not known in full."""
        where = "WHERE lower(tab) = lower(?) AND lower(col) = lower(?)"
        found = self._read(f"SELECT id, complete FROM columns {where}", (table, column))
        if not found:
            return None
        identity, complete = found[0]
        if self._read("SELECT 1 FROM vals WHERE column_id = ? AND value = ?", (identity, value)):
            return True
        return False if complete and len(value) <= MAX_LENGTH else None

    def held(self, norms: Iterable[str]) -> dict[str, list[Held]]:
        """Return where each normal form stands; the most frequent first."""
        asked = list(dict.fromkeys(norms))
        found: dict[str, list[Held]] = {norm: [] for norm in asked}
        for start in range(0, len(asked), _BATCH):
            batch = asked[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            rows = self._read(
                "SELECT norm, tab, col, value, times FROM vals JOIN columns ON id = column_id "
                f"WHERE norm IN ({marks}) ORDER BY times DESC, tab, col, value",
                batch,
            )
            for norm, table, column, value, times in rows:
                found[norm].append(Held(table=table, column=column, value=value, times=times))
        return found

    def near(self, norm: str, *, limit: int = 3) -> list[tuple[str, float]]:
        """Return the normal forms most like this one, from ``NEAR`` upwards, best first.

        Only those with the same first letter, which few people mistype, and
        the same numbers, of which another is another thing.
        """
        lengths = range(int(len(norm) * 0.78), int(len(norm) * 1.28) + 1)
        by_length = self._by_length()
        numbers = _NUMBER.findall(norm)
        alike = (n for length in lengths for n in by_length.get((length, norm[:1]), ()))
        choices = [n for n in alike if _NUMBER.findall(n) == numbers]
        found = process.extract(
            norm, choices, scorer=fuzz.ratio, processor=None, score_cutoff=NEAR * 100, limit=limit
        )
        return [(choice, score / 100) for choice, score, _ in found]

    def write(self, columns: Sequence[ColumnValues]) -> int:
        """Make the file hold exactly these columns; return how many were written anew."""
        connection = self._open_to_write()
        try:
            with connection:
                return _write(connection, columns)
        finally:
            connection.close()

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _by_length(self) -> dict[tuple[int, str], list[str]]:
        """Return the normal forms by length and first letter, anew when the file has changed."""
        version = self._read("PRAGMA data_version", ())
        if version and version[0][0] != self._norms_of:
            grouped: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
            for (norm,) in self._read("SELECT DISTINCT norm FROM vals", ()):
                grouped[len(norm), norm[:1]].append(norm)
            self._norms, self._norms_of = dict(grouped), version[0][0]
        return self._norms if version else {}

    def _read(self, sql: str, values: Sequence[str | int]) -> list[tuple[Any, ...]]:
        """Run one look-up."""
        with self._lock:
            if self._connection is None and not self._path.is_file():
                return []
            try:
                self._connection = self._connection or _open(self._path)
                return self._connection.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise _broken(self._path, error) from error

    def _open_to_write(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=30)
        try:
            if not connection.execute("PRAGMA table_list('vals')").fetchone():
                connection.executescript(_SCHEMA)
        except sqlite3.Error as error:
            connection.close()
            raise _broken(self._path, error) from error
        return connection


def normal(text: str) -> str:
    """Return the form in which values and phrases meet: no case, diacritics, plural or signs."""
    joined = " ".join(words(text))
    return joined if len(joined) > 1 else " ".join(fold(text).split())


def _open(path: Path) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.resolve()))}?mode=ro"
    return sqlite3.connect(uri, uri=True, check_same_thread=False, timeout=5)


def _broken(path: Path, error: sqlite3.Error) -> SetupError:
    return SetupError(
        f"The values in {path} cannot be read ({error}): delete the file and index again",
        setting="QUERYMEND_INDEX__PATH",
    )


def _write(connection: sqlite3.Connection, columns: Sequence[ColumnValues]) -> int:
    rows = connection.execute("SELECT tab, col, id, hash FROM columns").fetchall()
    held = {(tab, col): (identity, content) for tab, col, identity, content in rows}
    wanted = {(c.table, c.column): c for c in columns}
    for place, (identity, content) in held.items():
        if place not in wanted or wanted[place].hash != content:
            connection.execute("DELETE FROM vals WHERE column_id = ?", (identity,))
            connection.execute("DELETE FROM columns WHERE id = ?", (identity,))
    changed = [c for p, c in wanted.items() if p not in held or held[p][1] != c.hash]
    for column in changed:
        cursor = connection.execute(
            "INSERT INTO columns (tab, col, hash, complete) VALUES (?, ?, ?, ?)",
            (column.table, column.column, column.hash, int(column.complete)),
        )
        connection.executemany(
            "INSERT OR IGNORE INTO vals VALUES (?, ?, ?, ?)",
            _rows(cursor.lastrowid or 0, column.values),
        )
    return len(changed)


def _rows(identity: int, values: Iterable[tuple[str, int]]) -> Iterator[tuple[int, str, str, int]]:
    for value, times in values:
        if len(value) <= MAX_LENGTH:
            yield identity, value, normal(value), times
