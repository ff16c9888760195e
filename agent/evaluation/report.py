"""Shares and costs of a run, in all and by tag."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, median

from querymend.evaluation.records import Record
from querymend.evaluation.score import SCORES

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What a set of records came to. Counts are of questions; costs are means unless said."""

    tag: str
    n: int
    right: int
    cautious: int
    silently_wrong: int
    said_so: int
    withheld: int
    unscored: int
    """No gold of the question runs: the data's fault, in no share but the whole."""
    errors: int
    """Outcome ``failed``."""
    model_calls: float
    tokens_in: float
    tokens_out: float
    model_seconds: float
    engine_seconds: float
    framework_seconds: float
    """The median."""

    @property
    def delivered(self) -> int:
        """Count the questions whose right result the user got."""
        return self.right + self.cautious

    def share(self, count: int) -> float:
        """Return a count as per cent of all questions."""
        return 100.0 * count / self.n if self.n else 0.0

    def to_dict(self) -> dict[str, object]:
        """Return the figures with the shares that bars are set for."""
        names = ("right", "cautious", "silently_wrong", "said_so", "withheld", "delivered")
        shares = {f"{name}_share": round(self.share(getattr(self, name)), 2) for name in names}
        return {**asdict(self), "delivered": self.delivered, **shares}


def figures(records: Sequence[Record], tag: str = ALL) -> Figures:
    """Add up a set of records."""
    counts = {name: sum(r.score == name for r in records) for name in SCORES}
    return Figures(
        tag=tag,
        n=len(records),
        unscored=sum(r.score is None for r in records),
        errors=sum(r.outcome == "failed" for r in records),
        model_calls=_over(mean, records, "model_calls"),
        tokens_in=_over(mean, records, "tokens_in"),
        tokens_out=_over(mean, records, "tokens_out"),
        model_seconds=_over(mean, records, "model_seconds"),
        engine_seconds=_over(mean, records, "engine_seconds"),
        framework_seconds=_over(median, records, "framework_seconds"),
        **counts,
    )


def by_tag(records: Iterable[Record]) -> list[Figures]:
    """Add up the records of each tag; a question with two tags counts in both."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        for tag in record.tags:
            groups.setdefault(tag, []).append(record)
    return [figures(group, tag) for tag, group in groups.items()]


@dataclass(frozen=True, kw_only=True)
class FirstAttempts:
    """What became of the questions whose first attempt had a finding to act on."""

    n: int
    right: int
    """They ended with a gold result."""
    silently_wrong: int


def flagged_first(records: Iterable[Record]) -> FirstAttempts:
    """Follow the questions whose first attempt had a ``block`` or ``repair`` finding."""
    flagged = [r for r in records if r.first.get("severity") in ("block", "repair")]
    return FirstAttempts(
        n=len(flagged),
        right=sum(r.delivered for r in flagged),
        silently_wrong=sum(r.score == "silently_wrong" for r in flagged),
    )


def _over(
    reduce: Callable[[Iterable[float]], float], records: Sequence[Record], name: str
) -> float:
    values = [r.number(name) for r in records if r.cost]
    return float(reduce(values)) if values else 0.0
