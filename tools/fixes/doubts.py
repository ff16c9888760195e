"""What a mended query leaves unsaid: reasons to warn although the fix itself is sure."""

import re
from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.fixes import edits
from querymend.tools.fixes.fix import Known
from querymend.tools.fixes.names import words
from querymend.tools.fixes.syntax import statements
from querymend.tools.fixes.view import View, look, own

STATED = re.compile(r"([\w.]+)\s*=\s*'([^']*)'")
REFERS = re.compile(r"refers? to\s+(?:the\s+)?([A-Za-z]\w*)\s*$")


def doubts(sql: str, known: Known) -> Iterator[str]:
    """Yield, in words, what question and facts say and the query lacks, or what it says oddly."""
    trees = statements(sql, known.dialect)
    if len(trees) != 1:
        yield "not one statement"
        return
    tree = trees[0]
    yield from _facts_left_out(tree, known)
    yield from _values_left_out(tree, known)
    yield from _odd_outputs(look(tree, known.catalog))


def _texts(tree: exp.Expr) -> set[str]:
    found = {n.name.strip().lower() for n in tree.find_all(exp.Literal)}
    quoted = (i for i in tree.find_all(exp.Identifier) if i.quoted)
    return found | {i.name.strip().lower() for i in quoted}


def _facts_left_out(tree: exp.Expr, known: Known) -> Iterator[str]:
    """A fact that the question calls for names a value or a column that the query lacks."""
    literals = _texts(tree)
    names = {c.name.lower() for c in tree.find_all(exp.Column)}
    clauses = [c for f in known.facts for c in f.split(";")]
    for clause in clauses:
        if not _called(clause, known):
            continue
        for _, value in STATED.findall(clause):
            if value.strip().lower() not in literals:
                yield f"a fact says {value!r}"
        column = REFERS.search(clause.strip())
        if column and _is_column(column.group(1), known) and column.group(1).lower() not in names:
            yield f"a fact speaks of {column.group(1)}"


def _called(clause: str, known: Known) -> bool:
    """Tell whether the question holds the words that the clause explains."""
    parts = re.split(r"refers? to|means?|stands? for| is ", clause, maxsplit=1)
    if len(parts) != 2:
        return False
    explained = parts[1] if STATED.search(parts[0]) else parts[0]
    asked = set(words(explained)) - {"molecule", "the", "a", "are", "of", "that"}
    return bool(asked) and len(asked & known.asked) * 2 > len(asked)


def _is_column(name: str, known: Known) -> bool:
    return any(t.column(name) for t in known.catalog.tables)


def _values_left_out(tree: exp.Expr, known: Known) -> Iterator[str]:
    """The question names a value that stands out, and the query has nothing of it."""
    literals = _texts(tree)
    for values in known.asked_values.values():
        for value in values:
            low = value.strip().lower()
            marked = any(c.isdigit() for c in low) and any(c.isalpha() for c in low)
            if marked and not any(low in text for text in literals):
                yield f"the question names {value!r}"
                return


def _odd_outputs(view: View) -> Iterator[str]:
    """A column that an equality fixes is listed, one that only sorts, or one twice."""
    if not view.frames or view.frames[0].select is not view.tree:
        return
    frame = view.frames[0]
    fixed = {
        p.unnest().this.sql().lower()
        for p in edits.predicates(frame)
        if isinstance(p.unnest(), exp.EQ) and isinstance(p.unnest().expression, exp.Literal)
    }
    listed = [item.unalias().sql().lower() for item in frame.select.expressions]
    for item, text in zip(frame.select.expressions, listed, strict=True):
        if text in fixed:
            yield f"{item.sql()} is the same in every row"
        if listed.count(text) > 1:
            yield f"{item.sql()} is listed twice"
    yield from _only_sorts(frame.select)


def _only_sorts(select: exp.Select) -> Iterator[str]:
    """Beside what was asked, the list holds the aggregate that the first row is chosen by."""
    order = select.args.get("order")
    if order is None or select.args.get("limit") is None or len(select.expressions) < 2:
        return
    keys = {o.this.sql().lower() for o in order.expressions}
    for item in select.expressions:
        inner = item.unalias()
        if next(own(inner, exp.AggFunc), None) and keys & {
            inner.sql().lower(),
            item.alias.lower(),
        }:
            yield f"{item.sql()} only sorts"
