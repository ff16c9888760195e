"""What mends a call with arguments that no overload takes."""

from itertools import permutations

from sqlglot import exp

from querymend.tools.sql.types.cures import is_moment, moment_literal, shown
from querymend.tools.sql.types.model import NUMBERS, TEXTS, TrinoType
from querymend.tools.sql.types.signatures import Signature, matches

_SPECIAL = {
    ("contains", "varchar"): "Search a text with strpos({0}, {1}) > 0 or LIKE.",
    ("cardinality", "varchar"): "The length of a text is length({0}).",
    ("length", "array"): "The length of an array is cardinality({0}).",
    ("length", "map"): "The length of a map is cardinality({0}).",
    ("element_at", "varchar"): "Use substr for texts, json_extract_scalar for JSON.",
    ("max", "map"): "A map has no order: compare one of its values.",
    ("substr", "bigint"): "Write substr(CAST({0} AS varchar), …).",
}


def call_cure(
    name: str,
    nodes: list[exp.Expr],
    kinds: list[TrinoType | None],
    overloads: tuple[Signature, ...],
) -> str:
    """Say how to call a function rightly: special cases first, then order, count and types."""
    first = kinds[0].base if kinds and kinds[0] is not None else ""
    if (name, first) in _SPECIAL:
        texts = [shown(n) for n in nodes] + ["…"] * 3
        return _SPECIAL[name, first].format(*texts)
    if name == "date" and len(nodes) > 1:
        return "Write current_date - INTERVAL '7' DAY, or date_add('day', -7, current_date)."
    if name == "count" and len(nodes) > 1:
        return f"Count rows of both: count(DISTINCT ({', '.join(map(shown, nodes))}))."
    return _order_cure(name, nodes, kinds, overloads) or _argument_cure(
        name, nodes, kinds, overloads
    )


def expectation(overloads: tuple[Signature, ...]) -> str:
    """List what a function takes."""
    return "; ".join(dict.fromkeys(map(str, overloads[:6])))


def _order_cure(
    name: str,
    nodes: list[exp.Expr],
    kinds: list[TrinoType | None],
    overloads: tuple[Signature, ...],
) -> str | None:
    """Tell whether the arguments are right in another order."""
    if not 2 <= len(nodes) <= 3 or None in kinds:
        return None
    for order in list(permutations(range(len(nodes))))[1:]:
        if any(True for _ in matches(overloads, [kinds[i] for i in order], exact=False)):
            args = ", ".join(shown(nodes[i]) for i in order)
            return f"The arguments stand in another order: {name}({args})."
    return None


def _argument_cure(
    name: str,
    nodes: list[exp.Expr],
    kinds: list[TrinoType | None],
    overloads: tuple[Signature, ...],
) -> str:
    for signature in overloads:
        if not signature.takes(len(nodes)):
            continue
        wanted = signature.expected(len(nodes))
        for i, (want, kind) in enumerate(zip(wanted, kinds, strict=True)):
            if kind is not None and (cure := _cast(nodes[i], kind, want)):
                return f"{cure} It takes {expectation(overloads)}."
    return f"It takes {expectation(overloads)}."


def _cast(node: exp.Expr, kind: TrinoType, want: TrinoType) -> str | None:
    """Say how one argument gets the type of its place."""
    if kind.base in TEXTS and is_moment(want):
        if isinstance(node, exp.Literal):
            return f"Write {moment_literal(node.name, want)}."
        return f"Write CAST({shown(node)} AS {want.base}) or date_parse({shown(node)}, '%Y-%m-%d')."
    if kind.base in TEXTS and want.base in NUMBERS:
        target = "double" if want.base != "bigint" else "bigint"
        return f"Write TRY_CAST({shown(node)} AS {target})."
    if want.base in TEXTS and kind.base in (*NUMBERS, "date", "timestamp", "boolean"):
        return f"Write CAST({shown(node)} AS varchar)."
    return None
