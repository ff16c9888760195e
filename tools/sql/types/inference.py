"""The public door: the types of a whole statement."""

from collections.abc import Iterator, Mapping
from functools import cache

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.sql.binding import Binding, bind
from querymend.tools.sql.parse import Parsed
from querymend.tools.sql.sources import Source
from querymend.tools.sql.types.calls import node_rules
from querymend.tools.sql.types.faults import Fault
from querymend.tools.sql.types.model import TrinoType
from querymend.tools.sql.types.predicates import PREDICATES
from querymend.tools.sql.types.relations import query_columns, source_columns
from querymend.tools.sql.types.scalars import SCALARS
from querymend.tools.sql.types.shapes import SHAPES
from querymend.tools.sql.types.sources import SOURCES
from querymend.tools.sql.types.typer import Named, Rule, Typer


class Types:
    """What each expression of one statement is."""

    def __init__(self, typer: Typer, tree: exp.Expr) -> None:
        self._typer = typer
        self._tree = tree

    def of(self, node: exp.Expr | None) -> TrinoType | None:
        """Return the type of an expression of the tree, None where it cannot be told."""
        return self._typer.of(node)

    def columns(self, query: exp.Expr | None = None) -> tuple[Named, ...] | None:
        """Return name and type of each column of a query of the tree, or of the whole statement.

        None where the columns cannot be told; a column without a name is called ``?``.
        """
        found = query_columns(self._typer, self._tree if query is None else query)
        return None if found is None else tuple(found)

    def source(self, source: Source) -> tuple[Named, ...] | None:
        """Return name and type of each column of an entry of FROM, None where none can be told."""
        found = source_columns(self._typer, source)
        return None if found is None else tuple(found)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What Trino will refuse, in the order in which the tree was read."""
        seen: dict[tuple[int, str], Fault] = {}
        for fault in self._typer.faults:
            seen.setdefault((id(fault.node), fault.code), fault)
        return tuple(seen.values())


def infer(
    tree: exp.Expr, catalog: Catalog, *, dialect: str = "athena", binding: Binding | None = None
) -> Types:
    """Tell the Trino types of a statement's expressions, through CTEs, subqueries and UNNEST.

    Args:
        tree: a statement parsed as Athena or Trino SQL; it is not changed.
        catalog: tables whose column types are spelt as in Glue, Trino or DuckDB.
        dialect: ``athena`` or ``trino``.
        binding: where each column comes from, if that is known already.
    """
    known = binding or bind(Parsed(text="", dialect=dialect, tree=tree), catalog)
    typer = Typer(known, _rules())
    for cte in _recursive(tree):  # from without: met first in its own step, it would be unknown
        query_columns(typer, cte.this)
    for node in tree.walk():
        typer.of(node)
    return Types(typer, tree)


def _recursive(tree: exp.Expr) -> Iterator[exp.Expr]:
    for with_ in tree.find_all(exp.With):
        if with_.args.get("recursive"):
            yield from with_.expressions


@cache
def _rules() -> Mapping[type[exp.Expr], Rule]:
    return {**node_rules(), **SCALARS, **PREDICATES, **SHAPES, **SOURCES}
