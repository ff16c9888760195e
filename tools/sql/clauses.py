"""Clauses that stand where, or without what, the dialect does not allow."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from querymend.tools.findings import Finding
from querymend.tools.sql.aggregates import WRAPS, shape_finding, walk_level
from querymend.tools.sql.binding import Binding, Block
from querymend.tools.sql.subject import Subject

_WINDOWS = (
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
    exp.PercentRank,
    exp.CumeDist,
    exp.Ntile,
    exp.Lag,
    exp.Lead,
    exp.FirstValue,
    exp.LastValue,
    exp.NthValue,
)
_TRINO = ("athena", "trino")


def joins_without_condition(subject: Subject) -> list[Finding]:
    """Return joins that need ON or USING and have neither (SQLite takes them for products)."""
    if subject.dialect == "sqlite":
        return []
    return [
        shape_finding(
            "join_without_condition",
            join,
            subject.parsed,
            f"The join of {join.this.alias_or_name or 'a source'} has neither ON nor USING.",
            "Join on the keys with ON, or write CROSS JOIN if every pair is meant.",
        )
        for join in subject.tree.find_all(exp.Join)
        if _needs_condition(join) and _says_join(join, subject)
    ]


def _needs_condition(join: exp.Join) -> bool:
    has_one = join.args.get("on") is not None or join.args.get("using")
    free = join.kind in ("CROSS", "POSITIONAL") or join.method in ("NATURAL", "POSITIONAL")
    return not has_one and not free and not isinstance(join.this, exp.Lateral)


def _says_join(join: exp.Join, subject: Subject) -> bool:
    """Tell whether JOIN is written: a comma needs no condition."""
    if join.side or join.kind:
        return True
    starts = [n.meta["start"] for n in join.this.walk() if "start" in n.meta]
    if not starts or not isinstance(join.this, exp.Table):
        return False
    before = [t for t in subject.parsed.tokens if t.end < min(starts)]
    return bool(before) and before[-1].token_type is TokenType.JOIN


def windows_without_over(subject: Subject) -> list[Finding]:
    """Return window functions that lack OVER, nested windows, and windows that are not defined."""
    return [
        *_bare_windows(subject),
        *(f for b in subject.binding.blocks for f in _nested_windows(b, subject)),
        *(f for b in subject.binding.blocks for f in _undefined_windows(b, subject)),
    ]


def _bare_windows(subject: Subject) -> Iterator[Finding]:
    for node in subject.tree.find_all(*_WINDOWS):
        parent = node.parent
        while isinstance(parent, WRAPS) and not isinstance(parent, exp.WithinGroup):
            parent = parent.parent
        if not isinstance(parent, (exp.Window, exp.WithinGroup)):
            message = f"{node.sql_name()} is a window function and has no OVER."
            hint = "Add OVER (PARTITION BY … ORDER BY …)."
            yield shape_finding("missing_over", node, subject.parsed, message, hint)


def _nested_windows(block: Block, subject: Subject) -> Iterator[Finding]:
    for node in walk_level(block.select.expressions):
        if isinstance(node, exp.Window):
            below = list(walk_level(list(node.iter_expressions())))
            if any(isinstance(n, exp.Window) for n in below):
                message = "A window function is nested in another one."
                hint = "Compute the inner one in a subquery."
                yield shape_finding("nested_window", node, subject.parsed, message, hint)


def _undefined_windows(block: Block, subject: Subject) -> Iterator[Finding]:
    defined = {w.name.lower() for w in block.select.args.get("windows") or []}
    for node in walk_level(block.select.expressions):
        name = node.args.get("alias") if isinstance(node, exp.Window) else None
        if isinstance(name, exp.Identifier) and name.name.lower() not in defined:
            message = f"There is no window {name.name}."
            hint = f"Add WINDOW {name.name} AS (…)."
            yield shape_finding("unknown_window", node, subject.parsed, message, hint)


def orders_outside_distinct(subject: Subject) -> list[Finding]:
    """Return ORDER BY columns that SELECT DISTINCT does not select (DuckDB and SQLite allow it)."""
    if subject.dialect not in (*_TRINO, "postgres"):
        return []
    binding = subject.binding
    return [f for b in binding.blocks for f in _unselected(b, binding, subject)]


def _unselected(block: Block, binding: Binding, subject: Subject) -> Iterator[Finding]:
    distinct, order = block.select.args.get("distinct"), block.select.args.get("order")
    if not isinstance(distinct, exp.Distinct) or distinct.args.get("on") or order is None:
        return
    selected = {p.unalias().sql().lower() for p in block.select.expressions}
    names = {c.name.lower() for p in block.select.expressions for c in p.find_all(exp.Column)}
    if any(p.find(exp.Star) for p in block.select.expressions):
        return
    found = {id(r.column) for r in binding.of(block) if r.status == "found" and r.clause == "order"}
    for item in order.expressions:
        columns = [c for c in item.find_all(exp.Column) if id(c) in found]
        loose = [c for c in columns if c.name.lower() not in names]
        if loose and item.this.sql().lower() not in selected:
            message = f"SELECT DISTINCT does not select {loose[0].name}, which ORDER BY names."
            hint = "Select it too, or GROUP BY and order by an aggregate of it."
            yield shape_finding("order_outside_distinct", loose[0], subject.parsed, message, hint)


def recursions_without_columns(subject: Subject) -> list[Finding]:
    """Return recursive CTEs without a column list, which Trino demands."""
    if subject.dialect not in _TRINO:
        return []
    return [
        shape_finding(
            "recursion_without_columns",
            cte.args["alias"],
            subject.parsed,
            f"The recursive query {cte.alias} must list its columns.",
            f"Write WITH RECURSIVE {cte.alias}(column, …) AS.",
        )
        for cte in subject.tree.find_all(exp.CTE)
        if _is_recursive(cte) and not cte.args["alias"].args.get("columns")
    ]


def _is_recursive(cte: exp.CTE) -> bool:
    with_ = cte.parent
    named = (t.name.lower() == cte.alias.lower() for t in cte.this.find_all(exp.Table))
    return isinstance(with_, exp.With) and bool(with_.args.get("recursive")) and any(named)
