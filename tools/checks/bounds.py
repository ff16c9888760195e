"""Comparisons held against the words of the question: over, under, at least, the most."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.checks.comparisons import value_of
from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.words import COUNT, count_of

_N = rf"\$?(\d[\d,]*(?:\.\d+)?|{COUNT})"
_GAP = r"(?: the| an?| age| of| year| \$)*"
_LESS = "less|fewer|lower|smaller"
_MORE = "more|greater|higher|larger"
_SAID: tuple[tuple[str, str], ...] = (
    (">=", rf"\b(?:at least|no (?:{_LESS}) than|not (?:{_LESS}) than|minimum of){_GAP} {_N}"),
    (">=", rf"\b{_N} (?:or|and) (?:{_MORE}|above|over|later|older)\b"),
    ("<=", rf"\b(?:at most|no (?:{_MORE}|later) than|not (?:{_MORE}) than|up to){_GAP} {_N}"),
    ("<=", rf"\b{_N} (?:or|and) (?:{_LESS}|below|under|younger|earlier)\b"),
    (">", rf"(?<!no )(?<!not )\b(?:{_MORE}|bigger|heavier|longer|taller|older) than{_GAP} {_N}"),
    (">", rf"\b(?:above|over|exceed(?:s|ing)?){_GAP} {_N}"),
    ("<", rf"(?<!no )(?<!not )\b(?:{_LESS}|lighter|shorter|younger) than{_GAP} {_N}"),
    ("<", rf"\b(?:under|below){_GAP} {_N}"),
)
"""Operators by the words before or after a number; the first that names a number holds."""
_FLIP: dict[str, type[exp.Binary]] = {">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}


@dataclass(frozen=True, kw_only=True)
class Bound:
    """``at least 3``."""

    op: str
    number: float
    phrase: str


def bounds_said(question: str) -> list[Bound]:
    """Return the bounds that a question's words set, each number once, the plainest first."""
    text = question.lower()
    found: dict[float, Bound] = {}
    for op, pattern in _SAID:
        for match in re.finditer(pattern, text):
            number = _number(match.group(1))
            found.setdefault(number, Bound(op=op, number=number, phrase=match.group()))
    return list(found.values())


def _number(text: str) -> float:
    plain = text.replace(",", "")
    return float(plain) if plain[0].isdigit() else float(count_of(plain))


def bound_missed(seen: Seen) -> Iterable[Finding]:
    """Find comparisons that go against the question's words, and those that miss their edge."""
    for bound in bounds_said(seen.question):
        for node, op in _against(seen, bound.number):
            if op[0] == bound.op[0] and op == bound.op:
                continue
            flipped = op[0] != bound.op[0]
            if _under_not(node):
                continue
            yield seen.found(
                "bound_flipped" if flipped else "bound_edge",
                "question",
                "repair",
                f"The question says '{bound.phrase}'; this compares with {op}.",
                node=node,
                hint=f"Compare with {bound.op}.",
                fix=_compared(seen, node, bound.op),
            )


def _against(seen: Seen, number: float) -> Iterator[tuple[exp.Expr, str]]:
    """Yield every comparison with a number, as from the column's side."""
    mirror = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
    ops = {c: op for op, c in _FLIP.items()}
    for node in seen.all(exp.GT, exp.GTE, exp.LT, exp.LTE):
        op = ops[type(node)]
        if value_of(node.expression, lambda _: False) == number:
            yield node, op
        elif value_of(node.this, lambda _: False) == number:
            yield node, mirror[op]


def _under_not(node: exp.Expr) -> bool:
    """A negation round it, or a set that is taken away, turns the comparison."""
    if node.find_ancestor(exp.Not) is not None or node.find_ancestor(exp.Case) is not None:
        return True
    taken = node.find_ancestor(exp.Except)
    while taken is not None:
        if any(n is node for n in taken.expression.walk()):
            return True
        taken = taken.find_ancestor(exp.Except)
    return False


def _compared(seen: Seen, node: exp.Expr, op: str) -> exp.Expr | None:
    """Return the statement with another operator between the same two sides."""
    if value_of(node.expression, lambda _: False) is None:
        return None
    copy, here = seen.copied(node)
    changed = _FLIP[op](this=here.this.copy(), expression=here.expression.copy())
    if here is copy:
        return changed
    here.replace(changed)
    return copy


def extreme_flipped(seen: Seen) -> Iterable[Finding]:
    """Find ORDER BY … LIMIT that takes the other end than the one superlative asks for."""
    wanted = {_pole(seen, s.word, s.direction) for s in seen.reading.superlatives}
    taken = list(_ends(seen))
    if len(wanted) != 1 or len(taken) != 1 or len(seen.reading.superlatives) != 1:
        return
    word, node, end = seen.reading.superlatives[0].word, *taken[0]
    pole = _of(node, seen, word, wanted.pop())
    if pole is None or pole == end:
        return
    yield seen.found(
        "extreme_flipped",
        "question",
        "repair",
        f"The question asks for the {word}; this takes the other end.",
        node=node,
        hint="Turn the order round." if isinstance(node, exp.Ordered) else "Use the other extreme.",
        fix=_turned(seen, node),
    )


def _pole(seen: Seen, word: str, direction: str) -> str:
    return {"high": "high", "low": "low"}.get(direction, "unsure")


def _of(node: exp.Expr, seen: Seen, word: str, pole: str) -> str | None:
    """Return the end that a word asks for, by what the column measures."""
    names = {u.column.name.lower() for u in seen.uses_in(node)}
    name = " ".join(names)
    born = bool(re.search(r"birth|born|dob|found|built|open|establish|year|date|since", name))
    if pole == "unsure":
        if "age" in name:
            return "high" if word == "oldest" else "low"
        return ("low" if word == "oldest" else "high") if born else None
    if word in (
        "latest",
        "newest",
        "earliest",
        "nearest",
        "closest",
        "best",
        "worst",
        "fastest",
        "slowest",
    ):
        return pole if born else None
    if "rank" in name or "position" in name:
        return None
    return pole


def _ends(seen: Seen) -> Iterator[tuple[exp.Expr, str]]:
    """Yield what takes an end: a first ORDER BY key before LIMIT, MIN or MAX in a subquery."""
    for query in seen.all(exp.Select, exp.Subquery, exp.SetOperation):
        order = query.args.get("order")
        if order is not None and query.args.get("limit") is not None:
            first = order.expressions[0]
            yield first, "high" if first.args.get("desc") else "low"
    for call in seen.all(exp.Max, exp.Min):
        yield call, "high" if isinstance(call, exp.Max) else "low"


def _turned(seen: Seen, node: exp.Expr) -> exp.Expr:
    copy, here = seen.copied(node)
    if isinstance(here, exp.Ordered):
        here.set("desc", not here.args.get("desc"))
        here.set("nulls_first", None)
        return copy
    other = exp.Min if isinstance(here, exp.Max) else exp.Max
    here.replace(other(this=here.this.copy()))
    return copy
