"""The values of the rule fixes: what is known, one step, one fix."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.findings import Finding
from querymend.tools.fixes.graph import Graph
from querymend.tools.fixes.names import words
from querymend.tools.index.model import ValueLookup
from querymend.tools.questions.period import Period


@dataclass(frozen=True, kw_only=True)
class Fix:
    """One candidate: a whole SQL text that may mend another."""

    code: str
    """The rules applied, joined by ``+``: ``joined+value_case``."""
    sql: str
    why: str
    """One sentence for people: ``joined area_code_state through votes.state = …``."""
    edits: int
    """How many places of the tree changed."""
    certainty: float
    """Between 0 and 1: how often such a fix is what was meant."""
    verified: bool = False
    """It ran, and what it rests on was checked."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One change of one place: the tree after it, and how sure it is."""

    code: str
    why: str
    certainty: float
    tree: exp.Expr
    edits: int = 1
    settled: frozenset[str] = frozenset()
    """Doubts that later steps leave alone, by key."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What the rules may rest on."""

    catalog: Catalog
    graph: Graph
    dialect: str
    question: str = ""
    facts: Sequence[str] = ()
    values: ValueLookup | None = None
    error: str = ""
    empty: bool = False
    periods: Sequence[Period] = ()
    """That the question names."""
    codes: frozenset[str] = field(default_factory=frozenset)
    """Codes of the findings that asked for a fix."""

    @classmethod
    def of(
        cls,
        catalog: Catalog,
        *,
        dialect: str,
        question: str = "",
        facts: Sequence[str] = (),
        values: ValueLookup | None = None,
        findings: Sequence[Finding] = (),
        error: str = "",
        empty: bool = False,
        periods: Sequence[Period] = (),
    ) -> "Known":
        """Gather what is known of a question and of the text that is to be mended."""
        return cls(
            catalog=catalog,
            graph=Graph(catalog=catalog),
            dialect=dialect,
            question=question,
            facts=tuple(facts),
            values=values,
            error=error,
            empty=empty,
            periods=tuple(periods),
            codes=frozenset(f.code for f in findings),
        )

    @cached_property
    def asked(self) -> frozenset[str]:
        """The question's words, singular and lower-case."""
        return frozenset(words(self.question))

    @cached_property
    def said(self) -> str:
        """Question and facts as one lower-case text, blanks made one."""
        return re.sub(r"\s+", " ", " ".join((self.question, *self.facts))).lower()

    @cached_property
    def asked_values(self) -> dict[tuple[str, str], list[str]]:
        """Values that the question names, by table and column, longer phrases first."""
        found: dict[tuple[str, str], list[str]] = {}
        if self.values is None:
            return found
        for phrase in phrases(self.question):
            for table, column, value in self.values.holding(phrase):
                if value not in found.setdefault((table, column), []):
                    found[table, column].append(value)
        return found

    def stated(self, column: str) -> list[tuple[str, str]]:
        """Return (clause, value) for each fact that says ``column = 'value'``."""
        pattern = rf"\b{re.escape(column.lower())}\s*(?:=|-|is|refers to)\s*['\"]([^'\"]*)['\"]"
        clauses = [c.strip() for f in self.facts for c in f.split(";")]
        return [
            (c.lower(), value.strip())
            for c in clauses
            for value in _cased(c, re.finditer(pattern, c.lower()))
        ]

    def mentions(self, text: str) -> bool:
        """Tell whether question or facts hold this text as whole words, in any case."""
        low = text.strip().lower()
        return bool(low) and bool(re.search(rf"(?<!\w){re.escape(low)}(?!\w)", self.said))

    def fit(self, name: str) -> float:
        """Return the share of a name's words that the question holds."""
        parts = words(name)
        return sum(p in self.asked for p in parts) / len(parts) if parts else 0.0


def phrases(text: str, longest: int = 5) -> list[str]:
    """Return the runs of up to five words of a text, longer ones first, blanks and signs kept."""
    spans = [m.span() for m in re.finditer(r"[\w'+#&./-]+", text)]
    found = []
    for size in range(min(longest, len(spans)), 0, -1):
        for i in range(len(spans) - size + 1):
            phrase = text[spans[i][0] : spans[i + size - 1][1]].strip(".,'\"")
            if len(phrase) > 2 or phrase.isupper():
                found.append(phrase)
    return found


def _cased(clause: str, matches: Iterable[re.Match[str]]) -> list[str]:
    return [clause[m.start(1) : m.end(1)] for m in matches]
