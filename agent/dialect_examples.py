"""A pack's examples in an engine's SQL: DuckDB's are translated; what has no twin is told."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from querymend.tools.catalog.model import Catalog
from querymend.tools.index.model import Example

if TYPE_CHECKING:
    from querymend.fewshot.pack import Pack

NATIVE = "duckdb"
"""A pack's plain ``sql`` is of this dialect; elsewhere it serves only as it is translated."""


def examples_for(
    pack: "Pack", dialect: str, catalog: Catalog, *, log: Callable[[str], None]
) -> tuple[Example, ...]:
    """Return the examples that may be shown to whoever writes an engine's SQL.

    What the pack gives in that dialect has to pass its checks; where the pack gives DuckDB's SQL
    alone, it is shown as its typed translation, which passes them too.

    Args:
        pack: the examples, some of them in several dialects.
        dialect: the engine's.
        catalog: the tables and columns that there are.
        log: is told which are left out, and why.
    """
    there = pack.examples_in(dialect)
    native = {e.id: e.sql for e in pack.examples_in(NATIVE)}
    found: list[Example] = []
    told: dict[str, str] = {}
    for example in there:
        own = dialect == NATIVE or native.get(example.id) != example.sql
        sql, why = _stated(example.sql, dialect, catalog) if own else _said(example, catalog)
        if why:
            told[example.id] = why
        else:
            found.append(replace(example, sql=sql))
    for other in pack.examples:
        if other.id not in {e.id for e in there}:
            told[other.id] = f"it has no SQL for {dialect}"
    for name, why in told.items():
        log(f"{pack.name}/examples.yaml: {name} is left out: {why}")
    return tuple(found)


def _stated(sql: str, dialect: str, catalog: Catalog) -> tuple[str, str]:
    """Return a text of the dialect with what its checks refuse of it; DuckDB's own has none."""
    from querymend.tools.sql.translate.statement import refusal

    return sql, "" if dialect == NATIVE else refusal(sql, catalog, dialect)


def _said(example: Example, catalog: Catalog) -> tuple[str, str]:
    """Return DuckDB's text as Athena's, or why there is none."""
    from querymend.tools.sql.translate.statement import translated

    made = translated(example.sql, catalog, to=example.dialect)
    return made.sql or "", made.reason
