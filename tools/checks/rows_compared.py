"""Single rows compared with their average, where things are that add up over many rows."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.findings import Finding
from querymend.tools.questions.steps import steps_of
from querymend.tools.questions.words import alike, name_words

_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def rows_for_groups(seen: Seen) -> Iterable[Finding]:
    """Find a row's value compared with the average row's, where the question asks of groups.

    "Which products had more revenue than the average product" needs each product's revenue first.
    """
    steps = steps_of(seen.question, seen.reading.top)
    if steps is None or steps.finish != "beyond":
        return
    for node in seen.all(*_COMPARED):
        if _of_rows(node, seen, steps.entity):
            yield seen.found(
                "rows_for_groups",
                "question",
                "repair",
                f"The question compares what each {steps.entity} adds up to with the average"
                f" {steps.entity}; this compares single rows with the average row.",
                node=node,
                hint=f"Add up by {steps.entity} in a step of its own first.",
            )


def _of_rows(node: exp.Expr, seen: Seen, entity: str) -> bool:
    """Tell whether a plain column of another thing's table is compared with an ungrouped AVG."""
    sides = (node.this, node.expression)
    column = next((s for s in sides if isinstance(s, exp.Column)), None)
    query = next((s.this for s in sides if isinstance(s, exp.Subquery)), None)
    if column is None or not isinstance(query, exp.Select) or query.args.get("group"):
        return False
    call = query.find(exp.Avg)
    used = [seen.by_node.get(id(c)) for c in (column, call.this if call else None)]
    return all(u is not None and not _is_of(u.table.name, entity) for u in used)


def _is_of(table: str, entity: str) -> bool:
    """Tell whether each row of a table is one such thing, by its name."""
    words = name_words(table)
    return any(alike(w, entity.split()[-1]) for w in words)
