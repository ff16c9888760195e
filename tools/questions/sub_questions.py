"""Sub-questions: what a form of question with several steps is read into."""

import re
from dataclasses import dataclass

_FORMAT = re.compile(
    r"(?:please )?(?:give|show|list|return|include|provide|order|sort|rank|answer|report|display|"
    r"express|round)\b",
    re.IGNORECASE,
)
_WHEN = r" (?:in|during|since|over|for|last|this|between|from) "
_PERIOD = re.compile(rf"(?P<what>.+?)(?P<period>{_WHEN}.+)$", re.IGNORECASE)
_BEHIND = re.compile(rf"(?: (?:sold|made|did|had|has|does))?(?P<when>{_WHEN}.*)?$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One sub-question, without its question mark."""

    text: str
    named: tuple[str, ...]
    """Words that the step's name is made of."""
    more: str = ""
    """A sentence that says what the rows shall be."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What one form reads."""

    asks: tuple[Ask, ...]
    grain: str = ""
    """One row for each of these, in each step; empty where each gives one value."""
    counted: bool = False
    """The number of things is asked for, not the things."""
    above: bool = True
    """What is larger is asked for; False: what is smaller."""
    entity: str = ""


def sentences(question: str) -> tuple[str, str]:
    """Return the question's first sentence without its mark, and what else belongs to each step.

    Sentences that only say how the answer shall look are left out.
    """
    flat = " ".join(question.replace("\u2019", "'").split())
    first, *rest = re.split(r"(?<=[?.!;])\s+(?=[A-Z])", flat)
    kept = "".join(f" {s}" for s in rest if not _FORMAT.match(s))
    return first.rstrip("?.!; "), kept


def period_off(text: str) -> tuple[str, str]:
    """Split ``revenue in 2025`` before its period; the period keeps the blank before it."""
    found = _PERIOD.match(text)
    return (found["what"], found["period"]) if found else (text, "")


def period_behind(text: str) -> str:
    """Return the period that ends a sentence, behind a verb at most; nothing else is one."""
    found = _BEHIND.match(text)
    return (found["when"] or "") if found else ""
