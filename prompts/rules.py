"""What a model is told of an engine's SQL: of ``rules.yaml``, what matters for the question."""

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

FAMILY = {"trino": "athena"}
"""Engines that speak another's SQL."""


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    rule: str
    words: str = ""
    """A pattern for the question; one that fits makes the rule matter."""
    types: str = ""
    """A pattern for the types of the columns that are shown."""


def rules_for(dialect: str, question: str, types: Iterable[str]) -> list[str]:
    """Return the rules that matter for a question, in their order; none for a dialect without.

    Args:
        dialect: the engine's.
        question: as it was asked.
        types: of the columns that the model is shown.
    """
    kinds = [kind.lower() for kind in types]
    rules = _rules().get(FAMILY.get(dialect, dialect), ())
    return [r.rule for r in rules if _matters(r, question.lower(), kinds)]


def _matters(rule: _Rule, question: str, kinds: list[str]) -> bool:
    if not (rule.words or rule.types):
        return True
    if rule.words and re.search(rule.words, question):
        return True
    return bool(rule.types) and any(re.search(rule.types, kind) for kind in kinds)


@cache
def _rules() -> dict[str, tuple[_Rule, ...]]:
    text = resources.files(__package__).joinpath("rules.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, tuple[_Rule, ...]]).validate_python(yaml.safe_load(text))
