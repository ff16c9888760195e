"""Types as a static check: what Trino will refuse, as findings with a place and a cure."""

from dataclasses import replace

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from querymend.tools.catalog.model import Catalog
from querymend.tools.findings import Finding, Kind
from querymend.tools.sql.binding import bind
from querymend.tools.sql.grammar.judge import sharpened
from querymend.tools.sql.parse import Parsed, place, position, written
from querymend.tools.sql.subject import Subject
from querymend.tools.sql.types.correlated import tied
from querymend.tools.sql.types.faults import Fault
from querymend.tools.sql.types.inference import infer
from querymend.tools.sql.types.sorting import unlisted
from querymend.tools.sql.types.structure import misshapen
from querymend.tools.sql.types.written import read_as_written

_DIALECTS = ("athena", "trino")
_KINDS: dict[str, Kind] = {"unknown_field": "name"}


def wrong_types(subject: Subject) -> list[Finding]:
    """Return operands, arguments and conditions of types that Trino refuses (Trino and Athena)."""
    if subject.dialect not in _DIALECTS:
        return []
    tree = read_as_written(subject.parsed.text)
    if tree is None:
        return []
    parsed = replace(subject.parsed, tree=tree)
    binding = bind(parsed, subject.catalog)
    types = infer(tree, subject.catalog, binding=binding)
    faults = (*types.faults, *misshapen(tree), *unlisted(tree), *tied(tree, binding))
    return [finding(fault, parsed) for fault in faults]


def explained(parsed: Parsed, catalog: Catalog | None) -> tuple[Finding, ...]:
    """Return what a text that could not be read suffers from, with a cure where Trino's rules tell.

    A parser that makes nodes of calls stumbles over a missing argument; what reads calls as they
    are written can say which.
    """
    if parsed.dialect not in _DIALECTS or any(f.kind != "syntax" for f in parsed.findings):
        return parsed.findings
    sharper = tuple(sharpened(f, parsed.text) for f in parsed.findings)
    tree = read_as_written(parsed.text) if sharper == parsed.findings else None
    if tree is None:
        return sharper
    types = infer(tree, catalog or Catalog(), dialect=parsed.dialect)
    more = [finding(f, parsed) for f in types.faults if f.code == "wrong_arguments"]
    return tuple(more) or sharper


def finding(fault: Fault, parsed: Parsed) -> Finding:
    """Make a finding of a fault, with the place of the node or of what it lies in."""
    return Finding(
        code=fault.code,
        kind=_KINDS.get(fault.code, "type"),
        severity="block",
        message=fault.message,
        clause=written(fault.node, parsed.text),
        hint=fault.hint,
        position=_place(fault.node, parsed),
    )


def _place(node: exp.Expr, parsed: Parsed) -> tuple[int, int]:
    found = position(node, parsed.text) or _of_literal(node, parsed)
    while found is None and node.parent is not None:
        node = node.parent
        found = position(node, parsed.text)
    return found or (1, 1)


def _of_literal(node: exp.Expr, parsed: Parsed) -> tuple[int, int] | None:
    """Find the token of a literal, which the parser gives no place; the first of equal ones."""
    texts = {n.name for n in node.find_all(exp.Literal)}
    for token in parsed.tokens:
        if token.token_type in (TokenType.NUMBER, TokenType.STRING) and token.text in texts:
            return place(parsed.text, token.start)
    return None
