"""What a statement would scan, from Glue's partitions and the sizes of files. No query runs.

Sizes come from what crawlers and Hive noted in the catalog, else from a bounded listing of the
files. Of Parquet and ORC only the named columns are read, by their share of a row's width.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from querymend.tools.catalog.glue import GlueCatalog, Partition, Storage, partitions
from querymend.tools.catalog.model import Table
from querymend.tools.engines.athena.errors import RAISED
from querymend.tools.engines.athena.place import AthenaPlace
from querymend.tools.engines.athena.price import price
from querymend.tools.engines.estimate import Estimate, TableScan
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.binding import Block, Source
from querymend.tools.sql.parse import parse
from querymend.tools.sql.partition_terms import Scan, scans
from querymend.tools.sql.subject import Subject

LISTED = 20
"""Listings of files for one estimate at most; a thousand files each."""
PAGES = 5
"""Pages of a thousand partitions for one table at most."""
_WIDTHS = {"tinyint": 1, "smallint": 2, "integer": 4, "real": 4, "date": 4, "boolean": 1}
_WIDE = 32
_TEXT = 16


def estimate(
    sql: Admitted,
    known: GlueCatalog,
    *,
    place: AthenaPlace,
    listing: "Listing",
    glue: Any,
    s3: Any,
    cutoff: int | None = None,
) -> Estimate:
    """Estimate a statement that the gate let through.

    Args:
        sql: the statement.
        known: what Glue told.
        place: whose price holds.
        listing: remembers what Glue listed lately.
        glue: a boto3 client.
        s3: a boto3 client.
        cutoff: where the workgroup ends a query.
    """
    parsed = parse(sql, "athena")
    if parsed.tree is None:
        return Estimate(cutoff=cutoff)
    subject = Subject(parsed=parsed, catalog=known.catalog)
    sizes = _Sizes(known=known, listing=listing, glue=glue, files=_Files(s3))
    by_source = {id(s.source): s for s in scans(subject)}
    found = [
        sizes.scan(
            source.table, by_source.get(id(source)), _share(source.table, source, block, subject)
        )
        for block in subject.binding.blocks
        for source in block.sources
        if source.table is not None
    ]
    total = _total(s.bytes for s in found)
    usd = price(total, usd_per_tb=place.usd_per_tb)
    return Estimate(bytes=total, usd=usd, scans=tuple(found), cutoff=cutoff)


def _total(sizes: Iterable[int | None]) -> int | None:
    """Add sizes up; one that is unknown makes the sum unknown."""
    found = list(sizes)
    return None if any(s is None for s in found) else sum(s for s in found if s is not None)


def _share(table: Table, source: Source, block: Block, subject: Subject) -> float:
    """Return which part of a row's width the statement names, between 0 and 1."""
    data = [c for c in table.columns if c.name not in table.partitions]
    refs = subject.binding.refs
    named = {r.name.lower() for r in refs if r.source is source}
    stars = any(
        isinstance(e, exp.Star) or (isinstance(e, exp.Column) and e.is_star)
        for e in block.select.args.get("expressions") or ()
    )
    if stars or not data:
        return 1.0
    widths = {c.name.lower(): _width(c.type) for c in data}
    return sum(w for n, w in widths.items() if n in named) / sum(widths.values())


def _width(kind: str) -> int:
    low = kind.lower()
    if low.startswith(("array", "map", "row", "json")):
        return _WIDE
    if low.startswith(("varchar", "char", "varbinary", "decimal")):
        return _TEXT
    return _WIDTHS.get(low, 8)


@dataclass(frozen=True, kw_only=True)
class _Sizes:
    """Finds out how big what is read of a table is."""

    known: GlueCatalog
    listing: "Listing"
    glue: Any
    files: "_Files"

    def scan(self, table: Table, scan: Scan | None, share: float) -> TableScan:
        """Describe the scan of one table."""
        storage = self.known.storage.get(table.qualified_name, Storage())
        share = share if storage.columnar else 1.0
        if storage.view:
            return TableScan(table=table.qualified_name)
        if scan is None:
            return TableScan(
                table=table.qualified_name,
                bytes=_times(storage.bytes or self.files.size(storage.location), share),
            )
        return self._partitioned(table, scan, storage, share)

    def _partitioned(self, table: Table, scan: Scan, storage: Storage, share: float) -> TableScan:
        where = " AND ".join(f"({t.where})" for t in scan.usable if t.where)
        if storage.projected:
            return TableScan(table=table.qualified_name, where=where)
        left = self._list(table, where)
        if left is None:
            return TableScan(table=table.qualified_name, where=where)
        every = left if not where else self._list(table, "")
        return TableScan(
            table=table.qualified_name,
            partitions=len(left),
            of=None if every is None else len(every),
            bytes=_times(self._bytes(left, every, storage), share),
            where=where,
        )

    def _list(self, table: Table, where: str) -> Sequence[Partition] | None:
        database = table.schema or self.known.default
        return self.listing.of(self.glue, database, table.name, where)

    def _bytes(
        self, left: Sequence[Partition], every: Sequence[Partition] | None, storage: Storage
    ) -> int | None:
        """Add up the partitions, or take their share of the table's own size."""
        noted = _total(p.bytes for p in left)
        if noted is not None:
            return noted
        if storage.bytes is not None and every:
            return round(storage.bytes * len(left) / len(every))
        if len(left) > LISTED:
            sizes = [self.files.size(p.location) for p in left[:: len(left) // LISTED]]
            some = _total(sizes)
            return None if some is None else round(some * len(left) / len(sizes))
        return _total(self.files.size(p.location) for p in left)


def _times(size: int | None, share: float) -> int | None:
    return None if size is None else round(size * share)


class Listing:
    """Partitions as Glue listed them, remembered for a while. Shared between threads."""

    def __init__(
        self, *, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._known: dict[tuple[str, str, str], tuple[float, Sequence[Partition] | None]] = {}

    def of(self, glue: Any, database: str, table: str, where: str) -> Sequence[Partition] | None:
        """Return a table's partitions under a filter; None where they are too many or unknown."""
        key = (database, table, where)
        when, found = self._known.get(key, (0.0, None))
        if key in self._known and self._clock() - when < self._seconds:
            return found
        try:
            found = partitions(glue, database, table, where=where, pages=PAGES)
        except RAISED:  # a filter that Glue does not take: the table stays unknown
            found = None
        self._known[key] = (self._clock(), found)
        return found


class _Files:
    """Adds up the files below a location, a bounded number of times."""

    def __init__(self, s3: Any) -> None:
        self._s3 = s3
        self._left = LISTED
        self._known: dict[str, int | None] = {}

    def size(self, location: str) -> int | None:
        """Return bytes, or None where they cannot be listed or are too many."""
        if location not in self._known:
            self._known[location] = self._listed(location)
        return self._known[location]

    def _listed(self, location: str) -> int | None:
        scheme, _, rest = location.partition("://")
        bucket, _, prefix = rest.partition("/")
        if not scheme.startswith("s3") or not bucket or self._left <= 0:
            return None
        self._left -= 1
        wanted = {"Bucket": bucket, "Prefix": prefix if prefix.endswith("/") else f"{prefix}/"}
        try:
            page: Mapping[str, Any] = self._s3.list_objects_v2(**wanted)
        except RAISED:  # no leave to list, or no such bucket
            return None
        if page.get("IsTruncated"):
            return None
        return sum(int(o["Size"]) for o in page.get("Contents") or ())
