"""Measure the fan-out detector: queries that repeat rows, and ones that look like it.

    python tests/bench/fanout.py PACK_DB [--part tuned|holdout|all] [--data FOLDER] [--json]

PACK_DB is the retail pack's warehouse as a DuckDB file. The cases lie in ``tests/grain``: one half
is for tuning, the holdout for the last figure. A flag is a finding of severity repair. The fixes of
confirmed findings are run and compared with the right query. With ``--data`` (a folder that holds
``spider`` and ``bird``) the golds found there, and the pack's own, are checked for false alarms.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from querymend.fewshot.pack import load_pack
from querymend.tools.catalog.describe import describe
from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.duckdb import DuckDBEngine, open_duckdb
from querymend.tools.engines.engine import Limits
from querymend.tools.engines.sources import open_source
from querymend.tools.errors import QuerymendError
from querymend.tools.findings import Finding
from querymend.tools.grain import check_grain, resolve
from querymend.tools.results.compare import same_rows
from querymend.tools.sql.gate import admit

CASES = Path(__file__).parent.parent / "grain"
FILES = ("repeated.jsonl", "legitimate.jsonl")
BARS = {"precision": 0.98, "recall": 0.95}
CODES = ("fan_out", "chasm", "distinct_sum")
Rows = Sequence[tuple[object, ...]]


@dataclass(frozen=True, kw_only=True)
class Source:
    """One database: what it holds, and how to ask it through the gate."""

    catalog: Catalog
    dialect: str
    run: Callable[[str], Rows]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One query with what the detector said of it."""

    question: str
    sql: str
    wrong: bool
    flagged: bool
    """By the statement alone."""
    confirmed: bool
    """After the probe."""
    said: tuple[str, ...] = ()
    fix: str = ""
    """``right``, ``wrong``, ``fails`` or ``none``, of a confirmed one."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """Precision and recall of one way to flag."""

    name: str
    right: int
    false_alarms: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of the flags that are right."""
        flags = self.right + self.false_alarms
        return self.right / flags if flags else 1.0

    @property
    def recall(self) -> float:
        """Share of the wrong queries that are flagged."""
        wrong = self.right + self.missed
        return self.right / wrong if wrong else 1.0


def cases(part: str) -> Iterator[dict[str, object]]:
    """Yield the cases of a part, those to find first."""
    for name in FILES:
        for line in (CASES / name).read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if part == "all" or bool(case.get("holdout")) == (part == "holdout"):
                yield case


def asker(engine: DuckDBEngine, catalog: Catalog) -> Source:
    """Return a source whose every query passes the gate."""

    def run(sql: str) -> Rows:
        verdict = admit(sql, dialect="duckdb", catalog=catalog)
        if verdict.sql is None:
            raise ValueError(f"refused: {[f.message for f in verdict.findings]} {sql}")
        return engine.run(verdict.sql, limits=Limits(rows=5_000, seconds=120.0)).rows

    return Source(catalog=catalog, dialect=engine.dialect, run=run)


def is_flag(finding: Finding) -> bool:
    """Tell whether a finding about grain asks for a repair."""
    return finding.code in CODES and finding.severity == "repair"


def judge(source: Source, case: dict[str, object]) -> Judged:
    """Hold one case against the detector, without the probe and with it."""
    sql, question = str(case["sql"]), str(case["question"])
    found = check_grain(sql, dialect=source.dialect, catalog=source.catalog, question=question)
    proved = resolve(
        found,
        source.run,
        sql=sql,
        dialect=source.dialect,
        catalog=source.catalog,
        question=question,
    )
    confirmed = [f for f in proved if is_flag(f)]
    return Judged(
        question=question,
        sql=sql,
        wrong=case.get("truth") is not None,
        flagged=any(map(is_flag, found)),
        confirmed=bool(confirmed),
        said=tuple(f"{f.code} {f.severity}: {f.evidence}" for f in proved),
        fix=_fixed(source, confirmed, str(case.get("right") or "")),
    )


def _fixed(source: Source, confirmed: Sequence[Finding], right: str) -> str:
    """Run the fix of a confirmed finding and tell whether it gives what was meant."""
    texts = [f.fix for f in confirmed if f.fix]
    if not texts or not right:
        return "none" if confirmed and right else ""
    try:
        return "right" if same_rows(source.run(texts[0]), source.run(right)) else "wrong"
    except (QuerymendError, ValueError) as error:
        print(f"fix fails: {error}", file=sys.stderr)
        return "fails"


def score(name: str, judged: Sequence[Judged], *, probed: bool) -> Score:
    """Count what was flagged rightly, wrongly, and not."""
    flags = [(j.confirmed if probed else j.flagged, j.wrong) for j in judged]
    return Score(
        name=name,
        right=flags.count((True, True)),
        false_alarms=flags.count((True, False)),
        missed=flags.count((False, True)),
    )


def golds(data: Path, cache: Path) -> Iterator[tuple[str, Source, str, str]]:
    """Yield the gold queries of Spider and BIRD: set, database, question, SQL."""
    for name in ("spider", "bird"):
        sources: dict[str, Source] = {}
        for line in (data / name / "questions.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["db"] not in sources:
                found = sorted((data / name / "databases").rglob(f"{record['db']}.sqlite"))
                engine = open_source(found[0], cache_dir=cache)
                sources[record["db"]] = asker(engine, engine.catalog())
            for sql in record["gold_duckdb"] or ():
                yield name, sources[record["db"]], str(record["question"]), str(sql)


def false_alarms(
    data: Path, pack: Source, cache: Path | None
) -> list[tuple[str, int, list[Judged]]]:
    """Return, for each set of golds, how many there are and which of them are flagged."""
    kept: dict[str, tuple[int, list[Judged]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        everything = [
            *(("pack", pack, q.question, s) for q in load_pack("retail").questions for s in q.sql),
            *golds(data, cache or Path(folder)),
        ]
        for name, source, question, sql in everything:
            count, flagged = kept.setdefault(name, (0, []))
            judged = judge(source, {"question": question, "sql": sql})
            if judged.flagged:
                flagged.append(judged)
            kept[name] = (count + 1, flagged)
    return [(name, count, flagged) for name, (count, flagged) in kept.items()]


def report(scores: Sequence[Score], judged: Sequence[Judged], *, show: bool) -> None:
    """Print the tables and what is on the wrong side."""
    print(f"{'':16}{'precision':>10}{'recall':>8}{'flags':>7}{'false':>7}{'missed':>8}")
    for s in scores:
        flags = s.right + s.false_alarms
        print(
            f"{s.name:16}{s.precision:10.3f}{s.recall:8.3f}{flags:7}{s.false_alarms:7}{s.missed:8}"
        )
    fixes = [j.fix for j in judged if j.wrong and j.confirmed]
    kinds = ", ".join(f"{fixes.count(k)} {k}" for k in ("right", "wrong", "fails", "none"))
    print(f"fixes of {len(fixes)} confirmed: {kinds}")
    for j in judged if show else ():
        if j.confirmed != j.wrong or j.fix in ("wrong", "fails", "none"):
            print(f"- {'missed' if j.wrong else 'false'} {j.fix}: {j.question}\n  {j.sql}")
            print("".join(f"  {s}\n" for s in j.said), end="")


def main() -> int:
    """Run the benchmark; exit 1 below a bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack_db", type=Path)
    parser.add_argument("--part", choices=("tuned", "holdout", "all"), default="all")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cache", type=Path, help="where copies of the SQLite files are kept")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quiet", action="store_true", help="leave the single cases out")
    args = parser.parse_args()
    engine = open_duckdb(args.pack_db)
    pack = asker(engine, describe(engine.catalog(), load_pack("retail").notes)[0])
    judged = [judge(pack, case) for case in cases(args.part)]
    scores = [
        score("statement alone", judged, probed=False),
        score("with probe", judged, probed=True),
    ]
    alarms = false_alarms(args.data, pack, args.cache) if args.data else []
    if args.json:
        print(
            json.dumps(
                {"scores": [asdict(s) for s in scores], "cases": [asdict(j) for j in judged]}
            )
        )
    else:
        report(scores, judged, show=not args.quiet)
        for name, count, flagged in alarms:
            confirmed = [j for j in flagged if j.confirmed]
            print(f"{name}: {count} golds, {len(flagged)} flagged, {len(confirmed)} confirmed")
            for j in confirmed:
                print(f"- {j.question}\n  {j.sql}\n  {j.said}")
    met = scores[1].precision >= BARS["precision"] and scores[1].recall >= BARS["recall"]
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
