"""Measure the fixes that findings bring with them, which the loop takes as sure.

    python tests/bench/own_fixes.py DATA [--set spider|bird] [--sample N] [--json]

Each distinct prediction that ran with rows, wrong or right, is held against all checks; the fix of
its gravest finding that has one is run. Printed by code: how often a wrong result ends right or
stays wrong, and how often a right one stays right or is broken. A code whose fixes break more than
they mend earns no ``repair``.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from detection import findings
from fixes import Place, equal
from published import SETS, options, parsed, predictions, report, spider_keys
from published import Prediction as Published

from querymend.tools.findings import Finding, acting, in_repair_order

ENDS = ("mended", "still wrong", "still right", "broken")


def measure(data: Path, name: str, sample: int | None) -> dict[str, Counter[str]]:
    """Return how each code's fixes end, over the predictions of a set."""
    keys = spider_keys(data) if name == "spider" else {}
    places: dict[str, Place] = {}
    told: dict[str, Counter[str]] = defaultdict(Counter)
    asked = [p for p in predictions(data, name) if p.label in ("wrong", "right")]
    if sample is not None:
        asked = random.Random(7).sample(asked, min(sample, len(asked)))
    for one in asked:
        if one.db not in places:
            places[one.db] = Place(data / name, one.db, keys.get(one.db, ()))
        for code, end in _end(one, places[one.db]):
            told[code][end] += 1
    return told


def _end(one: Published, place: Place) -> Iterator[tuple[str, str]]:
    """Yield the code whose fix is taken, and how it ends."""
    first = _first(one, place)
    if first is None:
        return
    rows = place.rows(first.fix or "")[0]
    right = rows is not None and equal(rows, one.gold, place)
    if not rows:
        end = "still wrong" if one.label == "wrong" else "still right"
        yield f"{first.code} (no rows: not taken)", end
    elif one.label == "wrong":
        yield first.code, "mended" if right else "still wrong"
    else:
        yield first.code, "still right" if right else "broken"


def _first(one: Published, place: Place) -> Finding | None:
    """Return the gravest finding that acts and has a fix."""
    found = in_repair_order(findings(one, place))
    fixed = (f for f in acting(found) if f.fix)
    return next(fixed, None)


def show(name: str, told: dict[str, Counter[str]]) -> None:
    """Print one set's table, the codes that fire most first."""
    print(f"\n{name}\n{'code':<44}" + "".join(f"{e:>13}" for e in ENDS))
    whole: Counter[str] = sum(told.values(), Counter())
    for code, ends in (*sorted(told.items(), key=lambda i: -i[1].total()), ("all", whole)):
        print(f"{code:<44}" + "".join(f"{ends[e]:>13}" for e in ENDS))


def main() -> None:
    """Measure and print."""
    parser = options(__doc__ or "")
    parser.add_argument("--set", choices=SETS)
    parser.add_argument("--sample", type=int)
    asked = parsed(parser)
    report(asked, lambda name: measure(asked.data, name, asked.sample), show)


if __name__ == "__main__":
    main()
