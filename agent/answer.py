"""What a question gives back: the answer, its attempts, its sources and its cost."""

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Literal

from querymend.tools.catalog.model import Cell
from querymend.tools.engines.engine import ResultColumn
from querymend.tools.engines.estimate import Estimate
from querymend.tools.findings import Finding
from querymend.tools.results.plain import Plain, plain

Outcome = Literal["answered", "answered_with_warnings", "needs_clarification", "refused", "failed"]
Route = Literal["look-up", "document", "analytical", "hybrid", "metadata", "unanswerable", "unsafe"]
Author = Literal["model", "rule", "caller"]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What a result looked like, without its rows."""

    rows: int
    """Rows fetched."""
    truncated: bool
    columns: tuple[ResultColumn, ...]
    digest: str
    """Equal digests mean equal rows in equal order."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One SQL text that was tried."""

    sql: str
    author: Author
    """Who wrote it: the model, a rule fix, or the caller."""
    reason: str = ""
    """Why it was made: what the attempt before it was blamed for, or what the rule changed."""
    findings: tuple[Finding, ...] = ()
    summary: Summary | None = None
    """None where it never ran, or the engine refused it."""
    seconds: float = 0.0
    bytes_scanned: int | None = None
    query_id: str = ""
    kept: bool = False
    """The answer rests on this one."""
    step: str = ""
    """The step of the question that this text answers; empty for one that answers the whole."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """What the answer rests on."""

    kind: Literal["query", "chunk"]
    id: str
    """The query's id at the engine, or the chunk's id in the index."""
    text: str
    """The SQL, or the chunk."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one question took. Seconds are wall-clock unless said otherwise."""

    seconds: float = 0.0
    model_seconds: float = 0.0
    engine_seconds: float = 0.0
    model_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    repairs: int = 0
    """Model repairs and rule fixes that were tried as attempts."""
    queries: int = 0
    """Statements that ran, trials of fixes and probes too."""
    bytes_scanned: int | None = None
    usd: float | None = None
    """What the scans cost by list price, an estimate; None where nobody charges for them."""
    reused: int = 0
    """Statements whose rows were those of an earlier run."""
    query_ids: tuple[str, ...] = ()
    """Every statement's id at the engine, failed and stopped ones too."""
    model: str = ""

    @property
    def framework_seconds(self) -> float:
        """Time that neither the model nor the engine took."""
        return max(0.0, self.seconds - self.model_seconds - self.engine_seconds)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer, or the plain statement that there is none, with all it rests on."""

    id: str
    question: str
    outcome: Outcome
    route: Route = "analytical"
    text: str = ""
    sql: str = ""
    columns: tuple[ResultColumn, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    truncated: bool = False
    """There are more rows than these."""
    findings: tuple[Finding, ...] = ()
    confidence: float | None = None
    """How likely the rows are right, between 0 and 1; None where nothing ran.

    A logistic model over findings, literals, result and statement, calibrated on published
    predictions: of answers at 0.8 about eight in ten are right. It ranks; it proves nothing.
    """
    assumptions: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    left_out: tuple[str, ...] = ()
    """What retrieval had to leave out of the prompt."""
    cost: Cost = field(default_factory=Cost)
    estimate: Estimate | None = None
    """What running ``sql`` would scan, where it has not run and the engine charges for it."""

    @property
    def needs_approval(self) -> bool:
        """Whether a scan waits for leave: go on with ``Agent.approve``."""
        return any(f.code == "approval_needed" for f in self.findings)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that make an answer one with warnings."""
        return tuple(f for f in self.findings if f.severity != "note")

    def to_dict(self) -> dict[str, Plain]:
        """Return the whole answer in JSON's types: decimals as text, dates in ISO form."""
        return {f.name: plain(getattr(self, f.name)) for f in dataclasses.fields(self)}

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the whole answer as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)
