"""Measure the static checks of Athena SQL against the verdicts of a real Trino 435.

    python tests/bench/athena_checks.py DATA_FOLDER [--json] [--misses]

DATA_FOLDER holds ``athena``: statements with what the engine said of them. Every statement goes
the way of ``querymend check --dialect athena --schema FILE``. A fault counts as explained when its
finding has a place and a hint.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from querymend.cli.schema_file import SchemaFile, read_schema
from querymend.tools.findings import Finding
from querymend.tools.sql.checks import check

Record = Mapping[str, object]
Name = Callable[[Record], str]


@dataclass(kw_only=True)
class Measure:
    """One set of statements, all of which must be refused, or none."""

    name: str
    refuse: bool
    bar: float
    statements: int = 0
    right: int = 0
    explained: int = 0
    """Refused with a place and a hint."""
    kinds: dict[str, list[int]] = field(default_factory=dict)
    """Kind of fault: how many were judged rightly, how many there are."""
    wrong: list[dict[str, str]] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Tell whether the share of right verdicts reaches the bar."""
        return bool(self.statements) and self.right / self.statements >= self.bar


def lines(path: Path) -> Iterator[Record]:
    """Yield the records of a JSONL file."""
    with path.open(encoding="utf-8") as text:
        for line in text:
            yield json.loads(line)


def judged(sql: str, db: str, schema: SchemaFile) -> list[Finding]:
    """Return what refuses a statement."""
    found = check(sql, dialect="athena", catalog=schema.catalog(sql, db))
    return [f for f in found if f.severity == "block"]


def measure(
    name: str,
    records: Iterable[Record],
    schema: SchemaFile,
    kind: Name,
    *,
    refuse: bool,
    bar: float,
) -> Measure:
    """Judge every record and count."""
    result = Measure(name=name, refuse=refuse, bar=bar)
    for record in records:
        findings = judged(str(record["sql"]), str(record.get("db") or ""), schema)
        right = bool(findings) == refuse
        result.statements += 1
        result.right += right
        result.explained += any(f.position and f.hint for f in findings)
        counts = result.kinds.setdefault(kind(record), [0, 0])
        counts[0] += right
        counts[1] += 1
        if not right:
            said = _error(record)[1] if refuse else "; ".join(f.message for f in findings)
            result.wrong.append({"sql": str(record["sql"]), "said": said})
    return result


def _error(record: Record) -> tuple[str, str]:
    error = record.get("error")
    if not isinstance(error, dict):
        return "", ""
    return str(error.get("name")), str(error.get("message"))


def error_name(record: Record) -> str:
    """Return the engine's name of the error, empty where there is none."""
    return _error(record)[0] or "accepted"


def fault(record: Record) -> str:
    """Return the kind of a planted fault."""
    return str(record.get("fault") or record.get("topic") or error_name(record))


def measures(data: Path) -> Iterator[Measure]:
    """Yield the whole table."""
    small = read_schema(data / "schema.json")
    shop = read_schema(data / "shop" / "schema.json")
    houses = read_schema(data / "warehouse_types.json")
    sets = ((data, small, 50 / 56, 47 / 48, ""), (data / "shop", shop, 62 / 70, 0.98, "shop "))
    for folder, schema, least, most, title in sets:
        faulty, valid = folder / "faulty.jsonl", folder / "valid.jsonl"
        yield measure(f"{title}faulty", lines(faulty), schema, fault, refuse=True, bar=least)
        yield measure(f"{title}valid", lines(valid), schema, fault, refuse=False, bar=most)
    for title, path, schema in (
        ("golden", data / "fixture_golden.jsonl", small),
        ("shop golden", data / "shop" / "golden.jsonl", shop),
        ("warehouse golden", data / "warehouse_golden.jsonl", houses),
    ):
        ran = (r for r in lines(path) if not r.get("error"))
        yield measure(title, ran, schema, error_name, refuse=False, bar=0.995)
    verdicts = list(lines(data / "verdicts.jsonl"))
    refused = [r for r in verdicts if r["error"]]
    taken = [r for r in verdicts if not r["error"]]
    yield measure("verdicts: refused", refused, houses, error_name, refuse=True, bar=0.98)
    yield measure("verdicts: accepted", taken, houses, error_name, refuse=False, bar=0.99)


def show(table: list[Measure], seconds: float, *, misses: bool) -> None:
    """Print for people: the table, kinds that are not all right, and on demand the statements."""
    for m in table:
        mark, word = ("ok " if m.passed else "NO "), ("refused" if m.refuse else "accepted")
        told = f"   {m.explained} with place and hint" if m.refuse else ""
        print(f"{mark} {m.name:22} {m.right:5} of {m.statements:5} {word}   >= {m.bar:.1%}{told}")
    for m in table:
        for kind, (right, count) in sorted(m.kinds.items()):
            if right < count or m.name == "verdicts: refused":
                print(f"  {m.name}: {kind}: {right} of {count}")
    for m in table if misses else ():
        for wrong in m.wrong:
            print(f"  wrong, {m.name}: {' '.join(wrong['sql'].split())}  [{wrong['said']}]")
    print(f"{seconds} s")


def main() -> int:
    """Print the table; exit 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description="What the checks of Athena SQL refuse")
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    data = options.data / "athena"
    if not (data / "verdicts.jsonl").is_file():
        print(f"No data: {options.data} holds no athena/verdicts.jsonl.")
        return 2
    started = time.perf_counter()
    table = list(measures(data))
    seconds = round(time.perf_counter() - started, 1)
    if options.json:
        rows = [{**asdict(m), "passed": m.passed} for m in table]
        print(json.dumps({"measures": rows, "seconds": seconds}))
    else:
        show(table, seconds, misses=options.misses)
    return 0 if all(m.passed for m in table) else 1


if __name__ == "__main__":
    sys.exit(main())
