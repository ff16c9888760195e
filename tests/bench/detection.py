"""Measure how many wrong answers the checks flag, with no model.

    python tests/bench/detection.py DATA [--set spider|bird] [--sample N] [--json]

DATA holds ``spider`` and ``bird`` (``questions.jsonl``, ``databases``; Spider's ``tables.json``
for keys) and ``predictions/{spider,bird}``. Each prediction runs as SQLite; statement and result
are inspected. Positives are silently wrong answers that are not near ones, negatives the correct
ones; empty and near ones have columns of their own, failed ones are left out. A flag is a finding
of severity ``repair`` or ``block``. Beside the severities as shipped, codes are chosen on other
databases (BIRD: on the other four of five folds of questions) than those scored. Results are kept
in the temporary folder, so that a second run is quick.
"""

import random
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Protocol

from published import (
    SETS,
    Prediction,
    Warehouse,
    options,
    parsed,
    predictions,
    report,
    warehouses,
)

from querymend.tools.checks.check import check_question
from querymend.tools.findings import Finding
from querymend.tools.grain import check_grain, resolve
from querymend.tools.questions.period import Period, resolve_periods
from querymend.tools.questions.reading import Reading, read_question
from querymend.tools.results.expectation import expect
from querymend.tools.results.inspect import inspect
from querymend.tools.sql.checks import check

TODAY = date(2024, 6, 1)
FOLDS = 5
_EMPTY = {"empty_result", "null_aggregate", "zero_of_missing_value"}
"""Correct ones among these have a gold that finds nothing either, mostly by a fault of its own."""
BARS = {"spider": (0.30, 0.05), "bird": (0.28, 0.08)}
"""Recall at least, false alarms at most."""
MARGIN = 0.5
"""Share of the alarms allowed that codes may use up where they are chosen: new data bring more."""
LEAST_PRECISION = 0.45
"""Of a code that is chosen: above it, more flags are right than at random twice over."""
LEAST = 2
"""A code that fires on fewer questions elsewhere is not judged there, and keeps its severity."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One prediction with the codes of what was found, and those of them that flag it."""

    prediction: Prediction
    codes: frozenset[str]
    flagging: frozenset[str]

    @property
    def label(self) -> str:
        """How the prediction counts."""
        return self.prediction.label

    @property
    def fold(self) -> str:
        """What it is held out with."""
        if self.prediction.set == "spider":
            return self.prediction.db
        return str(zlib.crc32(str(self.prediction.id).encode()) % FOLDS)


@cache
def read(question: str) -> tuple[Reading, tuple[Period, ...]]:
    """Read a question once."""
    return read_question(question), resolve_periods(question, TODAY)


class Asked(Protocol):
    """A question with a statement that answers it."""

    @property
    def sql(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def facts(self) -> tuple[str, ...]: ...


def findings(one: Asked, place: Warehouse) -> list[Finding]:
    """Return everything that the checks say of a statement and its result."""
    reading, periods = read(one.question)
    asked = {"dialect": "sqlite", "catalog": place.catalog, "question": one.question}
    found = [f for f in check(one.sql, **asked) if f.kind not in ("safety", "scope")]
    found += resolve(check_grain(one.sql, **asked), place.probe, sql=one.sql, **asked)
    found += check_question(
        one.sql, **asked, reading=reading, periods=periods, values=place.values, facts=one.facts
    )
    result = place.run(one.sql)
    if not isinstance(result, str):
        found += inspect(
            result,
            sql=one.sql,
            dialect="sqlite",
            reading=reading,
            expectation=expect(one.question, reading, periods),
            catalog=place.catalog,
            values=place.values,
            question=one.question,
        )
    return found


def named(finding: Finding) -> str:
    """Return a finding's code; one that only warns or notes is another than one that flags."""
    severity = finding.severity
    return finding.code if severity in ("repair", "block") else f"{finding.code} ({severity})"


def judge(one: Prediction, place: Warehouse) -> Judged:
    """Inspect one prediction."""
    found = findings(one, place)
    return Judged(
        prediction=one,
        codes=frozenset(named(f) for f in found),
        flagging=frozenset(named(f) for f in found if f.severity in ("repair", "block")),
    )


def measure(data: Path, name: str, sample: int | None) -> list[Judged]:
    """Inspect the distinct predictions of a set, or a sample of them."""
    places = warehouses(data, name)
    asked = [p for p in predictions(data, name) if p.sql and p.label != "error"]
    if sample is not None:
        random.Random(5).shuffle(asked)
        asked = asked[:sample]
    done = [judge(p, places[p.db]) for p in asked]
    for place in places.values():
        place.memory.save()
    return done


def rates(flags: Iterable[tuple[str, bool]]) -> dict[str, float]:
    """Return precision, recall and false alarms, and how many of the others are flagged."""
    table = Counter(flags)
    share = {
        label: table[label, True] / max(table[label, True] + table[label, False], 1)
        for label in ("wrong", "right", "empty", "near")
    }
    hits, false = table["wrong", True], table["right", True]
    return {
        "precision": hits / max(hits + false, 1),
        "recall": share["wrong"],
        "false_alarms": share["right"],
        "empty_flagged": share["empty"],
        "near_flagged": share["near"],
        "wrong": table["wrong", True] + table["wrong", False],
        "right": table["right", True] + table["right", False],
    }


def by_code(done: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """Return, for each code, how often it fires and how well; and whether it flags."""
    codes = sorted({c for j in done for c in j.codes})
    table = {}
    for code in codes:
        row = rates((j.label, code in j.codes) for j in done)
        fires = [j for j in done if code in j.codes]
        table[code] = {
            **row,
            "fires": len(fires),
            "flags": any(code in j.flagging for j in fires),
            "questions": len({j.prediction.id for j in fires}),
        }
    ranked = sorted(table.items(), key=lambda i: (-i[1]["flags"], -i[1]["precision"]))
    return dict(ranked)


def chosen(done: Sequence[Judged], alarms: float) -> frozenset[str]:
    """Return the codes that flag best on some predictions, within a share of false alarms."""
    rows = by_code(done)
    judged = {c: r for c, r in rows.items() if r["questions"] >= LEAST}
    kept = {c for c, r in rows.items() if r["flags"] and c not in judged}
    best = frozenset(kept)
    for code in sorted(judged, key=lambda c: -judged[c]["precision"]):
        kept.add(code)
        row = rates((j.label, bool(kept & j.codes)) for j in done)
        if row["false_alarms"] > MARGIN * alarms or judged[code]["precision"] < LEAST_PRECISION:
            break
        best = frozenset(kept)
    return best


def held_out(done: Sequence[Judged], alarms: float) -> Iterator[tuple[str, bool]]:
    """Yield label and flag of every prediction, by codes that were chosen on the other folds."""
    for fold in sorted({j.fold for j in done}):
        codes = chosen([j for j in done if j.fold != fold], alarms)
        yield from ((j.label, bool(codes & j.codes)) for j in done if j.fold == fold)


def curve(done: Sequence[Judged]) -> list[dict[str, float]]:
    """Return recall against false alarms as codes are added, the most precise first."""
    ranked = sorted(by_code(done).items(), key=lambda i: -i[1]["precision"])
    points, kept = [], set()
    for code, _ in ranked:
        kept.add(code)
        row = rates((j.label, bool(kept & j.codes)) for j in done)
        points.append({"recall": row["recall"], "false_alarms": row["false_alarms"]})
    return points


def by_system(done: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """Return the rates of each system, all its predictions counted."""
    flags: defaultdict[str, list[tuple[str, bool]]] = defaultdict(list)
    for j in done:
        for system in j.prediction.systems:
            flags[system].append((j.label, bool(j.flagging)))
    return {system: rates(f) for system, f in sorted(flags.items())}


def summary(done: Sequence[Judged], name: str) -> dict[str, object]:
    """Return all tables of one set."""
    alarms = BARS[name][1]
    filled = [j for j in done if not _EMPTY & {c.split()[0] for c in j.codes}]
    return {
        "pooled": rates((j.label, bool(j.flagging)) for j in done),
        "pooled, not empty": rates((j.label, bool(j.flagging)) for j in filled),
        "codes chosen elsewhere": rates(held_out(done, alarms)),
        "codes chosen elsewhere, not empty": rates(held_out(filled, alarms)),
        "codes": by_code(done),
        "systems": by_system(done),
        "curve": curve(done),
    }


def show(name: str, told: dict) -> None:
    """Print the tables of one set."""
    recall, alarms = BARS[name]
    print(f"\n{name}: bar recall ≥ {recall:.2f} at false alarms ≤ {alarms:.2f}")
    head = f"{'precision':>10}{'recall':>8}{'alarms':>8}{'empty':>7}{'near':>7}"
    print(f"  {'':36}{head}")
    for line in [k for k, v in told.items() if "recall" in v]:
        print(f"  {line:36}{_line(told[line])}")
    print(f"\n  {'code':32}{'fires':>6}{'flags':>6}{head}")
    for code, row in told["codes"].items():
        print(f"  {code:32}{row['fires']:6.0f}{row['flags']:6}{_line(row)}")
    print(f"\n  {'system':60}{head}")
    for system, row in told["systems"].items():
        print(f"  {system:60}{_line(row)}")
    shown = (f"{p['recall']:.2f} at {p['false_alarms']:.3f}" for p in told["curve"])
    print(f"\n  recall at false alarms, codes added by precision:\n  {', '.join(shown)}")


def _line(row: dict[str, float]) -> str:
    return (
        f"{row['precision']:10.2f}{row['recall']:8.3f}{row['false_alarms']:8.3f}"
        f"{row['empty_flagged']:7.2f}{row['near_flagged']:7.2f}"
    )


def main() -> None:
    """Measure and print."""
    parser = options(__doc__ or "")
    parser.add_argument("--set", choices=SETS)
    parser.add_argument("--sample", type=int)
    asked = parsed(parser)
    report(asked, lambda name: summary(measure(asked.data, name, asked.sample), name), show)


if __name__ == "__main__":
    main()
