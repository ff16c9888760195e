"""The Athena stand-in's rows and types against a real Trino's: ``tests/bench/stand_in.py DATA``.

Every statement goes through the gate, as the loop would send it. A statement is *equal* where
types and rows are (multisets, order where the statement orders, numbers within 1e-9 relative),
*refused* where the stand-in says so, and *different* otherwise: that must never happen.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import sqlglot
from sqlglot import exp

from querymend.cli.values import result_line
from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.engines.sources import local_file
from querymend.tools.engines.stand_in.engine import open_stand_in
from querymend.tools.engines.stand_in.setup import build
from querymend.tools.errors import QueryError, QuerymendError
from querymend.tools.sql.gate import admit

LIMITS = Limits(rows=None, seconds=60.0, bytes=None)
RELATIVE = 1e-9
OWN = "NOT_IN_STAND_IN"
KEPT = 200
"""So many rows of a long result are kept in the files."""
FOLDERS = {"spider": "spider", "bird": "bird", "defog": "defog"}


@dataclass
class Tally:
    """One file's outcomes."""

    counts: Counter[str] = field(default_factory=Counter)
    misses: list[dict[str, object]] = field(default_factory=list)

    def add(self, outcome: str, line: dict[str, object], why: str = "") -> None:
        self.counts[outcome] += 1
        if outcome not in ("equal", "refused as Trino does"):
            self.misses.append({"outcome": outcome, "sql": line["sql"], "why": why[:400]})

    @property
    def share(self) -> float:
        good = self.counts["equal"] + self.counts["refused as Trino does"]
        return good / max(sum(self.counts.values()), 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--only", default="", help="one file: fixture, shop, warehouses, faulty")
    asked = parser.parse_args()
    folder = asked.data / "athena"
    if not folder.is_dir():
        print(f"There is no {folder}.", file=sys.stderr)
        return 2
    found = dict(tallies(asked.data, asked.only))
    if asked.json:
        shown = {n: {"share": t.share, **t.counts} for n, t in found.items()}
        print(json.dumps(shown, indent=1))
    else:
        for name, tally in found.items():
            print(f"{name:32} {tally.share:7.2%}  {dict(tally.counts)}")
    if asked.misses:
        for name, tally in found.items():
            for miss in tally.misses:
                print(json.dumps({"file": name, **miss}, ensure_ascii=False))
    return 0


def tallies(data: Path, only: str) -> Iterator[tuple[str, Tally]]:
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        athena = data / "athena"
        if only in ("", "fixture", "faulty"):
            fixture = _built(stack, athena / "fixture.sql", scratch / "fixture.duckdb")
        if only in ("", "shop", "faulty"):
            shop = _built(stack, athena / "shop" / "setup.sql", scratch / "shop.duckdb")
        if only in ("", "fixture"):
            yield "fixture_golden", _golden(fixture, _lines(athena / "fixture_golden.jsonl"))
        if only in ("", "shop"):
            yield "shop/golden", _golden(shop, _lines(athena / "shop" / "golden.jsonl"))
        if only in ("", "faulty"):
            yield "shop/faulty", _faulty(shop, _lines(athena / "shop" / "faulty.jsonl"))
            yield "faulty", _faulty(fixture, _lines(athena / "faulty.jsonl"))
        if only in ("", "warehouses"):
            yield "warehouse_golden", _warehouses(data, athena, scratch)


def _built(stack: ExitStack, setup: Path, target: Path) -> Engine:
    started = time.perf_counter()
    build(setup, target)
    print(f"{setup.name} built in {time.perf_counter() - started:.1f} s", file=sys.stderr)
    engine = open_stand_in(target)
    stack.callback(engine.close)
    return engine


def _lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def _golden(engine: Engine, lines: list[dict[str, object]]) -> Tally:
    tally = Tally()
    catalog = engine.catalog()
    for line in lines:
        tally.add(*judged(engine, catalog, line))
    return tally


def judged(engine: Engine, catalog: Catalog, line: dict[str, object]) -> tuple[str, dict, str]:
    """Run one line and hold it against what Trino said."""
    wanted = line.get("error")
    try:
        got = _run(engine, catalog, str(line["sql"]))
    except QueryError as error:
        if wanted and error.code == wanted["name"]:  # type: ignore[index]
            return "refused as Trino does", line, ""
        kind = "refused otherwise" if wanted else "refused"
        kind = kind if error.code == OWN or wanted else "refused, not by the stand-in"
        return kind, line, f"{error.code}: {error}"
    except QuerymendError as error:
        return "failed", line, f"{type(error).__name__}: {error}"
    if wanted:
        return "runs, though Trino refuses", line, str(wanted)
    if got["types"] != line["types"]:
        return "other types", line, f"{got['types']} for {line['types']}"
    rows, right = got["rows"], line["rows"]
    if not same_rows(rows, right, ordered=bool(line.get("ordered"))):  # type: ignore[arg-type]
        if _tied(engine, catalog, str(line["sql"]), right):  # type: ignore[arg-type]
            return "equal", line, ""
        return "other rows", line, f"{str(got['rows'])[:200]} for {str(line['rows'])[:200]}"
    return "equal", line, ""


def _tied(engine: Engine, catalog: Catalog, sql: str, wanted: list[list[object]]) -> bool:
    """Tell whether the rows differ only in which of several equal sort keys come first."""
    tree = sqlglot.parse_one(sql, read="athena")
    order, limit = tree.args.get("order"), tree.args.get("limit")
    if order is None or not isinstance(tree, exp.Select) or tree.args.get("offset"):
        return False
    named = {e.alias.lower(): e.this for e in tree.expressions if isinstance(e, exp.Alias)}
    keys = [named.get(o.this.name.lower(), o.this) for o in order.expressions]
    whole = tree.copy()
    whole.set("limit", None)
    shown = len(tree.expressions)
    if not whole.args.get("distinct"):
        whole.set("expressions", [*whole.expressions, *(k.copy() for k in keys)])
    try:
        rows = _run(engine, catalog, whole.sql("athena"))["rows"]
    except QuerymendError:
        return False
    return _fits(list(rows), wanted, shown, cut=limit is not None)  # type: ignore[call-overload]


def _fits(rows: list[list[object]], wanted: list[list[object]], shown: int, *, cut: bool) -> bool:
    """Match the wanted rows group by group of equal keys; the last group may be cut."""
    groups: list[list[list[object]]] = []
    last: object = None
    for row in rows:
        if not groups or _key(row[shown:]) != last:
            groups.append([])
        last = _key(row[shown:])
        groups[-1].append(row[:shown])
    at = 0
    for group in groups:
        part = Counter(map(_key, wanted[at : at + len(group)]))
        if part - Counter(map(_key, group)):
            return False
        at += len(group)
    return at >= len(wanted) if cut else at == len(wanted)


def _run(engine: Engine, catalog: Catalog, sql: str) -> dict[str, object]:
    verdict = admit(sql, dialect="athena", catalog=catalog)
    if verdict.sql is None:
        raise QueryError(verdict.findings[0].message, code=f"gate:{verdict.findings[0].code}")
    result = engine.run(verdict.sql, limits=LIMITS)
    return dict(result_line(result, "athena"))


def _faulty(engine: Engine, lines: list[dict[str, object]]) -> Tally:
    tally = Tally()
    catalog = engine.catalog()
    for line in lines:
        try:
            _run(engine, catalog, str(line["sql"]))
        except QuerymendError:
            tally.add("refused as Trino does", line)
            continue
        tally.add("runs, though Trino refuses", line, str(line["error"]))
    return tally


def _warehouses(data: Path, athena: Path, scratch: Path) -> Tally:
    tally = Tally()
    by_place: dict[tuple[str, str], list[dict[str, object]]] = {}
    for line in _lines(athena / "warehouse_golden.jsonl"):
        by_place.setdefault((str(line["set"]), str(line["db"])), []).append(line)
    for (group, name), lines in by_place.items():
        file = next((data / FOLDERS[group]).rglob(f"{name}.sqlite"), None)
        if file is None:
            continue
        engine = open_stand_in(local_file(file, cache_dir=scratch))
        catalog = engine.catalog()
        for line in lines:
            tally.add(*judged(engine, catalog, line))
        engine.close()
    return tally


def same_rows(got: list[list[object]], wanted: list[list[object]], *, ordered: bool) -> bool:
    """Compare two lists of rows; without an order, as multisets."""
    if len(wanted) == KEPT and len(got) > KEPT:
        return not Counter(map(_key, wanted)) - Counter(map(_key, got))
    if len(got) != len(wanted):
        return False
    pairs = zip(sorted(got, key=_key), sorted(wanted, key=_key), strict=True)
    return _alike(got, wanted) or (not ordered and all(same(a, b) for a, b in pairs))


def _alike(got: list[list[object]], wanted: list[list[object]]) -> bool:
    return all(same(a, b) for a, b in zip(got, wanted, strict=True))


def _key(row: object) -> str:
    return json.dumps(row, sort_keys=True, default=str)


def same(got: object, wanted: object) -> bool:
    """Compare two cells, numbers within a relative error."""
    if isinstance(got, list) and isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(got, dict) and isinstance(wanted, dict):
        return got.keys() == wanted.keys() and all(same(got[k], wanted[k]) for k in got)
    if got == wanted:
        return True
    return _near(got, wanted)


def _near(got: object, wanted: object) -> bool:
    if isinstance(got, bool) or isinstance(wanted, bool) or got is None or wanted is None:
        return False
    try:
        a, b = float(got), float(wanted)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b))


if __name__ == "__main__":
    sys.exit(main())
