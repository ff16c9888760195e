"""The aggregates of a statement that a join may spoil."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from querymend.tools.catalog.model import Table
from querymend.tools.findings import Severity
from querymend.tools.grain.asked import Asked
from querymend.tools.grain.blocks import Block, Reading
from querymend.tools.grain.measures import Measure, arm_measures, measures_of
from querymend.tools.grain.multiplicity import read
from querymend.tools.grain.space import Atom, Known
from querymend.tools.grain.values import Case
from querymend.tools.sql.subject import Subject


@dataclass(frozen=True, kw_only=True, eq=False)
class Suspect:
    """One aggregate over rows that a join repeats."""

    measure: Measure
    repeated: tuple[Atom, ...]
    """The sources that the value stands for."""
    by: tuple[Atom, ...]
    """The sources that repeat them, in the order of FROM."""
    chasm: bool = False
    severity: Severity = "repair"
    others: "tuple[Suspect, ...]" = ()
    """Further aggregates with the same fault, which it speaks for."""

    @property
    def code(self) -> str:
        """The finding's code."""
        if self.measure.distinct:
            return "distinct_sum"
        return "chasm" if self.chasm else "fan_out"


def found_in(subject: Subject) -> tuple[Reading, list[Suspect]]:
    """Read a statement and return its suspects too."""
    reading = read(subject.binding, subject.catalog)
    asked = Asked(subject.question, subject.catalog)
    found = []
    for block in reading.blocks.values():
        found += _of_block(_Judge(block, reading, asked, subject.dialect))
    return reading, found


def _of_block(judge: "_Judge") -> list[Suspect]:
    alike: dict[tuple[object, ...], list[Suspect]] = {}
    for suspect in judge.suspects():
        key = (suspect.repeated, suspect.code, suspect.measure.partition)
        alike.setdefault(key, []).append(suspect)
    groups = [sorted(found, key=_rank) for found in alike.values()]
    return [replace(first, others=tuple(rest)) for first, *rest in groups]


def _rank(suspect: Suspect) -> tuple[int, int]:
    """Rank the graver first, and a sum before an average, which need not shift."""
    severities: Sequence[Severity] = ("block", "repair", "warn", "note")
    sorts = ("sum", "count", "average", "list")
    return severities.index(suspect.severity), sorts.index(suspect.measure.sort)


class _Judge:
    """Judges the aggregates of one SELECT."""

    def __init__(self, block: Block, reading: Reading, asked: Asked, dialect: str) -> None:
        self._block = block
        self._reading = reading
        self._asked = asked
        self._dialect = dialect
        self._atoms = {a.id: a for a in block.relation.atoms}
        self._measures = list(measures_of(block, reading.items, dialect)) if self._atoms else []
        self._still = reading.known(block, iter(reading.group_items(block)))

    def suspects(self) -> Iterator[Suspect]:
        """Yield the aggregates over repeated rows."""
        for measure in self._measures:
            yield from self._within_arms(measure)
            for case in measure.cases:
                sources = frozenset(s for s in case.sources if s in self._atoms)
                if measure.distinct and (measure.sort in ("count", "list")):
                    continue
                if sources and measure.sort != "count":
                    yield from self._added(measure, case, sources)
                elif measure.sort == "count" or not measure.distinct:
                    yield from self._counted(measure, case, sources)

    def _within_arms(self, measure: Measure) -> Iterator[Suspect]:
        """Yield what a UNION's arms repeat of the column that is aggregated."""
        for arm in arm_measures(measure, self._reading):
            inner = _Judge(arm.block, self._reading, self._asked, self._dialect)
            for case in arm.cases:
                if case.sources:
                    yield from inner._added(arm, case, case.sources)

    def _added(self, measure: Measure, case: Case, sources: frozenset[int]) -> Iterator[Suspect]:
        by = self._repeating(measure, case, sources)
        sources = self._fewest(measure, case, sources)
        if not by or (measure.sort == "average" and self._is_constant(measure, sources)):
            return
        chasm = self._is_chasm(measure, sources, by)
        severity = self._certainty(by)
        if measure.sort == "list" or (not chasm and self._is_weighed(sources, by)):
            severity = "note"
        yield self._suspect(measure, sources, by, severity, chasm=chasm)

    def _counted(self, measure: Measure, case: Case, sources: frozenset[int]) -> Iterator[Suspect]:
        """Judge a count of rows: it is right where the rows are those of what is asked for."""
        roots = [a for a in self._atoms if not self._repeating(measure, case, frozenset((a,)))]
        if sources and any(s in roots for s in sources):
            return
        if roots:
            yield from self._miscounted(measure, case, roots, sources)
            return
        counted = sources or self._wanted(self._atoms) or frozenset(list(self._atoms)[:1])
        by = self._repeating(measure, case, counted)
        severity = "note" if self._asked.pairs() else self._certainty(by)
        yield self._suspect(measure, counted, by, severity, chasm=True)

    def _miscounted(
        self, measure: Measure, case: Case, roots: Sequence[int], sources: frozenset[int]
    ) -> Iterator[Suspect]:
        wanted = self._wanted(self._atoms)
        if sources and (sources <= wanted or self._counts_other(roots)):
            by = self._repeating(measure, case, sources)
            if not all(self._atoms[s].row in self._still for s in sources):
                yield self._suspect(measure, sources, by, self._certainty(by))
            return
        if wanted & set(roots) or (not wanted and not sources):
            return
        counted = frozenset(w for w in wanted if self._atoms[w].row not in self._still)
        counted = counted if not self._counts_apart(counted) else frozenset()
        severity: Severity = "repair" if counted else "note"
        repeated = counted or sources
        by = self._repeating(measure, case, repeated) if repeated else ()
        if by:
            certain = self._certainty(by) if severity == "repair" else severity
            yield self._suspect(measure, repeated, by, certain)

    def _wanted(self, among: dict[int, Atom]) -> frozenset[int]:
        names = {t.qualified_name for t in self._asked.counted()}
        return frozenset(
            i for i, a in among.items() if a.table is not None and a.table.qualified_name in names
        )

    def _counts_other(self, roots: Sequence[int]) -> bool:
        """Tell whether the same SELECT counts the joined rows by themselves too."""
        return any(
            m.sort == "count" and any(c.sources and c.sources <= set(roots) for c in m.cases)
            for m in self._measures
        )

    def _counts_apart(self, counted: frozenset[int]) -> bool:
        """Tell whether the same SELECT also counts the distinct rows of what is asked for."""
        return any(
            m.sort == "count"
            and m.distinct
            and any(c.sources & counted and not c.conditions for c in m.cases)
            for m in self._measures
        )

    def _repeating(self, measure: Measure, case: Case, sources: frozenset[int]) -> tuple[Atom, ...]:
        """Return the sources that rows of the given ones do not determine within a group."""
        known = self._known(measure, case, sources)
        return tuple(a for a in self._atoms.values() if a.row not in known)

    def _fewest(self, measure: Measure, case: Case, sources: frozenset[int]) -> frozenset[int]:
        """Leave out the sources that the others determine: a product of its sale."""
        kept = sources
        for source in sorted(sources):
            if self._atoms[source].row in self._known(measure, case, kept - {source}):
                kept = kept - {source} or kept
        return kept

    def _known(self, measure: Measure, case: Case, sources: frozenset[int]) -> Known:
        items = self._reading.items
        start = [self._atoms[s].row for s in sources]
        for group in measure.groups:
            item = items.of(group, self._block.env)
            start += [item] if item is not None else []
        return self._reading.known(self._block, iter(start), case.rules(items))

    def _is_weighed(self, sources: frozenset[int], by: Sequence[Atom]) -> bool:
        """Tell whether the question asks for each repeated row as often as it is repeated."""
        return self._asked.weighs(_tables(by), _tables([self._atoms[s] for s in sources]))

    def _is_constant(self, measure: Measure, sources: frozenset[int]) -> bool:
        """Tell whether all rows of a group hold the same row of these sources."""
        known = self._known(measure, Case(), frozenset())
        return all(self._atoms[s].row in known for s in sources)

    def _is_chasm(self, measure: Measure, sources: frozenset[int], by: Sequence[Atom]) -> bool:
        """Tell whether a source that repeats these is aggregated too, and repeated by them."""
        others = {s for m in self._measures for c in m.cases for s in c.sources} - sources
        known = self._known(measure, Case(), frozenset(a.id for a in by))
        return any(a.id in others for a in by) and any(
            self._atoms[s].row not in known for s in sources
        )

    @staticmethod
    def _certainty(by: Sequence[Atom]) -> Severity:
        return "repair" if all(a.known for a in by) else "warn"

    def _suspect(
        self,
        measure: Measure,
        sources: frozenset[int],
        by: tuple[Atom, ...],
        severity: Severity,
        *,
        chasm: bool = False,
    ) -> Suspect:
        return Suspect(
            measure=measure,
            repeated=tuple(self._atoms[s] for s in sorted(sources)),
            by=by,
            severity=severity,
            chasm=chasm,
        )


def _tables(atoms: Sequence[Atom]) -> list[Table]:
    return [a.table for a in atoms if a.table is not None]
