"""Which columns of a tree do not resolve, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from querymend.tools.fixes.view import Frame, View

Kind = Literal["alias", "column", "ambiguous", "outer"]


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """One column that does not resolve; frame and column are places in the view."""

    frame: int
    column: int
    kind: Kind


def troubles(view: View) -> Iterator[Trouble]:
    """Yield the columns that do not resolve, inner SELECTs first."""
    for frame in reversed(view.frames):
        for i, col in enumerate(frame.columns):
            kind = kind_of(frame, col)
            if kind:
                yield Trouble(frame=frame.index, column=i, kind=kind)


def kind_of(frame: Frame, col: exp.Column) -> Kind | None:
    """Say why a column does not resolve, or None if it does."""
    if isinstance(col.this, exp.Star) or col.name.lower() == "rowid":
        return None
    return _qualified(frame, col) if col.table else _bare(frame, col)


def _qualified(frame: Frame, col: exp.Column) -> Kind | None:
    source = frame.source(col.table)
    if source is None:
        return "alias"
    return None if source.has(col.name) else "column"


def _bare(frame: Frame, col: exp.Column) -> Kind | None:
    owners = frame.owners(col.name)
    if len(owners) == 1 or _named_in_list(frame, col):
        return None
    if owners:
        return None if _merged(frame, col.name) else "ambiguous"
    if any(s.columns is None for s in frame.sources.values()):
        return None
    outer = _outer_owner(frame, col.name)
    if outer:
        summed = isinstance(col.parent, exp.AggFunc)
        return "outer" if summed or in_projection(frame, col) else None
    return "column"


def _named_in_list(frame: Frame, col: exp.Column) -> bool:
    """A name that the select list gives counts everywhere but in the list itself."""
    low = col.name.lower()
    if _in_list(frame, col):
        return False
    if low in frame.aliases:
        return True
    named = {e.alias_or_name.lower() for e in frame.select.expressions}
    return low in named and col.find_ancestor(exp.Order, exp.Select) is not frame.select


def _in_list(frame: Frame, col: exp.Column) -> bool:
    node: exp.Expr = col
    while node.parent is not None and node.parent is not frame.select:
        node = node.parent
    return node.arg_key == "expressions"


def _merged(frame: Frame, name: str) -> bool:
    """USING and NATURAL make two columns of one name one."""
    joins = frame.select.args.get("joins") or []
    using = {i.name.lower() for j in joins for i in j.args.get("using") or []}
    return name.lower() in using or any(j.args.get("method") == "NATURAL" for j in joins)


def _outer_owner(frame: Frame, name: str) -> bool:
    outer = frame.outer
    while outer is not None:
        if outer.owners(name):
            return True
        outer = outer.outer
    return False


def in_projection(frame: Frame, col: exp.Column) -> bool:
    """Tell whether the column is what ``x IN (SELECT column …)`` compares with."""
    if col.parent is not frame.select or len(frame.select.expressions) != 1:
        return False
    return membership(frame) is not None


def membership(frame: Frame) -> exp.In | None:
    """Return the ``x IN (SELECT …)`` that a frame is the right side of."""
    node: exp.Expr | None = frame.select.parent
    while isinstance(node, exp.Subquery | exp.SetOperation):
        node = node.parent
    return node if isinstance(node, exp.In) else None
