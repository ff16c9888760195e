"""Where one column comes from: the lookup rules of each dialect, from the inside out."""

from sqlglot import exp

from querymend.tools.sql.outputs import UNNAMED
from querymend.tools.sql.sources import Block, Clause, Ref, Source, Status

_ALIASES: dict[str, frozenset[Clause]] = {
    "duckdb": frozenset({"select", "where", "group", "having", "qualify", "order", "other"}),
    "sqlite": frozenset({"where", "group", "having", "order", "other"}),
    "postgres": frozenset({"group", "order"}),
    "athena": frozenset({"order"}),
    "trino": frozenset({"order"}),
}
"""Where a dialect lets a select alias be named."""
_PSEUDO = {
    "duckdb": {"rowid", "current_date", "current_timestamp", "user"},
    "sqlite": {"rowid", "oid", "_rowid_"},
    "postgres": {"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "user"},
}


def resolve_column(column: exp.Column, clause: Clause, block: Block, dialect: str) -> Ref:
    """Find a column in a SELECT's sources, its aliases, and the SELECTs around it."""
    local: Block | None = block
    depth = 0
    blamed: Ref | None = None
    while local is not None:
        status, source, name = _look(column, clause, local, depth, dialect)
        ref = Ref(
            column=column,
            block=block,
            clause=clause,
            status=status,
            source=source,
            name=name,
            depth=depth,
        )
        if status not in ("no_column", "no_source"):
            return ref
        if blamed is None or (status == "no_column" and blamed.status == "no_source"):
            blamed = ref
        local, depth = local.outer, depth + 1
    assert blamed is not None
    return blamed


_Found = tuple[Status, Source | None, str]


def _look(column: exp.Column, clause: Clause, local: Block, depth: int, dialect: str) -> _Found:
    parts = [p.name for p in column.parts]
    qualified = _qualified(parts, local) if len(parts) > 1 else None
    if qualified is not None:
        return qualified
    if clause == "order" and depth == 0 and len(parts) == 1 and parts[0].lower() in local.aliases:
        return "alias", None, parts[0]
    status, source = _bare(parts[0], local, dialect)
    if status != "no_column":
        return status, source, parts[0]
    quoted = len(parts) == 1 and bool(column.this.args.get("quoted"))
    if dialect == "sqlite" and quoted:
        return "unsure", None, parts[0]  # SQLite takes a quoted name that is no column for a text
    other = _not_a_column(parts[0], clause, local, depth, dialect)
    if other is not None:
        return other, None, parts[0]
    return ("no_source" if len(parts) > 1 else "no_column"), None, parts[-1]


def _not_a_column(
    name: str, clause: Clause, local: Block, depth: int, dialect: str
) -> Status | None:
    """Tell what else a bare name may be: an alias, a pseudo-column, a whole row."""
    low = name.lower()
    visible = clause in _ALIASES[dialect] and (depth == 0 or dialect == "duckdb")
    if low in local.aliases and visible:
        return "alias"
    if low in _PSEUDO.get(dialect, set()):
        return "unsure"
    if dialect in ("duckdb", "postgres") and local.source(name) is not None:
        return "row"
    return None


def _qualified(parts: list[str], local: Block) -> _Found | None:
    """Resolve ``alias.column``, ``schema.table.column`` and what hangs below; None if no source."""
    for i in range(min(len(parts) - 1, 3)):
        named = [s for s in local.sources if s.name.lower() == parts[i].lower()]
        named = [s for s in named if _is_prefix(parts[:i], s)]
        if named:
            return _of_source(named, parts[i + 1])
    return None


def _of_source(named: list[Source], column: str) -> _Found:
    """Choose among the sources of one name: two that hold the column are ambiguous."""
    if any(s.columns is None for s in named):
        return "unsure", named[0], column
    holders = [s for s in named if s.has(column)]
    if len(holders) > 1:
        return "ambiguous", holders[0], column
    return ("found", holders[0], column) if holders else ("no_column", named[0], column)


def _is_prefix(prefix: list[str], source: Source) -> bool:
    """Tell whether schema and catalog in front of a table's name are the ones it was read by."""
    if not prefix:
        return True
    if not isinstance(source.node, exp.Table) or source.node.alias:
        return False
    return [p.name.lower() for p in source.node.parts][:-1][-len(prefix) :] == [
        p.lower() for p in prefix
    ] or not source.node.db


def _bare(name: str, local: Block, dialect: str) -> tuple[Status, Source | None]:
    holders = [s for s in local.sources if s.has(name)]
    if len(holders) == 1 or (holders and name.lower() in local.merged):
        return "found", holders[0]
    if len(holders) > 1:
        return "ambiguous", holders[0]
    unknown = next((s for s in local.sources if _may_hold(s, name, dialect)), None)
    return ("unsure", unknown) if unknown else ("no_column", None)


def _may_hold(source: Source, name: str, dialect: str) -> bool:
    """Tell whether a name may be among columns that are unknown, or named by the engine itself."""
    if source.columns is None:
        return True
    odd = not name.replace("_", "").isalnum() or dialect == "postgres"
    return odd and UNNAMED in source.columns
