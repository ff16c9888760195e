"""What a statement costs, by the list price of scanned bytes."""

TERABYTE = 10**12
LEAST = 10_000_000
"""Athena charges at least 10 MB for a query that scans anything."""


def price(scanned: int | None, *, usd_per_tb: float, state: str = "SUCCEEDED") -> float | None:
    """Return US dollars, or None where nothing is known.

    Failed statements are free of charge; cancelled ones are charged for what they scanned.

    Args:
        scanned: bytes.
        usd_per_tb: the region's list price of a terabyte.
        state: how the statement ended.
    """
    if scanned is None:
        return None
    if state == "FAILED" or scanned == 0:
        return 0.0
    return max(scanned, LEAST) / TERABYTE * usd_per_tb
