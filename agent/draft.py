"""A draft: checked SQL that has not run."""

import threading
from collections.abc import Callable

from querymend.answer import Answer, Cost, Outcome
from querymend.tools.engines.estimate import Estimate
from querymend.tools.findings import Finding
from querymend.tools.results.plain import Plain


class Draft:
    """The SQL for a question, its findings, and the way to go on.

    Attributes:
        answer: what is known so far; it has no rows.
    """

    def __init__(self, answer: Answer, go_on: Callable[[str], Answer]) -> None:
        self.answer = answer
        self._go_on = go_on
        self._lock = threading.Lock()
        self._done: Answer | None = None

    @property
    def id(self) -> str:
        """The id that the answer will have."""
        return self.answer.id

    @property
    def outcome(self) -> Outcome:
        """``refused`` or ``failed`` where there is nothing to run."""
        return self.answer.outcome

    @property
    def sql(self) -> str:
        """The text that ``run`` sends."""
        return self.answer.sql

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong or doubtful so far."""
        return self.answer.findings

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The readings that were taken."""
        return self.answer.assumptions

    @property
    def estimated_bytes(self) -> int | None:
        """What running it would scan, where the engine can tell."""
        return self.answer.estimate.bytes if self.answer.estimate else None

    @property
    def estimate(self) -> Estimate | None:
        """Partitions, bytes and cost of running it, where the engine charges for scans."""
        return self.answer.estimate

    @property
    def cost(self) -> Cost:
        """What it took so far."""
        return self.answer.cost

    def run(self) -> Answer:
        """Run it, through the gate. A second call gives the same answer and runs nothing."""
        with self._lock:
            if self._done is None:
                ended = self.outcome in ("refused", "failed")
                self._done = self.answer if ended else self._go_on(self.sql)
            return self._done

    def to_dict(self) -> dict[str, Plain]:
        """Return the draft in JSON's types."""
        return {**self.answer.to_dict(), "draft": True, "estimated_bytes": self.estimated_bytes}
