"""Aggregates that the question asks for and the SQL lacks, or that mean nothing."""

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.links import targets
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, name_words

_KEYISH = frozenset(("id", "key", "code", "uuid", "guid"))


def aggregate_missing(seen: Seen) -> Iterable[Finding]:
    """Find an average, a maximum or a minimum that is asked for and computed nowhere."""
    for word, kinds, names in (
        ("average", (exp.Avg, exp.Div, exp.Median), ("average", "avg", "mean")),
        ("maximum", (exp.Max, exp.Order), ("max", "maximum")),
        ("minimum", (exp.Min, exp.Order), ("min", "minimum")),
    ):
        if word not in seen.reading.aggregates or seen.tree.find(*kinds) is not None:
            continue
        if any(n in seen.name_words_used() for n in names):
            continue
        yield seen.found(
            f"{word}_missing",
            "question",
            "repair",
            f"The question asks for the {word}; the SQL computes none.",
            hint=f"Use {kinds[0].key.upper()}(…).",
        )


def count_missing(seen: Seen) -> Iterable[Finding]:
    """Find questions for a number of things whose SQL neither counts nor sums."""
    if not seen.reading.counts or seen.tree.find(exp.AggFunc, exp.Window) is not None:
        return
    words = seen.name_words_used()
    if words & {"number", "count", "total", "num", "no", "quantity", "amount"}:
        return
    yield seen.found(
        "count_missing",
        "question",
        "note",
        "The question asks how many; the SQL counts nothing.",
        hint="Use COUNT(…).",
    )


def sum_for_count(seen: Seen) -> Iterable[Finding]:
    """Find SUM or AVG of a column that the question does not name, where a number is asked for."""
    if not seen.reading.counts or seen.top is None or seen.tree.find(exp.Count) is not None:
        return
    for call in seen.top.find_all(exp.Sum, exp.Avg):
        used = seen.by_node.get(id(call.this))
        words = name_words(used.column.name) if used else ()
        if used and _counts_named(seen) and not any(alike(w, a) for w in words for a in seen.asked):
            yield seen.found(
                "sum_for_count",
                "question",
                "repair",
                f"The question asks how many; this adds up {used.column.name}.",
                node=call,
                hint="Use COUNT(…).",
            )


def _counts_named(seen: Seen) -> bool:
    """What is to be counted is named like a table in use, or like a column of one."""
    names = [t.name for t in seen.tables] + [c.name for t in seen.tables for c in t.columns]
    words = {name_words(n)[-1] for n in names}
    return any(alike(w, counted) for w in words for counted in seen.counted)


def measure_of_key(seen: Seen) -> Iterable[Finding]:
    """Find SUM or AVG over a key: its numbers are names, not amounts."""
    for call in seen.all(exp.Sum, exp.Avg):
        used = seen.by_node.get(id(call.this))
        if used is not None and _is_key(seen, used):
            yield seen.found(
                "measure_of_key",
                "type",
                "repair",
                f"{used.table.name}.{used.column.name} is a key; its {call.key} means nothing.",
                node=call,
                hint="COUNT it, or take the column that is measured.",
            )


def _is_key(seen: Seen, used: Used) -> bool:
    name = used.column.name
    whole = used.table.primary_key
    primary = len(whole) == 1 and whole[0].lower() == name.lower()
    return primary or bool(targets(used, seen.catalog)) or name_words(name)[-1] in _KEYISH


def pointless_order(seen: Seen) -> Iterable[Finding]:
    """Find ORDER BY or LIMIT over aggregates without GROUP BY: there is one row already."""
    for select in seen.all(exp.Select):
        if not _one_row(select) or not (select.args.get("order") or select.args.get("limit")):
            continue
        order = select.args.get("order")
        plain = order is not None and any(not o.find(exp.AggFunc) for o in order.expressions)
        if plain or _cuts(select):
            yield seen.found(
                "pointless_order",
                "shape",
                "repair",
                "The aggregate is over all rows: ORDER BY and LIMIT come too late to choose any.",
                node=order or select.args["limit"],
                hint="Choose the rows in a subquery, and aggregate over them.",
            )


def _one_row(select: exp.Select) -> bool:
    shown = select.expressions
    whole = bool(shown) and all(_is_aggregate(e.unalias()) for e in shown)
    return whole and not select.args.get("group") and not select.args.get("distinct")


def _is_aggregate(node: exp.Expr) -> bool:
    calls = [c for c in node.find_all(exp.AggFunc) if c.find_ancestor(exp.Subquery) is None]
    return bool(calls) and node.find(exp.Window) is None


def _cuts(select: exp.Select) -> bool:
    limit = select.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    return isinstance(count, exp.Literal) and count.is_int and int(count.this) > 1


def bare_condition(seen: Seen) -> Iterable[Finding]:
    """Find columns that stand alone as a condition and are no booleans: ``a AND b IN (…)``."""
    for column in _bare(seen.tree):
        used = seen.by_node.get(id(column))
        if used is not None and not re.match(r"bool|bit\b|logical", used.column.type, re.I):
            yield seen.found(
                "bare_condition",
                "type",
                "repair",
                f"{used.column.name} stands alone as a condition: any value but 0 satisfies it.",
                node=column,
                hint=f"Compare {used.column.name} with what it is to equal.",
            )


def _bare(tree: exp.Expr) -> Iterator[exp.Column]:
    for node in tree.find_all(exp.And, exp.Or, exp.Where, exp.Not):
        for side in (node.this, node.args.get("expression")):
            if isinstance(side, exp.Column):
                yield side


def no_table(seen: Seen) -> Iterable[Finding]:
    """Find statements that read no table: they answer from nothing."""
    if seen.catalog.tables and seen.tree.find(exp.Table) is None:
        yield seen.found(
            "no_table",
            "question",
            "repair",
            "The SQL reads no table: its result does not come from the data.",
            hint="Read the tables that hold the answer.",
        )


def distinct_missing(seen: Seen) -> Iterable[Finding]:
    """Find counts of rows where the question asks how many different values there are."""
    if not re.search(
        r"\b(?:how many|number of|count (?:of|the)) (?:different|distinct|unique)\b",
        seen.question,
        re.I,
    ):
        return
    if seen.tree.find(exp.Distinct, exp.Group) or seen.top is None:
        return
    calls = [c for e in seen.top.expressions for c in e.find_all(exp.Count)]
    if calls:
        yield seen.found(
            "distinct_missing",
            "question",
            "repair",
            "The question asks for different values; this counts rows.",
            node=calls[0],
            hint="COUNT(DISTINCT …) of what is to differ.",
        )
