"""Logistic regression by Newton's method, with weights that may be held at or below zero."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Rows = Sequence[dict[str, float]]
STEPS = 60
CLOSE = 1e-5
RARE = 8
"""A trait that fewer answers have is left out."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """A fitted model: the probability of a label is the logistic of a weighted sum."""

    names: tuple[str, ...]
    weights: Numbers
    intercept: float

    def of(self, rows: Rows) -> Numbers:
        """Return the probability of each row."""
        return _logistic(_matrix(rows, self.names) @ self.weights + self.intercept)


def fit(
    rows: Rows, labels: Numbers, *, penalty: float, most: int, lowers: Callable[[str], bool]
) -> Model:
    """Fit twice: with all traits, then with the ones that weighed most.

    Args:
        rows: traits by name; what is missing is 0.
        labels: 1 where the answer is right, else 0.
        penalty: on the squares of the weights; the intercept is free.
        most: traits that are kept.
        lowers: tells which traits' weights are held at or below zero.
    """
    names = _frequent(rows)
    first = _newton(rows, labels, names, penalty, lowers)
    spread = _matrix(rows, names).std(axis=0)
    order = np.argsort(-np.abs(first.weights) * spread, kind="stable")[:most]
    kept = tuple(sorted(names[i] for i in order if first.weights[i]))
    return _newton(rows, labels, kept, penalty, lowers)


def _frequent(rows: Rows) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for row in rows:
        for name, value in row.items():
            counts[name] = counts.get(name, 0) + bool(value)
    return tuple(sorted(n for n, times in counts.items() if times >= RARE))


def _newton(
    rows: Rows,
    labels: Numbers,
    names: tuple[str, ...],
    penalty: float,
    lowers: Callable[[str], bool],
) -> Model:
    x = np.hstack([_matrix(rows, names), np.ones((len(rows), 1))])
    held = np.array([*(lowers(n) for n in names), False])
    cost = np.array([*(penalty for _ in names), 1e-6])
    at = np.zeros(x.shape[1])
    for _ in range(STEPS):
        after = _stepped(x, labels, at, cost, held)
        moved = float(np.abs(after - at).max())
        at = after
        if moved < CLOSE:
            break
    return Model(names=names, weights=at[:-1], intercept=float(at[-1]))


def _stepped(x: Numbers, labels: Numbers, at: Numbers, cost: Numbers, held: Numbers) -> Numbers:
    """Go one step down; a held weight at zero stays where the step would raise it."""
    likely = _logistic(x @ at)
    slope = x.T @ (likely - labels) + cost * at
    free = ~(held & (at >= 0) & (slope < 0))
    curve = (x * (likely * (1 - likely))[:, None]).T @ x + np.diag(cost)
    step = np.zeros_like(at)
    step[free] = np.linalg.solve(curve[np.ix_(free, free)], slope[free])
    after = at - step
    return np.where(held, np.minimum(after, 0), after)


def _matrix(rows: Rows, names: Sequence[str]) -> Numbers:
    return np.array([[row.get(n, 0.0) for n in names] for row in rows]).reshape(-1, len(names))


def _logistic(score: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-np.clip(score, -30, 30)))


def auroc(labels: Numbers, scores: Numbers) -> float:
    """Return how often a right answer ranks above a wrong one; ties count half."""
    _, place, times = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[place]
    right, wrong = labels.sum(), (1 - labels).sum()
    won = float(ranks[labels == 1].sum() - right * (right + 1) / 2)
    return won / max(float(right * wrong), 1.0)


def calibration_error(labels: Numbers, scores: Numbers, bins: int = 10) -> float:
    """Return the mean distance of score and share of right ones, over bins of equal width."""
    place = np.minimum((scores * bins).astype(int), bins - 1)
    gaps = [abs(float((labels[place == b] - scores[place == b]).sum())) for b in range(bins)]
    return sum(gaps) / max(len(labels), 1)
