"""Calls of functions: which overload is meant, what it gives, and what no overload takes."""

from functools import cache
from importlib.resources import files

from sqlglot import exp

from querymend.tools.sql.types.callcures import call_cure, expectation
from querymend.tools.sql.types.casts import castable
from querymend.tools.sql.types.coercion import common_type
from querymend.tools.sql.types.cures import shown
from querymend.tools.sql.types.foreign import trinos_way
from querymend.tools.sql.types.forms import FORMS
from querymend.tools.sql.types.model import BOOLEAN, UNKNOWN, VARCHAR, TrinoType
from querymend.tools.sql.types.signatures import (
    Match,
    Signature,
    choose,
    filled,
    is_letter,
    matches,
    overloads,
)
from querymend.tools.sql.types.typer import Rule, Typer
from querymend.tools.sql.types.values import check_unit_name, check_values

_PLUGIN = frozenset(["to_char", "to_date", "to_timestamp", "index", "char2hexint"])
_PLUGIN |= {"objectid", "objectid_timestamp", "timestamp_objectid"}
_OF_PATTERNS = ("first", "last", "prev", "next", "classifier", "match_number", "permute")
"""What means something in MATCH_RECOGNIZE alone."""
_TYPES = ("array", "json", "exclude_columns")
"""What the list of calls holds for the sake of types and of FROM."""


def call(typer: Typer, node: exp.Expr, name: str, given: list[exp.Expr]) -> TrinoType | None:
    """Type one call by Trino's name and the arguments in Trino's order."""
    nodes = [n for g in given for n in arguments(g)]
    if name in FORMS:
        return FORMS[name](typer, node, nodes)
    if check_unit_name(typer, node, name, nodes):
        return None
    kinds = [None if isinstance(n, exp.Lambda) else _kind(typer, n) for n in nodes]
    candidates = overloads(name)
    if not candidates:
        _check_known(typer, node, name)
        return None
    fitting = tuple(s for s in candidates if _lambdas_fit(s, nodes))
    found = list(matches(fitting, kinds, exact=True)) if None not in kinds else []
    found = found or list(matches(fitting, kinds, exact=False))
    if not found:
        _blame(typer, node, name, nodes, kinds, candidates)
        return None
    check_values(typer, node, name, nodes, kinds)
    _check_elements(typer, node, name, nodes, kinds)
    return _result(typer, node, nodes, kinds, found)


def _check_elements(
    typer: Typer, node: exp.Expr, name: str, nodes: list[exp.Expr], kinds: list[TrinoType | None]
) -> None:
    """Blame ``array_join`` of what has no text."""
    first = kinds[0] if kinds else None
    if name == "array_join" and first is not None and not castable(first.parts[0], VARCHAR):
        message = f"array_join needs elements with a text, not {first.parts[0]}."
        hint = f"Write array_join(transform({shown(nodes[0])}, x -> …), ',') with one field of x."
        typer.blame(node, "wrong_arguments", message, hint)


def _check_known(typer: Typer, node: exp.Expr, name: str) -> None:
    """Blame what is no function: of a plugin that Athena has not, of row patterns alone, a type."""
    athena = typer.binding.parsed.dialect == "athena"
    missing = athena and name in _PLUGIN
    missing = missing or (name in _OF_PATTERNS and node.find_ancestor(exp.MatchRecognize) is None)
    if missing or name in _TYPES:
        way = trinos_way(name)
        message = f"{'Athena' if athena else 'Trino'} has no function {name}."
        typer.blame(node, "unknown_function", message, f"Write {way}." if way else "Leave it out.")


def arguments(node: exp.Expr) -> list[exp.Expr]:
    """Return the arguments that a piece between the brackets holds: no star, DISTINCT or ORDER."""
    if isinstance(node, exp.Distinct):
        return [n for e in node.expressions for n in arguments(e)]
    if isinstance(node, exp.Order):
        return arguments(node.this) if isinstance(node.this, exp.Expr) else []
    if isinstance(node, (exp.Star, exp.Limit)):
        return []
    return [node]


def _kind(typer: Typer, node: exp.Expr) -> TrinoType | None:
    return VARCHAR if isinstance(node, exp.Var) else typer.of(node)


def _lambdas_fit(signature: Signature, nodes: list[exp.Expr]) -> bool:
    """Tell whether an overload wants a lambda exactly where one is given."""
    if not signature.takes(len(nodes)):
        return False
    return all(
        (wanted.base == "function") == isinstance(node, exp.Lambda)
        for wanted, node in zip(signature.expected(len(nodes)), nodes, strict=True)
    )


def _blame(
    typer: Typer,
    node: exp.Expr,
    name: str,
    nodes: list[exp.Expr],
    kinds: list[TrinoType | None],
    candidates: tuple[Signature, ...],
) -> None:
    given = ", ".join(_shown_kind(n, k) for n, k in zip(nodes, kinds, strict=True))
    if not any(s.takes(len(nodes)) for s in candidates):
        message = (
            f"{name} is called with {len(nodes)} arguments; it takes {expectation(candidates)}."
        )
    else:
        message = f"{name} does not take ({given})."
    typer.blame(node, "wrong_arguments", message, call_cure(name, nodes, kinds, candidates))


def _shown_kind(node: exp.Expr, kind: TrinoType | None) -> str:
    if isinstance(node, exp.Lambda):
        return "a lambda"
    return str(kind) if kind is not None else shown(node)


def _result(
    typer: Typer,
    node: exp.Expr,
    nodes: list[exp.Expr],
    kinds: list[TrinoType | None],
    found: list[Match],
) -> TrinoType | None:
    if any(isinstance(n, exp.Lambda) for n in nodes):
        return _with_lambdas(typer, node, nodes, found[0]) if len(found) == 1 else None
    if None in kinds:
        results = {m.result() for m in found}
        return results.pop() if len(results) == 1 else None
    best = choose(found)
    return best.result() if best is not None else None


def _with_lambdas(
    typer: Typer, node: exp.Expr, nodes: list[exp.Expr], match: Match
) -> TrinoType | None:
    """Type the lambdas in turn, again where a state grows; Trino gives up after four rounds."""
    for _ in range(4):
        before, faults = dict(match.types), len(typer.faults)
        for wanted, given in zip(match.signature.expected(len(nodes)), nodes, strict=True):
            if isinstance(given, exp.Lambda):
                _lambda(typer, given, wanted, match)
        if match.types == before:
            return filled(match.signature.result, match.types)
        if match.types.keys() == before.keys():
            del typer.faults[faults:]
    grows = any(before.get(k) != v for k, v in match.types.items())
    if grows:
        message = f"The state of {match.signature.name} changes its type at every step."
        hint = "CAST the start value to the type that the lambda gives: CAST(0 AS double)."
        typer.blame(node, "wrong_arguments", message, hint)
    return None


def _lambda(typer: Typer, given: exp.Lambda, wanted: TrinoType, match: Match) -> None:
    *places, gives = wanted.parts
    if len(given.expressions) != len(places):
        message = f"This lambda needs {len(places)} parameters."
        typer.blame(given, "wrong_arguments", message, f"Give it {len(places)} parameters.")
        return
    body = typer.body(given, [filled(p, match.types) for p in places])
    if is_letter(gives):
        known = match.types.get(gives.base)
        both = common_type(known, body) if known is not None and body is not None else body
        match.types[gives.base] = both if gives.base not in match.types or both else known
    elif body is not None and gives == BOOLEAN and body not in (BOOLEAN, UNKNOWN):
        message = f"This lambda must give a boolean, and gives {body}."
        typer.blame(given, "not_boolean", message, "Write a comparison in the lambda.")


def anonymous(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type a call by its written name."""
    return call(typer, node, node.name.lower(), list(node.expressions))


@cache
def _nodes() -> dict[str, tuple[str, tuple[str, ...]]]:
    text = files("querymend.tools.sql.types").joinpath("nodes.txt").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {kind: (name, tuple(keys)) for kind, name, *keys in lines}


def known_node(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type a call that the parser made a node of its own of."""
    name, keys = _nodes()[type(node).__name__]
    given: list[exp.Expr] = []
    for key in keys:
        value = node.args.get(key)
        given += value if isinstance(value, list) else [value] if value is not None else []
    return call(typer, node, name, [g for g in given if isinstance(g, exp.Expr)])


def node_rules() -> dict[type[exp.Expr], Rule]:
    """Return the rules of all nodes that stand for a call."""
    known: dict[type[exp.Expr], Rule] = {
        getattr(exp, name): known_node for name in _nodes() if hasattr(exp, name)
    }
    return {**known, exp.Anonymous: anonymous, exp.AnonymousAggFunc: anonymous}
