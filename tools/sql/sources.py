"""What binding a statement yields: sources, SELECT blocks, and where each column comes from."""

from dataclasses import dataclass, field
from typing import Literal

from sqlglot import exp

from querymend.tools.catalog.model import Table
from querymend.tools.sql.outputs import Columns
from querymend.tools.sql.parse import Parsed

Clause = Literal["from", "on", "select", "where", "group", "having", "qualify", "order", "other"]
Status = Literal["found", "alias", "row", "unsure", "ambiguous", "no_column", "no_source"]


@dataclass(frozen=True, kw_only=True)
class Source:
    """One entry of FROM."""

    name: str
    """Alias, or the table's own name."""
    columns: Columns
    node: exp.Expr
    table: Table | None = None
    """The catalog's table where it is one."""

    def has(self, column: str) -> bool:
        """Tell whether a column of that name, in any case, is among the known ones."""
        low = column.lower()
        return self.columns is not None and any(c.lower() == low for c in self.columns)


@dataclass(kw_only=True)
class Block:
    """One SELECT with its sources, in order of appearance."""

    select: exp.Expr
    sources: list[Source] = field(default_factory=list)
    outer: "Block | None" = None
    merged: set[str] = field(default_factory=set)
    """Columns joined by USING or NATURAL: naming them bare is not ambiguous."""
    used: set[str] = field(default_factory=set)
    """Those of them that USING merged."""
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    """Select aliases, lower case, with what they stand for."""

    def source(self, name: str) -> Source | None:
        """Return the source of that alias, in any case."""
        return next((s for s in self.sources if s.name.lower() == name.lower()), None)

    def star(self, name: str) -> Columns:
        """Return the columns that ``*`` or ``name.*`` stands for."""
        chosen = [s for s in self.sources if not name or s.name.lower() == name.lower()]
        names: list[str] = []
        for source in chosen:
            if source.columns is None:
                return None
            names += source.columns
        if name:
            return tuple(names)
        seen: set[str] = set()
        kept = []
        for column in names:
            if column.lower() not in seen or column.lower() not in self.merged:
                kept.append(column)
            seen.add(column.lower())
        return tuple(kept) if chosen else None


@dataclass(frozen=True, kw_only=True)
class Ref:
    """One use of a column."""

    column: exp.Column
    block: Block
    clause: Clause
    status: Status
    source: Source | None = None
    """Where it is found; for ``ambiguous`` one of several."""
    name: str = ""
    """The column's name; for a field of a struct, that of the struct's column."""
    depth: int = 0
    """0 in this SELECT's own sources, 1 in the one around it, and so on."""


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """A set operation or subquery with the wrong number of columns."""

    node: exp.Expr
    want: int
    got: int


@dataclass(kw_only=True)
class Binding:
    """A whole statement, bound."""

    parsed: Parsed
    blocks: list[Block] = field(default_factory=list)
    refs: list[Ref] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)
    columns: Columns = None
    """What the statement returns."""

    def of(self, block: Block) -> list[Ref]:
        """Return the references made in one SELECT itself, not in its subqueries."""
        return [r for r in self.refs if r.block is block]
