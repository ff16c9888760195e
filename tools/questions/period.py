"""Periods of time."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, kw_only=True)
class Period:
    """A span of days that a phrase of the question names."""

    phrase: str
    start: date | None
    end: date | None
    kind: str
    assumption: str = ""

    def holds(self, day: date) -> bool:
        """Tell whether a day lies within."""
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)
