"""Measure how many planted faults are noticed by those who must, and what golds are blamed for.

    python tests/bench/validator.py DATA [--json] [--sample N] [--misses]

DATA holds ``validator``, ``spider`` and ``bird``. Each mutant is read as DuckDB SQL against its own
database. ``static`` and ``guard`` faults must be refused by the gate and the checks; ``joins``
whose result changed must be flagged: by a finding of severity repair or block of any check that
needs no model, grain with its probe on the database. In the row ``beside the gold's own`` a code
that the statement without the fault gets too is no flag. Questions' golds are held against the same
checks.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

from gate import SETS, lines

from querymend.tools.catalog.inferred import infer_keys
from querymend.tools.catalog.model import Catalog
from querymend.tools.catalog.profile import profile
from querymend.tools.checks.check import check_question
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.engines.sources import open_source
from querymend.tools.errors import QuerymendError
from querymend.tools.findings import Finding
from querymend.tools.grain import check_grain, resolve
from querymend.tools.questions.reading import read_question
from querymend.tools.sql.checks import check
from querymend.tools.sql.gate import admit

BARS = {"static": 0.99, "guard": 0.99, "joins": 0.80}
GOLD = "gold"
SECONDS = 20.0
"""What one probe may take."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One planted fault, or a gold (``catch`` is gold) without one."""

    set: str
    db: str
    question: str
    sql: str
    catch: str
    kind: str
    changed: bool
    gold: str = ""
    """The statement without the fault."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A fault with what was said of it."""

    fault: Fault
    flags: tuple[str, ...]
    """Codes of the findings of severity repair or block."""
    own: tuple[str, ...] = ()
    """Those of them that the statement without the fault does not get."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Place:
    """One database as the product reads it."""

    engine: Engine
    catalog: Catalog

    def probe(self, sql: str) -> Sequence[Sequence[object]]:
        """Run a probe through the gate.

        Raises:
            QuerymendError: it is refused, or the engine is.
        """
        verdict = admit(sql, dialect="duckdb", catalog=self.catalog)
        if verdict.sql is None:
            raise QuerymendError(verdict.findings[0].message)
        return self.engine.run(verdict.sql, limits=Limits(rows=1_000, seconds=SECONDS)).rows


@cache
def place(path: Path, cache_dir: Path) -> Place:
    """Open a SQLite file as a source, read its catalog and infer its keys."""
    engine = open_source(str(path), cache_dir=cache_dir)
    catalog = infer_keys(engine, profile(engine, engine.catalog()))
    return Place(engine=engine, catalog=catalog)


def faults(data: Path) -> Iterator[Fault]:
    """Yield the mutants that a check or the gate must notice, then the golds."""
    for name in SETS:
        golds = {
            r["id"]: str(r["gold_duckdb"] or "")
            for r in lines(data / "validator" / f"{name}_gold.jsonl")
        }
        for record in lines(data / "validator" / f"{name}_mutants.jsonl"):
            if record["catch"] in BARS:
                whole = {**record, "gold": golds.get(record["id"], "")}
                yield _fault(name, str(record["db_id"]), str(record["sql"]), whole)
    for name in SETS:
        for record in lines(data / name / "questions.jsonl"):
            for sql in record["gold_duckdb"] or ():  # type: ignore[attr-defined]
                yield _fault(name, str(record["db"]), sql, record)


def _fault(name: str, db: str, sql: str, record: dict[str, object]) -> Fault:
    return Fault(
        set=name,
        db=db,
        question=str(record["question"]),
        sql=sql,
        catch=str(record.get("catch", GOLD)),
        kind=str(record.get("mutation", GOLD)),
        changed=record.get("changed") is True,
        gold=str(record["gold"]) if "mutation" in record else "",
    )


def judge(one: Fault, at: Place) -> Judged:
    """Hold one statement against every check that needs no model and no result."""
    if one.catch not in ("joins", GOLD):
        found = check(one.sql, dialect="duckdb", catalog=at.catalog)
        return Judged(fault=one, flags=tuple(f.code for f in found if f.severity == "block"))
    flags = grave(one.sql, one.question, at)
    own = flags - grave(one.gold, one.question, at) if one.gold else flags
    return Judged(fault=one, flags=tuple(sorted(flags)), own=tuple(sorted(own)))


@cache
def grave(sql: str, question: str, at: Place) -> frozenset[str]:
    """Return the codes of the findings of severity repair or block."""
    found: list[Finding] = list(check(sql, dialect="duckdb", catalog=at.catalog, question=question))
    if not any(f.severity == "block" for f in found):
        reading = read_question(question)
        found += check_question(
            sql, dialect="duckdb", catalog=at.catalog, question=question, reading=reading
        )
        found += _grain(sql, question, at)
    return frozenset(f.code for f in found if f.severity in ("repair", "block"))


def _grain(sql: str, question: str, at: Place) -> list[Finding]:
    found = check_grain(sql, dialect="duckdb", catalog=at.catalog, question=question)
    try:
        return resolve(
            found, at.probe, sql=sql, dialect="duckdb", catalog=at.catalog, question=question
        )
    except QuerymendError:
        return []


def rows(judged: Sequence[Judged]) -> Iterator[dict[str, object]]:
    """Yield the table: who must notice, what kind, how many were there and how many flagged."""
    for catch in BARS:
        mine = [j for j in judged if j.fault.catch == catch]
        counted = [j for j in mine if j.fault.changed or catch != "joins"]
        yield _row(catch, "all that changed the result" if catch == "joins" else "all", counted)
        if catch == "joins":
            yield _row(catch, "beside the gold's own", [replace(j, flags=j.own) for j in counted])
            for kind in sorted({j.fault.kind for j in counted}):
                yield _row(catch, kind, [j for j in counted if j.fault.kind == kind])
            yield _row("", "joins that changed nothing", [j for j in mine if j not in counted])
    for name in SETS:
        golds = [j for j in judged if j.fault.catch == GOLD and j.fault.set == name]
        yield _row("", f"gold of {name}", golds)


def _row(catch: str, kind: str, judged: Sequence[Judged]) -> dict[str, object]:
    flagged = sum(bool(j.flags) for j in judged)
    codes = Counter(c for j in judged for c in j.flags)
    return {
        "catch": catch,
        "kind": kind,
        "statements": len(judged),
        "flagged": flagged,
        "share": round(flagged / len(judged), 4) if judged else None,
        "codes": dict(codes.most_common(12)),
    }


def missed(table: Iterable[dict[str, object]]) -> bool:
    """Tell whether a bar is missed."""
    whole = [r for r in table if str(r["kind"]).startswith("all")]
    return any(float(str(r["share"] or 0)) < BARS[str(r["catch"])] for r in whole)


def main() -> int:
    """Measure and print; exit 1 below a bar."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sample", type=int, help="statements of each kind at most")
    parser.add_argument("--misses", action="store_true", help="print joins missed, golds blamed")
    options = parser.parse_args()
    if not (options.data / "validator").is_dir():
        print(f"{options.data} holds no folder validator", file=sys.stderr)
        return 5
    started = time.perf_counter()
    cache_dir = Path(tempfile.gettempdir()) / "querymend-validator"
    judged = [
        judge(f, place(options.data / f.set / "databases" / f"{f.db}.sqlite", cache_dir))
        for f in sampled(list(faults(options.data)), options.sample)
    ]
    table = list(rows(judged))
    if options.json:
        print(json.dumps({"rows": table, "judged": [asdict(j) for j in judged]}))
    else:
        show(table, judged if options.misses else (), time.perf_counter() - started)
    return int(missed(table))


def sampled(found: list[Fault], most: int | None) -> list[Fault]:
    """Return as many faults as are wanted of each kind, chosen the same way each time."""
    if most is None:
        return found
    random.Random(7).shuffle(found)
    kept: Counter[tuple[str, str, str, bool]] = Counter()
    chosen = []
    for one in found:
        key = (one.set, one.catch, one.kind if one.catch == "joins" else "", one.changed)
        kept[key] += 1
        if kept[key] <= most:
            chosen.append(one)
    return chosen


def show(table: Sequence[dict[str, object]], judged: Sequence[Judged], seconds: float) -> None:
    """Print for people."""
    for r in table:
        codes = ", ".join(f"{c} {n}" for c, n in dict(r["codes"]).items())  # type: ignore[call-overload]
        share = f"{float(str(r['share'])):7.1%}" if r["share"] is not None else "      -"
        print(f"{r['catch']!s:8}{r['kind']!s:32}{r['statements']:6}{share}  {codes}")
    for j in judged:
        wanted = j.fault.catch == "joins" and j.fault.changed
        if (wanted and not j.flags) or (j.fault.catch == GOLD and j.flags):
            name = f"{j.fault.set} {j.fault.db} {j.fault.kind}"
            print(f"- {name} {', '.join(j.flags)}: {j.fault.question}\n  {j.fault.sql}")
    print(f"{seconds:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
