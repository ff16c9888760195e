"""Published predictions with their databases, read as SQLite; results are kept between runs."""

import argparse
import hashlib
import json
import pickle
import sqlite3
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from column_values import Values

from querymend.tools.catalog.key_names import agreement
from querymend.tools.catalog.model import Catalog, Column, Key, Profile, Table
from querymend.tools.engines.engine import Result, ResultColumn

T = TypeVar("T")
SETS = ("spider", "bird")
SECONDS = 20.0
ROWS = 1_000


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """One distinct SQL text that systems answered a question with."""

    set: str
    id: int
    db: str
    question: str
    facts: tuple[str, ...]
    gold: str
    sql: str
    kind: str
    near: str
    systems: tuple[str, ...]

    @property
    def label(self) -> str:
        """How it counts: ``wrong``, ``right``, ``empty``, ``near`` or ``error``."""
        if self.kind == "silent_wrong":
            return "near" if self.near else "wrong"
        return {"correct": "right", "empty_wrong": "empty"}.get(self.kind, "error")


def predictions(data: Path, name: str) -> list[Prediction]:
    """Return the distinct predictions of a set, each with the systems that made it."""
    evidence = {q["id"]: q.get("evidence") or "" for q in lines(data / name / "questions.jsonl")}
    found: dict[tuple[int, str], Prediction] = {}
    systems: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for path in sorted((data / "predictions" / name).glob("*.jsonl")):
        for line in lines(path):
            sql = (line["predicted"] or "").strip()
            systems[line["id"], sql].append(path.stem)
            found.setdefault((line["id"], sql), _prediction(name, line, sql, evidence))
    return [replace(p, systems=tuple(systems[k])) for k, p in found.items()]


def _prediction(name: str, line: dict, sql: str, evidence: dict[int, str]) -> Prediction:
    told = evidence.get(line["id"], "")
    return Prediction(
        set=name,
        id=line["id"],
        db=line["db_id"],
        question=line["question"],
        facts=(told,) if told.strip() else (),
        gold=line["gold"],
        sql=sql,
        kind=line["kind"],
        near=line.get("near") or "",
        systems=(),
    )


def options(doc: str) -> argparse.ArgumentParser:
    """Return the options of every benchmark over published predictions."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Read the options; end where DATA holds no predictions."""
    asked = parser.parse_args()
    if not (asked.data / "predictions").is_dir():
        sys.exit(f"{asked.data} holds no folder predictions")
    return asked


def report(
    asked: argparse.Namespace, tell: Callable[[str], T], show: Callable[[str, T], None]
) -> None:
    """Measure the set that is asked for, or each; print its table at once, or all as JSON."""
    told: dict[str, T] = {}
    for name in [asked.set] if asked.set else SETS:
        told[name] = tell(name)
        if not asked.json:
            show(name, told[name])
    if asked.json:
        print(json.dumps(told))


def lines(path: Path) -> Iterator[dict]:
    """Yield the records of a JSONL file."""
    with path.open(encoding="utf-8") as text:
        yield from (json.loads(line) for line in text)


class Warehouse:
    """One SQLite file with its catalog, its values and its results."""

    def __init__(self, folder: Path, db: str, keys: Sequence[tuple[str, str, str, str]]) -> None:
        self.path = folder / "databases" / f"{db}.sqlite"
        self.database = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        self.database.text_factory = lambda raw: raw.decode(errors="replace")
        self.keys = keys
        self.memory = Memory(self.path)

    @cached_property
    def catalog(self) -> Catalog:
        """Tables, columns, declared keys and profiles."""
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        names = [name for (name,) in self.database.execute(named).fetchall()]
        known = {m.lower(): m for m in names}
        declared = Catalog(tables=tuple(self._table(n, known) for n in names))
        return Catalog(tables=tuple(self._with_inferred(t, declared) for t in declared.tables))

    def _with_inferred(self, table: Table, catalog: Catalog) -> Table:
        """Add the keys that names and data show, as the product infers them."""
        taken = {c.lower() for k in table.keys for c in k.columns}
        free = [c for c in table.columns if c.name.lower() not in taken]
        found = (self._reference(table, c.name, catalog) for c in free)
        return replace(table, keys=(*table.keys, *(k for k in found if k)))

    def _reference(self, table: Table, column: str, catalog: Catalog) -> Key | None:
        places = [
            (t, k[0])
            for t in catalog.tables
            if t is not table
            for k in [t.primary_key]
            if len(k) == 1
        ]
        sure = [(agreement(column, table.name, k, t.name), t, k) for t, k in places]
        for likeness, target, key in sorted(sure, key=lambda s: -s[0]):
            if likeness and self._inside(table.name, column, target.name, key):
                return Key(
                    columns=(column,), table=target.name, target_columns=(key,), origin="inferred"
                )
        return None

    def _inside(self, table: str, column: str, target: str, key: str) -> bool:
        held, whole = self.database.execute(
            f'SELECT COUNT(CASE WHEN "{column}" IN (SELECT "{key}" FROM "{target}") THEN 1 END), '
            f'COUNT("{column}") FROM "{table}"'
        ).fetchone()
        return bool(whole) and held >= 0.99 * whole

    def _table(self, name: str, names: dict[str, str]) -> Table:
        info = self.database.execute(f'PRAGMA table_info("{name}")').fetchall()
        primary = sorted((r[5], r[1]) for r in info if r[5])
        rows = self.database.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0]
        return Table(
            name=name,
            columns=tuple(
                Column(name=r[1], type=r[2] or "TEXT", profile=self._profile(name, r[1], rows))
                for r in info
            ),
            primary_key=tuple(c for _, c in primary),
            keys=tuple(declared_keys(self.database, name, names, self.keys)),
            rows=rows,
        )

    def _profile(self, table: str, column: str, rows: int) -> Profile:
        here = f'"{column}"'
        filled, distinct, low, high = self.database.execute(
            f'SELECT COUNT({here}), COUNT(DISTINCT {here}), MIN({here}), MAX({here}) FROM "{table}"'
        ).fetchone()
        frequent = self.database.execute(
            f'SELECT {here}, COUNT(*) FROM "{table}" WHERE {here} IS NOT NULL '
            "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5"
        ).fetchall()
        return Profile(
            distinct=distinct,
            null_share=1 - filled / rows if rows else None,
            minimum=low,
            maximum=high,
            frequent=tuple(frequent) if distinct < filled else (),
        )

    @cached_property
    def values(self) -> Values:
        """What its text columns hold."""
        return Values(self.database, self.catalog)

    def run(self, sql: str) -> Result | str:
        """Return the result, or what kept it from coming; from memory where it ran before."""
        return self.memory.get(sql) or self.memory.keep(sql, self._run(sql))

    def probe(self, sql: str) -> Sequence[Sequence[object]]:
        """Return the rows of a probe; none where it fails."""
        result = self.run(sql)
        return () if isinstance(result, str) else result.rows

    def _run(self, sql: str) -> Result | str:
        end = time.monotonic() + SECONDS
        self.database.set_progress_handler(lambda: time.monotonic() > end, 100_000)
        try:
            cursor = self.database.execute(sql)
            rows = cursor.fetchmany(ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return f"{type(error).__name__}: {error}"
        names = [d[0] for d in cursor.description or ()]
        return Result(
            columns=tuple(ResultColumn(name=n, type="") for n in names),
            rows=tuple(rows[:ROWS]),
            truncated=len(rows) > ROWS,
        )


class Memory:
    """Results of one database, kept in the temporary folder until the file changes."""

    def __init__(self, database: Path) -> None:
        state = database.stat()
        known = f"{database.resolve()}|{state.st_size}|{state.st_mtime_ns}"
        name = hashlib.sha256(known.encode()).hexdigest()[:16]
        self.path = Path(tempfile.gettempdir()) / "querymend-detection" / f"{name}.pickle"
        self.held: dict[str, Result | str] = {}
        self.grown = False
        if self.path.is_file():
            self.held = pickle.loads(self.path.read_bytes())

    def get(self, sql: str) -> Result | str | None:
        """Return what is known of a text."""
        return self.held.get(sql)

    def keep(self, sql: str, result: Result | str) -> Result | str:
        """Remember a result."""
        self.held[sql] = result
        self.grown = True
        return result

    def save(self) -> None:
        """Write the file, where anything was added."""
        if self.grown:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(pickle.dumps(self.held))
            self.grown = False


def declared_keys(
    database: sqlite3.Connection,
    name: str,
    names: dict[str, str],
    more: Sequence[tuple[str, str, str, str]],
) -> Iterator[Key]:
    """Yield a table's keys to other tables: its own, and those of ``more`` that are its."""
    listed = database.execute(f'PRAGMA foreign_key_list("{name}")').fetchall()
    found = {(r[3].lower(), r[2].lower(), (r[4] or r[3]).lower()) for r in listed}
    found |= {(c, t, d) for s, c, t, d in more if s == name.lower()}
    for column, target, other in sorted(found):
        if target in names:
            yield Key(columns=(column,), table=names[target], target_columns=(other,))


def warehouses(data: Path, name: str) -> dict[str, Warehouse]:
    """Open every database of a set."""
    keys = spider_keys(data) if name == "spider" else {}
    files = sorted((data / name / "databases").glob("*.sqlite"))
    return {f.stem: Warehouse(data / name, f.stem, keys.get(f.stem, ())) for f in files}


def spider_keys(data: Path) -> dict[str, list[tuple[str, str, str, str]]]:
    """Return (table, column, target table, its column) by database, lower-case."""
    found: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for schema in json.loads((data / "spider" / "tables.json").read_text(encoding="utf-8")):
        tables, columns = schema["table_names_original"], schema["column_names_original"]
        for a, b in schema["foreign_keys"]:
            (s, c), (t, d) = columns[a], columns[b]
            key = (tables[s].lower(), c.lower(), tables[t].lower(), d.lower())
            found[schema["db_id"]].append(key)
    return found


def count(labels: Iterator[str]) -> Counter[str]:
    """Count labels."""
    return Counter(labels)
