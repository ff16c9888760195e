"""What a check sees: one bound statement, the question behind it, and what the data hold."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TypeVar

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.checks.comparisons import Comparison, Text, comparisons_in, text_of
from querymend.tools.findings import Finding, Kind, Severity
from querymend.tools.index.model import ValueLookup
from querymend.tools.questions.period import Period
from querymend.tools.questions.reading import Reading
from querymend.tools.questions.words import NUMBER_WORDS, name_words, singular, tokens
from querymend.tools.sql.binding import Binding, Block, Ref
from querymend.tools.sql.parse import position, written
from querymend.tools.sql.subject import Subject
from querymend.tools.sql.trees import copied, drop_condition

E = TypeVar("E", bound=exp.Expr)


@dataclass(frozen=True, kw_only=True)
class Used:
    """One use of a catalog column in the statement."""

    ref: Ref
    table: Table
    column: Column


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One statement and everything that it is held against."""

    subject: Subject
    reading: Reading
    periods: tuple[Period, ...] = ()
    values: ValueLookup | None = None
    facts: tuple[str, ...] = ()
    today: date | None = None
    """The day that was set to be today, if it is not the engine's own."""

    @property
    def tree(self) -> exp.Expr:
        """The statement's tree; a check that changes it copies it first."""
        return self.subject.tree

    @property
    def catalog(self) -> Catalog:
        """Within the caller's scope."""
        return self.subject.catalog

    @property
    def dialect(self) -> str:
        """The dialect that the statement is written in."""
        return self.subject.dialect

    @property
    def binding(self) -> Binding:
        """Where each column comes from."""
        return self.subject.binding

    @property
    def question(self) -> str:
        """The question as it was asked."""
        return self.reading.question

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The question's words in order, lower case, singular."""
        return tuple(singular(w) for w in tokens(self.question))

    @cached_property
    def told(self) -> frozenset[str]:
        """The words of the facts, singular; parts of names in them too."""
        found = (w for text in self.facts for w in tokens(text))
        return frozenset(part for word in found for part in (singular(word), *name_words(word)))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the question and of the facts."""
        return frozenset(self.asked) | self.told

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers that the question and the facts name, in digits or words."""
        spoken = {float(NUMBER_WORDS[w]) for w in self.asked if w in NUMBER_WORDS}
        digits = (w for text in (self.question, *self.facts) for w in numerals(text))
        return frozenset({*spoken, *self.reading.numbers, *digits})

    @cached_property
    def nodes(self) -> tuple[exp.Expr, ...]:
        """Every node of the tree, from one walk over it."""
        return tuple(self.tree.walk())

    def all(self, *kinds: type[E]) -> Iterator[E]:
        """Yield the nodes of some kinds."""
        return (n for n in self.nodes if isinstance(n, kinds))

    def copied(self, node: E) -> tuple[exp.Expr, E]:
        """Return a copy of the tree, and in it the node at the place of this one."""
        copy, (twin,) = copied(self.tree, [node])
        assert isinstance(twin, type(node))
        return copy, twin

    def without(self, conditions: Sequence[exp.Expr]) -> exp.Expr:
        """Return a copy of the tree without some of its conditions."""
        copy, twins = copied(self.tree, conditions)
        for twin in twins:
            drop_condition(twin)
        return copy

    @cached_property
    def used(self) -> tuple[Used, ...]:
        """Every use of a catalog column, in the order bound."""
        return tuple(u for r in self.binding.refs if (u := _used(r)) is not None)

    @cached_property
    def by_node(self) -> dict[int, Used]:
        """The uses by the identity of their nodes in the tree."""
        return {id(u.ref.column): u for u in self.used}

    @cached_property
    def places(self) -> frozenset[tuple[str, str]]:
        """The (table, column) pairs used, lower case."""
        return frozenset((u.table.qualified_name.lower(), u.column.name.lower()) for u in self.used)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The catalog's tables that any FROM reads, each once."""
        found = (s.table for b in self.binding.blocks for s in b.sources if s.table is not None)
        return tuple({t.qualified_name: t for t in found}.values())

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every comparison of a column with literals."""
        return tuple(comparisons_in(self.nodes, self.by_node, self.is_text))

    @cached_property
    def literals(self) -> tuple[Text, ...]:
        """Every text literal of the statement."""
        found = (text_of(n, self.is_text) for n in self.nodes)
        return tuple(t for t in found if t is not None)

    @cached_property
    def texts(self) -> frozenset[str]:
        """The text literals, lower case, without blanks and wildcards around."""
        return frozenset(t.value.strip(" %").lower() for t in self.literals)

    @cached_property
    def top(self) -> exp.Select | None:
        """The SELECT whose list makes the result; of a set operation, the first arm."""
        node: exp.Expr | None = self.tree
        while isinstance(node, exp.SetOperation | exp.Subquery):
            node = node.this
        return node if isinstance(node, exp.Select) else None

    @cached_property
    def block(self) -> Block | None:
        """The bound block of ``top``."""
        return next((b for b in self.binding.blocks if b.select is self.top), None)

    def uses_in(self, node: exp.Expr) -> Iterator[Used]:
        """Yield the catalog columns used below a node, those inside its subqueries too."""
        for column in node.find_all(exp.Column):
            if (used := self.by_node.get(id(column))) is not None:
                yield used

    @cached_property
    def unresolved(self) -> bool:
        """Some column was not found, so that what is unused cannot be told."""
        return any(r.status in ("no_source", "no_column") for r in self.binding.refs)

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The words after ``how many`` and ``number of``, singular, three at most each."""
        found = re.findall(
            r"(?:how many|number of|count of)((?: [a-z-]+){1,3})", self.question.lower()
        )
        return tuple(singular(w) for words in found for w in words.split())

    def name_words_used(self) -> frozenset[str]:
        """Return the words of all names that the statement uses."""
        names = (*(t.name for t in self.tables), *(u.column.name for u in self.used))
        return frozenset(w for n in names for w in name_words(n))

    def sql(self, tree: exp.Expr) -> str:
        """Write a changed tree in the statement's dialect."""
        return tree.sql(self.dialect)

    def found(
        self,
        code: str,
        kind: Kind,
        severity: Severity,
        message: str,
        *,
        node: exp.Expr | None = None,
        evidence: str = "",
        hint: str = "",
        fix: exp.Expr | None = None,
    ) -> Finding:
        """Make a finding about a node of the tree."""
        text = self.subject.parsed.text
        return Finding(
            code=code,
            kind=kind,
            severity=severity,
            message=message,
            clause=written(node, text) if node is not None else "",
            evidence=evidence,
            hint=hint,
            fix=self.sql(fix) if fix is not None else None,
            position=position(node, text) if node is not None else None,
        )

    @cached_property
    def _unbound(self) -> frozenset[int]:
        return frozenset(
            id(r.column) for r in self.binding.refs if r.status == "unsure" and r.source is None
        )

    def is_text(self, column: exp.Column) -> bool:
        """SQLite reads a name in double quotes that is no column as a text."""
        return self.dialect == "sqlite" and id(column) in self._unbound


def numerals(text: str) -> Iterator[float]:
    """Yield the numbers written in digits, those inside names left out."""
    for word in text.replace(",", "").split():
        plain = word.strip("()[]{}.,;:?!'\"=<>$%")
        try:
            yield float(plain)
        except ValueError:
            continue


def _used(ref: Ref) -> Used | None:
    if ref.status not in ("found", "ambiguous") or ref.source is None or ref.source.table is None:
        return None
    column = ref.source.table.column(ref.name)
    return None if column is None else Used(ref=ref, table=ref.source.table, column=column)
