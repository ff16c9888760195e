"""Which columns of a result show private values, traced by name through aliases and subqueries."""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.engines.engine import Result
from querymend.tools.results.statement import Statement


def private_places(result: Result, statement: Statement | None) -> frozenset[int]:
    """Return the places of result columns that may hold values of private columns.

    Every column is taken to be private where the statement could not be read, or where
    a private column may hide behind ``*`` under another name. A count of private values is none.
    """
    everything = frozenset(range(len(result.columns)))
    if statement is None:
        return everything
    private = {c.name.lower() for t in statement.tables for c in t.columns if c.private}
    if not private:
        return frozenset()
    tainted = _spread(private, statement.tree)
    lists = _lists(statement.tree)
    if any(e.find(exp.Star) and not e.find(exp.Count) for shown in lists for e in shown):
        return everything if _renamed(statement.tree) else _by_name(result, tainted)
    places = {i for shown in lists for i, e in enumerate(shown) if _shows(e, tainted)}
    return frozenset(places) | _by_name(result, tainted)


def _lists(node: exp.Expr) -> list[list[exp.Expr]]:
    """Return the select lists that make the result's columns: one for each arm of a UNION."""
    if isinstance(node, exp.SetOperation):
        return [*_lists(node.this), *_lists(node.expression)]
    if isinstance(node, exp.Subquery | exp.Paren):
        return _lists(node.this)
    return [list(node.expressions)] if isinstance(node, exp.Select) else []


def _spread(private: Iterable[str], tree: exp.Expr) -> set[str]:
    """Add the aliases that private columns get, until nothing new turns up."""
    tainted = set(private)
    named = [*tree.find_all(exp.Alias), *tree.find_all(exp.Subquery), *tree.find_all(exp.CTE)]
    size = -1
    while size != len(tainted):
        size = len(tainted)
        for node in named:
            if isinstance(node, exp.Alias) and _shows(node.this, tainted):
                tainted.add(node.alias.lower())
            elif not isinstance(node, exp.Alias) and _shows(node.this, tainted):
                tainted |= {n.lower() for n in node.alias_column_names}
    return tainted


def _shows(node: exp.Expr, tainted: set[str]) -> bool:
    """A tainted column stands in it, other than inside a COUNT."""
    columns = node.find_all(exp.Column)
    return any(c.name.lower() in tainted and c.find_ancestor(exp.Count) is None for c in columns)


def _by_name(result: Result, tainted: set[str]) -> frozenset[int]:
    return frozenset(i for i, c in enumerate(result.columns) if c.name.lower() in tainted)


def _renamed(tree: exp.Expr) -> bool:
    """Some alias renames columns by place, so names under a star say little."""
    return any(n.alias_column_names for n in tree.find_all(exp.Subquery, exp.CTE, exp.Table))
