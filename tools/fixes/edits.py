"""Changes of a tree that several rules need: name a column, join a table in, drop a predicate."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from querymend.tools.catalog.model import Table
from querymend.tools.fixes.graph import Edge, Path
from querymend.tools.fixes.view import Frame, Source, own

_WORDS = """
all and as asc between by case cast check column create cross current date default
delete desc distinct else end except exists false fetch for foreign from full grant
group having in index inner insert intersect interval into is join key left like limit
natural not null offset on or order outer primary references right select set table then
time timestamp to true union unique update user using values when where window with
"""
RESERVED = frozenset(_WORDS.split())


def name(text: str) -> exp.Identifier:
    """Return an identifier, quoted where it must be."""
    return exp.to_identifier(text, quoted=True if text.lower() in RESERVED else None)


def column(text: str, alias: str = "") -> exp.Column:
    """Return a column, qualified if an alias is given."""
    return exp.Column(this=name(text), table=name(alias) if alias else None)


def rename(col: exp.Column, text: str, alias: str) -> None:
    """Let a column name another."""
    col.replace(column(text, alias))


def table_node(table: Table, alias: str = "") -> exp.Table:
    """Return a table for a FROM or JOIN."""
    node = exp.Table(this=name(table.name), db=name(table.schema) if table.schema else None)
    if alias and alias.lower() != table.name.lower():
        node.set("alias", exp.TableAlias(this=name(alias)))
    return node


def equal(edge: Edge, here: str, there: str) -> exp.Expr:
    """Return the join condition of one edge between two aliases."""
    pairs = zip(edge.columns, edge.target_columns, strict=True)
    return exp.and_(*(exp.EQ(this=column(a, here), expression=column(b, there)) for a, b in pairs))


def told(edge: Edge) -> str:
    """Say a join condition in words: ``votes.state = area_code_state.state``."""
    pairs = zip(edge.columns, edge.target_columns, strict=True)
    return " and ".join(f"{edge.table}.{a} = {edge.target}.{b}" for a, b in pairs)


def qualify(frame: Frame) -> None:
    """Qualify every bare column that one source owns: a new table can't make it ambiguous then."""
    for i, col in enumerate(frame.columns):
        owners = frame.owners(col.name)
        if col.table or isinstance(col.this, exp.Star) or len(owners) != 1:
            continue
        if col.name.lower() in frame.aliases and not isinstance(col.parent, exp.Select):
            continue
        col.set("table", name(owners[0].alias))
        frame.columns[i] = col
    _bind_star(frame)


def _bind_star(frame: Frame) -> None:
    """``SELECT *`` keeps its columns when a table is joined in."""
    items: list[exp.Expr] = []
    for item in frame.select.expressions:
        if isinstance(item, exp.Star) and not item.args.get("except_"):
            aliases = [s.alias for s in frame.sources.values()]
            items += [exp.Column(this=exp.Star(), table=name(a)) for a in aliases]
        else:
            items.append(item)
    frame.select.set("expressions", items)


def join_in(frame: Frame, path: Path, start: str = "") -> str:
    """Join the tables of a path to the frame and return the alias of the last one."""
    qualify(frame)
    first = frame.sources[start.lower()] if start else frame.of_table(path[0].table)
    here = first.alias if first else path[0].table
    for edge in path:
        table = frame_table(frame, edge.target)
        there = free(frame, table.name)
        node = table_node(table, there)
        join = exp.Join(this=node, on=equal(edge, here, there), kind="INNER")
        frame.select.append("joins", join)
        columns = {c.name.lower(): c.name for c in table.columns}
        frame.sources[there.lower()] = Source(
            alias=there, node=node, table=table, columns=columns, join=join
        )
        here = there
    return here


def frame_table(frame: Frame, wanted: str) -> Table:
    """Return the catalog's table of that qualified lower-case name."""
    found = frame.catalog.table(wanted)
    if found is None:
        raise KeyError(wanted)
    return found


def free(frame: Frame, wanted: str) -> str:
    """Return an alias that nothing in the frame uses."""
    taken, n, alias = set(frame.sources), 2, wanted
    outer = frame.outer
    while outer is not None:
        taken |= set(outer.sources)
        outer = outer.outer
    while alias.lower() in taken:
        alias, n = f"{wanted}_{n}", n + 1
    return alias


def conjuncts(node: exp.Expr | None) -> list[exp.Expr]:
    """Return the parts that AND joins."""
    if node is None:
        return []
    inner = node.unnest()
    if isinstance(inner, exp.And):
        return [*conjuncts(inner.this), *conjuncts(inner.expression)]
    return [node]


def predicates(frame: Frame) -> Iterator[exp.Expr]:
    """Yield the parts of a frame's WHERE that AND joins."""
    where = frame.select.args.get("where")
    yield from conjuncts(where.this if where else None)


def set_where(select: exp.Select, parts: Sequence[exp.Expr]) -> None:
    """Let WHERE be these parts, joined by AND, or absent."""
    kept = exp.and_(*parts, copy=True) if parts else None
    select.set("where", exp.Where(this=kept) if kept is not None else None)


def drop_predicate(frame: Frame, part: exp.Expr) -> None:
    """Take one part out of a frame's WHERE."""
    set_where(frame.select, [p for p in predicates(frame) if p is not part])


def drop_source(frame: Frame, source: Source) -> bool:
    """Take a source out of the FROM, its conditions too; return False if it is the only one."""
    joins = list(frame.select.args.get("joins") or [])
    if source.join is not None:
        frame.select.set("joins", [j for j in joins if j is not source.join])
        return True
    if not joins:
        return False
    frame.select.args["from_"].set("this", joins[0].this)
    rest = [p for j in joins[:1] for p in conjuncts(j.args.get("on"))]
    low = source.alias.lower()
    kept = [p for p in rest if all(c.table.lower() != low for c in p.find_all(exp.Column))]
    frame.select.set("joins", joins[1:])
    if kept:
        set_where(frame.select, [*predicates(frame), *kept])
    return True


def rename_source(frame: Frame, old: str, new: str) -> None:
    """Let every column qualified by an alias follow it to another."""
    for col in frame.select.find_all(exp.Column):
        if col.table.lower() == old.lower():
            col.set("table", name(new))


def replace_table(frame: Frame, source: Source, table: Table) -> None:
    """Let a source read another table; an alias stays, a bare table name changes with it."""
    had = source.node.args.get("alias")
    alias = "" if had is None else source.alias
    if not alias:
        new = table.name if table.name.lower() not in frame.sources else free(frame, table.name)
        rename_source(frame, source.alias, new)
        alias = new
    source.node.replace(table_node(table, alias))


def used(frame: Frame, source: Source) -> list[exp.Column]:
    """Return the columns that the frame and those inside it take from a source, by qualifier."""
    low = source.alias.lower()
    return [c for c in frame.select.find_all(exp.Column) if c.table.lower() == low]


def own_columns(node: exp.Expr) -> list[exp.Column]:
    """Return the columns of a piece of a SELECT, without those of subqueries."""
    return list(own(node, exp.Column))
