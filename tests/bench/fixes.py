"""Measure what rule fixes do to published predictions, with no model.

    python tests/bench/fixes.py DATA [--set spider|bird] [--split 0|1] [--json]

DATA holds ``spider`` and ``bird`` (``questions.jsonl``, ``databases``; Spider's ``tables.json``
for keys) and ``predictions/{spider,bird}``. Each distinct prediction that failed or was wrongly
empty is mended and run as SQLite; of the correct ones, those whose result is empty, 0 or NULL,
since no fix is asked for on others. What a fix wrote ends plainly answered where it needs no
warning for itself (``sure``) and the checks of statement and result give none. ``--split`` takes
one half of the databases (BIRD: of the questions): what the rules hold by way of certainty was set
on half 0. Facts are the question's evidence, if any.
"""

import hashlib
import json
import sqlite3
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

from detection import findings
from published import SETS, Warehouse, lines, options, parsed, spider_keys

from querymend.tools.fixes import Chosen, Known, Trial, choose
from querymend.tools.results.compare import is_ordered, same_rows

KINDS = ("exec_error", "empty_wrong", "correct")
ROWS = 20_000
STEPS = 300
"""Times 100,000 steps of SQLite's machine a statement may take: the same on any computer."""
BARS = {
    "exec_error": 0.35,
    "empty_wrong": 0.20,
    "plain_wrong": 0.05,
    "plain_wrong_exec_error": 0.05,
    "plain_wrong_empty_wrong": 0.05,
    "broken": 0.0005,
}


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """One distinct prediction with its golds."""

    set: str
    id: int
    db: str
    question: str
    facts: tuple[str, ...]
    golds: tuple[str, ...]
    sql: str
    kind: str
    judged: bool
    """Two strong models judged the gold right; for others it may be at fault."""

    @property
    def half(self) -> int:
        """The half that a database (BIRD: a question) falls into."""
        unit = self.db if self.set == "spider" else str(self.id)
        return zlib.crc32(unit.encode()) % 2


@dataclass(frozen=True, kw_only=True)
class Mended:
    """What became of one prediction."""

    set: str
    id: int
    kind: str
    judged: bool
    codes: tuple[str, ...]
    sql: str
    right: bool
    changed: bool
    sure: bool
    """The fix itself asks for no warning."""
    plain: bool
    """Nor does any check of what it wrote: it ends plainly answered."""
    certainty: float
    share: float
    trials: int


class Place(Warehouse):
    """One SQLite file on which candidates are tried."""

    def rows(self, sql: str) -> tuple[list[tuple[object, ...]] | None, str]:
        """Return rows, or None and the error."""
        left = iter(range(STEPS))
        self.database.set_progress_handler(lambda: next(left, None) is None, 100_000)
        try:
            return self.database.execute(sql).fetchmany(ROWS), ""
        except (sqlite3.Error, sqlite3.Warning) as error:
            return None, str(error)

    def trial(self, sql: str) -> Trial:
        """Run one candidate."""
        rows, error = self.rows(sql)
        if rows is None:
            return Trial(outcome="error", error=error)
        if not rows:
            return Trial(outcome="empty")
        told = sorted(map(repr, rows))
        return Trial(
            outcome="hollow" if hollow(rows) else "rows",
            key=hashlib.sha256("\n".join(told).encode()).hexdigest(),
            repeated=len(set(told)) < len(told),
        )


def hollow(rows: Sequence[tuple[object, ...]]) -> bool:
    """Tell whether a result is one row of nothing but NULL or 0."""
    return len(rows) == 1 and all(cell in (None, 0) for cell in rows[0])


def predictions(data: Path, name: str) -> list[Prediction]:
    """Read the distinct predictions that hold SQL."""
    questions = {q["id"]: q for q in lines(data / name / "questions.jsonl")}
    found: dict[tuple[int, str], Prediction] = {}
    for path in sorted((data / "predictions" / name).glob("*.jsonl")):
        for line in lines(path):
            sql = (line["predicted"] or "").strip()
            if "select" in sql.lower() and line["kind"] in KINDS:
                found.setdefault((line["id"], sql), _prediction(name, line, sql, questions))
    return list(found.values())


def _prediction(name: str, line: dict, sql: str, questions: dict) -> Prediction:
    known = questions.get(line["id"], {})
    evidence = known.get("evidence") or ""
    return Prediction(
        set=name,
        id=line["id"],
        db=line["db_id"],
        question=line["question"],
        facts=(evidence,) if evidence else (),
        golds=tuple(known.get("gold") or [line["gold"]]),
        sql=sql,
        kind=line["kind"],
        judged=bool(known),
    )


def mend(one: Prediction, place: Place) -> Mended | None:
    """Mend one prediction as the loop would; None if it asks for no fix."""
    rows, error = place.rows(one.sql)
    idle = bool(rows) and not hollow(rows or [])
    if idle or (one.kind == "exec_error" and not error):
        return None
    known = Known.of(
        place.catalog,
        dialect="sqlite",
        question=one.question,
        facts=one.facts,
        values=place.values,
        error=error,
        empty=not error,
    )
    chosen = choose(one.sql, known, try_=place.trial)
    return _told(one, chosen, place, rows)


def _told(one: Prediction, chosen: Chosen | None, place: Place, before: list | None) -> Mended:
    after = place.rows(chosen.sql)[0] if chosen else None
    if one.kind == "correct":
        right = chosen is None or (after is not None and same_rows(before or [], after))
    else:
        right = after is not None and any(equal(after, gold, place) for gold in one.golds)
    return Mended(
        set=one.set,
        id=one.id,
        kind=one.kind,
        judged=one.judged,
        codes=chosen.codes if chosen else (),
        sql=chosen.sql if chosen else "",
        right=right,
        changed=chosen is not None,
        sure=chosen is not None and chosen.plain,
        plain=chosen is not None and chosen.plain and not warned(one, chosen.sql, place),
        certainty=chosen.certainty if chosen else 0.0,
        share=chosen.share if chosen else 0.0,
        trials=chosen.trials if chosen else 0,
    )


def warned(one: Prediction, sql: str, place: Place) -> bool:
    """Tell whether the checks of statement and result say anything that a user must hear."""
    return any(f.severity != "note" for f in findings(replace(one, sql=sql), place))


def equal(rows: list, gold: str, place: Place) -> bool:
    """Tell whether rows are those of a gold, in its order where it has one."""
    wanted = _gold(place, gold)
    return wanted is not None and same_rows(rows, wanted, ordered=is_ordered(gold, "sqlite"))


@cache
def _gold(place: Place, sql: str) -> list | None:
    return place.rows(sql)[0]


def measure(data: Path, name: str, split: int | None) -> tuple[list[Mended], Counter[str]]:
    """Mend all predictions of a set; also count them by kind."""
    keys = spider_keys(data) if name == "spider" else {}
    places: dict[str, Place] = {}
    done, counts = [], Counter[str]()
    for one in predictions(data, name):
        if split is not None and one.half != split:
            continue
        counts[one.kind] += 1
        if one.db not in places:
            places[one.db] = Place(data / name, one.db, keys.get(one.db, ()))
        mended = mend(one, places[one.db])
        if mended is not None:
            done.append(mended)
    return done, counts


def summary(done: Sequence[Mended], counts: Counter[str]) -> dict[str, float]:
    """Return the measures of one set; what ends plainly wrong also by kind."""
    found = {}
    for kind in ("exec_error", "empty_wrong"):
        mine = [m for m in done if m.kind == kind]
        all_ = max(counts[kind], 1)
        found[kind] = sum(m.right for m in mine) / all_
        found[f"plain_right_{kind}"] = sum(m.plain and m.right for m in mine) / all_
        found[f"plain_wrong_{kind}"] = sum(m.plain and not m.right for m in mine) / all_
        found[f"sure_wrong_{kind}"] = sum(m.sure and not m.right for m in mine) / all_
    wrong = [m for m in done if m.kind != "correct" and m.plain and not m.right]
    broken = [m for m in done if m.kind == "correct" and not m.right]
    correct = max(counts["correct"], 1)
    return {
        **found,
        "plain_wrong": len(wrong) / max(counts["exec_error"] + counts["empty_wrong"], 1),
        "broken": len(broken) / correct,
        "broken_of_judged_gold": sum(m.judged for m in broken) / correct,
    }


def families(done: Sequence[Mended]) -> dict[str, tuple[int, int, int, int]]:
    """Return fires, ends right, ends wrong plain, and broken by rule."""
    table: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for m in done:
        for code in set(m.codes):
            row = table[code]
            if m.kind == "correct":
                row[3] += not m.right
                continue
            row[0] += 1
            row[1] += m.right
            row[2] += m.plain and not m.right
    ranked = sorted(table.items(), key=lambda item: -item[1][0])
    return {code: (r[0], r[1], r[2], r[3]) for code, r in ranked}


def show(name: str, done: Sequence[Mended], counts: Counter[str]) -> None:
    """Print the tables of one set."""
    print(f"\n{name}: {dict(counts)}")
    for measure_, value in summary(done, counts).items():
        bar = f"   bar {BARS[measure_]:.2%}" if measure_ in BARS else ""
        print(f"  {measure_:26}{value:8.2%}{bar}")
    print(f"  {'rule':24}{'fires':>7}{'right':>7}{'plain+wrong':>13}{'broken':>8}")
    for code, row in families(done).items():
        print(f"  {code:24}{row[0]:7}{row[1]:7}{row[2]:13}{row[3]:8}")


def main() -> None:
    """Measure and print."""
    parser = options(__doc__ or "")
    parser.add_argument("--set", choices=SETS)
    parser.add_argument("--split", type=int, choices=(0, 1))
    asked = parsed(parser)
    told = {}
    for name in [asked.set] if asked.set else SETS:
        done, counts = measure(asked.data, name, asked.split)
        told[name] = {"summary": summary(done, counts), "mended": [asdict(m) for m in done]}
        if not asked.json:
            show(name, done, counts)
    if asked.json:
        print(json.dumps(told))


if __name__ == "__main__":
    main()
