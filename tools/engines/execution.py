"""What an engine tells of one statement, whether it brought rows or not."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Execution:
    """One statement on a server: how it ended, and what it took."""

    query_id: str = ""
    state: str = ""
    """The server's own word: ``SUCCEEDED``, ``FAILED``, ``CANCELLED``, ``RUNNING`` …"""
    bytes_scanned: int | None = None
    usd: float | None = None
    """What it costs, as far as the list price tells; None where nobody charges."""
    reused: bool = False
    """Its rows are an earlier run's, and it scanned nothing."""
    queue_seconds: float | None = None
    planning_seconds: float | None = None
    engine_seconds: float | None = None
    total_seconds: float | None = None
    error_category: int | None = None
    error_type: int | None = None
    retryable: bool | None = None
