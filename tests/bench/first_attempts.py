"""Tell what became of first attempts that had a finding to act on, from records of an evaluation.

    python tests/bench/first_attempts.py RECORDS… [--mode loop|single] [--json]

RECORDS are output files of ``querymend eval`` (``--out``). A question counts where a finding of
its first attempt has severity ``block`` or ``repair``: what it ended as is printed beside what the
first attempt itself gave, since a finding on a right one can only break it.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from querymend.evaluation.records import Record, read_records
from querymend.evaluation.report import FirstAttempts, flagged_first

BARS = {"right": 0.45, "silently_wrong": 0.05}
"""Shares that end right at least, plainly answered and wrong at most."""


def shares(found: FirstAttempts) -> dict[str, float]:
    """Return what the bars are set for."""
    return {name: getattr(found, name) / max(found.n, 1) for name in BARS}


def by_verdict(records: Sequence[Record]) -> Counter[tuple[str, str]]:
    """Count the questions by what the first attempt gave and what they ended as."""
    acted = [r for r in records if r.first.get("severity") in ("block", "repair")]
    return Counter((str(r.first.get("verdict")), str(r.score)) for r in acted)


def show(name: str, records: Sequence[Record]) -> None:
    """Print the tables of one file."""
    found = flagged_first(records)
    print(f"\n{name}: {len(records)} questions, n = {found.n} first attempts with a finding")
    for measure, share in shares(found).items():
        sign = ">=" if measure == "right" else "<="
        print(f"  end {measure:16}{share:8.1%}   bar {sign} {BARS[measure]:.0%}")
    for (first, end), count in sorted(by_verdict(records).items()):
        print(f"  {first:8} first, {end:16}{count:4}")


def main() -> None:
    """Read the files and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("records", type=Path, nargs="+")
    parser.add_argument("--mode", choices=("loop", "single"), default="loop")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    told = {}
    for path in asked.records:
        if not path.is_file():
            sys.exit(f"there is no file {path}")
        records = [r for r in read_records(path)[1] if r.mode == asked.mode]
        told[path.name] = {"n": flagged_first(records).n, **shares(flagged_first(records))}
        if not asked.json:
            show(path.name, records)
    if asked.json:
        print(json.dumps(told))


if __name__ == "__main__":
    main()
