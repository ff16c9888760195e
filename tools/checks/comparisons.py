"""Comparisons of columns with literals, read from a tree."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

if TYPE_CHECKING:
    from querymend.tools.checks.seen import Used

Op = Literal["=", "<>", "<", "<=", ">", ">=", "like", "in", "between"]
IsText = Callable[[exp.Column], bool]

_OPS: dict[type[exp.Expr], Op] = {
    exp.EQ: "=",
    exp.Is: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.Like: "like",
    exp.ILike: "like",
    exp.Glob: "like",
}
_MIRROR: dict[Op, Op] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, kw_only=True)
class Text:
    """A text literal."""

    node: exp.Expr
    value: str


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A column, or an expression over one, held against literals."""

    node: exp.Expr
    """The predicate."""
    side: exp.Expr
    """The side with the column."""
    used: "Used"
    op: Op
    values: tuple[str | float, ...]
    negated: bool = False
    """Under a NOT, or by ``<>``."""

    @property
    def plain(self) -> bool:
        """The column stands alone on its side."""
        return isinstance(self.side, exp.Column)

    @property
    def aggregated(self) -> bool:
        """What is compared is an aggregate, and not the column's own value."""
        return self.side.find(exp.AggFunc) is not None

    @property
    def place(self) -> tuple[str, str]:
        """Qualified table and column, as in the catalog."""
        return self.used.table.qualified_name, self.used.column.name

    @property
    def texts(self) -> tuple[str, ...]:
        """Those of the values that are texts."""
        return tuple(v for v in self.values if isinstance(v, str))


def comparisons_in(
    nodes: Iterable[exp.Expr], used: Mapping[int, "Used"], is_text: IsText
) -> Iterator[Comparison]:
    """Yield every comparison of a column with literals, in the order written.

    Args:
        nodes: of a bound statement, in the order of a walk.
        used: catalog columns by the identity of their nodes.
        is_text: tells which column nodes the dialect takes for a text.
    """
    for node in nodes:
        for side, op, others in _sides(node):
            values = tuple(v for o in others if (v := value_of(o, is_text)) is not None)
            column = _column(side, used)
            if column is None or not values or len(values) != len(others):
                continue
            under = isinstance(node.parent, exp.Not) or op == "<>"
            yield Comparison(node=node, side=side, used=column, op=op, values=values, negated=under)


def _sides(node: exp.Expr) -> Iterator[tuple[exp.Expr, Op, list[exp.Expr]]]:
    op = _OPS.get(type(node))
    if op is not None:
        yield node.this, op, [node.expression]
        yield node.expression, _MIRROR.get(op, op), [node.this]
    elif isinstance(node, exp.In) and node.expressions:
        yield node.this, "in", list(node.expressions)
    elif isinstance(node, exp.Between):
        yield node.this, "between", [node.args["low"], node.args["high"]]


def _column(side: exp.Expr, used: Mapping[int, "Used"]) -> "Used | None":
    """Return the one column of a side; None where there is none, or a query."""
    if side.find(exp.Query):
        return None
    found = {id(c): used[id(c)] for c in side.find_all(exp.Column) if id(c) in used}
    names = {(u.table.qualified_name, u.column.name) for u in found.values()}
    return next(iter(found.values())) if len(names) == 1 else None


def value_of(node: exp.Expr, is_text: IsText) -> str | float | None:
    """Return what a literal stands for: a text, or a number; None for anything else."""
    if isinstance(node, exp.Paren | exp.Cast | exp.TsOrDsToDate | exp.Date) and isinstance(
        node.this, exp.Expr
    ):
        return value_of(node.this, is_text)
    if isinstance(node, exp.Neg):
        inner = value_of(node.this, is_text)
        return -inner if isinstance(inner, float) else None
    if (text := text_of(node, is_text)) is not None:
        return text.value
    if isinstance(node, exp.Literal):
        return _number(str(node.this))
    return None


def text_of(node: exp.Expr, is_text: IsText) -> Text | None:
    """Return the node as a text literal, or None."""
    if isinstance(node, exp.Literal) and node.is_string:
        return Text(node=node, value=str(node.this))
    if isinstance(node, exp.Column) and is_text(node):
        return Text(node=node, value=node.name)
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
