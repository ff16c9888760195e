"""What a static check looks at."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.findings import Finding
from querymend.tools.sql.binding import Binding, bind
from querymend.tools.sql.parse import Parsed


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One statement, what it may read, and what was asked."""

    parsed: Parsed
    """Read without a fault: its tree is there."""
    catalog: Catalog
    """Narrowed to the caller's scope."""
    question: str = ""

    @property
    def tree(self) -> exp.Expr:
        """The statement as a tree; checks do not change it."""
        assert self.parsed.tree is not None
        return self.parsed.tree

    @property
    def dialect(self) -> str:
        """The dialect that the statement is written in."""
        return self.parsed.dialect

    @cached_property
    def binding(self) -> Binding:
        """Every column with where it comes from, bound once for all checks."""
        return bind(self.parsed, self.catalog)


Check = Callable[[Subject], Iterable[Finding]]
