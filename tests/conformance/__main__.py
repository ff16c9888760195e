"""Hold the stand-in and the static checks against what a real Trino says now.

    python tests/conformance [DATA_FOLDER] [--json] [--record]

Starts Trino (or uses the one that CONFORMANCE_TRINO names), loads the gallery and the retail pack,
and asks it every statement of this folder's lists; with a DATA_FOLDER also those of its ``athena``.
Prints agreement by construct and by function. Exits 1 where Trino no longer says what is recorded,
or where the stand-in differs in silence on a statement that ``known.yaml`` does not list.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from cases import CASES, GALLERY, RECORDED, Case, Said, ask, own_cases, read, write
from data import data_sets
from judging import Judged, Line, by_construct, by_function, compare, judge
from known import known_differences
from loading import Trino, load_script
from loopback import NoTrinoError, trino

from querymend.tools.catalog.stored import dump_catalog
from querymend.tools.engines.engine import Engine
from querymend.tools.engines.stand_in.engine import open_stand_in
from querymend.tools.engines.stand_in.setup import build
from querymend.tools.engines.trino.opening import open_trino

Pairs = list[tuple[Case, Said]]


def main() -> int:
    """Run it; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", action="store_true", help="write what Trino says now")
    given = parser.parse_args()
    try:
        with trino() as address:
            return _held(Trino(address), given)
    except NoTrinoError as error:
        print(error, file=sys.stderr)
        return 5


def _held(server: Trino, given: argparse.Namespace) -> int:
    script = CASES / "gallery.sql"
    load_script(server, script.read_text(encoding="utf-8"))
    engine = open_trino(server.url(GALLERY))
    said = [(case, ask(engine, case.sql)) for case in own_cases()]
    if given.record:
        RECORDED.mkdir(exist_ok=True)
        write(RECORDED / "gallery.jsonl", said)
        (RECORDED / "gallery.json").write_text(dump_catalog(engine.catalog()) + "\n")
    drifted = _drifted(said)
    judged = _judged(script, said)
    for setup, cases in data_sets(given.data) if given.data else ():
        judged += _judged(setup, _asked(server, setup, cases))
    return _told(judged, drifted, as_json=given.json)


def _asked(server: Trino, setup: Path, cases: list[Case]) -> Pairs:
    load_script(server, setup.read_text(encoding="utf-8"))
    engines: dict[str, Engine] = {}
    for case in cases:
        engines.setdefault(case.schema, open_trino(server.url(case.schema)))
    return [(case, ask(engines[case.schema], case.sql)) for case in cases]


def _judged(setup: Path, said: Pairs) -> list[Judged]:
    """Build the stand-in's warehouse of the same script, and hold it against what Trino said."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_stand_in(build(setup, Path(folder) / "warehouse.duckdb"))
        try:
            return [judge(case, answer, engine) for case, answer in said]
        finally:
            engine.close()


def _drifted(said: Pairs) -> list[str]:
    """Name the statements of which Trino says something else than what is recorded."""
    kept = {(c.list, c.sql): s for c, s in read(RECORDED / "gallery.jsonl")}
    return [
        case.sql
        for case, now in said
        if (then := kept.get((case.list, case.sql))) is None
        or then.error != now.error
        or compare(then, now, ordered=case.ordered)[0] != "equal"
    ]


def _told(judged: list[Judged], drifted: list[str], *, as_json: bool) -> int:
    known = known_differences()
    new = [j for j in judged if j.stand_in == "different" and j.case.sql not in known]
    tables = {"by_construct": by_construct(judged), "by_function": by_function(judged)}
    if as_json:
        lines = {name: [asdict(line) for line in table] for name, table in tables.items()}
        different = [{"sql": j.case.sql, "why": j.why} for j in new]
        print(json.dumps({**lines, "drifted": drifted, "different": different}, indent=1))
    else:
        for name, table in tables.items():
            _show(name.replace("_", " "), table)
        for judgement in judged:
            _complain(judgement)
        for sql in drifted:
            print(f"no longer as recorded: {sql}")
    return 1 if new or drifted else 0


def _show(title: str, lines: Iterable[Line]) -> None:
    print(f"\n| {title} | statements | stand-in equal | refused, told | different | checks agree |")
    print("|---|---|---|---|---|---|")
    for x in sorted(lines, key=lambda line: line.name):
        print(f"| {x.name} | {x.statements} | {x.equal} | {x.told} | {x.different} | {x.checks} |")


def _complain(judged: Judged) -> None:
    if judged.stand_in == "different":
        print(f"different: {judged.case.sql}\n  {judged.why}")
    if not judged.checks:
        print(f"checks: {judged.case.sql}\n  {judged.checked}")


if __name__ == "__main__":
    sys.exit(main())
