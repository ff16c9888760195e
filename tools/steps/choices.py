"""Steps that choose: a top N that stands in a statement already, whatever else is wrong with it."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.grain.shape import group_expressions
from querymend.tools.questions.steps import Task
from querymend.tools.steps.build import LAST, Build, NamedStep


def choices(sql: str, task: Task, dialect: str) -> Iterator[str]:
    """Yield the steps of a statement that choose as many things as a task asks for.

    They group by one thing and are cut at the task's number of rows. What they are ordered by is
    shown, since the task asks for it.
    """
    build = Build.of(sql, dialect) if sql else None
    for place, step in enumerate(build.steps if build else ()):
        tree = step.tree
        if build and isinstance(tree, exp.Select) and _chooses(tree, task.rows, dialect):
            yield build.put(place, _shown(tree, dialect)).upto(place)


def _shown(tree: exp.Select, dialect: str) -> Build:
    """Add what the rows are ordered by to the list, where it holds no aggregate."""
    copy = tree.copy()
    first = copy.args["order"].expressions[0].this
    bare = not any(e.find(exp.AggFunc) for e in copy.selects)
    if bare and first.find(exp.AggFunc):
        copy.select(exp.alias_(first.copy(), "total"), copy=False)
    return Build(steps=(NamedStep(name=LAST, tree=copy),), dialect=dialect)


def _chooses(tree: exp.Select, rows: int | None, dialect: str) -> bool:
    limit = tree.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    cut = isinstance(count, exp.Literal) and count.name == str(rows)
    if not cut or tree.args.get("order") is None:
        return False
    return len(list(group_expressions(tree, dialect))) == 1
