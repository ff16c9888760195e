"""Strict table recall: the share of questions all of whose gold tables are among the first k.

    python tests/bench/retrieval.py DATA [--json] [--tune] [--union]

DATA holds ``retrieval/*_catalog.json`` and ``*_questions.jsonl``. The weights of the fusion were
tuned on the databases of even place (``--tune``); the table shows those of odd place apart.
``--union`` searches all databases of a set as if they were one warehouse.
"""

import argparse
import itertools
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.index.embeddings import StaticEmbedder
from querymend.tools.index.rank import WEIGHTS, Hints, Weights, combine, rankings
from querymend.tools.index.store import Store, open_store
from querymend.tools.index.sync import sync
from querymend.tools.index.view import View

SETS = ("spider_dev", "spider_syn", "bird_dev", "beaver")
KS = (1, 3, 5, 10, 20)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One question with its rankings."""

    data: str
    database: str
    held_out: bool
    gold: frozenset[str]
    rankings: Mapping[str, Sequence[str]]


def main() -> int:
    """Measure, and print a table or JSON."""
    options = _options()
    folder = options.data / "retrieval"
    if not folder.is_dir():
        print(
            f"There is no folder {folder}: give the folder that holds retrieval/", file=sys.stderr
        )
        return 5
    cases = [case for name in SETS for case in _cases(folder, name, union=options.union)]
    if options.tune:
        _tune([c for c in cases if not c.held_out])
    rows = _measure(cases, WEIGHTS)
    print(json.dumps(rows, indent=2) if options.json else _table(rows))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    for flag in ("--json", "--tune", "--union"):
        parser.add_argument(flag, action="store_true")
    return parser.parse_args()


def _cases(folder: Path, name: str, *, union: bool) -> Iterator[Case]:
    """Index each database of a set and rank its tables for each of its questions."""
    catalogs = _catalogs(folder / f"{name}_catalog.json")
    questions = defaultdict(list)
    for line in (folder / f"{name}_questions.jsonl").read_text().splitlines():
        entry = json.loads(line)
        questions[entry["db_id"]].append(entry)
    embedder = StaticEmbedder()
    whole = Catalog(tables=tuple(t for c in catalogs.values() for t in c.tables))
    with tempfile.TemporaryDirectory() as home:
        view = _view(Path(home), name, whole, embedder) if union else None
        for place, (database, asked) in enumerate(sorted(questions.items())):
            here = view or _view(Path(home), f"{name}-{database}", catalogs[database], embedder)
            for entry in asked:
                vector = embedder.embed([entry["question"]])[0]
                yield Case(
                    data=name,
                    database=database,
                    held_out=place % 2 == 1,
                    gold=frozenset(f"{database}.{t}".lower() for t in entry["gold_tables"]),
                    rankings=rankings(here, entry["question"], vector, Hints()),
                )


def _view(home: Path, warehouse: str, catalog: Catalog, embedder: StaticEmbedder) -> View:
    store: Store = open_store(home, warehouse=warehouse, fingerprint=embedder.fingerprint)
    sync(store, embedder, catalog=catalog)
    return View(catalog, store, embedder)


def _catalogs(path: Path) -> dict[str, Catalog]:
    """Read a set's tables by database; the database stands as schema."""
    tables: defaultdict[str, list[Table]] = defaultdict(list)
    for entry in json.loads(path.read_text()):
        columns = tuple(
            Column(name=c["name"], type=c.get("type", ""), description=c.get("desc", ""))
            for c in entry["columns"]
        )
        table = Table(name=entry["table"], schema=entry["db_id"], columns=columns)
        tables[entry["db_id"]].append(table)
    return {database: Catalog(tables=tuple(found)) for database, found in tables.items()}


def _rank_of_last(case: Case, weights: Weights) -> float:
    """Return the place of the gold table that comes last; infinite if one is missing."""
    order = [name.lower() for name, _ in combine(case.rankings, weights)]
    places = [order.index(g) + 1 if g in order else float("inf") for g in case.gold]
    return max(places, default=1)


def _measure(cases: Sequence[Case], weights: Weights) -> list[dict[str, str | int | float]]:
    """Return strict recall at each k, for each set, tuned-on and held-out databases apart."""
    rows: list[dict[str, str | int | float]] = []
    for name, held_out in itertools.product(SETS, (False, True)):
        lasts = [
            _rank_of_last(c, weights) for c in cases if c.data == name and c.held_out == held_out
        ]
        if lasts:
            shares = {f"@{k}": sum(p <= k for p in lasts) / len(lasts) for k in KS}
            part = "held out" if held_out else "tuned on"
            rows.append({"set": name, "databases": part, "questions": len(lasts), **shares})
    return rows


def _table(rows: Sequence[Mapping[str, str | int | float]]) -> str:
    lines = [f"{'set':12} {'databases':10} {'n':>5} " + " ".join(f"{f'@{k}':>6}" for k in KS)]
    lines += [
        f"{row['set']:12} {row['databases']:10} {row['questions']:>5} "
        + " ".join(f"{float(row[f'@{k}']):6.3f}" for k in KS)
        for row in rows
    ]
    return "\n".join(lines)


def _tune(cases: Sequence[Case]) -> None:
    """Try weights on the databases that are tuned on, and print the best by mean recall."""
    tried = []
    grid = itertools.product(
        (0.5, 1.0, 2.0), (0.0, 0.5, 1.0), (0.0, 0.5, 1.0, 2.0), (2.0, 10.0, 60.0)
    )
    for dense, cards, names, damping in grid:
        weights = replace(WEIGHTS, dense=dense, cards=cards, names=names, damping=damping)
        rows = _measure(cases, weights)
        mean = sum(float(row[f"@{k}"]) for row in rows for k in (3, 5, 10)) / (3 * len(rows))
        tried.append((mean, str(weights)))
    for mean, shown in sorted(tried, reverse=True)[:12]:
        print(f"{mean:.4f} {shown}")


if __name__ == "__main__":
    sys.exit(main())
