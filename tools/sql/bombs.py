"""Statements that are sure to exhaust an engine, by simple rules; its deadline sees to the rest.

- a series, repetition or padding whose constant size is over ``MAX_SERIES``, also as a product of
  the series that one FROM multiplies;
- four or more tables of one SELECT that no condition connects;
- a recursive CTE without a condition on its columns, unless a LIMIT stands right around it.
"""

from collections.abc import Iterator
from math import prod

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.sql.parse import Parsed, position, written

MAX_SERIES = 10_000_000
"""Rows of a constant series, or characters of a constant repetition."""
MAX_UNCONNECTED = 4

_SIZED = {
    "repeat": 1,
    "lpad": 1,
    "rpad": 1,
    "space": 0,
    "array_resize": 1,
    "list_resize": 1,
    "zeroblob": 0,
    "randomblob": 0,
    "combinations": 1,
    "array_fill": 1,
    "bar": 3,
}
"""Functions whose result grows with one argument, with that argument's place."""


def check_cost(parsed: Parsed) -> list[Finding]:
    """Return what makes a statement sure to run out of time or memory."""
    assert parsed.tree is not None
    tree = parsed.tree
    found = [*_series(tree), *_repetitions(tree, parsed), *_products(tree)]
    findings = [_too_big(node, parsed) for node in found]
    findings += [_unconnected(s, parsed) for s in tree.find_all(exp.Select) if _is_product(s)]
    return findings + [_endless(c, parsed) for c in tree.find_all(exp.CTE) if _is_endless(c)]


def constant(node: object) -> float | None:
    """Compute a number that is written with literals and arithmetic alone."""
    if isinstance(node, (exp.Paren, exp.Cast, exp.TryCast)):
        return constant(node.this)
    if isinstance(node, exp.Neg):
        inner = constant(node.this)
        return None if inner is None else -inner
    if isinstance(node, exp.Literal):
        return _number(node.this)
    if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Pow, exp.BitwiseLeftShift)):
        return _arithmetic(node, constant(node.this), constant(node.expression))
    return None


def _number(text: str) -> float | None:
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return None


def _arithmetic(node: exp.Expr, left: float | None, right: float | None) -> float | None:
    if left is None or right is None:
        return None
    if isinstance(node, exp.Add):
        return left + right
    if isinstance(node, exp.Sub):
        return left - right
    if isinstance(node, exp.Mul):
        return left * right
    base = 2.0 if isinstance(node, exp.BitwiseLeftShift) else left
    if abs(right) * max(abs(base), 2) > 600:
        return float("inf")
    power = base**right if base >= 0 else 0.0
    return left * power if isinstance(node, exp.BitwiseLeftShift) else power


def series_size(node: exp.Expr) -> float | None:
    """Return how many values a constant series has."""
    if not isinstance(node, (exp.GenerateSeries, exp.GenerateDateArray)):
        return None
    start, end = constant(node.args.get("start")), constant(node.args.get("end"))
    step = constant(node.args.get("step")) if node.args.get("step") else 1.0
    if start is None or end is None or not step:
        return None
    return max(0.0, (end - start) / step)


def _series(tree: exp.Expr) -> Iterator[exp.Expr]:
    for node in tree.find_all(exp.GenerateSeries):
        size = series_size(node)
        if size is not None and size > MAX_SERIES:
            yield node


def _products(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Yield SELECTs whose FROM multiplies constant series to too many rows."""
    for select in tree.find_all(exp.Select):
        sizes = [size for source in sources(select) for size in _sizes(source)]
        if len(sizes) > 1 and prod(sizes) > MAX_SERIES:
            yield select


def _sizes(source: exp.Expr) -> Iterator[float]:
    inner = source.find(exp.GenerateSeries, exp.Select)
    size = series_size(inner) if inner is not None else None
    if size is not None:
        yield size


def _repetitions(tree: exp.Expr, parsed: Parsed) -> Iterator[exp.Expr]:
    for node in tree.find_all(exp.Func):
        place = _SIZED.get(_written_name(node, parsed))
        if place is None:
            continue
        arguments = list(node.iter_expressions())
        sizes = [c for a in arguments[place:] for n in a.walk() if (c := constant(n) or 0) > 1]
        literals = [_number(n.this) or 1 for a in arguments[place:] for n in _numbers(a)]
        if max(sizes, default=0) > MAX_SERIES or prod(literals) > MAX_SERIES:
            yield node


def _numbers(node: exp.Expr) -> Iterator[exp.Literal]:
    """Yield the numbers that a size is computed with: ``id * 1000 * 1000`` is no constant."""
    yield from (n for n in node.find_all(exp.Literal) if not n.is_string)


def _written_name(node: exp.Expr, parsed: Parsed) -> str:
    start, end = node.meta.get("start"), node.meta.get("end")
    if start is None or end is None:
        return ""
    return parsed.text[start : end + 1].strip('"').lower()


def sources(select: exp.Expr) -> list[exp.Expr]:
    """Return what one SELECT reads from, joined sources included."""
    from_ = select.args.get("from_")
    first = [from_.this] if isinstance(from_, exp.From) else []
    return [*first, *(j.this for j in select.args.get("joins") or [])]


def _is_product(select: exp.Select) -> bool:
    """Tell whether four or more groups of tables are connected by no condition."""
    tables = [s for s in sources(select) if isinstance(s, exp.Table)]
    if len(tables) < MAX_UNCONNECTED:
        return False
    groups = _Groups([t.alias_or_name.lower() for t in tables])
    for join in select.args.get("joins") or []:
        if join.args.get("using") or join.method:
            groups.join(groups.names)
        groups.connect(join.args.get("on"))
    groups.connect(select.args.get("where"))
    return groups.count() >= MAX_UNCONNECTED


class _Groups:
    """Sources, put together by the conditions that speak of more than one."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._leader = {n: n for n in names}

    def connect(self, condition: object) -> None:
        for node in _conditions(condition):
            columns = list(node.find_all(exp.Column))
            if any(not c.table for c in columns):
                self.join(self.names)  # a bare column may be anyone's
            self.join([c.table.lower() for c in columns if c.table.lower() in self._leader])

    def join(self, names: list[str]) -> None:
        for name in names[1:]:
            leader, other = self._leader[names[0]], self._leader[name]
            self._leader = {n: leader if v == other else v for n, v in self._leader.items()}

    def count(self) -> int:
        return len(set(self._leader.values()))


def _conditions(condition: object) -> Iterator[exp.Expr]:
    """Yield the parts of a conjunction that compare columns with columns."""
    if not isinstance(condition, exp.Expr):
        return
    stack = [condition]
    while stack:
        node = stack.pop()
        if isinstance(node, (exp.And, exp.Where, exp.Paren)):
            stack.extend(node.iter_expressions())
        elif len({c.sql() for c in node.find_all(exp.Column)}) > 1:
            yield node


def _is_endless(cte: exp.CTE) -> bool:
    with_ = cte.parent
    if not isinstance(with_, exp.With) or not with_.args.get("recursive"):
        return False
    union = cte.this
    if not isinstance(union, exp.SetOperation) or not _mentions(union, cte.alias):
        return False
    body = with_.parent
    return not _is_bounded(union.expression) and not (body is not None and body.args.get("limit"))


def _mentions(node: exp.Expr, name: str) -> bool:
    return any(t.name.lower() == name.lower() for t in node.find_all(exp.Table))


def _is_bounded(arm: exp.Expr) -> bool:
    """Tell whether a recursive arm has a condition that a row can fail."""
    for node in arm.find_all(exp.Where, exp.Having, exp.Qualify, exp.Join, exp.Limit):
        if isinstance(node, exp.Limit):
            return True
        condition = node.args.get("on") if isinstance(node, exp.Join) else node.this
        if isinstance(node, exp.Join) and (node.args.get("using") or node.method):
            return True
        if isinstance(condition, exp.Expr) and condition.find(exp.Column):
            return True
    return False


def _too_big(node: exp.Expr, parsed: Parsed) -> Finding:
    return _finding("too_costly", node, parsed, f"It would make over {MAX_SERIES:,} values.")


def _unconnected(node: exp.Expr, parsed: Parsed) -> Finding:
    message = f"{MAX_UNCONNECTED} or more tables are multiplied: no condition connects them."
    return _finding("too_costly", node, parsed, message, "Join them on their keys.")


def _endless(node: exp.Expr, parsed: Parsed) -> Finding:
    message = f"The recursion of {node.alias} has no condition that ends it."
    return _finding("too_costly", node, parsed, message, "Give the recursive arm a WHERE.")


def _finding(code: str, node: exp.Expr, parsed: Parsed, message: str, hint: str = "") -> Finding:
    return Finding(
        code=code,
        kind="safety",
        severity="block",
        message=message,
        clause=written(node, parsed.text),
        hint=hint or "Ask for less at once.",
        position=position(node, parsed.text),
    )
