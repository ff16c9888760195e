"""Tables within a token budget: all of them, or the best ranked, and what had to be left out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from querymend.tools.catalog.model import Table
from querymend.tools.chunks.ddl import create_table
from querymend.tools.index.tokens import estimate
from querymend.tools.index.view import View, narrowed

AIM = 5
"""Sample rows give way until so many of the best tables fit."""
SHARES = (0.45, 0.35, 0.25)
"""A table wider than its share of the budget is narrowed; ranks further on get the last."""
WIDE = 12
"""Tables of no more columns are taken whole or not narrowed before the budget forces it."""
LEAST = 40
"""Tokens below which a narrowed table says too little."""
CONNECTED = 8
"""Tables ranked further on are taken whole and without their bridges, or not at all."""
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
        if view.fits(rows, budget):
            tokens = sum(view.cost(name, rows) for name in view.names)
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
        self._taken: dict[str, tuple[Table, int]] = {}

    @property
    def _left(self) -> int:
        return self._budget - sum(cost for _, cost in self._taken.values())

    def made(self) -> Fitted:
        """Take tables in the order of their rank while they fit."""
        for place, (name, _) in enumerate(self._ranking):
            if place == 0 or self._left >= LEAST:
                self._take(name, place)
        self._widen()
        missed = [p for p, (name, _) in enumerate(self._ranking) if name not in self._taken]
        order = sorted(self._taken, key=lambda name: self._view.in_order[name])
        return Fitted(
            tables=tuple(self._taken[name][0] for name in order),
            left_out=(*self._columns_left(), *self._tables_left(missed)),
            margin=self._margin(missed),
            tokens=self._budget - self._left,
        )

    def _take(self, name: str, place: int) -> None:
        """Take a table with the bridges that it needs, or alone where they do not fit."""
        if name in self._taken:
            return
        bridges = self._view.closed([*self._taken, name]) if place < CONNECTED else ()
        wanted = [name, *(n for n in bridges if n != name and n not in self._taken)]
        pieces: dict[str, tuple[Table, int]] = {}
        left = self._left
        for each in wanted:
            piece = self._piece(each, place, left)
            if piece is None:
                pieces = dict([next(iter(pieces.items()))]) if pieces else {}
                break
            pieces[each] = piece
            left -= piece[1]
        self._taken |= pieces

    def _piece(self, name: str, place: int, left: int) -> tuple[Table, int] | None:
        """Return the table as it fits, with its cost: whole, without rows, or narrowed."""
        table = self._view.tables[name]
        share = int(self._budget * SHARES[min(place, len(SHARES) - 1)])
        room = min(left, share) if len(table.columns) > WIDE else left
        for rows in sorted({self._rows, 0}, reverse=True):
            cost = self._view.cost(name, rows)
            if cost <= room:
                return _with_rows(table, rows), cost
        if place == 0 or (place < CONNECTED and room >= LEAST):
            return self._narrow(table, room)
        return None

    def _narrow(self, table: Table, room: int) -> tuple[Table, int] | None:
        """Keep the columns that matter most within the room; of the best table, always one."""
        name = table.qualified_name
        order = list(self._columns(table))
        keep, about = order[:1], self._view.bare_cost(name)
        for column in order[1:]:
            more = self._view.column_cost(name, column)
            if about + more <= room:
                keep, about = [*keep, column], about + more
        while True:
            piece = narrowed(_with_rows(table, 0), keep)
            cost = estimate(create_table(piece, samples=0)) + 1
            if cost <= room or len(keep) < 2:
                return (piece, cost) if cost <= self._left else None
            keep.pop()

    def _widen(self) -> None:
        """Give what is left of the budget to the tables that were narrowed, the best first."""
        for name, _ in self._ranking:
            if name in self._taken and self._gone(name):
                cost = self._taken.pop(name)[1]
                piece = self._piece(name, 0, self._left) or self._narrow(
                    self._view.tables[name], max(cost, self._left)
                )
                if piece is not None:
                    self._taken[name] = piece

    def _gone(self, name: str) -> list[str]:
        """Return the columns that a table taken has lost."""
        whole, taken = self._view.tables[name], self._taken[name][0]
        kept = {c.name for c in taken.columns}
        return [c.name for c in whole.columns if c.name not in kept]

    def _sample_rows(self, samples: int) -> int:
        """Return how many sample rows let the best tables fit."""
        best = self._view.closed([name for name, _ in self._ranking[:AIM]])
        for rows in range(samples, 0, -1):
            if sum(self._view.cost(name, rows) for name in best) <= self._budget:
                return rows
        return 0

    def _columns_left(self) -> list[str]:
        """Name the columns that tables taken have lost."""
        lines = []
        for name in self._taken:
            gone = self._gone(name)
            shown = ", ".join(gone[:10]) + (", …" if len(gone) > 10 else "")
            whole = len(self._view.tables[name].columns)
            lines += [f"{len(gone)} of {whole} columns of {name}: {shown}"] if gone else []
        return lines

    def _tables_left(self, missed: Sequence[int]) -> list[str]:
        """Name the tables that were left out, the nearest first; the far end is only counted."""
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
