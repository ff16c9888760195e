"""The wire stand-in's own time and its fidelity: ``python tests/bench/wire.py [DATA] [--json]``.

Without DATA: seconds until it serves the retail pack in a fresh process, imports included, and
milliseconds of one small query through the real pyathena. With DATA (the test data's folder) also
rows, types and refusals of a real Trino 435 against what pyathena reads, and what comes through
the Athena engine: *equal*, *refused*, or different, which must never happen.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from stand_in import Tally, judged, same_rows

START_BAR, QUERY_BAR = 3.0, 60.0
STARTS, QUERIES = 5, 100
NESTED = ("array", "map", "row")
REAL = {"real": "float"}
"""What Athena's API calls a type otherwise than its SQL does."""
SMALL = "SELECT region_name, count(*) AS n FROM region_dim GROUP BY region_name"
ALONE = """
import sys, time
started = time.perf_counter()
from querymend.testing import AthenaStandIn
with AthenaStandIn(sys.argv[1], database="retail"):
    print(time.perf_counter() - started, time.process_time())
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    os.environ |= {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any"}
    with tempfile.TemporaryDirectory() as scratch:
        figures = timed(Path(scratch))
        tallies = dict(fidelity(asked.data / "athena", Path(scratch))) if asked.data else {}
    if asked.json:
        shares = {n: {"share": t.share, **t.counts} for n, t in tallies.items()}
        print(json.dumps({**figures, **shares}, indent=1))
    else:
        for name, figure in figures.items():
            print(f"{name:44} {figure:9.2f}")
        for name, tally in tallies.items():
            print(f"{name:44} {tally.share:9.1%}  {dict(tally.counts)}")
    if asked.misses:
        for name, tally in tallies.items():
            for miss in tally.misses:
                print(json.dumps({"file": name, **miss}, ensure_ascii=False))
    late = figures["start, seconds (median)"] > START_BAR
    return int(late or figures["one small query, ms (median)"] > QUERY_BAR)


def timed(scratch: Path) -> dict[str, float]:
    """Measure starts and queries on the pack's warehouse."""
    from querymend.fewshot.build import warehouse_path
    from querymend.fewshot.pack import load_pack

    path = warehouse_path(load_pack("retail"), scratch)
    begun = [start(path) for _ in range(STARTS)]
    taken = list(queries(path))
    return {
        "start, seconds (median)": statistics.median(s for s, _ in begun),
        "start, seconds of CPU (median)": statistics.median(c for _, c in begun),
        "one small query, ms (median)": statistics.median(m for m, _ in taken),
        "one small query, ms (95th of 100)": sorted(m for m, _ in taken)[int(0.95 * len(taken))],
        "one small query, ms of CPU, both ends": statistics.median(c for _, c in taken),
    }


def start(path: Path) -> tuple[float, float]:
    """Start a stand-in in a fresh process; return seconds and seconds of CPU."""
    told = subprocess.run(
        [sys.executable, "-c", ALONE, str(path)], capture_output=True, text=True, check=True
    )
    seconds, cpu = told.stdout.split()
    return float(seconds), float(cpu)


def queries(path: Path) -> Iterator[tuple[float, float]]:
    """Ask one small query again and again; yield milliseconds, and milliseconds of CPU."""
    import pyathena

    from querymend.testing import AthenaStandIn

    with AthenaStandIn(path, database="retail") as server:
        options: dict[str, Any] = {"poll_interval": 0.01, **server.client}
        connection = pyathena.connect(schema_name="retail", s3_staging_dir=server.output, **options)
        for _ in range(QUERIES):
            began, cpu = time.perf_counter(), time.process_time()
            with connection.cursor() as cursor:
                cursor.execute(SMALL)
                cursor.fetchall()
            yield 1_000 * (time.perf_counter() - began), 1_000 * (time.process_time() - cpu)
        connection.close()


def fidelity(athena: Path, scratch: Path) -> Iterator[tuple[str, Tally]]:
    """Hold what comes through the wire against what a real Trino said."""
    from querymend.tools.engines.stand_in.setup import build

    for setup, database, files in (
        ("fixture.sql", "sales", ("fixture_golden.jsonl", "faulty.jsonl")),
        ("shop/setup.sql", "shop", ("shop/golden.jsonl", "shop/faulty.jsonl")),
    ):
        path = build(athena / setup, scratch / f"{database}-set-up.duckdb")
        with served(path, database) as (server, engine, cursor):
            for file in files:
                lines = [json.loads(li) for li in (athena / file).read_text("utf-8").splitlines()]
                yield f"{file}, pyathena", bare(cursor, lines)
                if "golden" in file:
                    yield f"{file}, Athena engine", through(engine, lines)
            assert server.running() == [], server.running()


def bare(cursor: Any, lines: list[dict[str, Any]]) -> Tally:
    """Judge what pyathena alone reads; the types within arrays, maps and rows it must be told."""
    counted = Tally()
    for line in lines:
        counted.add(*_asked(cursor, line))
    return counted


def _asked(cursor: Any, line: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    from pyathena.error import Error

    wanted = line.get("error")
    told = {i: t for i, t in enumerate(line.get("types") or ()) if t.startswith(NESTED)}
    try:
        cursor.execute(line["sql"], result_set_type_hints=told)
    except Error as error:
        if wanted:
            same = wanted["name"] in str(error) or "MALFORMED" in _code(error)
            return "refused as Trino does" if same else "refused otherwise", line, str(error)
        return "refused", line, str(error)
    except json.JSONDecodeError as error:  # json_array_get gives texts that are no JSON
        return "pyathena itself cannot read it", line, str(error)
    if wanted:
        return "runs, though Trino refuses", line, str(wanted)
    return _compared(cursor, line, told)


def _code(error: BaseException) -> str:
    response = getattr(error.__cause__, "response", {})
    return str(response.get("AthenaErrorCode", ""))


def _compared(
    cursor: Any, line: dict[str, Any], told: dict[int, str]
) -> tuple[str, dict[str, Any], str]:
    from querymend.cli.values import result_line
    from querymend.tools.engines.athena.cells import type_name
    from querymend.tools.engines.engine import Result, ResultColumn

    columns = [(d[0], type_name(d[1], d[4], d[5])) for d in cursor.description]
    kinds = [
        told[i] if i in told and told[i].startswith(t) else t for i, (_, t) in enumerate(columns)
    ]
    wanted = [REAL.get(t, t).lower() for t in line["types"]]
    if kinds != wanted:
        return "other types", line, f"{kinds} for {wanted}"
    shaped = tuple(ResultColumn(name=n, type=k) for (n, _), k in zip(columns, kinds, strict=True))
    rows = tuple(tuple(row) for row in cursor.fetchall())
    got = result_line(Result(columns=shaped, rows=rows), "athena")["rows"]
    if not same_rows(got, line["rows"], ordered=bool(line.get("ordered"))):  # type: ignore[arg-type]
        return "other rows", line, f"{str(got)[:200]} for {str(line['rows'])[:200]}"
    return "equal", line, ""


def through(engine: Any, lines: list[dict[str, Any]]) -> Tally:
    """Judge what comes through the Athena engine, its gate before it."""
    catalog = engine.catalog()
    counted = Tally()
    for line in lines:
        types = [t.lower() for t in line.get("types") or ()]
        counted.add(*judged(engine, catalog, {**line, "types": types}))
    return counted


@contextmanager
def served(path: Path, database: str) -> Iterator[tuple[Any, Any, Any]]:
    """Serve a file; open the Athena engine and a cursor of pyathena on it."""
    import pyathena

    from querymend.testing import AthenaStandIn
    from querymend.tools.engines.athena.engine import open_athena
    from querymend.tools.engines.athena.place import read_url

    databases = ("sales", "web") if database == "sales" else (database,)
    with ExitStack() as stack:
        server = stack.enter_context(AthenaStandIn(path, database=database))
        engine = open_athena(read_url(server.url(*databases)))
        stack.callback(engine.close)
        options: dict[str, Any] = {"poll_interval": 0.01, **server.client}
        connection = pyathena.connect(schema_name=database, s3_staging_dir=server.output, **options)
        stack.callback(connection.close)
        yield server, engine, connection.cursor()


if __name__ == "__main__":
    sys.exit(main())
