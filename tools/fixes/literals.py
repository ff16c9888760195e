"""Values that their column does not hold: another spelling, or another column that does."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.catalog.model import Table
from querymend.tools.fixes import edits
from querymend.tools.fixes.fix import Known, Step
from querymend.tools.fixes.graph import certainty
from querymend.tools.fixes.priors import prior
from querymend.tools.fixes.view import Frame, Source, View, own
from querymend.tools.index.model import ValueLookup

COMPARED = (exp.EQ, exp.NEQ, exp.In)
FEW = 40
"""A column with no more values than this is looked at whole."""


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A text compared with a column: where it stands, and whose values it should be among."""

    frame: int
    place: int
    column: exp.Column
    text: str
    source: Source
    table: Table
    name: str
    """The column's name as the catalog has it."""

    @property
    def key(self) -> str:
        """Name it, so that it can be settled."""
        return f"value:{self.frame}:{self.column.sql()}:{self.text}"


def steps(view: View, known: Known, settled: frozenset[str]) -> Iterator[Step]:
    """Yield what may be done about the first text that its column does not hold."""
    values = known.values
    if values is None:
        return
    for frame in view.frames:
        for spot in spots(frame):
            if spot.key in settled or missing(spot, values) is not True:
                continue
            yield from _spelt(view, known, spot, values)
            if not _stored_padded(spot, values):
                yield from _moved(view, known, frame, spot, values)
            yield _kept(view, spot)
            return


def missing(spot: Spot, values: ValueLookup) -> bool | None:
    """Tell whether the column lacks the text; None where that is not known."""
    held = values.has(spot.table.qualified_name, spot.name, spot.text)
    return None if held is None else not held


def texts(frame: Frame) -> list[exp.Literal]:
    """Return the text literals that are compared with a column, in text order."""
    found = []
    for node in own(frame.select, exp.Literal):
        up = node.parent
        if node.is_string and isinstance(up, COMPARED) and column_of(node) is not None:
            found.append(node)
    return found


def column_of(node: exp.Literal) -> exp.Column | None:
    """Return the column that a literal is compared with."""
    up = node.parent
    if up is None:
        return None
    other = up.this if up.this is not node else up.args.get("expression")
    if isinstance(other, exp.Lower | exp.Upper | exp.Trim):
        return None
    return other if isinstance(other, exp.Column) else None


def spots(frame: Frame) -> Iterator[Spot]:
    """Yield the texts of a frame that are compared with a column of a known table."""
    for i, node in enumerate(texts(frame)):
        col = column_of(node)
        source = home(frame, col) if col is not None else None
        if col is None or source is None or source.table is None:
            continue
        real = source.table.column(col.name)
        if real is not None:
            yield Spot(
                frame=frame.index,
                place=i,
                column=col,
                text=node.name,
                source=source,
                table=source.table,
                name=real.name,
            )


def home(frame: Frame, col: exp.Column) -> Source | None:
    """Return the source that a column comes from."""
    if col.table:
        return frame.source(col.table)
    owners = frame.owners(col.name)
    return owners[0] if len(owners) == 1 else None


def _spelt(view: View, known: Known, spot: Spot, values: ValueLookup) -> Iterator[Step]:
    """The column holds the value in another spelling, or what the question or a fact says."""
    near = values.nearest(spot.table.qualified_name, spot.name, spot.text, 8)
    rated = dict(_named_values(known, spot, values))
    for value, score in near:
        code, sure = _near(known, spot, value, score, len(near))
        if sure > rated.get(value, ("", 0.0))[1]:
            rated[value] = (code, sure)
    taken = {n.name for n in texts(view.frames[spot.frame])} - {spot.text}
    seen = sorted(rated.items(), key=lambda r: r[1][1], reverse=True)
    for value, (code, sure) in [r for r in seen if r[0] not in taken][:3]:
        if sure >= 0.15:
            yield _said(view, spot, code, sure, value)


def padded(value: str, text: str) -> bool:
    """Tell whether the warehouse stores a value with blanks around it that the text lacks."""
    return value != value.strip() and text == text.strip()


def _stored_padded(spot: Spot, values: ValueLookup) -> bool:
    """Tell whether the column holds the text, but for blanks around it."""
    here = (spot.table.qualified_name, spot.name)
    return any(h[:2] == here and padded(h[2], spot.text) for h in values.holding(spot.text))


def _named_values(
    known: Known, spot: Spot, values: ValueLookup
) -> Iterator[tuple[str, tuple[str, float]]]:
    """Yield values of the column that the question holds, or that a fact gives to it."""
    place = (spot.table.qualified_name, spot.name)
    for value in known.asked_values.get(place, ()):
        if not known.mentions(spot.text):
            code = "value_padded" if padded(value, spot.text) else "value_asked"
            yield value, (code, prior("value_asked"))
    for clause, value in known.stated(spot.name):
        if values.has(*place, value):
            told = spot.text.lower() in clause
            code = "value_stated" if told else "value_stated_only"
            yield value, (code, prior(code))


def _near(known: Known, spot: Spot, value: str, score: float, many: int) -> tuple[str, float]:
    """Return the rule by which a like value may be what the text means, and how sure it is."""
    a, b = _plain(value), _plain(spot.text)
    if a == b:
        code = "value_padded" if padded(value, spot.text) else "value_case"
        return code, prior(code)
    if padded(value, spot.text):
        return "value_padded", 0.0
    if re.findall(r"\d+", value) != re.findall(r"\d+", spot.text):
        return "value_near", 0.0
    if min(len(a), len(b)) == 1 and many <= FEW and a[:1] == b[:1]:
        return "value_initial", prior("value_initial")
    spread = 0.3 if known.values and known.values.holding(spot.text) else 1.0
    return "value_near", prior("value_near") * max(0.0, (score - 0.5) * 2) * spread


def _plain(text: str) -> str:
    """Return letters and digits only; signs where there are none."""
    return re.sub(r"[\W_]+", "", text.lower()) or text.strip()


def _said(view: View, spot: Spot, code: str, sure: float, value: str) -> Step:
    copy = view.again()
    node = texts(copy.frames[spot.frame])[spot.place]
    node.replace(exp.Literal.string(value))
    why = f"{spot.table.name}.{spot.name} holds {value!r}, not {spot.text!r}"
    return Step(code=code, why=why, certainty=sure, tree=copy.tree)


def _moved(
    view: View, known: Known, frame: Frame, spot: Spot, values: ValueLookup
) -> Iterator[Step]:
    """Another column holds the value: of this table, of another in scope, or one key away."""
    here = (spot.table.qualified_name, spot.name)
    every = values.holding(spot.text)
    found = [h for h in every if h[:2] != here and not padded(h[2], spot.text)]
    alone = len({(t, c) for t, c, _ in found}) == 1
    for table, name, value in found[:12]:
        low = table.lower()
        if low == spot.source.name:
            yield _put(view, spot, "value_column", alone, spot.source.alias, name, value)
        elif (other := frame.of_table(low)) is not None:
            yield _put(view, spot, "value_source", alone, other.alias, name, value)
        else:
            yield from _far(view, known, spot, (low, name, value), alone)


def _put(view: View, spot: Spot, code: str, alone: bool, alias: str, name: str, value: str) -> Step:
    copy = view.again()
    frame = copy.frames[spot.frame]
    _set(frame, spot, alias if len(frame.sources) > 1 else "", name, value)
    sure = prior(code) * (1.0 if alone else prior("one_of_many"))
    why = f"{value!r} is a value of {alias}.{name}"
    return Step(code=code, why=why, certainty=sure, tree=copy.tree)


def _set(frame: Frame, spot: Spot, alias: str, name: str, value: str) -> None:
    """Replace column and text of one comparison; an IN list keeps its other values."""
    node = texts(frame)[spot.place]
    col = column_of(node)
    node.replace(exp.Literal.string(value))
    if col is not None:
        edits.rename(col, name, alias)


def _far(
    view: View, known: Known, spot: Spot, held: tuple[str, str, str], alone: bool
) -> Iterator[Step]:
    """Join in the table that holds the value; surest where the column is the key to it."""
    target, name, value = held
    for path in known.graph.paths({spot.source.name}, target, longest=2):
        leads = path[0].columns == (spot.name,) and len(path) == 1
        back = len(path) == 1 and path[0].target_columns == (name,) and leads
        if back:
            continue
        code = "value_key" if leads else "value_joined"
        copy = view.again()
        frame = copy.frames[spot.frame]
        alias = edits.join_in(frame, path, start=spot.source.alias)
        _set(frame, spot, alias, name, value)
        sure = prior(code) * certainty(path) * (1.0 if alone else prior("one_of_many"))
        why = f"{value!r} is a value of {target}.{name}"
        yield Step(code=code, why=why, certainty=sure, tree=copy.tree, edits=1 + len(path))


def _kept(view: View, spot: Spot) -> Step:
    """Leave the text as it is."""
    sure = prior("value_kept")
    settled = frozenset({spot.key})
    return Step(code="", why="", certainty=sure, tree=view.tree, edits=0, settled=settled)
