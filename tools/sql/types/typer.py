"""The walk that tells types: one rule a kind of node, each node looked at once."""

from collections.abc import Callable, Mapping

from sqlglot import exp

from querymend.tools.sql.binding import Binding, Block, Ref
from querymend.tools.sql.types.faults import Fault
from querymend.tools.sql.types.model import TrinoType

Named = tuple[str, TrinoType | None]
"""A column's name and type, None where the type cannot be told."""
Rule = Callable[["Typer", exp.Expr], TrinoType | None]


class Typer:
    """Tells the type of each expression of one bound statement, and keeps the faults it meets."""

    def __init__(self, binding: Binding, rules: Mapping[type[exp.Expr], Rule]) -> None:
        self.binding = binding
        self.faults: list[Fault] = []
        self.queries: dict[int, list[Named] | None] = {}
        """The columns of each query that was looked at, by the query's id."""
        self._rules = rules
        self._refs = {id(r.column): r for r in binding.refs}
        self._blocks = {id(b.select): b for b in binding.blocks}
        self._types: dict[int, TrinoType | None] = {}
        self._parameters: dict[int, dict[str, TrinoType | None]] = {}

    def of(self, node: object) -> TrinoType | None:
        """Return a node's type, None where it cannot be told."""
        if not isinstance(node, exp.Expr):
            return None
        key = id(node)
        if key not in self._types:
            self._types[key] = None  # a node that meets itself on the way is unknown
            rule = self._rules.get(type(node))
            self._types[key] = rule(self, node) if rule else None
        return self._types[key]

    def ref(self, column: exp.Expr) -> Ref | None:
        """Return where a column comes from."""
        return self._refs.get(id(column))

    def block(self, select: exp.Expr) -> Block | None:
        """Return a SELECT's sources and aliases."""
        return self._blocks.get(id(select))

    def blame(self, node: exp.Expr, code: str, message: str, hint: str) -> None:
        """Keep a fault."""
        self.faults.append(Fault(code=code, node=node, message=message, hint=hint))

    def body(self, given: exp.Lambda, parameters: list[TrinoType | None]) -> TrinoType | None:
        """Return what a lambda gives for parameters of these types; its body is told anew."""
        names = [p.name.lower() for p in given.expressions]
        self._parameters[id(given)] = dict(zip(names, parameters, strict=False))
        for node in given.this.walk():
            self._types.pop(id(node), None)
        before = len(self.faults)
        found = self.of(given.this)
        if None in parameters:
            del self.faults[before:]
        return found

    def parameter(self, name: exp.Expr) -> TrinoType | None:
        """Return the type of a lambda's parameter, by the innermost lambda that declares it."""
        node = name.parent
        while node is not None:
            if isinstance(node, exp.Lambda):
                known = self._parameters.get(id(node), {})
                if name.name.lower() in known:
                    return known[name.name.lower()]
            node = node.parent
        return None


def typeless(check: Callable[[Typer, exp.Expr], None]) -> Rule:
    """Make a rule of a check that tells no type."""

    def rule(typer: Typer, node: exp.Expr) -> TrinoType | None:
        check(typer, node)
        return None

    return rule
