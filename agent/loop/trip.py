"""What one question travels with: shared parts, its scope, its meter. Never checkpointed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from querymend.budget import Meter
from querymend.events import Event, StageStarted
from querymend.model.writer import Writer
from querymend.settings import Settings
from querymend.tools.catalog.model import Catalog, Scope
from querymend.tools.engines.engine import Engine, Limits, Result
from querymend.tools.engines.estimate import Estimate
from querymend.tools.findings import Finding
from querymend.tools.index.embeddings import Embedder
from querymend.tools.index.model import Fact, ValueLookup
from querymend.tools.index.retrieve import Retriever
from querymend.trace import Trace


@dataclass(frozen=True, kw_only=True)
class Deps:
    """What all questions of one agent share. Every part serves many threads at once."""

    engine: Engine
    writer: Writer
    catalog: Catalog
    retriever: Retriever
    values: ValueLookup
    embedder: Embedder
    settings: Settings
    facts: tuple[Fact, ...] = ()
    """The pack's business knowledge; what the index retrieves from."""


@dataclass(frozen=True, kw_only=True)
class Trip:
    """One question's own: what it may see, what it may spend, and the rows it has fetched.

    Rows stay out of the state, which is checkpointed; a trip that goes on elsewhere runs its
    query again.
    """

    deps: Deps
    catalog: Catalog
    """What the scope leaves of the warehouse."""
    values: ValueLookup
    """The values within the scope."""
    meter: Meter
    today: date
    today_set: bool = False
    """Today is a day that somebody set, not the engine's own."""
    scope: Scope | None = None
    facts: tuple[Fact, ...] = ()
    """Facts given with the question."""
    run: bool = True
    """False stops before anything runs on the engine."""
    told: tuple[Finding, ...] = ()
    """What the answer tells besides: tables that changed meanwhile."""
    emit: Callable[[Event], None] = lambda event: None
    id: str = ""
    """The answer's id, in every line of log and trace."""
    trace: Trace = field(default_factory=Trace)
    results: dict[str, Result] = field(default_factory=dict)
    """Rows by SQL text, so that no text runs twice."""
    estimates: dict[str, Estimate] = field(default_factory=dict)
    """What texts would scan, where the engine charges for it."""

    @property
    def single_pass(self) -> bool:
        """Tell whether this is the plain pipeline: no rule fixes, no retries."""
        return self.meter.budget.max_repairs == 0

    def begin(self, stage: str) -> None:
        """Tell that a stage starts."""
        self.emit(StageStarted(stage=stage))

    def note(self, stage: str, **data: object) -> None:
        """Tell log and trace what a stage did; no rows and no cell values."""
        self.trace.write(self.id, stage, **data)

    def limits(self) -> Limits:
        """Return what the next statement may take of what is left.

        Raises:
            BudgetExceeded: nothing is left.
        """
        self.meter.check_bytes()
        spent, allowed = self.meter.bytes_scanned or 0, self.meter.budget.bytes
        return Limits(
            rows=self.meter.budget.rows,
            seconds=self.meter.seconds_left(),
            bytes=None if allowed is None else allowed - spent,
            cancelled=self.meter.cancelled,
            sees=self.catalog,
        )
