"""What conditions determine: equalities between columns, columns that are pinned to one value."""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.grain.items import Env, Items
from querymend.tools.grain.space import Atom, Item, Relation, Rule


def conjuncts(node: object) -> Iterator[exp.Expr]:
    """Yield the parts of a condition that must all hold."""
    if isinstance(node, exp.Where | exp.Having | exp.Qualify | exp.Paren):
        yield from conjuncts(node.this)
    elif isinstance(node, exp.And):
        for part in node.flatten():
            yield from conjuncts(part)
    elif isinstance(node, exp.Expr):
        yield node


def rules_of(condition: object, items: Items, env: Env, relation: Relation) -> list[Rule]:
    """Return what holds in every row that satisfies a condition."""
    rules: list[Rule] = []
    for part in conjuncts(condition):
        for left, right in _equalities(part):
            rules += _equal(items.of(left, env), items.of(right, env))
        rules += _absent(part, items, env, relation)
    return rules


def on_rules(
    join: exp.Join, items: Items, env: Env, relation: Relation, nullable: frozenset[int]
) -> list[Rule]:
    """Return what a join's condition makes hold.

    Behind an outer join only what touches the side that it may fill with NULL: either its row is
    the one that matches, or it is NULL altogether.
    """
    condition = join.args.get("on")
    rules = rules_of(condition, items, env, relation)
    relation.joined |= {i for r in rules for i in (*r.given, r.then)}
    if not nullable:
        return rules
    return [r for r in rules if _touches(r, items, nullable)]


def _touches(rule: Rule, items: Items, atoms: frozenset[int]) -> bool:
    return any(items.owners(i) & atoms for i in (rule.then, *rule.given))


def _equalities(part: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yield the pairs of expressions that a condition says are equal."""
    if isinstance(part, exp.EQ | exp.NullSafeEQ):
        left, right = part.this.unnest(), part.expression.unnest()
        if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
            yield from zip(left.expressions, right.expressions, strict=False)
        else:
            yield left, right
    elif isinstance(part, exp.In) and len(part.expressions) == 1 and not part.args.get("query"):
        yield part.this, part.expressions[0]


def _equal(left: Item | None, right: Item | None) -> list[Rule]:
    if left is None and right is None:
        return []
    if left is None or right is None:
        item = left if right is None else right
        assert item is not None
        return [Rule(frozenset(), item)]
    return [Rule(frozenset((left,)), right), Rule(frozenset((right,)), left)]


def _absent(part: exp.Expr, items: Items, env: Env, relation: Relation) -> list[Rule]:
    """Return that a source is one row of NULLs where its key or join column IS NULL."""
    if not isinstance(part, exp.Is) or not isinstance(part.expression, exp.Null):
        return []
    item = items.of(part.this, env)
    gone = relation.nullable.get(item[0]) if item else None
    if gone is None or item is None:
        return []
    atom = next(a for a in relation.atoms if a.id == item[0])
    if item not in relation.joined and not _in_key(atom, item[1]):
        return []
    return [Rule(frozenset(), (a, "")) for a in gone]


def _in_key(atom: Atom, column: str) -> bool:
    return any(column in key for key in atom.keys)
