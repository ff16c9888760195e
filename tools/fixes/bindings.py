"""Columns that do not resolve: the nearest name, another source, a table joined in or replaced."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.catalog.model import Table
from querymend.tools.fixes import edits, joins
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.graph import Path, certainty, low
from querymend.tools.fixes.names import likeness
from querymend.tools.fixes.priors import named, prior
from querymend.tools.fixes.troubles import Trouble, troubles
from querymend.tools.fixes.view import Frame, Source, View

MOST = 4
"""Options of one kind that are worth a look."""


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield what may be done about the first column that does not resolve."""
    for trouble in troubles(view):
        place = Place(view, known, trouble)
        if place.key not in settled:
            yield from RULES[trouble.kind](place)
            return


class Place:
    """One column in trouble, and how to change it in a copy of the tree."""

    def __init__(self, view: View, known: Known, trouble: Trouble) -> None:
        self.view, self.known, self.trouble = view, known, trouble
        self.frame = view.frames[trouble.frame]
        self.column = self.frame.columns[trouble.column]
        self.wanted = self.column.name
        self.key = f"column:{trouble.frame}:{self.column.sql()}"
        self.source = self.frame.source(self.column.table) if self.column.table else None

    def copy(self) -> tuple[Frame, exp.Column]:
        """Return the same frame and column in a copy."""
        frame = self.view.again().frames[self.trouble.frame]
        return frame, frame.columns[self.trouble.column]

    def step(self, code: str, why: str, sure: float, frame: Frame, *, size: int = 1) -> Step:
        """Return a step whose tree is the one that a changed frame belongs to."""
        return Step(code=code, why=why, certainty=sure, tree=frame.select.root(), edits=size)

    def tables(self) -> list[Table]:
        """Tables that the frame does not read."""
        mine = set(self.frame.tables)
        return [t for t in self.known.catalog.tables if low(t) not in mine]

    def renamed(self, code: str, sure: float, alias: str, text: str) -> Step:
        """Let every such column of the frame name another."""
        frame, col = self.copy()
        bare = not col.table and len(frame.sources) == 1
        for other in frame.columns:
            if (other.table.lower(), other.name.lower()) == (
                self.column.table.lower(),
                self.wanted.lower(),
            ):
                edits.rename(other, text, "" if bare else alias)
        return self.step(code, f"{self.column.sql()}: {alias}.{text} meant", sure, frame)


def _column(place: Place) -> Iterator[Step]:
    """A column that its source, or any source, lacks."""
    yield from _elsewhere(place)
    yield from _nearest(place)
    yield from joins.rejoined(place.view, place.known, place.trouble)
    yield from joins.paired(place.view, place.known, place.trouble)
    yield from _joined(place)
    yield from _replaced(place)
    yield from _dropped(place)


def _alias(place: Place) -> Iterator[Step]:
    """A qualifier that names no source."""
    wanted = place.column.table
    for source in place.frame.sources.values():
        if source.table and likeness(wanted, source.table.name) >= 0.93:
            yield _requalified(place, "alias_of_table", prior("alias_of_table"), source)
    yield from _named_table(place)
    yield from _elsewhere(place)
    yield from joins.rejoined(place.view, place.known, place.trouble)
    yield from _joined(place)
    yield from _nearest(place)
    yield from _dropped(place)


def _requalified(place: Place, code: str, sure: float, source: Source) -> Step:
    """Let every column with this qualifier that the source has follow it there."""
    frame, col = place.copy()
    for other in frame.columns:
        same = other.table.lower() == col.table.lower()
        if same and (other is col or source.has(other.name)):
            other.set("table", edits.name(source.alias))
    return place.step(code, f"{place.column.sql()}: {source.alias} meant", sure, frame)


def _named_table(place: Place) -> Iterator[Step]:
    """The qualifier names a table that nobody joined."""
    table = place.known.catalog.table(place.column.table)
    if table is None or place.frame.of_table(low(table)):
        return
    for path in place.known.graph.paths(place.frame.tables, low(table)):
        frame, _ = place.copy()
        alias = edits.join_in(frame, path)
        edits.rename_source(frame, place.column.table, alias)
        sure = prior("joined_named") * certainty(path) * (0.8 + 0.2 * _path_fit(place, path))
        yield place.step("joined_named", _through(table, path), sure, frame, size=len(path))


def _elsewhere(place: Place) -> Iterator[Step]:
    """Another source of the frame has exactly this column."""
    taken = joins.other_sides(place.column)
    owners = [
        s
        for s in place.frame.owners(place.wanted)
        if s is not place.source and s.alias.lower() not in taken
    ]
    for owner in owners:
        code = "requalified" if len(owners) == 1 else "requalified_any"
        if len(owners) == 1 and _slipped(place, owner):
            code = "requalified_sole"
        text = (owner.columns or {})[place.wanted.lower()]
        yield place.renamed(code, prior(code), owner.alias, text)


def _slipped(place: Place, owner: Source) -> bool:
    """Only this column has the wrong qualifier: no other that has it may be the owner's too."""
    alias = place.column.table.lower()
    others = [c for c in place.frame.columns if c.table.lower() == alias]
    free = [c for c in others if not _is_joined_to(c, owner)]
    rest = {c.name.lower() for c in free} - {place.wanted.lower()}
    return bool(alias) and not any(owner.has(name) for name in rest)


def _is_joined_to(column: exp.Column, owner: Source) -> bool:
    """The column equals one of the owner's: it cannot be the owner's itself."""
    pair = column.parent
    if not isinstance(pair, exp.EQ):
        return False
    other = pair.expression if pair.this is column else pair.this
    return isinstance(other, exp.Column) and other.table.lower() == owner.alias.lower()


def _nearest(place: Place) -> Iterator[Step]:
    """A source has a column of a name like this."""
    found: list[tuple[float, str, str, str]] = []
    taken = joins.other_sides(place.column)
    for source in place.frame.sources.values():
        if source.alias.lower() in taken:
            continue
        mine = place.source is None or source is place.source
        table = source.table.name if source.table else ""
        for text in (source.columns or {}).values():
            code, sure = named(likeness(place.wanted, text, table), place.known.fit(text))
            weight = 1.0 if mine else prior("other_source")
            found.append((sure * weight, code, source.alias, text))
    for sure, code, alias, text in sorted(found, reverse=True)[:MOST]:
        if sure > 0.1:
            yield place.renamed(code, sure, alias, text)


def _joined(place: Place) -> Iterator[Step]:
    """A table that is not read holds the column; it is joined in along the keys."""
    if place.column.find_ancestor(exp.Join, exp.Select) is not place.frame.select:
        return
    if place.source is not None and not place.source.table and place.frame.owners(place.wanted):
        return  # a derived table offers what it lists; another source has the column
    holders = [(t, c.name, 1.0) for t in place.tables() if (c := t.column(place.wanted))]
    alone = len(holders) == 1
    if not holders:
        holders = _like_holders(place)
    for table, text, like in holders[: MOST + 2]:
        code = "joined" if alone else "joined_any" if like == 1.0 else "joined_like"
        sure = prior(code) * like * (0.8 + 0.2 * place.known.fit(table.name))
        yield from _along(place, table, text, code, sure)


def _along(place: Place, table: Table, text: str, code: str, sure: float) -> Iterator[Step]:
    starts = [place.source.name] if place.source and place.source.table else place.frame.tables
    paths = place.known.graph.paths(starts, low(table))
    for path in paths or place.known.graph.paths(place.frame.tables, low(table)):
        if {e.target for e in path} & set(place.frame.tables):
            continue
        frame, col = place.copy()
        alias = edits.join_in(frame, path)
        old = (place.column.table.lower(), place.wanted.lower())
        for other in frame.columns:
            if other is col or (other.table.lower(), other.name.lower()) == old:
                edits.rename(other, text, alias)
        weight = certainty(path) * (0.8 + 0.2 * _path_fit(place, path))
        if code == "joined" and len(paths) == 1 and all(e.to_one for e in path):
            code, sure, weight = "joined_sole", prior("joined_sole"), certainty(path)
        yield place.step(code, _through(table, path), sure * weight, frame, size=len(path))


def _like_holders(place: Place) -> list[tuple[Table, str, float]]:
    found = [
        (likeness(place.wanted, c.name, t.name), t, c.name)
        for t in place.tables()
        for c in t.columns
    ]
    best = sorted(found, key=lambda f: f[0], reverse=True)[:3]
    return [(t, text, like) for like, t, text in best if like >= 0.75]


def _path_fit(place: Place, path: Path) -> float:
    """Tell which of parallel keys is meant: by the words of question and wanted name."""
    names = list(path[0].columns)
    return max(max(place.known.fit(n), likeness(place.wanted, n)) for n in names)


def _through(table: Table, path: Path) -> str:
    return f"joined {table.name} through {', '.join(map(edits.told, path))}"


def _replaced(place: Place) -> Iterator[Step]:
    """Another table has this column and all else that the source is asked for."""
    source = place.source or next(iter(place.frame.sources.values()), None)
    if source is None or not source.table or (not place.source and len(place.frame.sources) > 1):
        return
    if source.alias.lower() not in place.frame.sources:
        return  # the outer query's: a subquery cannot replace it
    cols = place.frame.columns if len(place.frame.sources) == 1 else edits.used(place.frame, source)
    names = {c.name for c in cols if not isinstance(c.this, exp.Star)} | {place.wanted}
    for table in place.tables():
        if all(table.column(n) for n in names):
            frame, _ = place.copy()
            edits.replace_table(frame, frame.sources[source.alias.lower()], table)
            sure = prior("replaced_table") * (0.8 + 0.2 * place.known.fit(table.name))
            why = f"{table.name} in place of {source.table.name}"
            yield place.step("replaced_table", why, sure, frame, size=2)


def _dropped(place: Place) -> Iterator[Step]:
    """What names the column goes: one of several outputs, or one of several conditions."""
    frame, col = place.copy()
    top: exp.Expr = col
    while top.parent is not frame.select and top.parent is not None:
        top = top.parent
    if top.arg_key == "expressions" and len(frame.select.expressions) > 1:
        top.pop()
        sure = prior("dropped_output")
        yield place.step("dropped_output", f"left {place.wanted} out", sure, frame, size=2)
        return
    for part in edits.predicates(frame):
        if any(c is col for c in edits.own_columns(part)):
            text = part.sql()
            edits.drop_predicate(frame, part)
            sure = prior("dropped_condition")
            yield place.step("dropped_condition", f"left out {text}", sure, frame, size=2)
            return


def _ambiguous(place: Place) -> Iterator[Step]:
    """Several sources own the column: any of them if a join makes them equal."""
    owners = place.frame.owners(place.wanted)
    if joins.equated(place.frame, place.wanted, owners):
        yield place.renamed("qualified", prior("qualified"), owners[0].alias, place.wanted)
        return
    for owner in owners:
        text = (owner.columns or {})[place.wanted.lower()]
        linked = joins.links_away(place.frame, owner, text)
        describes = not linked and not joins.is_reference(owner, text, place.known.graph)
        sure = prior("qualified_own") if describes else prior("qualified_other")
        code = "qualified_own" if describes else "qualified_other"
        yield place.renamed(code, sure, owner.alias, text)


def _outer(place: Place) -> Iterator[Step]:
    """A bare column of a subquery that only the outer SELECT owns."""
    yield from joins.paired(place.view, place.known, place.trouble)
    yield from _nearest(place)


RULES = {"column": _column, "alias": _alias, "ambiguous": _ambiguous, "outer": _outer}
