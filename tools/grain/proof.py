"""Suspects put to the proof: each finding with its probe, and what becomes of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from querymend.tools.catalog.model import Catalog, Cell
from querymend.tools.findings import Finding
from querymend.tools.grain.blocks import Reading
from querymend.tools.grain.fanout import finding
from querymend.tools.grain.fix import fix_of
from querymend.tools.grain.probe import Confirmed, Probe, Verdict, probe_of
from querymend.tools.grain.suspects import Suspect, found_in
from querymend.tools.sql.parse import parse
from querymend.tools.sql.subject import Subject

Run = Callable[[str], Sequence[Sequence[Cell]]]
"""Sends one SQL text through the gate to the engine and returns its rows."""
MOST_PROBES = 3
"""Probes of one finding."""
CODES = ("fan_out", "chasm", "distinct_sum")


@dataclass(frozen=True, kw_only=True, eq=False)
class Doubt:
    """One finding with what may confirm or clear it."""

    finding: Finding
    suspect: Suspect
    probes: tuple[Probe, ...]
    """One for each aggregate with the fault, plain ones first; the first that confirms decides.

    Without any (the rows cannot be told apart from outside) the finding stands as it is.
    """
    verdict: Verdict | None = None


def _doubts(subject: Subject) -> tuple[Reading, list[Doubt]]:
    """Return what joins repeat in a statement, each with its probe."""
    reading, found = found_in(subject)
    return reading, [
        Doubt(
            finding=finding(s, subject),
            suspect=s,
            probes=_probes(s, subject, reading),
        )
        for s in found
    ]


def _probes(suspect: Suspect, subject: Subject, reading: Reading) -> tuple[Probe, ...]:
    every = (suspect, *(o for o in suspect.others if o.severity != "note"))
    made = (probe_of(s, subject.tree, reading.items, subject.dialect) for s in every)
    unlike = {p.sql: p for p in made if p is not None}
    return tuple(sorted(unlike.values(), key=lambda p: p.conditional)[:MOST_PROBES])


def probes_for(
    sql: str, *, dialect: str, catalog: Catalog, question: str = ""
) -> list[tuple[Finding, Probe]]:
    """Return the findings of a statement that a probe can decide, each with its probes in turn.

    The first probe that confirms decides. Notes have none: they change nothing.
    """
    subject = _subject(sql, dialect, catalog, question)
    found = _doubts(subject)[1] if subject else []
    return [(d.finding, probe) for d in found if d.finding.severity != "note" for probe in d.probes]


def resolve(
    findings: Sequence[Finding],
    run: Run,
    *,
    sql: str,
    dialect: str,
    catalog: Catalog,
    question: str = "",
) -> list[Finding]:
    """Return the findings with those about grain confirmed or cleared by probes.

    A confirmed one is of severity repair, with the numbers as evidence and a fix where one is
    known; a cleared one is a note. Other findings, and those without a probe, stay as they are.

    Args:
        findings: whatever was found in the statement.
        run: runs a probe; what it raises is not caught.
        sql: the statement that the findings are about.
        dialect: its dialect.
        catalog: the catalog within the caller's scope.
        question: what was asked.
    """
    subject = _subject(sql, dialect, catalog, question)
    if subject is None or not any(_is_open(f) for f in findings):
        return list(findings)
    reading, asked = _doubts(subject)
    known = {_place(d.finding): d for d in asked}
    judged = [_judged(f, known.get(_place(f)), run) for f in findings]
    fixes = _fixes(subject, reading, [d for d in judged if d is not None])
    return [
        f if d is None or d.verdict is None else _resolved(f, d.verdict, fixes.get(_block(d)))
        for f, d in zip(findings, judged, strict=True)
    ]


def _judged(found: Finding, doubt: Doubt | None, run: Run) -> Doubt | None:
    if doubt is None or not _is_open(found):
        return None
    verdict: Verdict | None = None
    for probe in doubt.probes:
        verdict = probe.decide(run(probe.sql))
        if isinstance(verdict, Confirmed) or verdict.single:
            break
    return replace(doubt, verdict=verdict)


def _fixes(subject: Subject, reading: Reading, judged: Sequence[Doubt]) -> dict[int, str | None]:
    """Return one fix for each SELECT in which something is confirmed."""
    confirmed: dict[int, list[Suspect]] = {}
    for doubt in judged:
        if isinstance(doubt.verdict, Confirmed):
            confirmed.setdefault(_block(doubt), []).append(doubt.suspect)
    return {block: fix_of(subject, found, reading) for block, found in confirmed.items()}


def _block(doubt: Doubt) -> int:
    return id(doubt.suspect.measure.block)


def _resolved(found: Finding, verdict: Verdict, fix: str | None) -> Finding:
    evidence = f"{found.evidence}: {verdict.evidence}"
    if isinstance(verdict, Confirmed):
        return replace(found, severity="repair", evidence=evidence, fix=fix)
    return replace(found, severity="note", evidence=evidence, hint="")


def _is_open(found: Finding) -> bool:
    return found.code in CODES and found.severity in ("repair", "warn")


def _place(found: Finding) -> tuple[object, ...]:
    return found.code, found.clause, found.position


def _subject(sql: str, dialect: str, catalog: Catalog, question: str) -> Subject | None:
    parsed = parse(sql, dialect)
    if parsed.tree is None:
        return None
    return Subject(parsed=parsed, catalog=catalog, question=question)
