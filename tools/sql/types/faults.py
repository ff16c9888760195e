"""What the engine will refuse, found while types are told: the node, what is wrong, the cure."""

from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One expression that Trino refuses."""

    code: str
    """Stable snake_case name: ``type_mismatch``, ``wrong_arguments``, ``unknown_field``."""
    node: exp.Expr
    message: str
    hint: str
