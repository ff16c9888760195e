"""What was seen of tables whose data are read only when somebody asks: kept in one file."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from querymend.tools.catalog.describe import hide_private
from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.catalog.newest import Looked
from querymend.tools.catalog.stored import dump_catalog, load_catalog
from querymend.tools.index.values import ColumnValues


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One table as it was when its data were read."""

    mark: str
    """What was read: the table's version and its newest partition."""
    table: Table
    values: tuple[ColumnValues, ...] = ()


def mark_of(table: Table) -> str:
    """Return a text that changes when the table or its newest partition does."""
    newest = ",".join(f"{k.name}={k.latest}" for k in table.partition_keys)
    columns = ",".join(f"{c.name} {c.type} {c.private}" for c in table.columns)
    return f"{table.version}|{newest}|{columns}"


class LookedAt:
    """The file. A table whose columns have changed since loses what was seen of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept = _read(path)

    def knows(self, table: Table) -> bool:
        """Tell whether the table is unchanged since its data were read."""
        kept = self._kept.get(table.qualified_name)
        return kept is not None and kept.mark == mark_of(table)

    def put(self, table: Table, looked: Looked) -> None:
        """Keep what was seen, and write the file whole or not at all."""
        self._kept[table.qualified_name] = Kept(
            mark=mark_of(table), table=looked.table, values=looked.values
        )
        unfinished = self._path.with_suffix(".part")
        unfinished.write_text(_dump(self._kept), encoding="utf-8")
        unfinished.replace(self._path)

    def onto(self, catalog: Catalog) -> Catalog:
        """Return the catalog with the profiles and samples that fit its tables."""
        return replace(catalog, tables=tuple(self._with(t) for t in catalog.tables))

    def values(self, catalog: Catalog) -> list[ColumnValues]:
        """Return the values that were read of the catalog's public columns."""
        found = []
        for kept in self._kept.values():
            table = catalog.table(kept.table.qualified_name)
            for one in kept.values:
                column = table.column(one.column) if table else None
                if column is not None and not column.private:
                    found.append(one)
        return found

    def _with(self, table: Table) -> Table:
        kept = self._kept.get(table.qualified_name)
        if kept is None:
            return table
        seen = {c.name: c for c in kept.table.columns}
        columns = tuple(
            replace(c, profile=seen[c.name].profile)
            if c.name in seen and seen[c.name].type == c.type
            else c
            for c in table.columns
        )
        same = [c.name for c in kept.table.columns] == [c.name for c in table.columns]
        sample = kept.table.sample if same else ()
        return hide_private(replace(table, columns=columns, sample=sample))


def _dump(kept: dict[str, Kept]) -> str:
    tables = {
        name: {
            "mark": k.mark,
            "table": dump_catalog(Catalog(tables=(k.table,))),
            "values": [
                {"table": v.table, "column": v.column, "values": v.values, "complete": v.complete}
                for v in k.values
            ],
        }
        for name, k in kept.items()
    }
    return json.dumps(tables, ensure_ascii=False)


def _read(path: Path) -> dict[str, Kept]:
    """Read the file; one that is missing or damaged holds nothing."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return {name: _kept(one) for name, one in told.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _kept(told: dict[str, object]) -> Kept:
    rows = told["values"]
    assert isinstance(rows, list)
    return Kept(
        mark=str(told["mark"]),
        table=load_catalog(str(told["table"])).tables[0],
        values=tuple(
            ColumnValues(
                table=str(v["table"]),
                column=str(v["column"]),
                values=tuple((str(value), int(times)) for value, times in v["values"]),
                complete=bool(v["complete"]),
            )
            for v in rows
        ),
    )
