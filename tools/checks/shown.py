"""The select list held against what the question asks to see."""

import re
from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.catalog.model import Column, Table
from querymend.tools.checks.comparisons import Comparison
from querymend.tools.checks.links import targets
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.words import alike, name_words, singular, tokens

_ID = re.compile(r"\b(?:ids?|codes?|keys?|identifiers?|numbers?|uids?)\b", re.I)
_FEW = re.compile(
    r"\b(?:most|least|first|last|any|some|an example|one|single|top|max\w*|min\w*|\w+est|worst|"
    r"common|popular)\b",
    re.I,
)
_LABELS = frozenset(["name", "title"])


def shown(seen: Seen) -> list[exp.Expr]:
    """Return what the outermost SELECT lists, without aliases."""
    return [e.unalias() for e in seen.top.expressions] if seen.top is not None else []


def fixed_column_shown(seen: Seen) -> Iterable[Finding]:
    """Find a list of nothing but columns that the conditions fix: every row says the same."""
    items = shown(seen)
    uses = [seen.by_node.get(id(i)) for i in items]
    if not items or any(u is None for u in uses) or seen.tree.find(exp.Or):
        return
    fixed = {id(c.used.ref.source): c for c in seen.comparisons if _pins(seen, c)}
    pinned = {(id(c.used.ref.source), c.used.column.name) for c in fixed.values()}
    if all(u and (id(u.ref.source), u.column.name) in pinned for u in uses):
        yield seen.found(
            "fixed_column_shown",
            "shape",
            "repair",
            "Every row shows the value that the condition fixes, which was known before.",
            node=items[0],
            hint="Select what the question asks to see.",
        )


def _pins(seen: Seen, one: Comparison) -> bool:
    return bool(
        one.op == "="
        and one.plain
        and not one.negated
        and one.used.ref.block.select is seen.top
        and one.node.find_ancestor(exp.Or, exp.Not, exp.Case) is None
    )


def key_shown(seen: Seen) -> Iterable[Finding]:
    """Find a list of nothing but keys where the question asks for names, or says no id."""
    uses = [seen.by_node.get(id(i)) for i in shown(seen)]
    if not uses or any(u is None for u in uses) or _ID.search(seen.question):
        return
    named = [_label_of(seen, u) for u in uses if u]
    if all(named) and named:
        table, column = next(n for n in named if n)
        yield seen.found(
            "key_shown",
            "question",
            "repair",
            f"The result shows keys only; the question does not ask for ids, and {table.name} "
            f"has {column.name}.",
            node=shown(seen)[0],
            hint=f"Show {table.name}.{column.name}.",
        )


def key_beside(seen: Seen) -> Iterable[Finding]:
    """Find numbers told by a bare id where the question says none and the thing has a name."""
    items = shown(seen)
    if _ID.search(seen.question) or not any(i.find(exp.AggFunc) for i in items):
        return
    uses = [
        u for i in items if (u := seen.by_node.get(id(i))) and "id" in name_words(u.column.name)
    ]
    for used in uses:
        named = _label_of(seen, used) if targets(used, seen.catalog) else None
        if named is not None:
            yield seen.found(
                "key_beside",
                "question",
                "warn",
                f"The result tells things by {used.column.name}; {named[0].name} has their"
                f" {named[1].name}.",
                node=used.ref.column,
                hint=f"Show {named[0].name}.{named[1].name}.",
            )


def _label_of(seen: Seen, used: Used) -> tuple[Table, Column] | None:
    """Return the naming column of the table that a key stands for."""
    name = used.column.name.lower()
    homes = [used.table] if _is_own_key(used.table, name) else []
    referred = (seen.catalog.table(name) for name, _ in targets(used, seen.catalog))
    homes += [table for table in referred if table is not None]
    for table in homes:
        for column in table.columns:
            words = set(name_words(column.name))
            whole = words == set(name_words(table.name))
            if (words & _LABELS or whole) and column.name.lower() != name:
                return table, column
    return None


def _is_own_key(table: Table, name: str) -> bool:
    single = [k[0].lower() for k in (table.primary_key, *table.unique) if len(k) == 1]
    return name in single and bool(_ID.search(" ".join(name_words(name))) or name.endswith("id"))


def item_not_shown(seen: Seen) -> Iterable[Finding]:
    """Find enumerated items that name a column in scope, and that the list does not show."""
    if len(seen.reading.shown) < 2 or seen.top is None or _hides(seen):
        return
    answers = [_answer(seen, e) for e in seen.top.expressions]
    for item in seen.reading.shown:
        words = [singular(w) for w in tokens(item)]
        column = _column_named(seen, words)
        if column is not None and not any(_fits(words, a) for a in answers):
            yield seen.found(
                "item_not_shown",
                "question",
                "repair",
                f"The question asks for {item}; the result does not show it.",
                hint=f"Add {column} to the SELECT list.",
            )


def _hides(seen: Seen) -> bool:
    return any(e.is_star and not e.find(exp.Count) for e in shown(seen))


def _answer(seen: Seen, item: exp.Expr) -> set[str]:
    words = {w for u in seen.uses_in(item) for w in name_words(u.column.name)}
    words |= set(name_words(item.alias_or_name))
    calls = {exp.Count: "number count", exp.Avg: "average mean avg", exp.Sum: "total sum number"}
    for kind, said in calls.items():
        if item.find(kind):
            words |= set(said.split())
    return words


def _column_named(seen: Seen, words: list[str]) -> str | None:
    """Return the column in scope whose name the words are, in full."""
    for table in seen.tables:
        for column in table.columns:
            names = name_words(column.name)
            if set(names) == set(words) or (len(words) > 1 and set(words) <= set(names)):
                return f"{table.name}.{column.name}"
    return None


def _fits(words: list[str], answer: set[str]) -> bool:
    return any(alike(words[-1], a) for a in answer)


def id_not_shown(seen: Seen) -> Iterable[Finding]:
    """Find questions that ask to see ids whose result shows none."""
    asked = re.search(r"\b(?:ids?|identifiers?)(?= (?:of|and|for)\b|,)", seen.question, re.I)
    if asked is None or seen.top is None or _hides(seen) or not shown(seen):
        return
    words = {w for e in seen.top.expressions for w in _answer(seen, e)}
    if any(w.endswith("id") or w in ("code", "key", "number") for w in words):
        return
    yield seen.found(
        "id_not_shown",
        "question",
        "repair",
        "The question asks for the id; the result shows none.",
        hint="Add the key to the SELECT list.",
    )


def limit_not_asked(seen: Seen) -> Iterable[Finding]:
    """Find LIMIT where the question sets no number, no extreme and no order."""
    limit = seen.tree.args.get("limit")
    if limit is None or seen.reading.top is not None or seen.reading.superlatives:
        return
    if _asks_few(seen.question) or seen.reading.order is not None:
        return
    count = limit.expression if isinstance(limit, exp.Limit) else None
    if not isinstance(count, exp.Literal) or not count.is_int or int(count.this) > 1000:
        return
    if float(count.this) in seen.numbers and float(count.this) != 1:
        return
    copy = seen.tree.copy()
    copy.set("limit", None)
    yield seen.found(
        "limit_not_asked",
        "shape",
        "note",
        f"LIMIT {count.this} cuts the rows, and the question sets no number.",
        node=limit,
        hint="Leave the LIMIT out.",
        fix=copy,
    )


def _asks_few(question: str) -> bool:
    return bool(_FEW.search(question))
