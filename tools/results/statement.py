"""What the SQL behind a result says about the result's shape, read from its tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.sql.trees import with_plain_negations

_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.FirstValue, exp.LastValue, exp.NthValue)
_EXTREMES = (exp.Max, exp.Min, exp.ArgMax, exp.ArgMin, exp.Greatest, exp.Least)


@dataclass(frozen=True, kw_only=True)
class Predicate:
    """A text literal that a column is compared with."""

    table: str
    """Qualified name; empty where it could not be told."""
    column: str
    value: str
    pattern: bool = False
    """The value is a LIKE pattern."""
    wrapped: bool = False
    """A function stands round the column: its case or blanks are changed."""
    negated: bool = False
    choice: bool = False
    """One of several alternatives: in an IN list or under an OR."""
    clause: str = ""


@dataclass(frozen=True)
class Statement:
    """One parsed statement, seen from its result."""

    tree: exp.Expr
    catalog: Catalog
    dialect: str

    @classmethod
    def of(cls, sql: str, dialect: str, catalog: Catalog) -> "Statement | None":
        """Parse the SQL; None if it does not parse."""
        try:
            tree: exp.Expr = with_plain_negations(sqlglot.parse_one(sql, read=dialect))
        except SqlglotError:
            return None
        while isinstance(tree, exp.Subquery | exp.Paren) and tree.args.get("order") is None:
            tree = tree.this
        return cls(tree, catalog, dialect)

    @cached_property
    def select(self) -> exp.Select | None:
        """The SELECT whose list names the result's columns, through plain wrappers."""
        node: exp.Expr | None = self.tree
        while isinstance(node, exp.SetOperation | exp.Subquery):
            node = node.this
        return node if isinstance(node, exp.Select) else None

    @cached_property
    def source(self) -> exp.Select | None:
        """The SELECT that makes the rows: the inner one where the outer only picks columns."""
        node = self.select
        while node is not None and (inner := self._inner(node)) is not None:
            node = inner
        return node

    @property
    def ordered(self) -> bool:
        """The rows are ordered: ORDER BY at top level."""
        return self.tree.args.get("order") is not None

    @property
    def limit(self) -> int | None:
        """The row bound at top level, or of the one query that it reads from."""
        nodes = (self.tree, self.source)
        return next((n for n in (_limit(t) for t in nodes if t is not None) if n), None)

    @property
    def keeps_ties(self) -> bool:
        """Rows that tie are kept: WITH TIES, RANK, or a comparison with the extreme."""
        options = (n.args.get("limit_options") for n in self.tree.find_all(exp.Limit, exp.Fetch))
        ties = any(o is not None and o.args.get("with_ties") for o in options)
        return ties or self.tree.find(*_RANKS) is not None

    @property
    def grouped(self) -> bool:
        """A GROUP BY stands anywhere."""
        return self.tree.find(exp.Group) is not None

    @property
    def windowed(self) -> bool:
        """A window function stands anywhere."""
        return self.tree.find(exp.Window) is not None

    @property
    def has_aggregate(self) -> bool:
        """An aggregate stands anywhere."""
        return self.tree.find(exp.AggFunc) is not None

    @property
    def one_row(self) -> bool:
        """The statement yields one row whatever the data: aggregates without a group."""
        select = self.select
        if select is None or select is not self.tree or select.args.get("group"):
            return False
        return bool(select.expressions) and all(_aggregates(e) for e in select.expressions)

    @property
    def finds_extreme(self) -> bool:
        """Something picks a highest or lowest: ORDER BY with LIMIT, MIN/MAX, a rank, ALL."""
        if self.tree.find(*_EXTREMES, *_RANKS, exp.All, exp.Qualify):
            return True
        return any(n.args.get("order") and n.args.get("limit") for n in self._queries())

    @property
    def tables(self) -> tuple[Table, ...]:
        """The catalog's tables that the statement reads."""
        names = {".".join(p.name for p in t.parts) for t in self.tree.find_all(exp.Table)}
        found = (self.catalog.table(n) for n in sorted(names))
        return tuple(t for t in found if t is not None)

    @cached_property
    def predicates(self) -> tuple[Predicate, ...]:
        """Every text literal that a column is compared with, in the order written."""
        return tuple(p for node in self.tree.walk() for p in self._predicates(node))

    def shown(self) -> list[exp.Expr]:
        """Return the select list, stars left out of account."""
        select = self.select
        return list(select.expressions) if select is not None else []

    def is_always_null(self, projection: exp.Expr) -> bool:
        """Tell whether a select item is a column without any value in the whole warehouse."""
        column = projection.unalias()
        if not isinstance(column, exp.Column):
            return False
        table = self.catalog.table(self.table_of(column))
        found = table.column(column.name) if table else None
        return found is not None and found.profile is not None and found.profile.null_share == 1.0

    def sql_of(self, node: exp.Expr) -> str:
        """Write a piece of the tree as SQL, at most 120 characters of it."""
        return node.sql(self.dialect)[:120]

    def _queries(self) -> Iterator[exp.Expr]:
        yield from self.tree.find_all(exp.Select, exp.SetOperation, exp.Subquery)

    def _inner(self, node: exp.Select) -> exp.Select | None:
        plain = all(isinstance(e.unalias(), exp.Column | exp.Star) for e in node.expressions)
        shaped = any(node.args.get(a) for a in ("joins", "where", "group", "limit", "distinct"))
        start = node.args.get("from_")
        if not plain or shaped or start is None:
            return None
        inner = start.this
        if isinstance(inner, exp.Table):
            inner = self._cte(inner.name)
        while isinstance(inner, exp.Subquery):
            inner = inner.this
        return inner if isinstance(inner, exp.Select) and inner is not node else None

    def _cte(self, name: str) -> exp.Expr | None:
        ctes = (c for c in self.tree.find_all(exp.CTE) if c.alias.lower() == name.lower())
        return next((c.this for c in ctes), None)

    def _predicates(self, node: exp.Expr) -> Iterator[Predicate]:
        pairs: tuple[tuple[exp.Expr, exp.Expr], ...]
        if isinstance(node, exp.EQ | exp.NEQ):
            pairs = ((node.this, node.expression), (node.expression, node.this))
        elif isinstance(node, exp.Like | exp.ILike):
            pairs = ((node.this, node.expression),)
        elif isinstance(node, exp.In):
            pairs = tuple((node.this, e) for e in node.expressions)
        else:
            return
        for side, literal in pairs:
            if (made := self._predicate(node, side, literal)) is not None:
                yield made

    def _predicate(self, node: exp.Expr, side: exp.Expr, literal: exp.Expr) -> Predicate | None:
        value = self._text(literal)
        column = side if isinstance(side, exp.Column) else side.find(exp.Column)
        if value is None or column is None or self._text(side) is not None:
            return None
        return Predicate(
            table=self.table_of(column),
            column=column.name,
            value=value,
            pattern=isinstance(node, exp.Like | exp.ILike),
            wrapped=column is not side or isinstance(node, exp.ILike),
            choice=isinstance(node, exp.In) or node.find_ancestor(exp.Or) is not None,
            negated=isinstance(node, exp.NEQ) or isinstance(node.parent, exp.Not),
            clause=self.sql_of(node),
        )

    def _text(self, node: exp.Expr) -> str | None:
        """A text literal; SQLite reads a quoted name that is no column as one, too."""
        if isinstance(node, exp.Literal):
            return str(node.this) if node.is_string else None
        if self.dialect == "sqlite" and isinstance(node, exp.Column) and not node.table:
            quoted = isinstance(node.this, exp.Identifier) and node.this.quoted
            if quoted and not any(t.column(node.name) for t in self.tables):
                return node.name
        return None

    def table_of(self, column: exp.Column) -> str:
        """Return the qualified name of the table that holds a column; empty if it is not sure."""
        owner = self._aliased(column) if column.table else self._holding(column)
        return owner.qualified_name if owner is not None and owner.column(column.name) else ""

    def _aliased(self, column: exp.Column) -> Table | None:
        """Find the table behind an alias: of the query that holds the column, then of any."""
        queries = [column.find_ancestor(exp.Select), self.tree]
        for query in (q for q in queries if q is not None):
            for table in query.find_all(exp.Table):
                if table.alias_or_name.lower() == column.table.lower():
                    return self.catalog.table(".".join(p.name for p in table.parts))
        return None

    def _holding(self, column: exp.Column) -> Table | None:
        """Find the one table that has a bare column: among those of its own query first."""
        for tables in (self._own(column), self.tables):
            holders = [t for t in tables if t.column(column.name)]
            if len(holders) == 1:
                return holders[0]
        return None

    def _own(self, column: exp.Column) -> tuple[Table, ...]:
        query = column.find_ancestor(exp.Select)
        if query is None:
            return ()
        starts = (query.args.get("from_"), *(query.args.get("joins") or ()))
        named = [s.this for s in starts if s is not None and isinstance(s.this, exp.Table)]
        found = (self.catalog.table(".".join(p.name for p in t.parts)) for t in named)
        return tuple(t for t in found if t is not None)


def _limit(node: exp.Expr) -> int | None:
    bound = node.args.get("limit")
    if isinstance(bound, exp.Limit):
        count = bound.expression
    elif isinstance(bound, exp.Fetch):
        count = bound.args.get("count")
    else:
        return None
    options = bound.args.get("limit_options")
    if options is not None and options.args.get("percent"):
        return None
    return int(count.this) if isinstance(count, exp.Literal) and count.is_int else None


def _aggregates(projection: exp.Expr) -> bool:
    """A select item is an aggregate, and none over a window."""
    if projection.find(exp.Window):
        return False
    return projection.find(exp.AggFunc) is not None
