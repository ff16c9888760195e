"""Two runs on the same questions, pair by pair."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

from querymend.evaluation.records import Record


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One question in both runs."""

    before: Record
    after: Record


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What the second run delivers that the first did not, and the reverse."""

    mended: tuple[Pair, ...]
    broken: tuple[Pair, ...]
    both: int
    """Delivered by both."""
    neither: int
    only_one: int = 0
    """Questions that one of the runs lacks, or has with another text or gold: left out."""

    @property
    def unchanged(self) -> int:
        """Count the questions that both delivered, or neither."""
        return self.both + self.neither

    @property
    def p(self) -> float:
        """Return McNemar's exact p: how likely so uneven a split is by chance."""
        return mcnemar(len(self.mended), len(self.broken))


def compare(before: Iterable[Record], after: Iterable[Record]) -> Comparison:
    """Pair the records of two runs by question."""
    first = {(r.key, r.digest): r for r in before}
    second = {(r.key, r.digest): r for r in after}
    pairs = [Pair(before=r, after=second[k]) for k, r in first.items() if k in second]
    return Comparison(
        mended=tuple(p for p in pairs if p.after.delivered and not p.before.delivered),
        broken=tuple(p for p in pairs if p.before.delivered and not p.after.delivered),
        both=sum(p.before.delivered and p.after.delivered for p in pairs),
        neither=sum(not (p.before.delivered or p.after.delivered) for p in pairs),
        only_one=len(first.keys() ^ second.keys()),
    )


def mcnemar(mended: int, broken: int) -> float:
    """Return the two-sided exact p of McNemar's test (McNemar 1947): a fair coin's tails."""
    n = mended + broken
    if n == 0:
        return 1.0
    tail = sum(comb(n, k) for k in range(min(mended, broken) + 1))
    return min(1.0, 2 * tail / (1 << n))


def whole_loop(records: Sequence[Record]) -> list[Record]:
    """Return the records of the whole loop, or those of the single pass where there is no other."""
    loop = [r for r in records if r.mode == "loop"]
    return loop or list(records)
