"""What a statement says about partition keys: which predicates the engine can prune by.

A predicate prunes if it compares the bare key with constants of the key's own type and every row
must satisfy it. Functions around the key, a constant of another type and an OR that opens it do
not ("Top 10 performance tuning tips for Amazon Athena").
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from querymend.tools.catalog.model import Column, PartitionKey, Table
from querymend.tools.sql.binding import Binding, Block, Source
from querymend.tools.sql.partition_cures import mended
from querymend.tools.sql.partition_values import of_own_type, spelled
from querymend.tools.sql.subject import Subject

How = Literal["equal", "range", "dynamic"]
Fault = Literal["type", "wrapped", "or", "value"]
_FLIPPED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.EQ,
    exp.LT: exp.GT,
    exp.GT: exp.LT,
    exp.LTE: exp.GTE,
    exp.GTE: exp.LTE,
}
_COMPARED = tuple(_FLIPPED)


@dataclass(frozen=True, kw_only=True)
class Term:
    """One predicate on one key."""

    key: str
    node: exp.Expr
    how: How = "range"
    where: str = ""
    """The predicate as a catalog's filter, where it has only literals: ``dt >= '2026-01-01'``."""
    fault: Fault | None = None
    """Why it does not prune; None where it does."""
    cure: exp.Expr | None = None
    """A predicate that means the same and prunes."""


@dataclass(frozen=True, kw_only=True)
class Scan:
    """One use of a partitioned table, with what is said about its keys."""

    table: Table
    source: Source
    block: Block
    terms: tuple[Term, ...]

    @property
    def usable(self) -> tuple[Term, ...]:
        """The predicates that prune."""
        return tuple(t for t in self.terms if t.fault is None)


def scans(subject: Subject) -> list[Scan]:
    """Return every use of a partitioned table in a statement."""
    binding = subject.binding
    return [
        Scan(table=s.table, source=s, block=block, terms=tuple(_terms(s.table, s, block, binding)))
        for block in binding.blocks
        for s in block.sources
        if s.table is not None and s.table.partitions
    ]


def _terms(table: Table, source: Source, block: Block, binding: Binding) -> Iterator[Term]:
    seen = _Seen(table=table, source=source, binding=binding)
    for conjunct in conjuncts(block.select):
        yield from seen.terms(conjunct)
    if block.outer is None or not isinstance(block.select, exp.Select):
        yield from _from_outside(table, block, binding)


def conjuncts(select: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the predicates that every row of a SELECT satisfies: WHERE, and ON of its joins."""
    where = select.args.get("where")
    if where is not None:
        yield from _parts(where.this)
    for join in select.args.get("joins") or ():
        if join.args.get("on") is not None:
            yield from _parts(join.args["on"])


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    node = node.unnest() if isinstance(node, exp.Paren) else node
    if isinstance(node, exp.And):
        yield from _parts(node.left)
        yield from _parts(node.right)
    else:
        yield node


def _from_outside(table: Table, block: Block, binding: Binding) -> Iterator[Term]:
    """Yield what an outer SELECT says of a key that a CTE or subquery passes on by its name."""
    passed = {_shown(e) for e in block.select.args.get("expressions") or ()}
    star = any(isinstance(e, exp.Star) or e.is_star for e in block.select.expressions)
    keys = {p.lower() for p in table.partitions}
    given = keys if star else keys & passed
    if not given or block.select.args.get("limit") is not None:
        return
    for other in binding.blocks:
        if other is block:
            continue
        derived = [s for s in other.sources if s.table is None]
        for source in derived:
            seen = _Seen(table=table, source=source, binding=binding, keys=frozenset(given))
            for conjunct in conjuncts(other.select):
                yield from (t for t in seen.terms(conjunct) if t.fault is None)


def _shown(projection: exp.Expr) -> str:
    """Return a column's name where it is passed on under its own name."""
    inner = projection.this if isinstance(projection, exp.Alias) else projection
    same = isinstance(inner, exp.Column) and inner.name.lower() == projection.alias_or_name.lower()
    return inner.name.lower() if same else ""


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """Reads predicates on the keys of one source."""

    table: Table
    source: Source
    binding: Binding
    keys: frozenset[str] | None = None

    def terms(self, node: exp.Expr) -> Iterator[Term]:
        """Yield what one conjunct says of each key in it."""
        for key in self._keys_in(node):
            yield self._term(key, node)

    def _keys_in(self, node: exp.Expr) -> list[str]:
        names = {p.lower(): p for p in self.table.partitions}
        found = [c.name.lower() for c in node.find_all(exp.Column) if self._is_mine(c)]
        wanted = self.keys or names.keys()
        return [names[n] for n in dict.fromkeys(found) if n in names and n in wanted]

    def _is_mine(self, column: exp.Column) -> bool:
        ref = next((r for r in self.binding.refs if r.column is column), None)
        return ref is not None and ref.source is self.source and ref.depth == 0

    def _term(self, key: str, node: exp.Expr) -> Term:
        column = self.table.column(key)
        known = self.table.partition_key(key) or PartitionKey(name=key)
        if column is None:
            return Term(key=key, node=node, fault="wrapped")
        if isinstance(node, exp.Or):
            return self._either(key, node)
        found = self._plain(key, node)
        if found is None:
            return Term(key=key, node=node, fault="wrapped", cure=mended(node, column, known))
        return _typed(key, node, found, column, known)

    def _either(self, key: str, node: exp.Or) -> Term:
        """An OR prunes where every arm of it does."""
        arms = [list(_parts(a)) for a in node.flatten()]
        terms = [[self._term(key, p) for p in arm if key in self._keys_in(p)] for arm in arms]
        usable = [[t for t in found if t.fault is None] for found in terms]
        if not all(usable):
            return Term(key=key, node=node, fault="or")
        texts = [" AND ".join(t.where for t in found) for found in usable]
        equal = all(any(t.how == "equal" for t in found) for found in usable)
        return Term(
            key=key,
            node=node,
            how="equal" if equal else "range",
            where=" OR ".join(f"({t})" for t in texts) if all(texts) else "",
        )

    def _plain(self, key: str, node: exp.Expr) -> "_Plain | None":
        """Read a comparison of the bare key, turned so that the key stands left."""
        if isinstance(node, exp.Binary) and isinstance(node, _COMPARED):
            if self._is_key(node.left, key):
                return _Plain(op=type(node), others=(node.right,))
            if self._is_key(node.right, key):
                return _Plain(op=_FLIPPED[type(node)], others=(node.left,))
        if not self._is_key(node.this, key):
            return None
        if isinstance(node, exp.Between):
            return _Plain(op=exp.Between, others=(node.args["low"], node.args["high"]))
        if isinstance(node, exp.In):
            query = node.args.get("query")
            return _Plain(op=exp.In, others=(query,) if query else tuple(node.expressions))
        if isinstance(node, exp.Like) and _has_prefix(node.expression):
            return _Plain(op=exp.Like, others=(node.expression,))
        return None

    def _is_key(self, node: object, key: str) -> bool:
        if not isinstance(node, exp.Expr):
            return False
        node = node.unnest()
        return isinstance(node, exp.Column) and node.name.lower() == key.lower()


@dataclass(frozen=True, kw_only=True)
class _Plain:
    """A bare key against other things."""

    op: type[exp.Expr]
    others: tuple[exp.Expr, ...]


def _typed(key: str, node: exp.Expr, found: _Plain, column: Column, known: PartitionKey) -> Term:
    """Judge what the bare key is compared with."""
    if any(o.find(exp.Column, exp.Query) for o in found.others):
        return Term(key=key, node=node, how="dynamic")
    if not all(of_own_type(o, column) for o in found.others):
        return Term(key=key, node=node, fault="type", cure=mended(node, column, known))
    texts = [spelled(o, column) for o in found.others]
    how: How = "equal" if found.op in (exp.EQ, exp.In) else "range"
    if not all(texts):
        return Term(key=key, node=node, how=how)
    if how == "equal" and known.projection == "enum" and not _legal(texts, known.values):
        return Term(key=key, node=node, how=how, fault="value")
    return Term(key=key, node=node, how=how, where=_filter(key, found.op, texts))


def _legal(texts: Iterable[str], values: Iterable[str]) -> bool:
    allowed = set(values)
    return not allowed or any(t.strip("'") in allowed for t in texts)


def _filter(key: str, op: type[exp.Expr], texts: list[str]) -> str:
    """Write a predicate as Glue's filter, which is a small SQL."""
    if op is exp.Between:
        return f"{key} BETWEEN {texts[0]} AND {texts[1]}"
    if op is exp.In:
        return f"{key} IN ({', '.join(texts)})"
    return f"{key} {_SIGNS[op]} {texts[0]}"


_SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.LT: "<",
    exp.GT: ">",
    exp.LTE: "<=",
    exp.GTE: ">=",
    exp.Like: "LIKE",
}


def _has_prefix(pattern: exp.Expr) -> bool:
    """Tell whether a LIKE begins with plain text."""
    return isinstance(pattern, exp.Literal) and pattern.is_string and pattern.name[:1] not in "%_"
