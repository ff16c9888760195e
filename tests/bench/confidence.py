"""Measure how well the confidence ranks answers, and write its coefficients.

    python tests/bench/confidence.py DATA [--fit] [--traits FILE] [--sample N] [--json]

DATA is as in ``detection.py``, and so are the labels: right answers against silently wrong ones
that are not near, equal ones counted once. A model that scores a Spider database was fitted
without it, one that scores a fifth of BIRD's questions without those. Empty wrong answers are
wrong to the fit, and not scored. With a candidate: the answer of the next file in alphabetical
order, the first one after the last, stands in for a second statement. ``--fit`` writes the
coefficients that ship, fitted on everything. Nothing asks a model. ``--traits FILE`` keeps the
traits, or reads them where the file is there.
"""

import json
import pickle
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from detection import Judged, findings, read
from logistic import Model, Numbers, auroc, calibration_error, fit
from published import SETS, Prediction, Warehouse, options, parsed, predictions, warehouses

from querymend.tools.confidence.evidence import Traits, evidence_of
from querymend.tools.confidence.model import lowers, traits_of
from querymend.tools.confidence.outcomes import Candidate, candidate_traits
from querymend.tools.engines.engine import Result
from querymend.tools.results.compare import same_rows

HERE = Path(__file__).resolve().parents[2] / "tools" / "confidence" / "weights.json"
PENALTY = 60.0
MOST = 75
BARS = {"spider": (0.78, 0.86), "bird": (0.75, 0.83)}
"""AUROC at least, without and with a candidate."""
ERROR = 0.07
GIVEN = {"doubted_unverified_fix": -1.5, "doubted_second_try": -1.8}
"""Weights of what no published prediction has, by the local model's own answers: of those mended
by a rule that could not be verified 27 of 59 were right, of those that the model wrote anew 3 of
9, of those without a warning 294 of 368 (``querymend eval`` on Spider's first 100 and the pack)."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One prediction that ran, with its traits."""

    prediction: Prediction
    traits: Traits
    candidates: tuple[Candidate, ...] = ()
    """What each distinct candidate beside it gave."""

    @property
    def fold(self) -> str:
        """Return what it is held out with."""
        nothing: frozenset[str] = frozenset()
        judged = Judged(prediction=self.prediction, codes=nothing, flagging=nothing)
        return f"{self.prediction.set} {judged.fold}"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row of a fit."""

    fold: str
    set: str
    label: str
    traits: Traits


def answers(data: Path, name: str, sample: int | None) -> list[Answer]:
    """Return the distinct predictions of a set that ran, or a sample of them."""
    places, told = warehouses(data, name), predictions(data, name)
    beside = _beside(told)
    asked = [p for p in told if p.sql and p.label in ("right", "wrong", "empty")]
    random.Random(5).shuffle(asked)
    done = [_answer(p, places[p.db], beside[p.id, p.sql]) for p in asked[:sample]]
    for place in places.values():
        place.memory.save()
    return [a for a in done if a is not None]


def _beside(told: Sequence[Prediction]) -> dict[tuple[int, str], list[str]]:
    """Return, for each prediction, the distinct texts that the next systems answered with."""
    by_system: dict[str, dict[int, str]] = {}
    for one in told:
        for system in one.systems:
            by_system.setdefault(system, {})[one.id] = one.sql
    systems = sorted(by_system)
    following = dict(zip(systems, (*systems[1:], *systems[:1]), strict=True))
    found = {}
    for one in told:
        texts = (by_system[following[s]].get(one.id, "") for s in one.systems)
        found[one.id, one.sql] = list(dict.fromkeys(texts))
    return found


def _answer(one: Prediction, place: Warehouse, beside: Sequence[str]) -> Answer | None:
    result = place.run(one.sql)
    if isinstance(result, str):
        return None
    reading, periods = read(one.question)
    evidence = evidence_of(
        one.sql,
        result,
        findings(one, place),
        dialect="sqlite",
        catalog=place.catalog,
        reading=reading,
        periods=periods,
        values=place.values,
        facts=one.facts,
    )
    if evidence is None:
        return None
    candidates = tuple(_compared(result, sql, place) for sql in beside)
    return Answer(prediction=one, traits=traits_of(evidence), candidates=candidates)


def _compared(result: Result, sql: str, place: Warehouse) -> Candidate:
    other = place.run(sql) if sql else ""
    if isinstance(other, str):
        return "failed"
    return "agrees" if same_rows(result.rows, other.rows) else "differs"


def cases(done: Sequence[Answer], *, candidate: bool) -> list[Case]:
    """Return the rows of a fit: an answer once, or once with each of its candidates."""
    return [
        Case(
            fold=a.fold,
            set=a.prediction.set,
            label=a.prediction.label,
            traits={**a.traits, **candidate_traits(c, a.traits)},
        )
        for a in done
        for c in (a.candidates if candidate else (None,))
    ]


def fitted(rows: Sequence[Case]) -> Model:
    """Fit a model on some rows."""
    labels = np.array([float(c.label == "right") for c in rows])
    return fit([c.traits for c in rows], labels, penalty=PENALTY, most=MOST, lowers=lowers)


def held_out(rows: Sequence[Case]) -> Iterator[tuple[Case, float]]:
    """Yield each row with the probability by a model that was fitted without its fold."""
    for fold in sorted({c.fold for c in rows}):
        model = fitted([c for c in rows if c.fold != fold])
        mine = [c for c in rows if c.fold == fold]
        yield from zip(mine, map(float, model.of([c.traits for c in mine])), strict=True)


def figures(scored: Sequence[tuple[Case, float]], name: str) -> dict[str, float]:
    """Return how well the probabilities rank and are met, for one set."""
    mine = [(c.label == "right", p) for c, p in scored if c.set == name and c.label != "empty"]
    every = [(c.label == "right", p) for c, p in scored if c.set == name]
    labels, scores = _arrays(mine)
    return {
        "auroc": auroc(labels, scores),
        "calibration_error": calibration_error(labels, scores),
        "auroc_with_empty": auroc(*_arrays(every)),
        "right": float(labels.sum()),
        "wrong": float((1 - labels).sum()),
    }


def _arrays(pairs: Sequence[tuple[bool, float]]) -> tuple[Numbers, Numbers]:
    return np.array([float(right) for right, _ in pairs]), np.array([p for _, p in pairs])


def measured(done: Sequence[Answer]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the figures of each set, without and with a candidate."""
    told: dict[str, dict[str, dict[str, float]]] = {}
    for kind, candidate in (("alone", False), ("with_candidate", True)):
        scored = list(held_out(cases(done, candidate=candidate)))
        for name in sorted({c.set for c, _ in scored}):
            told.setdefault(name, {})[kind] = figures(scored, name)
    return told


def written(done: Sequence[Answer]) -> dict[str, object]:
    """Return the coefficients that ship."""
    models: dict[str, object] = {"made_by": "tests/bench/confidence.py DATA --fit"}
    for kind, candidate in (("alone", False), ("with_candidate", True)):
        model = fitted(cases(done, candidate=candidate))
        weights = {n: round(float(w), 3) for n, w in zip(model.names, model.weights, strict=True)}
        models[kind] = {
            "intercept": round(model.intercept, 3),
            "weights": {n: w for n, w in sorted({**weights, **GIVEN}.items()) if w},
        }
    return models


def show(told: dict[str, dict[str, dict[str, float]]]) -> None:
    """Print the figures against the bars."""
    head = f"{'AUROC':>8}{'bar':>6}{'calibration error':>19}{'bar':>6}{'AUROC, empties too':>20}"
    print(f"{'':24}{head}{'right':>8}{'wrong':>8}")
    for name, kinds in told.items():
        for bar, (kind, row) in zip(BARS[name], kinds.items(), strict=True):
            print(
                f"{name + ' ' + kind:24}{row['auroc']:8.3f}{bar:6.2f}"
                f"{row['calibration_error']:19.3f}{ERROR:6.2f}{row['auroc_with_empty']:20.3f}"
                f"{row['right']:8.0f}{row['wrong']:8.0f}"
            )


def main() -> None:
    """Measure, print, and write what ships if asked."""
    parser = options(__doc__ or "")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--traits", type=Path)
    parser.add_argument("--sample", type=int)
    asked = parsed(parser)
    done = _kept(asked.data, asked.sample, asked.traits)
    if asked.fit:
        HERE.write_text(json.dumps(written(done), indent=1) + "\n", encoding="utf-8")
    told = measured(done)
    if asked.json:
        print(json.dumps(told))
    else:
        show(told)


def _kept(data: Path, sample: int | None, kept: Path | None) -> list[Answer]:
    if kept is not None and kept.is_file():
        found: list[Answer] = pickle.loads(kept.read_bytes())
        return found
    done = [a for name in SETS for a in answers(data, name, sample)]
    if kept is not None:
        kept.write_bytes(pickle.dumps(done))
    return done


if __name__ == "__main__":
    main()
