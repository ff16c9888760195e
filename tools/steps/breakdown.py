"""What a first step chose, broken down by another part: its own query, grouped once more."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.fixes import edits
from querymend.tools.fixes.graph import Graph, Path, low
from querymend.tools.fixes.view import Frame, look
from querymend.tools.grain.keys import unique_sets
from querymend.tools.grain.shape import group_expressions
from querymend.tools.questions.steps import Steps
from querymend.tools.questions.words import name_words, singular, tokens
from querymend.tools.steps.made import Made

_LABELS = frozenset({"name", "title", "label", "description"})
_KEYS = frozenset({"id", "key", "code", "no", "number"})
LONGEST = 2
"""Keys from a table that the step reads to the one that has the part, at most."""


def broken_down(steps: Steps, made: Made, catalog: Catalog) -> exp.Expr | None:
    """Group the rows of what was chosen by the chosen thing and the parts.

    Returns:
        The last query, which reads the step by its name; None where the step is not grouped by one
        thing that it shows, or a part is no column that is certain.
    """
    dialect = made.build.dialect
    tree = made.select.copy()
    if len(made.keys) < 1 or not made.value or tree.args.get("having"):
        return None
    groups = [g for g in group_expressions(tree, dialect) if isinstance(g, exp.Column)]
    key = next((e for e in tree.expressions if e.alias_or_name == made.keys[0]), None)
    if key is None or not any(g.name == key.unalias().name for g in groups):
        return None
    for part in ("order", "limit"):
        tree.set(part, None)
    for words in steps.parts:
        if not _add(tree, words, catalog, dialect):
            return None
    _choose(tree, made)
    _name_things(tree, steps.entity, made, catalog, dialect)
    return tree


def _name_things(tree: exp.Select, entity: str, made: Made, catalog: Catalog, dialect: str) -> None:
    """Show the things by the name that the question calls them, where the step shows a key.

    ``top 10 SKUs`` by product_id: the column ``sku`` of the table that the key refers to, if it is
    unique there.
    """
    frame = look(tree, catalog).frames[0]
    key = next(e for e in tree.expressions if e.alias_or_name == made.keys[0])
    entity = " ".join(_one_of(w) for w in tokens(entity))
    asked = set(tokens(entity))
    if not isinstance(key.unalias(), exp.Column) or asked & set(name_words(key.unalias().name)):
        return
    for fit, path, table, column in _places(frame, entity, catalog):
        unique = frozenset({column.name.lower()}) in unique_sets(table, catalog)
        if fit < 0.9 or len(path) > 1 or not unique:
            continue
        source = frame.of_table(low(table))
        alias = source.alias if source is not None else edits.join_in(frame, path)
        shown = edits.column(column.name, alias)
        keys = [shown if _is(g, key) else g for g in group_expressions(tree, dialect)]
        tree.set("group", exp.Group(expressions=[k.copy() for k in keys]))
        key.replace(shown.copy())
        return


def _one_of(word: str) -> str:
    """Return the singular of a noun; of an abbreviation too: ``skus`` is no ``status``."""
    short = len(word) == 4 and word.endswith("us")
    return word[:-1] if short else singular(word)


def _is(group: exp.Expr, key: exp.Expr) -> bool:
    return isinstance(group, exp.Column) and group.name.lower() == key.unalias().name.lower()


def _choose(tree: exp.Select, made: Made) -> None:
    """Keep the rows of what the step chose."""
    key = next(e for e in tree.expressions if e.alias_or_name == made.keys[0])
    chosen = exp.select(exp.column(made.keys[0])).from_(exp.to_table(made.task.name))
    tree.where(exp.In(this=key.unalias().copy(), query=chosen.subquery()), copy=False)


def _add(tree: exp.Select, words: str, catalog: Catalog, dialect: str) -> bool:
    """Show a part and group by it, joined in along the keys where it is elsewhere."""
    frame = look(tree, catalog).frames[0]
    found = sorted(_places(frame, words, catalog), key=lambda p: -p[0])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return False
    _, path, table, column = found[0]
    edits.qualify(frame)
    if path:
        alias = edits.join_in(frame, path)
    else:
        alias = next(s.alias for s in frame.sources.values() if s.table is table)
    shown = edits.column(column.name, alias)
    keys = [k.copy() for k in group_expressions(tree, dialect)]
    place = sum(not e.find(exp.AggFunc) for e in tree.expressions)
    tree.set("expressions", [*tree.expressions[:place], shown, *tree.expressions[place:]])
    tree.set("group", exp.Group(expressions=[*keys, shown.copy()]))
    return True


def _places(
    frame: Frame, words: str, catalog: Catalog
) -> Iterator[tuple[float, Path, Table, Column]]:
    """Yield the columns that the words may name, with how well they do and the keys to them."""
    asked = {singular(w) for w in tokens(words)}
    graph = Graph(catalog=catalog)
    mine = {s.name: s.table for s in frame.sources.values() if s.table is not None}
    for table in catalog.tables:
        paths: list[Path] = [()]
        if low(table) not in mine:
            paths = [p for p in graph.paths(list(mine), low(table), longest=LONGEST) if _one(p)]
        for column in table.columns if paths else ():
            fit = _fit(asked, column.name)
            if fit:
                yield fit - 0.1 * len(paths[0]), paths[0], table, column


def _one(path: Path) -> bool:
    """Tell whether no row meets two on the way."""
    return all(e.to_one and e.sure > 0.7 for e in path)


def _fit(asked: set[str], name: str) -> float:
    parts = set(name_words(name))
    if parts == asked:
        return 1.0
    if asked < parts and parts - asked <= _LABELS:
        return 0.95
    if parts < asked and len(parts) == len(asked) - 1 and not parts & _KEYS:
        return 0.8
    return 0.5 if asked < parts and parts - asked <= _KEYS else 0.0
