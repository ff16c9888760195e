"""Cures of a proven fan-out, by template, whole SQL texts.

Tried in the order of the smallest change: DISTINCT in a count, EXISTS for a join that only
chooses rows, one row for each repeated row before the groups, branches aggregated before they
are joined. A cure is taken only if no aggregate over repeated rows is left in what it makes.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.grain.blocks import Reading
from querymend.tools.grain.drafting import Draft
from querymend.tools.grain.fanout import join_grain
from querymend.tools.grain.parts import Parts
from querymend.tools.grain.preaggregate import preaggregated
from querymend.tools.grain.regroup import regrouped
from querymend.tools.grain.semijoin import semi_joined
from querymend.tools.grain.suspects import Suspect
from querymend.tools.sql.parse import parse
from querymend.tools.sql.subject import Subject

Cure = Callable[[Draft, Parts, Sequence[Suspect]], bool]


def fix_of(subject: Subject, suspects: Sequence[Suspect], reading: Reading) -> str | None:
    """Return a statement without the suspects' fault, or None where no template holds it.

    Args:
        subject: the statement.
        suspects: what is proven of one SELECT of it.
        reading: the statement's reading that the suspects came from.
    """
    most = _weight(join_grain(subject)) - len(suspects)
    every = [t for s in suspects for t in (s, *s.others) if t.severity != "note"]
    for cure in CURES:
        draft = Draft(subject.tree, suspects[0].measure.block, reading.items)
        parts = Parts(suspects[0].measure.block, reading, subject.dialect)
        if not cure(draft, parts, every):
            continue
        text = draft.tree.sql(subject.dialect)
        parsed = parse(text, subject.dialect)
        if parsed.tree is None:
            continue
        left = Subject(parsed=parsed, catalog=subject.catalog, question=subject.question)
        if _weight(join_grain(left)) <= most:
            return text
    return None


def _weight(findings: Sequence[Finding]) -> int:
    return sum(f.severity in ("repair", "warn") for f in findings)


def count_distinct(draft: Draft, parts: Parts, suspects: Sequence[Suspect]) -> bool:
    """Count the distinct keys of the repeated rows."""
    nodes = []
    for suspect in suspects:
        call, keys = suspect.measure.node, draft.keys(suspect.repeated)
        if not isinstance(call, exp.Count | exp.CountIf) or keys is None or len(keys) != 1:
            return False
        if suspect.measure.partition is not None:
            return False
        nodes.append((call, _keyed(draft, suspect, keys[0])))
    for call, key in nodes:
        draft.of(call).replace(exp.Count(this=exp.Distinct(expressions=[key])))
    return bool(nodes)


def _keyed(draft: Draft, suspect: Suspect, key: exp.Expr) -> exp.Expr:
    """Return the key of the rows that count."""
    value = suspect.measure.value
    if value is None or not value.find(exp.Column):
        return key
    made = draft.inlined(value)
    if isinstance(suspect.measure.node, exp.CountIf):
        condition: exp.Expr = made
    elif isinstance(made, exp.Column) and made.name.lower() == key.name.lower():
        return key
    else:
        condition = exp.Is(this=exp.paren(made), expression=exp.Null()).not_()
    return exp.Case(ifs=[exp.If(this=condition, true=key)])


CURES: tuple[Cure, ...] = (count_distinct, semi_joined, regrouped, preaggregated)
