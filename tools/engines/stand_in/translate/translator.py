"""The walk that translates: one rule a kind of node, and what all rules share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import refused
from querymend.tools.engines.stand_in.translate.coercions import coerced
from querymend.tools.engines.stand_in.translate.parts import unread
from querymend.tools.errors import QueryError
from querymend.tools.sql.sources import Binding, Block, Ref, Source
from querymend.tools.sql.types.inference import Types
from querymend.tools.sql.types.model import TrinoType
from querymend.tools.sql.types.typer import Named

Rule = Callable[["Translator", exp.Expr], exp.Expr]
QueryRule = Callable[["Translator", exp.Expr, list[TrinoType] | None], exp.Query]


@dataclass(kw_only=True)
class World:
    """What lies outside the statement."""

    catalog: str = ""
    """DuckDB's name for the file."""
    database: str = ""
    """Where unqualified tables belong."""
    stored: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    """DuckDB's own type of a column, by schema, table and column in lower case."""
    now: str = ""
    """The session's instant, ``2024-01-01 10:00:00``; the clock's where empty."""


class Translator:
    """Translates one bound and typed statement."""

    def __init__(
        self,
        types: Types,
        binding: Binding,
        world: World,
        *,
        rules: Mapping[type[exp.Expr], Rule],
        query_rule: QueryRule,
    ) -> None:
        self.types = types
        self.world = world
        self._text = binding.parsed.text
        self._rules = rules
        self._query_rule = query_rule
        self._refs = {id(r.column): r for r in binding.refs}
        self._blocks = {id(b.select): b for b in binding.blocks}
        self._aliases: dict[int, str] = {}
        self._parameters: dict[str, list[str]] = {}
        self._made = 0

    def kind(self, node: exp.Expr) -> TrinoType:
        """Return a node's type; refuse what cannot be told."""
        found = self.types.of(node)
        if found is None:
            raise self.refused(f"The type of {node.sql('trino')[:80]} cannot be told: it", node)
        return found

    def expr(self, node: exp.Expr) -> exp.Expr:
        """Translate an expression; its type in DuckDB is that of its type in Trino."""
        rule = self._rules.get(type(node))
        if rule is None:
            raise self.refused(f"{node.key.upper()} ({node.sql('trino')[:60]})", node)
        for part in unread(node):
            raise self.refused(f"{node.sql('trino')[:60]} ({part})", node)
        return rule(self, node)

    def to(self, node: exp.Expr, wanted: TrinoType) -> exp.Expr:
        """Translate an expression and cast it as Trino does by itself."""
        return coerced(self.expr(node), self.kind(node), wanted)

    def query(self, node: exp.Expr, wanted: list[TrinoType] | None) -> exp.Query:
        """Translate a query; its columns take the wanted types, their own where none are given."""
        return self._query_rule(self, node, wanted)

    def refused(self, what: str, node: exp.Expr | None = None) -> QueryError:
        """Return the refusal of a construct of this statement."""
        return refused(what, node, self._text)

    def ref(self, node: exp.Expr) -> Ref | None:
        """Return where a column comes from."""
        return self._refs.get(id(node))

    def block(self, select: exp.Expr) -> Block:
        """Return a SELECT's sources."""
        found = self._blocks.get(id(select))
        if found is None:
            raise self.refused("This query", select)
        return found

    def columns(self, source: Source) -> list[Named]:
        """Return the columns of an entry of FROM."""
        found = self.types.source(source)
        if found is None:
            raise self.refused(f"FROM {source.name}, whose columns cannot be told,", source.node)
        return list(found)

    def alias(self, source: Source) -> str:
        """Return the name that an entry of FROM has in DuckDB: its own, where it has one."""
        key = id(source.node)
        if key not in self._aliases:
            taken = source.name.lower() in {a.lower() for a in self._aliases.values()}
            self._aliases[key] = source.name if source.name and not taken else self.fresh("s")
        return self._aliases[key]

    def fresh(self, stem: str) -> str:
        """Return a name that nothing else has."""
        self._made += 1
        return f"qm_{stem}{self._made}"

    def lambda_(self, node: exp.Lambda, body: Callable[[], exp.Expr]) -> tuple[exp.Expr, list[str]]:
        """Translate a lambda's body; return it with the names of the parameters."""
        named = [p.name.lower() for p in node.expressions]
        names = [self.fresh("p") for _ in named]
        for name, new in zip(named, names, strict=True):
            self._parameters.setdefault(name, []).append(new)
        try:
            return body(), names
        finally:
            for name in named:
                self._parameters[name].pop()

    def parameter(self, name: str) -> str | None:
        """Return what a lambda's parameter is called in DuckDB."""
        stack = self._parameters.get(name.lower())
        return stack[-1] if stack else None
