"""Join grain: what a join repeats, which aggregates that spoils, and the proof and cure of it."""

from querymend.tools.grain.fanout import check_grain, join_grain
from querymend.tools.grain.probe import Cleared, Confirmed, Probe, Verdict
from querymend.tools.grain.proof import probes_for, resolve

__all__ = [
    "Cleared",
    "Confirmed",
    "Probe",
    "Verdict",
    "check_grain",
    "join_grain",
    "probes_for",
    "resolve",
]
