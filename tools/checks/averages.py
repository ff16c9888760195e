"""Averages over rows, where the average of what a day or a customer adds up to is asked for."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from querymend.tools.checks.dates import is_date, spans
from querymend.tools.checks.groups import group_keys
from querymend.tools.checks.links import is_unique
from querymend.tools.checks.seen import Seen, Used
from querymend.tools.findings import Finding
from querymend.tools.questions.rates import Rate, rates
from querymend.tools.questions.words import alike, name_words, words_of
from querymend.tools.sql.binding import Block, Source

_ADDITIVE = words_of(
    "revenue sale turnover income earning spending spend expenditure refund quantity unit proceed "
    "taking receipt profit"
)
"""Things that add up over rows; an average price or score is one of rows."""
_CALENDAR = words_of("day week month quarter year")


def average_of_rows(seen: Seen) -> Iterable[Finding]:
    """Find AVG over rows where the question asks for an average per day, month or customer."""
    rate, block = _asked(seen), seen.block
    if rate is None or block is None or seen.tree is not seen.top:
        return
    node = _averaging(seen, rate, block)
    unit = _unit(seen, rate, block) if node is not None else None
    if node is None or unit is None or not _may_mend(seen, block, rate):
        return
    yield seen.found(
        "average_of_rows",
        "question",
        "repair",
        f"The question asks for an average per {rate.unit}; this averages over rows.",
        node=node,
        hint=f"Divide the total by the number of different {unit[1]}.",
        fix=_mended(seen, rate, node, unit),
    )


def _asked(seen: Seen) -> Rate | None:
    """Return the one rate that the question asks the average of, where it adds up over rows."""
    found = rates(seen.question)
    if len(found) != 1 or not found[0].averaged or not found[0].what:
        return None
    rate = found[0]
    return rate if rate.counted or rate.what[-1] in _ADDITIVE else None


def _averaging(seen: Seen, rate: Rate, block: Block) -> exp.Expr | None:
    """Return the one aggregate that is shown, if it is over rows."""
    assert seen.top is not None
    calls = [c for e in seen.top.expressions for c in e.find_all(exp.AggFunc)]
    if any(c.parent_select is not seen.top or c.find_ancestor(exp.Window) for c in calls):
        return None
    ratio = seen.top.find(exp.Div)
    if ratio is not None:
        return _divided(ratio)
    if len(calls) != 1 or isinstance(calls[0].this, exp.Distinct):
        return None
    one = calls[0]
    plain = isinstance(one.this, exp.Column | exp.Star)
    kinds = (exp.Avg, exp.Count) if rate.counted else (exp.Avg,)
    return one if plain and isinstance(one, kinds) else None


def _divided(ratio: exp.Expr) -> exp.Expr | None:
    """Return ``SUM(x) / COUNT(*)``: the average of rows by other means."""
    below = ratio.expression.unnest()
    above = [c for c in ratio.this.find_all(exp.Sum) if isinstance(c.this, exp.Column)]
    counted = isinstance(below, exp.Count) and not isinstance(below.this, exp.Distinct)
    return ratio if counted and len(above) == 1 else None


def _unit(seen: Seen, rate: Rate, block: Block) -> tuple[exp.Expr, str, exp.Expr | None] | None:
    """Return what is counted once for each unit, its name, and what must not be NULL."""
    places = _dates(seen, rate, block) if rate.unit in _CALENDAR else _things(rate, block)
    found = list(places)
    if len(found) != 1:
        return None
    source, name = found[0]
    assert source.table is not None
    column = source.table.column(name)
    if column is None or (rate.unit not in _CALENDAR and is_unique(source.table, name)):
        return None
    named = exp.column(name, table=source.name if len(block.sources) > 1 else None)
    nulls = named if column.profile is None or column.profile.null_share else None
    if rate.unit not in _CALENDAR:
        return named, name, nulls
    bucket = _bucket(named, rate.unit, column.type, seen.dialect)
    unique = rate.unit == "day" and is_unique(source.table, name) and "TIME" not in column.type
    return None if bucket is None or unique else (bucket, f"{rate.unit}s of {name}", nulls)


def _bucket(named: exp.Expr, unit: str, kind: str, dialect: str) -> exp.Expr | None:
    if unit == "day":
        return exp.cast(named.copy(), "DATE") if "TIME" in kind.upper() else named
    if dialect == "sqlite":
        return None
    return exp.TimestampTrunc(this=named.copy(), unit=exp.var(unit.upper()))


def _dates(seen: Seen, rate: Rate, block: Block) -> Iterator[tuple[Source, str]]:
    """Yield the date that is bounded, or else the dates of the measured table, those always set."""
    bounded = {
        (id(u.ref.source), u.column.name): u
        for s in spans(seen)
        for u in [s.comparisons[0].used]
        if u.ref.block.select is block.select and u.ref.source
    }
    if bounded:
        yield from ((u.ref.source, u.column.name) for u in bounded.values() if u.ref.source)
        return
    source = _measured(seen, rate, block)
    for column in source.table.columns if source and source.table else ():
        if is_date(column) and not (column.profile and column.profile.null_share):
            assert source is not None
            yield source, column.name


def _measured(seen: Seen, rate: Rate, block: Block) -> Source | None:
    """Return the one source whose rows are averaged."""
    node = _averaging(seen, rate, block)
    used = [u.ref.source for u in seen.uses_in(node)] if node is not None else []
    if used:
        return used[0]
    return block.sources[0] if len(block.sources) == 1 else None


def _things(rate: Rate, block: Block) -> Iterator[tuple[Source, str]]:
    """Yield the columns that stand for a thing: its table's key, or a key that refers to it."""
    named = [s for s in block.sources if s.table and name_words(s.table.name)[-1:] == (rate.unit,)]
    others = [s for s in block.sources if s not in named and s.table]
    found = {}
    for source in others:
        assert source.table is not None
        for key in source.table.keys:
            is_it = alike(name_words(key.table)[-1], rate.unit) or _leads(key.table, rate.unit)
            if len(key.columns) == 1 and is_it:
                found[id(source), key.columns[0]] = (source, key.columns[0])
        for column in source.table.columns:
            if name_words(column.name) == (rate.unit,):
                found[id(source), column.name] = (source, column.name)
    yield from found.values()


def _leads(table: str, unit: str) -> bool:
    words = name_words(table.rpartition(".")[2])
    return len(words) == 2 and words[0] == unit and words[1] in ("dim", "table", "master", "info")


def _may_mend(seen: Seen, block: Block, rate: Rate) -> bool:
    """The result is one average, or one for each of other things than the unit."""
    assert seen.top is not None
    if seen.top.args.get("having") or any(s.table is None for s in block.sources):
        return False
    keys = group_keys(seen, block)
    if not seen.top.args.get("group"):
        return not any(isinstance(e.unalias(), exp.Column) for e in seen.top.expressions)
    if keys is None:
        return False
    grouped = [_is_of(k, rate) for k in keys]
    if any(grouped):
        return all(grouped) and not seen.reading.group_by and seen.reading.one_value is not False
    return True


def _is_of(used: Used, rate: Rate) -> bool:
    """The column tells the units apart or names them."""
    if rate.unit in _CALENDAR:
        return is_date(used.column)
    refers = [k.table for k in used.table.keys if used.column.name in k.columns]
    names = [used.table.name, *refers]
    return any(name_words(n)[-1] == rate.unit or _leads(n, rate.unit) for n in names)


def _mended(
    seen: Seen, rate: Rate, node: exp.Expr, unit: tuple[exp.Expr, str, exp.Expr | None]
) -> exp.Expr | None:
    total = _total(seen, rate, node)
    if total is None or not isinstance(seen.top, exp.Select) or seen.block is None:
        return None
    below = exp.Count(this=exp.Distinct(expressions=[unit[0].copy()]))
    ratio = exp.Div(this=exp.cast(total, "DOUBLE"), expression=below)
    copy, here = seen.copied(node)
    assert isinstance(copy, exp.Select)
    here.replace(ratio)
    keys = group_keys(seen, seen.block)
    if keys and all(_is_of(k, rate) for k in keys):
        _ungroup(copy)
    if unit[2] is not None:
        copy.where(exp.not_(exp.Is(this=unit[2].copy(), expression=exp.null())), copy=False)
    return copy


def _total(seen: Seen, rate: Rate, node: exp.Expr) -> exp.Expr | None:
    """Return what a unit adds up to: the sum of the column, or the number of rows."""
    if isinstance(node, exp.Div):
        return next((c.copy() for c in node.this.find_all(exp.Sum)), None)
    used = seen.by_node.get(id(node.this))
    if not rate.counted:
        return exp.Sum(this=node.this.copy())
    home = used.table if used else (seen.tables[0] if len(seen.tables) == 1 else None)
    if home is not None and any(alike(w, rate.what[-1]) for w in name_words(home.name)):
        return exp.Count(this=exp.Star())
    told = (*name_words(used.column.name), *used.column.description.lower().split()) if used else ()
    is_sum = isinstance(node, exp.Avg) and any(alike(w, rate.what[-1]) for w in told)
    return exp.Sum(this=node.this.copy()) if is_sum else None


def _ungroup(select: exp.Select) -> None:
    """Take the groups out, and what is shown or ordered by them."""
    kept = [e for e in select.expressions if e.find(exp.AggFunc)]
    select.set("expressions", kept)
    for part in ("group", "order", "limit"):
        select.set(part, None)
