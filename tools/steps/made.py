"""Steps that are made: what each offers to those that come after it."""

from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.engines.engine import Result
from querymend.tools.findings import Finding
from querymend.tools.questions.steps import Task
from querymend.tools.sql.aggregates import is_aggregate, walk_level
from querymend.tools.steps.build import Build


@dataclass(frozen=True, kw_only=True)
class Made:
    """One task with the query that does it and what came of it."""

    task: Task
    build: Build
    """The last step is the task's own query; every column of it has a name."""
    keys: tuple[str, ...]
    """Columns that say which row is whose."""
    value: str
    """The column that was asked for; empty where only things are listed."""
    counts: bool = False
    """The value is a count: where nothing is, it is zero."""
    unkeyed: bool = False
    """Some row may have a key that is NULL, and so is nobody's."""

    @property
    def select(self) -> exp.Select:
        """The task's own query."""
        tree = self.build.steps[-1].tree
        assert isinstance(tree, exp.Select)
        return tree


def made_of(task: Task, sql: str, result: Result, dialect: str) -> Made | None:
    """Read what a query that ran offers; None where it is no plain SELECT, or offers two values.

    Args:
        task: what the query was written for.
        sql: the query.
        result: what came back, cut or whole.
        dialect: the sqlglot dialect of ``sql``.
    """
    build = Build.of(sql, dialect)
    tree = build.steps[-1].tree if build else None
    if (
        build is None
        or not isinstance(tree, exp.Select)
        or tree.find(exp.Star, bfs=False) in (e.unalias() for e in tree.expressions)
    ):
        return None
    named = _named(tree)
    values = [n for n, e in zip(named, tree.expressions, strict=True) if _is_value(e, dialect)]
    keys = tuple(n for n in named if n not in values)
    if len(values) > 1 or (not values and task.grain == ()):
        return None
    last = Build.of(build.put(len(build.steps) - 1, _alone(tree, dialect)).sql(), dialect)
    call = next((e for e in tree.expressions if _is_value(e, dialect)), None)
    places = [i for i, n in enumerate(named) if n in keys]
    return Made(
        task=task,
        build=last or build,
        keys=keys,
        value=values[0] if values else "",
        counts=call is not None and isinstance(call.unalias(), exp.Count),
        unkeyed=result.truncated or any(r[p] is None for r in result.rows for p in places),
    )


def _alone(tree: exp.Expr, dialect: str) -> Build:
    found = Build.of(tree.sql(dialect, normalize_functions=False), dialect)
    assert found is not None
    return found


def _named(tree: exp.Select) -> list[str]:
    """Give every column of a select list a name of its own."""
    names: list[str] = []
    for place, node in enumerate(tree.expressions):
        name = _name_of(node) or "value"
        while name.lower() in (n.lower() for n in names):
            name = f"{name}_{place + 1}"
        if _name_of(node) != name:
            node.replace(exp.alias_(node.unalias().copy(), name))
        names.append(name)
    return names


def _name_of(node: exp.Expr) -> str:
    """Return what a column is called by every engine; expressions have no such name."""
    return node.alias_or_name if isinstance(node, exp.Alias | exp.Column) else ""


def _is_value(node: exp.Expr, dialect: str) -> bool:
    return any(is_aggregate(n, dialect) for n in walk_level(node))


def joined_by(one: Made, other: Made) -> str | None:
    """Return the name of the key that two steps share, if each has one and it is the same."""
    if len(one.keys) != 1 or len(other.keys) != 1:
        return None
    return one.keys[0] if one.keys[0].lower() == other.keys[0].lower() else None


def repeated(task: Task, sql: str, result: Result, dialect: str) -> list[Finding]:
    """Tell where a step that must have one row for each thing names one of them twice."""
    made = made_of(task, sql, result, dialect) if task.grain else None
    if made is None or not made.keys or not made.value:
        return []
    names = [e.alias_or_name for e in made.select.expressions]
    places = [names.index(k) for k in made.keys]
    keys = [tuple(repr(row[p]) for p in places) for row in result.rows]
    if len(set(keys)) == len(keys):
        return []
    return [
        Finding(
            code="step_repeats",
            kind="shape",
            severity="repair",
            message=f"The step must have one row for each {task.grain[0]}, but some come twice.",
            evidence=f"{len(keys)} rows, {len(set(keys))} different {', '.join(made.keys)}",
            hint=f"GROUP BY the {task.grain[0]} alone.",
        )
    ]
