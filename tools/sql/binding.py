"""Which source each column of a statement comes from, by the scoping rules of its dialect.

The binder never guesses: where a source's columns cannot be known (a table function, a PIVOT, an
unnested struct) references that may be its are ``unsure`` and nobody is blamed.
"""

from collections.abc import Iterable

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.sql.outputs import Columns, alias_columns, output_names, renamed
from querymend.tools.sql.parse import Parsed
from querymend.tools.sql.resolving import resolve_column
from querymend.tools.sql.sources import Binding, Block, Clause, Mismatch, Ref, Source
from querymend.tools.sql.tables import fold, is_cte, resolve
from querymend.tools.sql.trees import (
    arms,
    columns_and_queries,
    is_comma,
    operations,
    sees_all,
    unwrap,
)
from querymend.tools.sql.widths import wrong_widths

__all__ = ["Binding", "Block", "Mismatch", "Ref", "Source", "bind"]

_CLAUSES: tuple[tuple[str, Clause], ...] = (
    ("distinct", "other"),
    ("expressions", "select"),
    ("where", "where"),
    ("group", "group"),
    ("having", "having"),
    ("windows", "other"),
    ("qualify", "qualify"),
    ("order", "order"),
    ("limit", "other"),
    ("offset", "other"),
)
_Ctes = dict[str, Columns]


def bind(parsed: Parsed, catalog: Catalog) -> Binding:
    """Bind a statement that was read without a fault."""
    assert parsed.tree is not None
    binding = Binding(parsed=parsed)
    _Binder(binding, catalog).whole(parsed.tree)
    return binding


class _Binder:
    def __init__(self, binding: Binding, catalog: Catalog) -> None:
        self._binding = binding
        self._catalog = catalog
        self._dialect = binding.parsed.dialect
        self._inner: list[tuple[exp.Expr, Columns]] = []

    def whole(self, tree: exp.Expr) -> None:
        """Bind a statement; then judge the subqueries that stand in its expressions."""
        self._binding.columns = self.query(tree, {}, None)
        self._binding.mismatches += wrong_widths(self._inner, self._dialect)

    def query(self, node: exp.Expr, ctes: _Ctes, outer: Block | None) -> Columns:
        """Bind a query and return its columns."""
        node = unwrap(node)
        ctes = self._with(node, ctes, outer)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, ctes, outer)
        if isinstance(node, exp.Subquery):
            return self._wrapped(node, ctes, outer)
        if isinstance(node, exp.Select):
            return self._select(node, ctes, outer)
        if isinstance(node, exp.Values):
            self._loose(node.expressions, ctes, outer)
            return output_names(node, self._dialect, lambda _: None)
        return None

    def _with(self, node: exp.Expr, ctes: _Ctes, outer: Block | None) -> _Ctes:
        with_ = node.args.get("with_")
        if not isinstance(with_, exp.With):
            return ctes
        ctes = dict(ctes)
        for cte in with_.expressions:
            alias = cte.args["alias"]
            named = alias_columns(alias)
            key = fold(alias.this, self._dialect)
            if with_.args.get("recursive"):
                ctes[key] = tuple(named) if named else self._anchor(cte.this, ctes, outer)
            ctes[key] = renamed(self.query(cte.this, ctes, outer), named)
        return ctes

    def _anchor(self, node: exp.Expr, ctes: _Ctes, outer: Block | None) -> Columns:
        """Return the columns of a recursive CTE's first arm; its references are bound later."""
        first = node
        while isinstance(first, exp.SetOperation):
            first = first.this
        if first is node:
            return None
        return _Binder(Binding(parsed=self._binding.parsed), self._catalog).query(
            first, ctes, outer
        )

    def _set_operation(self, node: exp.SetOperation, ctes: _Ctes, outer: Block | None) -> Columns:
        parts = list(arms(node))
        columns = [self.query(arm, ctes, outer) for arm in parts]
        by_name = any(o.args.get("by_name") for o in operations(node))
        first = columns[0]
        for arm, got in zip(parts[1:], columns[1:], strict=True):
            if first is not None and got is not None and len(got) != len(first) and not by_name:
                self._mismatch(arm, len(first), len(got))
        if by_name:
            known = [c for c in columns if c is not None]
            first = (
                tuple(dict.fromkeys(n for c in known for n in c))
                if len(known) == len(columns)
                else None
            )
        for operation in operations(node):
            self._output_order(operation, first, ctes, outer)
        return first

    def _output_order(
        self, node: exp.Expr, columns: Columns, ctes: _Ctes, outer: Block | None
    ) -> None:
        """Bind the ORDER BY of a set operation: it sees the result's columns alone."""
        block = Block(select=node, outer=outer)
        block.sources.append(Source(name="", columns=columns, node=node))
        for key in ("order", "limit", "offset"):
            self._clause(node.args.get(key), "order", block, ctes)

    def _wrapped(self, node: exp.Subquery, ctes: _Ctes, outer: Block | None) -> Columns:
        columns = self.query(node.this, ctes, outer)
        if any(node.args.get(k) for k in ("order", "limit", "offset")):
            self._output_order(node, columns, ctes, outer)
        return None if node.args.get("pivots") else columns

    def _mismatch(self, node: exp.Expr, want: int, got: int) -> None:
        self._binding.mismatches.append(Mismatch(node=node, want=want, got=got))

    def _select(self, node: exp.Select, ctes: _Ctes, outer: Block | None) -> Columns:
        block = Block(select=node, outer=outer)
        self._binding.blocks.append(block)
        self._from(node, block, ctes)
        self._match(node.args.get("match"), block)
        for projection in node.expressions:
            if isinstance(projection, exp.Alias) and projection.alias:
                block.aliases.setdefault(projection.alias.lower(), projection.this)
        for key, clause in _CLAUSES:
            self._clause(node.args.get(key), clause, block, ctes)
        return output_names(node, self._dialect, block.star)

    def _from(self, node: exp.Select, block: Block, ctes: _Ctes) -> None:
        from_ = node.args.get("from_")
        if from_ is not None:
            self._source(from_.this, block, ctes, lateral=False)
        joins = node.args.get("joins") or []
        waiting = [j for j in joins if self._dialect == "sqlite" and sees_all(j, joins)]
        for join in joins:
            self._join(join, block, ctes, on=all(j is not join for j in waiting))
        for lateral in node.args.get("laterals") or []:
            self._source(lateral, block, ctes, lateral=True)
        for join in waiting:
            self._clause(join.args.get("on"), "on", block, ctes)

    def _match(self, node: object, block: Block) -> None:
        """Put MATCH_RECOGNIZE in place of its input; its columns are not worked out."""
        if isinstance(node, exp.MatchRecognize):
            block.sources.pop()
            self._add(node, None, block)

    def _join(self, join: exp.Join, block: Block, ctes: _Ctes, *, on: bool = True) -> None:
        """Bind a join: its source, what it merges and, with ``on``, its condition."""
        before = list(block.sources)
        self._source(join.this, block, ctes, lateral=False)
        if join.method == "NATURAL":
            block.merged |= _common(before, block.sources[len(before) :])
        for name in join.args.get("using") or []:
            self._using(name, before, block)
        if on:
            self._clause(join.args.get("on"), "on", self._seen_from(join, block), ctes)

    def _seen_from(self, join: exp.Join, block: Block) -> Block:
        """Return what ON may name: behind a comma, joins begin anew where the dialect says so."""
        if join.args.get("on") is None or self._dialect in ("duckdb", "sqlite"):
            return block
        first = self._last_comma(join, block)
        if not first:
            return block
        return Block(select=block.select, sources=block.sources[first:], outer=block.outer)

    def _last_comma(self, join: exp.Join, block: Block) -> int:
        """Return how many sources stand before the last comma in front of a join."""
        joins = block.select.args.get("joins") or []
        place = next((i for i, j in enumerate(joins) if j is join), 0)
        commas = [i for i, j in enumerate(joins[:place]) if is_comma(j)]
        return commas[-1] + 1 if commas else 0

    def _using(self, name: exp.Expr, before: list[Source], block: Block) -> None:
        new = block.sources[len(before) :]
        for side in (before, new):
            known = all(s.columns is not None for s in side)
            if known and not any(s.has(name.name) for s in side):
                column = name if isinstance(name, exp.Column) else exp.column(name.copy())
                self._record(Ref(column=column, block=block, clause="on", status="no_column"))
        block.merged.add(name.name.lower())
        block.used.add(name.name.lower())

    def _source(self, node: exp.Expr, block: Block, ctes: _Ctes, *, lateral: bool) -> None:
        if isinstance(node, exp.Table):
            self._table(node, block, ctes)
        elif isinstance(node, exp.Lateral):
            self._lateral(node, block, ctes)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            self._joined(node, block, ctes)
        elif isinstance(node, exp.Query):
            sees = block if lateral or self._dialect == "duckdb" else block.outer
            columns = self.query(node, ctes, sees)
            self._add(node, renamed(columns, alias_columns(node.args.get("alias"))), block)
        else:
            self._function(node, block, ctes)

    def _table(self, node: exp.Table, block: Block, ctes: _Ctes) -> None:
        if not isinstance(node.this, exp.Identifier):
            self._function(node, block, ctes)
            return
        table = None
        if is_cte(node, self._dialect):
            columns = ctes.get(fold(node.this, self._dialect))
        else:
            table = resolve(node, self._catalog, self._dialect)
            columns = tuple(c.name for c in table.columns) if table else None
        odd = any(node.args.get(k) for k in ("pivots", "changes", "rows_from"))
        columns = None if odd else renamed(columns, alias_columns(node.args.get("alias")))
        self._add(node, columns, block, None if odd else table)
        for join in node.args.get("joins") or []:
            self._join(join, block, ctes)

    def _joined(self, node: exp.Subquery, block: Block, ctes: _Ctes) -> None:
        """Bind ``(a JOIN b)``: without an alias its tables are seen from outside."""
        if not node.alias:
            self._table(node.this, block, ctes)
            return
        inner = Block(select=node, outer=block.outer)
        self._table(node.this, inner, ctes)
        self._add(node, None, block)

    def _lateral(self, node: exp.Lateral, block: Block, ctes: _Ctes) -> None:
        if isinstance(node.this, exp.Query):
            columns = self.query(node.this, ctes, block)
            self._add(node, renamed(columns, alias_columns(node.args.get("alias"))), block)
        else:
            self._function(node, block, ctes)

    def _function(self, node: exp.Expr, block: Block, ctes: _Ctes) -> None:
        """Bind UNNEST, VALUES and table functions: columns only where an alias lists them."""
        inner = Block(select=node, sources=list(block.sources), outer=block.outer)
        self._clause(node.args.get("expressions") or node.args.get("this"), "from", inner, ctes)
        alias = node.args.get("alias")
        named = tuple(alias_columns(alias))
        if named and isinstance(node.args.get("offset"), exp.Identifier):
            named = (*named, node.args["offset"].name)
        values = output_names(node, self._dialect, lambda _: None)
        columns = renamed(values, list(named)) if values else (named or None)
        self._add(node, columns, block)

    def _add(
        self, node: exp.Expr, columns: Columns, block: Block, table: Table | None = None
    ) -> None:
        name = node.alias_or_name or ""
        block.sources.append(Source(name=name, columns=columns, node=node, table=table))

    def _loose(self, nodes: object, ctes: _Ctes, outer: Block | None) -> None:
        block = Block(select=self._binding.parsed.tree or exp.Null(), outer=outer)
        self._clause(nodes, "other", block, ctes)

    def _clause(self, value: object, clause: Clause, block: Block, ctes: _Ctes) -> None:
        """Bind every column below, and every query with this block around it."""
        for node in columns_and_queries(value):
            if isinstance(node, exp.Column):
                if not isinstance(node.this, exp.Star):
                    self._record(resolve_column(node, clause, block, self._dialect))
            else:
                self._inner.append((node, self.query(node, ctes, block)))

    def _record(self, ref: Ref) -> None:
        self._binding.refs.append(ref)


def _common(left: Iterable[Source], right: Iterable[Source]) -> set[str]:
    before = {c.lower() for s in left for c in s.columns or ()}
    return before & {c.lower() for s in right for c in s.columns or ()}
