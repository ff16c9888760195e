"""Names that no table, column or alias answers to, all of them at once."""

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.findings import Finding
from querymend.tools.sql.alias_clash import told_apart
from querymend.tools.sql.binding import Binding, Block, Mismatch, Ref
from querymend.tools.sql.join_order import joined_in_order
from querymend.tools.sql.outputs import output_names
from querymend.tools.sql.parse import Parsed, parse, position, written
from querymend.tools.sql.subject import Subject
from querymend.tools.sql.tables import check_tables, nearest

_ALIAS_RULES = {
    "where": "WHERE",
    "group": "GROUP BY",
    "having": "HAVING",
    "select": "the same SELECT",
    "qualify": "QUALIFY",
    "on": "ON",
}


def check_names(parsed: Parsed, catalog: Catalog) -> list[Finding]:
    """Return every name that the engine will not find, with the nearest that exist."""
    return unknown_names(Subject(parsed=parsed, catalog=catalog))


def names_in(sql: str, dialect: str) -> frozenset[str]:
    """Return the names of all tables and columns that a text reads, as written."""
    tree = parse(sql, dialect).tree
    nodes = tree.find_all(exp.Table, exp.Column) if tree is not None else ()
    return frozenset(n.name for n in nodes)


def unknown_names(subject: Subject) -> list[Finding]:
    """Return unknown tables, unknown and ambiguous columns, and unknown aliases."""
    return [*check_tables(subject.parsed, subject.catalog), *unknown_columns(subject)]


def unknown_columns(subject: Subject) -> list[Finding]:
    """Return unknown and ambiguous columns and unknown aliases."""
    binding = subject.binding
    return [f for ref in binding.refs if (f := _judge(ref, binding, subject.catalog))]


def column_counts(subject: Subject) -> list[Finding]:
    """Return set operations whose arms differ in columns, and subqueries with more than one."""
    return [_width(m, subject.parsed) for m in subject.binding.mismatches]


def wrong_numbers(subject: Subject) -> list[Finding]:
    """Return numbers in ORDER BY and GROUP BY that count past the select list."""
    return [
        _past(number, width, clause, subject.parsed)
        for block in subject.binding.blocks
        for clause, number, width in _numbers(block, subject.dialect)
        if not 0 < int(number.this) <= width
    ]


def _numbers(block: Block, dialect: str) -> Iterator[tuple[str, exp.Expr, int]]:
    """Yield clause, number and the width of the select list, where that can be known."""
    names = output_names(block.select, dialect, block.star)
    for clause in ("order", "group"):
        node = block.select.args.get(clause)
        for item in node.expressions if node is not None and names is not None else []:
            number = item.this if isinstance(item, exp.Ordered) else item
            if isinstance(number, exp.Literal) and number.is_int:
                yield clause, number, len(names or ())


def _past(number: exp.Expr, width: int, clause: str, parsed: Parsed) -> Finding:
    return Finding(
        code="position_out_of_range",
        kind="name",
        severity="block",
        message=f"{clause.upper()} BY {number.sql()} counts past the {width} selected columns.",
        clause=written(number, parsed.text),
        hint="Name the column.",
        position=position(number, parsed.text),
    )


def _width(mismatch: Mismatch, parsed: Parsed) -> Finding:
    in_set = isinstance(mismatch.node.parent, exp.SetOperation)
    what = "This arm of the set operation" if in_set else "This subquery"
    return Finding(
        code="column_count",
        kind="name",
        severity="block",
        message=f"{what} has {mismatch.got} columns where {mismatch.want} must be.",
        clause=written(mismatch.node, parsed.text),
        hint=f"Select exactly {mismatch.want}.",
        position=position(mismatch.node, parsed.text),
    )


def _judge(ref: Ref, binding: Binding, catalog: Catalog) -> Finding | None:
    if ref.status == "ambiguous":
        return _ambiguous(ref, binding, catalog)
    if _is_merged(ref, binding.parsed.dialect):
        return _merged(ref, binding)
    if ref.status == "alias" and ref.clause == "select" and _is_too_early(ref):
        return _too_early(ref, binding)
    if ref.status == "no_source":
        return _no_source(ref, binding, catalog)
    if ref.status == "no_column":
        return _no_column(ref, binding, catalog)
    return None


def _is_merged(ref: Ref, dialect: str) -> bool:
    """Tell whether a column that USING merged is named with a table, which Trino refuses."""
    mine = ref.depth == 0 and ref.status == "found" and bool(ref.column.table)
    return dialect in ("athena", "trino") and mine and ref.name.lower() in ref.block.used


def _merged(ref: Ref, binding: Binding) -> Finding:
    message = f"USING merged {ref.name}: it belongs to no table."
    return _finding(ref, binding, "merged_column", message, f"Write {ref.name} alone.")


def _is_too_early(ref: Ref) -> bool:
    """Tell whether an alias is named before, or within, the expression that it stands for."""
    if ref.depth or not isinstance(ref.block.select, exp.Select):
        return False
    target = ref.block.aliases[ref.name.lower()]
    for projection in ref.block.select.expressions:
        if any(n is ref.column for n in projection.walk()):
            return True
        if projection.unalias() is target:
            return False
    return False


def _too_early(ref: Ref, binding: Binding) -> Finding:
    message = f"{ref.name} is no column, and its alias is defined only after it is named."
    return _finding(ref, binding, "alias_not_visible", message, "Define the alias first.")


def _finding(ref: Ref, binding: Binding, code: str, message: str, hint: str) -> Finding:
    return Finding(
        code=code,
        kind="name",
        severity="block",
        message=message,
        clause=written(ref.column, binding.parsed.text),
        hint=hint,
        position=position(ref.column, binding.parsed.text),
    )


def _ambiguous(ref: Ref, binding: Binding, catalog: Catalog) -> Finding:
    holders = [s.name for s in ref.block.sources if s.has(ref.column.name)]
    if len(set(holders)) < len(holders):
        message = f"Two tables are called {holders[0]}, and both have {ref.column.name}."
        hint = "Give each table its own alias."
        found = _finding(ref, binding, "ambiguous_column", message, hint)
        return replace(found, fix=told_apart(binding.parsed, catalog))
    choices = " or ".join(f"{h}.{ref.column.name}" for h in holders[:4])
    message = f"Column {ref.column.name} is in {' and '.join(holders[:4])}: ambiguous."
    return _finding(ref, binding, "ambiguous_column", message, f"Write {choices}.")


def _no_source(ref: Ref, binding: Binding, catalog: Catalog) -> Finding:
    name = ref.column.table
    known = [s.name for s in ref.block.sources if s.name]
    hint = f"FROM has {', '.join(known)}." if known else "There is no FROM."
    if catalog.table(name) is not None:
        hint = f"Table {name} is not joined. {hint}"
    message = f"No table or alias {name} is in sight of {ref.column.sql()}."
    found = _finding(ref, binding, "unknown_alias", message, hint)
    if ref.clause != "on" or ref.block.source(name) is None:
        return found
    hint = f"{name} is joined after it is named: join it before."
    return replace(found, hint=hint, fix=joined_in_order(binding.parsed))


def _no_column(ref: Ref, binding: Binding, catalog: Catalog) -> Finding:
    name = ref.name
    if name.lower() in ref.block.aliases and ref.clause in _ALIAS_RULES:
        where = _ALIAS_RULES[ref.clause]
        message = f"{name} is an alias of this SELECT, which {where} may not name."
        hint = f"Write {ref.block.aliases[name.lower()].sql(binding.parsed.dialect)} instead."
        return _finding(ref, binding, "alias_not_visible", message, hint)
    if ref.clause == "on" and not name:
        name = ref.column.name or written(ref.column, binding.parsed.text)
    message = f"{_where(ref)} {name}."
    return _finding(ref, binding, "unknown_column", message, _column_hint(ref, catalog))


def _where(ref: Ref) -> str:
    """Say where a column was looked for."""
    if ref.source is None:
        return "No table in sight has a column"
    if ref.source.table is None:
        source = f"step {ref.source.name}" if ref.source.name else "result"
        return f"The {source} offers no column"
    return f"Table {ref.source.name} has no column"


def _column_hint(ref: Ref, catalog: Catalog) -> str:
    name = ref.name
    elsewhere = [t.qualified_name for t in catalog.tables if t.column(name)]
    sources = [ref.source] if ref.source else ref.block.sources
    here = {f"{s.name}.{c}" if s.name else c: c for s in sources for c in s.columns or ()}
    near = _nearest(name, here)
    hints = _elsewhere(name, elsewhere)
    if ref.source and ref.source.table is None and ref.source.columns:
        return " ".join([f"It offers {', '.join(ref.source.columns[:12])}.", *hints])
    if near:
        hints.append(f"The nearest here are {', '.join(near)}.")
    if not hints and here:
        hints.append(f"The columns here are {', '.join(list(here)[:12])}.")
    return " ".join(hints)


def _elsewhere(name: str, tables: list[str]) -> list[str]:
    plural = "tables" if len(tables) > 1 else "table"
    return [f"Column {name} is in {plural} {', '.join(tables[:4])}."] if tables else []


def _nearest(name: str, here: dict[str, str]) -> list[str]:
    best = nearest(name, set(here.values()))
    return [shown for b in best for shown, c in here.items() if c == b][:4]
