"""A value set against itself: a difference that is zero whatever the data hold."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding


def difference_of_itself(seen: Seen) -> Iterable[Finding]:
    """Find a subtraction whose sides are one and the same."""
    for node in seen.all(exp.Sub):
        one, other = node.this.unnest(), node.expression.unnest()
        if one.find(exp.Column) is not None and one == other:
            yield seen.found(
                "difference_of_itself",
                "question",
                "repair",
                "The same value stands on both sides of the difference, which is always zero.",
                node=node,
                hint="Take each side from its own rows: a condition or a subquery of its own.",
            )
