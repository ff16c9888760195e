"""A pack's examples in an engine's SQL: what its checks refuse is left out, and told."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from querymend.tools.catalog.model import Catalog
from querymend.tools.index.model import Example

if TYPE_CHECKING:
    from querymend.fewshot.pack import Pack

NATIVE = "duckdb"
"""A pack's plain ``sql`` is of this dialect; elsewhere it serves only if it stands the checks."""


def examples_for(
    pack: "Pack", dialect: str, catalog: Catalog, *, log: Callable[[str], None]
) -> tuple[Example, ...]:
    """Return the examples that may be shown to whoever writes an engine's SQL.

    Args:
        pack: the examples, some of them in several dialects.
        dialect: the engine's.
        catalog: the tables and columns that there are.
        log: is told which are left out, and why.
    """
    told = dict(_refused(pack, dialect, catalog)) if dialect != NATIVE else {}
    there = pack.examples_in(dialect)
    names = {e.id for e in there}
    for other in pack.examples:
        if other.id not in names:
            told[other.id] = f"it has no SQL for {dialect}"
    for name, why in told.items():
        log(f"{pack.name}/examples.yaml: {name} is left out: {why}")
    return tuple(e for e in there if e.id not in told)


def _refused(pack: "Pack", dialect: str, catalog: Catalog) -> Iterator[tuple[str, str]]:
    from querymend.tools.sql.checks import check

    for example in pack.examples_in(dialect):
        found = check(example.sql, dialect=dialect, catalog=catalog)
        blocks = [f.message for f in found if f.severity == "block"]
        if blocks:
            yield example.id, blocks[0]
