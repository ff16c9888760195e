"""Ratios the wrong way round: acres per person where people per acre are asked for."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.rates import rates
from querymend.tools.questions.words import alike, name_words, singular, tokens, words_of

_DENSITY = re.compile(r"\b([a-z]+) densit(?:y|ies)\b", re.I)
_SPACE = words_of("area size surface land mile km acre hectare")
_PEOPLE = words_of("person population inhabitant resident capita citizen")
_VAGUE = words_of("square sq number total unit id of the")


def inverted_ratio(seen: Seen) -> Iterable[Finding]:
    """Find a division whose sides stand the wrong way round for ``A per B`` or ``A density``."""
    asked = list(_asked(seen))
    ratios = list(seen.all(exp.Div))
    if len(asked) != 1 or len(ratios) != 1:
        return
    over, under = asked[0]
    above, below = (_told(seen, n) for n in (ratios[0].this, ratios[0].expression))
    right = _meets(above, over) or _meets(below, under)
    if not right and _meets(above, under) and _meets(below, over):
        yield seen.found(
            "inverted_ratio",
            "question",
            "repair",
            f"The question asks for {'/'.join(sorted(over))} per {'/'.join(sorted(under))};"
            " the SQL divides the other way round.",
            node=ratios[0],
            hint="Swap the sides of the division.",
            fix=_swapped(seen, ratios[0]),
        )


def _asked(seen: Seen) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield the words of what is above and of what is below the line."""
    for rate in rates(seen.question):
        under = {rate.unit, rate.unit_rest} - _VAGUE - {""}
        if rate.what and under:
            yield _wide(set(rate.what[-1:])), _wide(under)
            return
    for word in _DENSITY.findall(seen.question):
        yield _wide({singular(word.lower())}), _SPACE


def _wide(words: set[str]) -> frozenset[str]:
    """Add the other words for people, or for space, where one of them is among the words."""
    groups = (g for g in (_SPACE, _PEOPLE) if g & words)
    return frozenset(words).union(*groups)


def _told(seen: Seen, node: exp.Expr) -> frozenset[str]:
    """Return the words of the columns below a node: names, units and descriptions."""
    found: set[str] = set()
    for used in seen.uses_in(node):
        column = used.column
        said = (*tokens(column.unit), *tokens(column.description))
        found |= {*name_words(column.name), *(singular(w) for w in said)}
    return frozenset(found - _VAGUE)


def _meets(told: frozenset[str], asked: frozenset[str]) -> bool:
    return any(alike(a, b) for a in told for b in asked)


def _swapped(seen: Seen, ratio: exp.Div) -> exp.Expr | None:
    """Swap the sides; None where a factor belongs to the ratio and must stay above the line."""
    if any(m.find(exp.Literal) for m in ratio.find_all(exp.Mul)):
        return None
    copy, here = seen.copied(ratio)
    above, below = here.this.copy(), here.expression.copy()
    here.set("this", below)
    here.set("expression", exp.Paren(this=above) if isinstance(above, exp.Binary) else above)
    return copy
