"""Which tables a statement reads, after CTE scoping, and whether it may.

Without a catalog a plain name is let through (the engine decides whether it exists), and what
looks like a file, a glob, a URL, a hidden table (``t$partitions``) or an engine's own metadata is
refused. With a catalog every table must be in it, and in the scope, whatever its name looks like.
"""

import re
from collections.abc import Iterable, Iterator

from rapidfuzz import fuzz, process
from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Scope, Table
from querymend.tools.findings import Finding
from querymend.tools.sql.parse import Parsed, position, written

FEW = 10
"""A catalog of no more tables is told whole where a table is not found."""
_DEFAULT_SCHEMAS = {"duckdb": {"main"}, "postgres": {"public"}, "sqlite": {"main"}}
_DEFAULT_CATALOGS = {"athena": {"awsdatacatalog"}, "trino": {"awsdatacatalog"}}
_SYSTEM_SCHEMAS = {
    "information_schema",
    "pg_catalog",
    "pg_toast",
    "system",
    "temp",
    "$system",
    "sys",
}
_SYSTEM_TABLES = re.compile(
    r"(sqlite_(temp_)?(master|schema|sequence|stat\d)|duckdb_\w+|pragma_\w+|pg_\w+)$"
)
_CATALOG_VIEWS = {"tables", "columns", "views", "schemata"}
"""What Athena's information_schema may be asked for when no catalog says what exists."""
_FILE = re.compile(
    r"\.(csv|tsv|txt|json|jsonl|ndjson|parquet|pq|avro|orc|arrow|feather|ipc|xlsx?|db|duckdb|sqlite3?"
    r"|gz|zst|bz2|zip|geojson|gpkg|shp|vortex|lance)$",
    re.IGNORECASE,
)
_EXTENSION_ONLY = {"csv", "tsv", "json", "jsonl", "ndjson", "parquet", "xlsx", "duckdb", "sqlite"}
_STATEMENTS = {"show", "describe", "desc", "summarize", "pragma", "call", "explain"}
"""Words that begin a statement, which DuckDB takes in brackets in FROM too."""
_ODD = re.compile(r"[/\\*?\[\]{}$\x00-\x1f]|^[\w.+-]+:|^~|^\.\.?$")
_ASCII_UPPER = {c: c + 32 for c in range(ord("A"), ord("Z") + 1)}


def base_tables(tree: exp.Expr, dialect: str) -> Iterator[exp.Table]:
    """Yield the named tables that no CTE in sight provides, in order of appearance."""
    for table in tree.find_all(exp.Table, bfs=False):
        if isinstance(table.this, exp.Identifier) and not is_cte(table, dialect):
            yield table


def is_cte(table: exp.Table, dialect: str) -> bool:
    """Tell whether a name is certainly that of a CTE whose scope it lies in."""
    if table.args.get("db") or not isinstance(table.this, exp.Identifier):
        return False
    wanted = fold(table.this, dialect)
    return any(fold(cte.args["alias"].this, dialect) == wanted for cte in ctes_in_sight(table))


def ctes_in_sight(node: exp.Expr) -> Iterator[exp.CTE]:
    """Yield the CTEs that a table at this node may name, innermost WITH first."""
    child, parent = node, node.parent
    while parent is not None:
        with_ = parent.args.get("with_")
        if isinstance(with_, exp.With) and child is not with_:
            yield from reversed(with_.expressions)
        elif isinstance(parent, exp.With):
            yield from _earlier(parent, child)
        child, parent = parent, parent.parent


def _earlier(with_: exp.With, inside: exp.Expr) -> Iterator[exp.CTE]:
    place = next(i for i, cte in enumerate(with_.expressions) if cte is inside)
    last = place + 1 if with_.args.get("recursive") else place
    yield from reversed(with_.expressions[:last])


def fold(identifier: exp.Identifier, dialect: str) -> str:
    """Return a name as the engine compares it: in Postgres a quoted one keeps its case.

    Only ASCII letters are folded: an engine that folds less never sees more CTEs than this does.
    """
    name = identifier.name
    if dialect == "postgres" and identifier.args.get("quoted"):
        return name
    return name.translate(_ASCII_UPPER)


def resolve(table: exp.Table, catalog: Catalog, dialect: str) -> Table | None:
    """Find the table of the catalog that a name in FROM means, or None."""
    if not _is_known_catalog(table.catalog, dialect):
        return None
    name, schema = table.name, table.db
    if schema.lower() in _DEFAULT_SCHEMAS.get(dialect, set()):
        plain = [t for t in catalog.tables if t.name.lower() == name.lower() and not t.schema]
        if len(plain) == 1:
            return plain[0]
    return catalog.table(f"{schema}.{name}" if schema else name)


def _is_known_catalog(name: str, dialect: str) -> bool:
    return not name or name.lower() in _DEFAULT_CATALOGS.get(dialect, set())


def check_tables(
    parsed: Parsed, catalog: Catalog | None = None, scope: Scope | None = None
) -> list[Finding]:
    """Judge every table that the statement reads."""
    assert parsed.tree is not None
    findings = []
    for table in base_tables(parsed.tree, parsed.dialect):
        finding = _judge(parsed, table, catalog, scope)
        if finding is not None:
            findings.append(finding)
    return findings


def _judge(
    parsed: Parsed, table: exp.Table, catalog: Catalog | None, scope: Scope | None
) -> Finding | None:
    if catalog is None:
        reason = _why_odd(table, parsed.dialect, known=scope is not None)
        if reason:
            return _odd(parsed, table, reason)
        return (
            None if scope is None or _is_named(table, scope) else _unknown(parsed, table, [], True)
        )
    found = resolve(table, catalog, parsed.dialect)
    if found is not None and (scope is None or scope.columns(found) is not None):
        return None
    reason = _why_odd(table, parsed.dialect, known=True)
    if reason:
        return _odd(parsed, table, reason)
    return _unknown(parsed, table, nearest_tables(table, catalog.within(scope)), scope is not None)


def _is_named(table: exp.Table, scope: Scope) -> bool:
    """Tell whether the scope names the table; without a catalog it can only be whole."""
    written_as = {table.name.lower(), f"{table.db}.{table.name}".lower()}
    if table.db:
        written_as = {f"{table.db}.{table.name}".lower()}
    return any(n.lower() in written_as and not c for n, c in scope.tables.items())


def _why_odd(table: exp.Table, dialect: str, *, known: bool) -> str:
    parts = [p.name for p in table.parts if isinstance(p, exp.Identifier)]
    low = [p.lower() for p in parts]
    if not known and _is_catalog_view(low, dialect):
        return ""
    if any(s in _SYSTEM_SCHEMAS for s in low[:-1]) or _SYSTEM_TABLES.match(low[-1]):
        return "is the engine's own metadata"
    if any(_looks_odd(p, dialect, i) for i, p in enumerate(reversed(parts))):
        return "looks like a file, a URL or a hidden table"
    if dialect == "duckdb" and low[0] in _STATEMENTS and not table.this.args.get("quoted"):
        return "is a statement, not a table,"
    if dialect == "duckdb" and len(parts) > 1 and low[-1] in _EXTENSION_ONLY:
        return "looks like a file"
    return ""


def _is_catalog_view(parts: list[str], dialect: str) -> bool:
    if dialect not in {"athena", "trino"} or parts[-2:-1] != ["information_schema"]:
        return False
    return parts[-1] in _CATALOG_VIEWS and parts[0] != "system"


def _looks_odd(part: str, dialect: str, place: int) -> bool:
    """Tell whether a part of a name (0 is the table) reads as a file, a glob, a URL or a server."""
    if dialect in {"athena", "trino"} and place == 0:
        return bool(re.search(r"[/\\$\x00-\x1f]", part))
    return bool(_ODD.search(part) or _FILE.search(part))


def _odd(parsed: Parsed, table: exp.Table, reason: str) -> Finding:
    shown = table_text(table)
    return Finding(
        code="table_not_allowed",
        kind="safety",
        severity="block",
        message=f"The table {shown} {reason} and may not be read.",
        clause=shown,
        hint="Read from the tables of the catalog by their names.",
        position=position(table.this, parsed.text),
    )


def _unknown(parsed: Parsed, table: exp.Table, near: list[str], scoped: bool) -> Finding:
    shown = table_text(table)
    return Finding(
        code="unknown_table",
        kind="scope" if scoped else "name",
        severity="block",
        message=f"There is no table {shown}.",
        clause=written(table.this, parsed.text),
        hint=f"The nearest tables are {', '.join(near)}." if near else "",
        position=position(table.this, parsed.text),
    )


def table_text(table: exp.Table) -> str:
    """Return the qualified name as a person reads it, without quotes."""
    return ".".join(p.name for p in table.parts)


def nearest_tables(table: exp.Table, catalog: Catalog, limit: int = 3) -> list[str]:
    """Return the catalog's names that look most like this one, best first; of few names all."""
    names = [t.qualified_name for t in catalog.tables]
    near = nearest(table.name, names, limit)
    return [*near, *(n for n in names if n not in near)] if len(names) <= FEW else near


def nearest(name: str, candidates: Iterable[str], limit: int = 3) -> list[str]:
    """Return the candidates that look like a name, best first; words in any order, any case."""
    found = process.extract(
        _words(name),
        {c: _words(c) for c in candidates},
        scorer=fuzz.WRatio,
        score_cutoff=60,
        limit=limit,
    )
    return [match[2] for match in found]


def _words(name: str) -> str:
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.sub(r"[\W_]+", " ", split).lower().strip()
