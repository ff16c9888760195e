"""Columns whose values are known only after what is to be predicted."""

import re
from collections.abc import Iterable

from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding

_AHEAD = re.compile(
    r"\b(?:predict\w*|forecast\w*|likely to|likelihood|propensity|at risk|risk of|"
    r"will (?:\w+ )?(?:be|have|churn|leave|buy|return|cancel|default|renew)|features? (?:for|to)|"
    r"training|as of|score)\b",
    re.I,
)


def leaking_column(seen: Seen) -> Iterable[Finding]:
    """Find columns that give away a target, used for a prediction or as of a day."""
    if not _AHEAD.search(seen.question):
        return
    for used in {(u.table.name, u.column.name): u for u in seen.used}.values():
        leak = used.column.leaks
        if leak is not None:
            known = f", known {leak.known_from}" if leak.known_from else ""
            yield seen.found(
                "leaking_column",
                "question",
                "repair",
                f"{used.column.name} gives away {leak.target}{known}.",
                node=used.ref.column,
                hint="Leave it out: it is not known when the prediction is made.",
            )
