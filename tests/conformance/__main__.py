"""Hold the stand-in and the static checks against what a real Trino says now.

    python tests/conformance [DATA_FOLDER] [--json] [--record] [--page FILE]

Starts Trino (or uses the one that CONFORMANCE_TRINO names), loads the gallery and the retail pack,
and asks it every statement of this folder's lists and of the pack; with a DATA_FOLDER also those of
its ``athena``: scripts, warehouses and verdicts. Prints agreement by construct and by function, and
writes it as a page of the documentation. Exits 1 where Trino no longer says what is recorded, where
the stand-in differs in silence on a statement that ``known.yaml`` does not list, or where the
checks judge too many of the verdicts otherwise.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from cases import CASES, GALLERY, RECORDED, own_cases, read, write
from data import VERDICTS, Statements, data_statements, from_script, pack_statements
from holding import Held, asked, asking, drifted, held, judged, together
from judging import Judged, by_construct, by_function
from known import known_differences
from loading import Trino
from loopback import NoTrinoError, trino
from page import PAGE, page, table

from querymend.tools.catalog.stored import dump_catalog
from querymend.tools.engines.trino.opening import open_trino

REFUSED, WRONGLY = 0.98, 0.01
"""Of the verdicts: how many faults are refused at least, and how much else at most."""


def main() -> int:
    """Run it; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", action="store_true", help="write what Trino says now")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the table is written")
    given = parser.parse_args()
    try:
        with trino() as address, tempfile.TemporaryDirectory() as scratch:
            return _all(Trino(address), given, Path(scratch))
    except NoTrinoError as error:
        print(error, file=sys.stderr)
        return 5


def _all(server: Trino, given: argparse.Namespace, scratch: Path) -> int:
    gallery = _gallery(server, scratch, record=given.record)
    own = together((gallery, held(server, pack_statements(scratch), scratch)))
    more = None
    if given.data:
        sets = data_statements(given.data, scratch)
        more = together(held(server, statements, scratch) for statements in sets)
    before = given.page.read_text(encoding="utf-8") if given.page.is_file() else ""
    text = page(own, more, version=server.version(), before=before)
    given.page.write_text(text, encoding="utf-8")
    return _told(together((own, more) if more else (own,)), as_json=given.json)


def _gallery(server: Trino, scratch: Path, *, record: bool) -> Held:
    """Judge this folder's cases, and write first what Trino says of them if asked to."""
    tables = from_script(CASES / "gallery.sql", GALLERY)
    kept = {(c.list, c.sql): said for c, said in read(RECORDED / "gallery.jsonl")}
    pairs = [(case, kept.get((case.list, case.sql))) for case in own_cases()]
    statements = Statements(tables=tables, pairs=pairs)
    said = asked(server, statements)
    if record:
        RECORDED.mkdir(exist_ok=True)
        write(RECORDED / "gallery.jsonl", said)
        catalog = open_trino(server.url(GALLERY)).catalog()
        (RECORDED / "gallery.json").write_text(dump_catalog(catalog) + "\n")
    new = [case for case, then in pairs if then is None]
    changed = drifted(statements, said, asking(server, statements))
    return Held(judged=judged(tables, said, scratch), drifted=[*new, *changed])


def _told(found: Held, *, as_json: bool) -> int:
    known = known_differences()
    new = [j for j in found.judged if j.stand_in == "different" and j.case.sql not in known]
    missed = _missed([j for j in found.judged if j.case.list == VERDICTS])
    tables = {"construct": by_construct(found.judged), "function": by_function(found.judged)}
    if as_json:
        lines = {f"by_{name}": [asdict(line) for line in t] for name, t in tables.items()}
        different = [{"sql": j.case.sql, "why": j.why} for j in new]
        changed = [c.sql for c in found.drifted]
        told = {**lines, "drifted": changed, "different": different, "missed": missed}
        print(json.dumps(told, indent=1))
    else:
        for name, lines in tables.items():
            print(f"\n{table(name, lines)}")
        for judgement in found.judged:
            _complain(judgement)
        for case in found.drifted:
            print(f"no longer as recorded: {case.sql}")
        print("\n".join(missed))
    return 1 if new or found.drifted or missed else 0


def _missed(verdicts: list[Judged]) -> list[str]:
    """Say which bars the checks miss."""
    faulty = [j.checks for j in verdicts if j.said.error]
    sound = [j.checks for j in verdicts if not j.said.error]
    missed = []
    if faulty and sum(faulty) < REFUSED * len(faulty):
        missed.append(f"The checks refuse {sum(faulty)} of {len(faulty)} faults.")
    if sound and len(sound) - sum(sound) > WRONGLY * len(sound):
        missed.append(f"The checks let {sum(sound)} of {len(sound)} through that Trino takes.")
    return missed


def _complain(found: Judged) -> None:
    if found.stand_in == "different":
        print(f"different: {found.case.sql}\n  {found.why}")
    if not found.checks:
        print(f"checks: {found.case.sql}\n  {found.checked}")


if __name__ == "__main__":
    sys.exit(main())
