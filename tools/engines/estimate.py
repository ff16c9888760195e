"""What a statement would scan, told before it runs, by engines that charge for it."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from querymend.tools.engines.engine import Limits
from querymend.tools.sql.admitted import Admitted


@dataclass(frozen=True, kw_only=True)
class TableScan:
    """What would be read of one table."""

    table: str
    partitions: int | None = None
    """Partitions that the statement's predicates leave; None where they cannot be counted."""
    of: int | None = None
    """Partitions that there are."""
    bytes: int | None = None
    where: str = ""
    """The predicates on its partition keys, as the catalog was asked."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a statement would scan and cost; an estimate, from the catalog and the files' sizes."""

    bytes: int | None = None
    """None where the size of a table is not known."""
    usd: float | None = None
    scans: tuple[TableScan, ...] = ()
    cutoff: int | None = None
    """Bytes at which the server itself ends the statement."""


@runtime_checkable
class Charges(Protocol):
    """An engine whose scans cost money; it reads no data without being asked to."""

    def estimate(self, sql: Admitted) -> Estimate:
        """Say what a statement would scan, without running anything."""
        ...

    def judge(self, sql: Admitted, *, limits: Limits) -> str:
        """Let the engine refuse a statement, or plan it, without a scan; as ``explain``."""
        ...
