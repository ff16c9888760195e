"""Functions and forms of other dialects: what they stand for in this one."""

from collections.abc import Callable, Iterator

from sqlglot import exp

from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import View

STRICT_TYPES = frozenset({"duckdb", "postgres", "athena", "trino", "presto"})
Change = Callable[[exp.Expr], exp.Expr | None]


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield the tree with every foreign form replaced, if there is one."""
    if not known.error:
        return
    copy = view.again()
    done = [rule for rule in RULES if _everywhere(copy.tree, rule, known)]
    if not done:
        return
    why = "wrote functions as this engine has them"
    sure = prior("foreign_form")
    yield Step(code="foreign_form", why=why, certainty=sure, tree=copy.tree, edits=len(done))


def _everywhere(tree: exp.Expr, rule: "Rule", known: Known) -> bool:
    """Apply one rule at every place that it fits, innermost first."""
    if rule.dialects and known.dialect not in rule.dialects:
        return False
    done = False
    for node in reversed(list(tree.walk())):
        new = rule.change(node)
        if new is not None:
            node.replace(new)
            done = True
    return done


class Rule:
    """One change, and the dialects that need it (all, if none is named)."""

    def __init__(self, change: Change, *dialects: str) -> None:
        self.change, self.dialects = change, frozenset(dialects)


def _arithmetic(node: exp.Expr) -> exp.Expr | None:
    """``DIVIDE(a, b)`` and its like, as facts spell formulas."""
    if not isinstance(node, exp.Anonymous) or len(node.expressions) != 2:
        return None
    a, b = (x.copy() for x in node.expressions)
    name = node.name.upper()
    if name in ("DIVIDE", "DIV", "SAFE_DIVIDE"):
        top = exp.Cast(this=a, to=exp.DataType.build("double"))
        bottom = exp.Nullif(this=b, expression=exp.Literal.number(0))
        return exp.Div(this=top, expression=bottom if name == "SAFE_DIVIDE" else b)
    kinds = {"SUBTRACT": exp.Sub, "MINUS": exp.Sub, "MULTIPLY": exp.Mul, "ADD": exp.Add}
    kind = kinds.get(name)
    return exp.Paren(this=kind(this=_grouped(a), expression=_grouped(b))) if kind else None


def _grouped(node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=node) if isinstance(node, exp.Binary) else node


def _part_of_date(node: exp.Expr) -> exp.Expr | None:
    """``YEAR(d)``, ``MONTH(d)``, ``DAY(d)`` and EXTRACT for SQLite."""
    forms: dict[type[exp.Expr], str] = {
        exp.Year: "%Y",
        exp.Month: "%m",
        exp.Day: "%d",
        exp.DayOfMonth: "%d",
    }
    form = forms.get(type(node))
    inner = node.this
    if isinstance(node, exp.Extract):
        form = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d"}.get(node.this.name.upper())
        inner = node.expression
    if form is None:
        return None
    while isinstance(inner, exp.TsOrDsToDate | exp.Cast | exp.Date):
        inner = inner.this
    text = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(form), inner.copy()])
    return exp.Cast(this=text, to=exp.DataType.build("int"))


def _side_of_text(node: exp.Expr) -> exp.Expr | None:
    """``LEFT(s, n)`` and ``RIGHT(s, n)`` for SQLite."""
    if isinstance(node, exp.Left):
        one = exp.Literal.number(1)
        return exp.Substring(this=node.this.copy(), start=one, length=node.expression.copy())
    if isinstance(node, exp.Right):
        return exp.Substring(this=node.this.copy(), start=exp.Neg(this=node.expression.copy()))
    return None


def _compared_with_all(node: exp.Expr) -> exp.Expr | None:
    """``x > ALL (SELECT y …)`` and ANY, where the engine lacks them: the largest or smallest y."""
    quantified = node.args.get("expression")
    if not isinstance(node, exp.GT | exp.GTE | exp.LT | exp.LTE):
        return None
    if not isinstance(quantified, exp.Any | exp.All):
        return None
    query = quantified.this.unnest()
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return None
    larger = isinstance(node, exp.GT | exp.GTE) == isinstance(quantified, exp.All)
    inner = query.copy()
    item = inner.expressions[0].unalias()
    if not isinstance(item, exp.AggFunc):
        kind = exp.Max if larger else exp.Min
        inner.set("expressions", [kind(this=item.copy())])
    return type(node)(this=node.this.copy(), expression=exp.Subquery(this=inner))


def _counted_pair(node: exp.Expr) -> exp.Expr | None:
    """``COUNT(DISTINCT a, b)``: as text, where the engine counts one thing only."""
    inner = node.this if isinstance(node, exp.Count) else None
    if not isinstance(inner, exp.Distinct) or len(inner.expressions) < 2:
        return None
    text = exp.DataType.build("text")
    parts: list[exp.Expr] = [exp.Cast(this=e.copy(), to=text.copy()) for e in inner.expressions]
    joined = parts[0]
    for part in parts[1:]:
        bar = exp.DPipe(this=joined, expression=exp.Literal.string("|"))
        joined = exp.DPipe(this=bar, expression=part)
    return exp.Count(this=exp.Distinct(expressions=[joined]))


def _pattern_on_number(node: exp.Expr) -> exp.Expr | None:
    """LIKE compares texts only: what is no text is cast."""
    if not isinstance(node, exp.Like | exp.ILike) or not isinstance(node.this, exp.Column):
        return None
    cast = exp.Cast(this=node.this.copy(), to=exp.DataType.build("varchar"))
    return type(node)(this=cast, expression=node.expression.copy())


def _bracketed_arm(node: exp.Expr) -> exp.Expr | None:
    """An arm of a set operation in brackets, for SQLite."""
    if not isinstance(node, exp.Subquery) or not isinstance(node.parent, exp.SetOperation):
        return None
    inner = node.this
    if node.args.get("alias") or not isinstance(inner, exp.Select):
        return None
    if inner.args.get("limit") or inner.args.get("order"):
        star = exp.Select(expressions=[exp.Star()])
        return star.from_(exp.Subquery(this=inner.copy()))
    copy: exp.Expr = inner.copy()
    return copy


RULES = (
    Rule(_arithmetic),
    Rule(_part_of_date, "sqlite"),
    Rule(_side_of_text, "sqlite"),
    Rule(_compared_with_all, "sqlite"),
    Rule(_counted_pair, "sqlite", "duckdb"),
    Rule(_pattern_on_number, *STRICT_TYPES),
    Rule(_bracketed_arm, "sqlite"),
)
