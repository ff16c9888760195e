"""Aggregates over repeated rows: ``fan_out``; ``chasm`` where two branches repeat each other."""

from collections.abc import Sequence

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.findings import Finding
from querymend.tools.grain.space import Atom
from querymend.tools.grain.suspects import Suspect, found_in
from querymend.tools.sql.parse import parse, position, written
from querymend.tools.sql.subject import Subject


def check_grain(sql: str, *, dialect: str, catalog: Catalog, question: str = "") -> list[Finding]:
    """Return what joins repeat under an aggregate; nothing for a text that does not parse."""
    parsed = parse(sql, dialect)
    if parsed.tree is None:
        return []
    return join_grain(Subject(parsed=parsed, catalog=catalog, question=question))


def join_grain(subject: Subject) -> list[Finding]:
    """Return sums, averages and counts over rows that a join repeats."""
    return [finding(s, subject) for s in found_in(subject)[1]]


def finding(suspect: Suspect, subject: Subject) -> Finding:
    """Put a suspect into words."""
    node = suspect.measure.node
    text = subject.parsed.text
    what, by = _names(suspect.repeated), _names(suspect.by)
    return Finding(
        code=suspect.code,
        kind="join",
        severity=suspect.severity,
        message=_MESSAGES[suspect.code].format(
            aggregate=node.sql(subject.dialect)[:80], what=what, by=by
        ),
        clause=written(node, text),
        evidence=f"{what} repeated by {by}{_conditions(suspect.by, subject.dialect)}",
        hint=_hint(suspect, what, by),
        position=position(node, text),
    )


_MESSAGES = {
    "fan_out": "{aggregate} counts rows of {what} once for each row of {by} joined to them.",
    "chasm": "{aggregate} counts rows of {what} once for each row of {by}: both branches of a "
    "join repeat each other.",
    "distinct_sum": "{aggregate} drops equal values of different rows of {what}.",
}


def _hint(suspect: Suspect, what: str, by: str) -> str:
    if suspect.measure.sort == "count" and not suspect.chasm:
        return f"Count DISTINCT keys of {what}."
    return f"Aggregate {by} by its join column in a subquery first, or test it with EXISTS."


def _names(atoms: Sequence[Atom]) -> str:
    return ", ".join(_name(a) for a in atoms)


def _name(atom: Atom) -> str:
    table = atom.table.name if atom.table else ""
    if not table:
        return atom.name or "the subquery"
    return table if atom.name.lower() in ("", table.lower()) else f"{table} {atom.name}"


def _conditions(atoms: Sequence[Atom], dialect: str) -> str:
    found = (_condition(a.node, dialect) for a in atoms)
    said = [c for c in found if c]
    return f" (joined on {'; '.join(said)})" if said else ""


def _condition(node: exp.Expr, dialect: str) -> str:
    join = node.parent
    if not isinstance(join, exp.Join):
        return ""
    if join.args.get("using"):
        return ", ".join(u.name for u in join.args["using"])
    on = join.args.get("on")
    return on.sql(dialect)[:120] if on is not None else ""
