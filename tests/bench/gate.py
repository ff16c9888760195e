"""Measure the gate and the static checks: what they refuse and what they let through.

    python tests/bench/gate.py DATA_FOLDER [--json] [--sealed]

DATA_FOLDER holds ``gate``, ``trino``, ``spider`` and ``bird``; our own attacks and questions lie in
``tests/sql``. With ``--sealed`` the attacks on DuckDB also go past the gate, straight to a sealed
connection: canaries must be untouched, and what still runs is printed. Planted faults are the
business of ``validator.py``.
"""

import argparse
import json
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from sealed import Fate, attacked

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.sql.checks import check

OWN = Path(__file__).parent.parent / "sql"
READS = ("select", "with")
WRITES = ("ddl", "dml")
SETS = ("spider", "bird")


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One line of the table."""

    name: str
    statements: int
    refused: int
    bar: str
    passed: bool
    wrong: tuple[str, ...] = ()
    """Statements on the wrong side, a few."""


def lines(path: Path) -> Iterator[dict[str, object]]:
    """Yield the records of a JSONL file."""
    with path.open(encoding="utf-8") as text:
        for line in text:
            yield json.loads(line)


@cache
def catalog(path: Path) -> Catalog:
    """Read tables and columns of a SQLite file."""
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
            " AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        return Catalog(tables=tuple(_table(connection, n) for (n,) in names))


def _table(connection: sqlite3.Connection, name: str) -> Table:
    rows = connection.execute("SELECT name, type FROM pragma_table_info(?)", (name,)).fetchall()
    return Table(name=name, columns=tuple(Column(name=c, type=t) for c, t in rows))


def is_refused(sql: str, dialect: str, known: Catalog | None = None) -> bool:
    """Tell whether any finding blocks the statement."""
    return any(f.severity == "block" for f in check(sql, dialect=dialect, catalog=known))


Case = tuple[str, str, Catalog | None]


def refusing(name: str, cases: Iterable[Case], share: float) -> Measure:
    """Measure statements that must be refused."""
    return _measure(name, cases, f">= {share:.0%} refused", share, wants_refusal=True)


def accepting(name: str, cases: Iterable[Case], share: float) -> Measure:
    """Measure statements that must be let through."""
    return _measure(name, cases, f">= {share:.1%} accepted", share, wants_refusal=False)


def _measure(
    name: str, cases: Iterable[Case], bar: str, share: float, *, wants_refusal: bool
) -> Measure:
    judged = [(sql, is_refused(sql, dialect, known)) for sql, dialect, known in cases]
    wrong = [sql for sql, refused in judged if refused != wants_refusal]
    return Measure(
        name=name,
        statements=len(judged),
        refused=sum(r for _, r in judged),
        bar=bar,
        passed=bool(judged) and 1 - len(wrong) / len(judged) >= share,
        wrong=tuple(wrong[:20]),
    )


def plain(records: Iterable[Mapping[str, object]]) -> list[Case]:
    """Take statements with their own dialects, without a catalog."""
    return [(str(r["sql"]), str(r.get("dialect", "athena")), None) for r in records]


def real(data: Path, kinds: tuple[str, ...]) -> list[Case]:
    """Take the real Trino statements of some kinds that Trino's grammar accepts."""
    records = lines(data / "trino" / "statements.jsonl")
    return plain(r for r in records if r["parses"] and r["kind"] in kinds)


def golds(data: Path, name: str) -> Iterator[Case]:
    """Yield the gold SQL for DuckDB with each question's own database."""
    for record in lines(data / name / "questions.jsonl"):
        for sql in record["gold_duckdb"] or ():  # type: ignore[attr-defined]
            yield sql, "duckdb", catalog(data / name / "databases" / f"{record['db']}.sqlite")


def measures(data: Path) -> Iterator[Measure]:
    """Yield the whole table."""
    own = list(lines(OWN / "attacks.jsonl"))
    innocent = list(lines(OWN / "innocent.jsonl"))
    yield refusing("attacks given", plain(lines(data / "gate" / "refuse.jsonl")), 1)
    for dialect in ("duckdb", "athena", "postgres"):
        mine = plain(r for r in own if r["dialect"] == dialect)
        yield refusing(f"attacks of our own, {dialect}", mine, 1)
    yield accepting("questions given", plain(lines(data / "gate" / "accept.jsonl")), 1)
    for dialect in ("duckdb", "athena", "postgres"):
        mine = plain(r for r in innocent if r["dialect"] == dialect)
        yield accepting(f"questions of our own, {dialect}", mine, 0.998)
    yield accepting("real Trino reads", real(data, READS), 0.97)
    yield refusing("real Trino writes and DDL", real(data, WRITES), 1)
    for name in SETS:
        yield accepting(f"gold of {name}, own catalog", golds(data, name), 0.998)


def past_the_gate(data: Path) -> list[Fate]:
    """Send the attacks on DuckDB straight to a sealed connection."""
    records = [*lines(data / "gate" / "refuse.jsonl"), *lines(OWN / "attacks.jsonl")]
    return list(attacked([str(r["sql"]) for r in records if r["dialect"] == "duckdb"]))


def main() -> int:
    """Print the table; exit 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description="What the gate refuses and lets through")
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sealed", action="store_true")
    options = parser.parse_args()
    if not (options.data / "gate" / "refuse.jsonl").is_file():
        print(f"No data: {options.data} holds no gate/refuse.jsonl.")
        return 2
    started = time.perf_counter()
    table = list(measures(options.data))
    fates = past_the_gate(options.data) if options.sealed else []
    seconds = round(time.perf_counter() - started, 1)
    if options.json:
        rows = [asdict(m) for m in table]
        past = [asdict(f) for f in fates if f.fate != "refused"]
        print(json.dumps({"measures": rows, "past_the_gate": past, "seconds": seconds}))
    else:
        show(table, fates, seconds)
    return 0 if all(m.passed for m in table) else 1


def show(table: Sequence[Measure], fates: Sequence[Fate], seconds: float) -> None:
    """Print for people: the table, then what is on the wrong side."""
    for m in table:
        mark = "ok " if m.passed else "NO "
        print(f"{mark} {m.name:34} {m.refused:5} of {m.statements:5} refused   {m.bar}")
    for m in table:
        for sql in m.wrong:
            print(f"  wrong, {m.name}: {' '.join(sql.split())[:150]}")
    for fate in (f for f in fates if f.fate != "refused"):
        print(f"  sealed, {fate.fate}: {' '.join(fate.sql.split())[:150]}")
    if fates:
        ends = [f.fate for f in fates]
        told = ", ".join(f"{ends.count(e)} {e}" for e in ("refused", "ran", "killed"))
        print(f"past the gate: {told}; files, tables and settings are as they were")
    print(f"{seconds} s")


if __name__ == "__main__":
    sys.exit(main())
