"""Measure whether DuckDB copies of SQLite files give the rows that SQLite gives.

    python tests/bench/gold_rows.py DATA_FOLDER [--json]

DATA_FOLDER holds ``spider`` and ``bird``, each with ``questions.jsonl`` and ``databases``. Each
question's ``gold_duckdb`` runs on the copy, its ``gold`` on the SQLite file; the rows must agree.
"""

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from querymend.tools.engines.duckdb import DuckDBEngine
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.sources import open_source
from querymend.tools.errors import QueryError, QuerymendError
from querymend.tools.results.compare import is_ordered, same_rows
from querymend.tools.sql.gate import admit

SETS = ("spider", "bird")


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question with its golds in pairs."""

    set: str
    id: int
    db: str
    pairs: tuple[tuple[str, str], ...]
    """SQL for SQLite, SQL for DuckDB."""


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """One pair whose rows differ."""

    set: str
    id: int
    db: str
    sql: str
    reason: str


def questions(data: Path, name: str) -> Iterator[Question]:
    """Yield the questions of a set that have golds for DuckDB."""
    with (data / name / "questions.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            found = json.loads(line)
            if found["gold_duckdb"]:
                pairs = tuple(zip(found["gold"], found["gold_duckdb"], strict=True))
                yield Question(set=name, id=found["id"], db=found["db"], pairs=pairs)


def on_sqlite(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Run a gold on the SQLite file."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda b: b.decode("utf-8", "replace")
        return connection.execute(sql).fetchall()


def on_copy(engine: DuckDBEngine, sql: str) -> Sequence[tuple[object, ...]]:
    """Run a gold on the copy, through the gate."""
    verdict = admit(sql, dialect="duckdb", catalog=engine.catalog())
    if verdict.sql is None:
        raise QueryError("refused: " + "; ".join(f.message for f in verdict.findings))
    return engine.run(verdict.sql, limits=Limits(rows=None)).rows


def difference(path: Path, engine: DuckDBEngine, pair: tuple[str, str]) -> str:
    """Say how the rows differ; empty if they do not."""
    for_sqlite, for_duckdb = pair
    expected = on_sqlite(path, for_sqlite)
    try:
        rows = on_copy(engine, for_duckdb)
    except QuerymendError as error:
        return str(error)
    if same_rows(expected, rows, ordered=is_ordered(for_duckdb, "duckdb")):
        return ""
    return f"{len(rows)} rows {str(rows[:3])[:150]} for {len(expected)} {str(expected[:3])[:150]}"


def measure(data: Path, cache: Path) -> tuple[Counter[str], list[Mismatch]]:
    """Compare all golds of all sets."""
    engines: dict[Path, DuckDBEngine] = {}
    asked: Counter[str] = Counter()
    found = []
    for question in (q for name in SETS for q in questions(data, name)):
        asked[question.set] += 1
        path = data / question.set / "databases" / f"{question.db}.sqlite"
        if path not in engines:
            engines[path] = open_source(path, cache_dir=cache)
        for pair in question.pairs:
            if reason := difference(path, engines[path], pair):
                known = {"set": question.set, "id": question.id, "db": question.db}
                found.append(Mismatch(**known, sql=pair[1], reason=reason))
    for engine in engines.values():
        engine.close()
    return asked, found


def main() -> int:
    """Print the shares of questions with equal rows; exit 1 if any differ."""
    parser = argparse.ArgumentParser(description="SQLite's rows on DuckDB copies")
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.data / SETS[0] / "questions.jsonl").is_file():
        print(f"No data: {options.data} holds no {SETS[0]}/questions.jsonl.")
        return 2
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as cache:
        asked, found = measure(options.data, Path(cache))
    wrong = Counter(m.set for m in {(m.set, m.id): m for m in found}.values())
    shares = {n: {"questions": asked[n], "equal": asked[n] - wrong[n]} for n in SETS}
    seconds = round(time.perf_counter() - started, 1)
    if options.json:
        print(
            json.dumps({"sets": shares, "seconds": seconds, "differ": [asdict(m) for m in found]})
        )
    else:
        for m in found:
            print(f"{m.set} {m.id} {m.db}: {m.reason}\n    {m.sql}")
        for name, share in shares.items():
            print(f"{name:8} {share['equal']:4} of {share['questions']:4} equal")
        print(f"{seconds} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
