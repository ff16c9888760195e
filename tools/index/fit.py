"""Tables within a token budget: all of them, or the best ranked, and what had to be left out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from querymend.tools.catalog.model import Table
from querymend.tools.chunks.ddl import create_table
from querymend.tools.index.tokens import estimate
from querymend.tools.index.view import View, narrowed

AIM = 5
"""Sample rows give way until so many of the best tables fit."""
SHARES = (0.45, 0.3, 0.2)
"""A table wider than its share of the budget is narrowed; ranks further on get the last."""
LEAST = 40
"""Tokens below which a narrowed table says too little."""
TOLD = 25

ColumnOrder = Callable[[Table], Sequence[str]]
"""A table's columns, those that matter most first."""


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """The tables taken, in the catalog's order."""

    tables: tuple[Table, ...]
    left_out: tuple[str, ...] = ()
    margin: float = 1.0
    tokens: int = 0


def fit(
    view: View,
    ranking: Sequence[tuple[str, float]],
    *,
    budget: int,
    samples: int,
    columns: ColumnOrder,
) -> Fitted:
    """Take every table if they fit, else the best ranked and the bridges between them."""
    whole = _all(view, budget, samples)
    return whole or _Choice(view, ranking, budget, samples, columns).made()


def _all(view: View, budget: int, samples: int) -> Fitted | None:
    """Take every table, with as many sample rows as fit (one at least, where there are any)."""
    for rows in range(samples, min(samples, 1) - 1, -1):
        tokens = sum(view.cost(name, rows) for name in view.names)
        if tokens <= budget:
            tables = tuple(_with_rows(t, rows) for t in view.tables.values())
            return Fitted(tables=tables, tokens=tokens)
    return None


class _Choice:
    """One choice in the making."""

    def __init__(
        self,
        view: View,
        ranking: Sequence[tuple[str, float]],
        budget: int,
        samples: int,
        columns: ColumnOrder,
    ) -> None:
        self._view = view
        self._ranking = ranking
        self._budget = budget
        self._columns = columns
        self._rows = self._sample_rows(samples)
        self._taken: dict[str, Table] = {}
        self._notes: list[str] = []
        self._tokens = 0

    def made(self) -> Fitted:
        """Take tables in the order of their rank while they fit."""
        missed: list[int] = []
        for place, (name, _) in enumerate(self._ranking):
            if name not in self._taken and not self._take(name, place):
                missed.append(place)
        missed = [p for p in missed if self._ranking[p][0] not in self._taken]
        tables = sorted(self._taken.values(), key=lambda t: self._view.in_order[t.qualified_name])
        return Fitted(
            tables=tuple(tables),
            left_out=(*self._notes, *self._told(missed)),
            margin=self._margin(missed),
            tokens=self._tokens,
        )

    def _take(self, name: str, place: int) -> bool:
        """Take a table and the bridges that it needs, if all of them fit."""
        wanted = [n for n in self._view.closed([*self._taken, name]) if n not in self._taken]
        pieces: list[tuple[Table, int]] = []
        left = self._budget - self._tokens
        for each in wanted:
            piece = self._piece(each, place, left)
            if piece is None:
                # A bridge that does not fit is no reason to go without the best tables.
                return self._alone(name, place) if len(wanted) > 1 else False
            pieces.append(piece)
            left -= piece[1]
        self._keep(pieces)
        return True

    def _alone(self, name: str, place: int) -> bool:
        if place >= AIM:
            return False
        piece = self._piece(name, place, self._budget - self._tokens)
        if piece is not None:
            self._keep([piece])
        return piece is not None

    def _keep(self, pieces: Sequence[tuple[Table, int]]) -> None:
        for table, cost in pieces:
            name = table.qualified_name
            self._taken[name] = table
            self._tokens += cost
            gone = [c.name for c in self._view.tables[name].columns if not table.column(c.name)]
            if gone:
                self._notes.append(_columns_left(name, gone, len(table.columns)))

    def _piece(self, name: str, place: int, left: int) -> tuple[Table, int] | None:
        """Return the table as it fits, with its cost: whole, without rows, or narrowed."""
        share = int(self._budget * SHARES[min(place, len(SHARES) - 1)])
        table = self._view.tables[name]
        for rows in sorted({self._rows, 0}, reverse=True):
            cost = self._view.cost(name, rows)
            if cost <= left and (cost <= share or len(table.columns) <= 3):
                return _with_rows(table, rows), cost
        room = min(left, share)
        return self._narrow(table, room) if room >= LEAST or place == 0 else None

    def _narrow(self, table: Table, room: int) -> tuple[Table, int]:
        """Keep the columns that matter most within the room; always the first of them."""
        bare = _with_rows(table, 0)
        order = list(self._columns(table))
        keep = order[:1]
        cost = _cost(narrowed(bare, keep))
        for column in order[1:]:
            wider = narrowed(bare, [*keep, column])
            more = _cost(wider)
            if more <= room:
                keep, cost = [*keep, column], more
        return narrowed(bare, keep), cost

    def _sample_rows(self, samples: int) -> int:
        """Return how many sample rows let the best tables fit."""
        best = self._view.closed([name for name, _ in self._ranking[:AIM]])
        for rows in range(samples, 0, -1):
            if sum(self._view.cost(name, rows) for name in best) <= self._budget:
                return rows
        return 0

    def _told(self, missed: Sequence[int]) -> list[str]:
        """Name what was left out, the nearest first; the far end is only counted."""
        lines = [
            f"table {name} (rank {place + 1}, {self._view.cost(name, self._rows)} tokens)"
            for place, (name, _) in ((p, self._ranking[p]) for p in missed[:TOLD])
        ]
        rest = len(missed) - TOLD
        return [*lines, f"{rest} more tables"] if rest > 0 else lines

    def _margin(self, missed: Sequence[int]) -> float:
        """Return how far the weakest table taken stands above the best one missed."""
        if not missed or not self._ranking:
            return 1.0
        top = self._ranking[0][1]
        first = self._ranking[missed[0]][1]
        above = [score for name, score in self._ranking[: missed[0]] if name in self._taken]
        return min(1.0, max(0.0, (above[-1] - first) / top)) if above and top else 0.0


def _with_rows(table: Table, rows: int) -> Table:
    return replace(table, sample=table.sample[:rows])


def _cost(table: Table) -> int:
    return estimate(create_table(table)) + 1


def _columns_left(name: str, gone: Sequence[str], kept: int) -> str:
    shown = ", ".join(gone[:10]) + (", …" if len(gone) > 10 else "")
    return f"{len(gone)} of {len(gone) + kept} columns of {name}: {shown}"
