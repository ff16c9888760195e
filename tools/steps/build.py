"""A statement as named steps: its CTEs, its derived tables, and the query that ends it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from querymend.tools.sql.parse import parse
from querymend.tools.sql.tables import fold
from querymend.tools.sql.trees import unwrap

LAST = ""
"""The name of the step that ends a statement."""


@dataclass(frozen=True, kw_only=True)
class NamedStep:
    """One query of a statement, without those that stand before it."""

    name: str
    """Its CTE's name; empty for the last one."""
    tree: exp.Expr
    columns: tuple[str, ...] = ()
    """The names that its CTE gives its columns; empty where they keep their own."""
    lifted: bool = False
    """It stood as a derived table in a FROM."""


@dataclass(frozen=True, kw_only=True)
class Build:
    """A statement as steps in the order in which they are made; the last one ends it."""

    steps: tuple[NamedStep, ...]
    dialect: str

    @classmethod
    def of(cls, sql: str, dialect: str) -> "Build | None":
        """Take a statement apart; None where it is unreadable, recursive or names a step twice."""
        try:
            tree = parse(sql, dialect).tree
        except RecursionError:
            return None
        if tree is None or not isinstance(tree, exp.Query):
            return None
        ctes = list(_ctes(tree))
        if any(c.parent is not None and c.parent.args.get("recursive") for c in ctes):
            return None
        taken = frozenset(t.name.lower() for t in tree.find_all(exp.Table))
        steps = [s for c in ctes for s in _apart(_step(c), taken)]
        steps += _apart(NamedStep(name=LAST, tree=_bare(tree)), taken)
        names = [s.name.lower() for s in steps]
        return cls(steps=tuple(steps), dialect=dialect) if len(set(names)) == len(names) else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the steps before the last."""
        return tuple(s.name for s in self.steps[:-1])

    def upto(self, place: int) -> str:
        """Write the statement that yields one step's rows: itself, after those that it needs."""
        return self._query(place).sql(self.dialect, normalize_functions=False)

    def sql(self, *, pretty: bool = False) -> str:
        """Write the whole statement."""
        tree = self._query(len(self.steps) - 1)
        return tree.sql(self.dialect, normalize_functions=False, pretty=pretty)

    def put(self, place: int, made: "Build") -> "Build":
        """Return the build with one step made anew.

        Args:
            place: of the step that is replaced.
            made: a build whose last step is the new text. Steps of it that this one has keep their
                place and are taken as they are there; others come before the replaced one.
        """
        old = self.steps[place]
        mine = {s.name.lower() for s in self.steps}
        known = {s.name.lower(): s for s in made.steps[:-1]}
        new = [s for s in made.steps[:-1] if s.name.lower() not in mine]
        end = replace(old, tree=made.steps[-1].tree, columns=())
        before = [known.get(s.name.lower(), s) for s in self.steps[:place]]
        return replace(self, steps=(*before, *new, end, *self.steps[place + 1 :]))

    def _query(self, place: int) -> exp.Expr:
        step = self.steps[place]
        tree = step.tree.copy()
        if step.columns and isinstance(tree, exp.Select):
            _rename(tree, step.columns)
        needed = _needed(self.steps[:place], tree, self.dialect)
        ctes = [_cte(s) for s in self.steps[:place] if s.name.lower() in needed]
        if ctes:
            tree.set("with_", exp.With(expressions=ctes))
        return tree


def _ctes(tree: exp.Expr) -> Iterator[exp.CTE]:
    """Yield the CTEs of a statement in order, those within a CTE before it."""
    with_ = tree.args.get("with_")
    for cte in with_.expressions if isinstance(with_, exp.With) else ():
        yield from _ctes(unwrap(cte.this))
        yield cte


def _step(cte: exp.CTE) -> NamedStep:
    alias = cte.args["alias"]
    columns = tuple(c.name for c in alias.args.get("columns") or [])
    return NamedStep(name=alias.name, tree=_bare(unwrap(cte.this)), columns=columns)


def _bare(tree: exp.Expr) -> exp.Expr:
    """Copy a query without its WITH."""
    copy = tree.copy()
    copy.set("with_", None)
    return copy


def _apart(step: NamedStep, taken: frozenset[str]) -> list[NamedStep]:
    """Lift the derived tables of a query's own FROM, each a step before it.

    One that is called like a table stays: as a step it would hide that table from others.
    """
    tree = step.tree.copy()
    found = [n for n in _derived(tree) if n.alias.lower() not in taken and _may_lift(n)]
    steps: list[NamedStep] = []
    for node in found:
        body = _bare(unwrap(node.this))
        steps += _apart(NamedStep(name=node.alias, tree=body, lifted=True), taken)
        node.replace(exp.to_table(node.alias))
    return [*steps, replace(step, tree=tree)]


def _derived(tree: exp.Expr) -> list[exp.Subquery]:
    """Return the derived tables in the FROM of the outermost SELECT."""
    if not isinstance(tree, exp.Select):
        return []
    starts = [tree.args.get("from_"), *(tree.args.get("joins") or [])]
    nodes = [s.this for s in starts if s is not None]
    return [n for n in nodes if isinstance(n, exp.Subquery) and isinstance(n.this, exp.Query)]


def _may_lift(node: exp.Subquery) -> bool:
    """Tell whether a derived table stands by itself: it reads nothing of its surroundings."""
    alias = node.args.get("alias")
    plain = isinstance(alias, exp.TableAlias) and not alias.args.get("columns")
    if not plain or node.args.get("pivots") or node.find(exp.With):
        return False
    here = {t.alias_or_name.lower() for t in node.find_all(exp.Table, exp.Subquery)}
    return all(c.table.lower() in here for c in node.find_all(exp.Column) if c.table)


def _needed(before: Sequence[NamedStep], tree: exp.Expr, dialect: str) -> set[str]:
    """Return the names of the earlier steps that a query reads, straight or through others."""
    needed = _reads(tree, dialect)
    for step in reversed(before):
        if step.name.lower() in needed:
            needed |= _reads(step.tree, dialect)
    return needed


def _reads(tree: exp.Expr, dialect: str) -> set[str]:
    plain = (t for t in tree.find_all(exp.Table) if not t.args.get("db"))
    return {fold(t.this, dialect).lower() for t in plain if isinstance(t.this, exp.Identifier)}


def _cte(step: NamedStep) -> exp.CTE:
    alias = exp.TableAlias(
        this=exp.to_identifier(step.name),
        columns=[exp.to_identifier(c) for c in step.columns],
    )
    return exp.CTE(this=step.tree.copy(), alias=alias)


def _rename(tree: exp.Select, columns: Sequence[str]) -> None:
    """Give the columns of a select list other names."""
    for place, name in enumerate(columns[: len(tree.expressions)]):
        tree.expressions[place].replace(exp.alias_(tree.expressions[place].unalias().copy(), name))
