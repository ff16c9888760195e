"""The gate: the one function that every SQL text passes before an engine sees it.

It fails closed. The tree may hold only kinds of nodes that are known to read; functions and table
functions are judged by allow-list; tables by catalog and scope. What is decided one by one:

- Roots: SELECT, set operations, VALUES, ``FROM t`` and ``TABLE t`` are reads. SUMMARIZE, DESCRIBE,
  SHOW, EXPLAIN, PIVOT as a statement (it makes a type first) and every other root are refused.
- TABLESAMPLE, time travel, PIVOT and UNPIVOT in FROM, MATCH_RECOGNIZE and LATERAL read the table
  they name and are let through.
- Parameters and placeholders are refused: nobody binds them.
- ``WITH FUNCTION``, hints, ``#1`` and casts to ``regclass`` and its kin are refused: they are not
  needed to ask a question.
"""

from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Scope
from querymend.tools.findings import Finding
from querymend.tools.sql.admitted import Admitted
from querymend.tools.sql.bombs import check_cost
from querymend.tools.sql.functions import check_functions, words
from querymend.tools.sql.hazards import fault
from querymend.tools.sql.parse import Parsed, parse, position, written
from querymend.tools.sql.star import check_columns, write_out_stars
from querymend.tools.sql.tables import check_tables

_NAMES = {
    "Into": "SELECT … INTO",
    "Lock": "FOR UPDATE or FOR SHARE",
    "Placeholder": "a parameter",
    "Parameter": "a parameter",
    "SessionParameter": "a session parameter",
    "PositionalColumn": "a column by number",
    "FunctionSpecification": "a function of its own",
    "ObjectIdentifier": "a cast to an identifier of the engine",
    "Hint": "a hint",
    "TruncateTable": "TRUNCATE",
}
_ROOTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the gate says of one text."""

    findings: tuple[Finding, ...] = ()
    sql: Admitted | None = None
    """The text to send; None when refused, which is when any finding is ``block``."""
    tree: exp.Expr | None = None
    """The statement that was judged, where it could be read."""


def admit(
    sql: str, *, dialect: str, catalog: Catalog | None = None, scope: Scope | None = None
) -> Verdict:
    """Judge one text: let a single read of permitted data through, refuse all else.

    Args:
        sql: any text.
        dialect: one of ``parse.DIALECTS``.
        catalog: with one, every table must be in it.
        scope: tables and columns the caller may use; what it leaves out is told as absent.
    """
    try:
        return _verdict(parse(sql, dialect), catalog, scope)
    except RecursionError:
        return Verdict(findings=(too_deep(),))


def too_deep() -> Finding:
    """Refuse what this process has no stack left to judge."""
    return fault("too_deep", "The statement is nested too deeply to be judged.").finding


def _verdict(parsed: Parsed, catalog: Catalog | None, scope: Scope | None) -> Verdict:
    if parsed.tree is None:
        return Verdict(findings=parsed.findings)
    findings = judge(parsed, catalog, scope)
    if not findings and catalog is not None and scope is not None:
        parsed, findings = _without_stars(parsed, catalog, scope)
    if any(f.severity == "block" for f in findings):
        return Verdict(findings=tuple(findings), tree=parsed.tree)
    return Verdict(findings=tuple(findings), sql=Admitted(parsed.text), tree=parsed.tree)


def _without_stars(parsed: Parsed, catalog: Catalog, scope: Scope) -> tuple[Parsed, list[Finding]]:
    """Write out the stars that would bring hidden columns, and judge what will be sent."""
    tree = write_out_stars(parsed, catalog, scope)
    if tree is None:
        return parsed, []
    again = parse(tree.sql(parsed.dialect), parsed.dialect)
    if again.tree is None:
        return parsed, list(again.findings)
    return again, judge(again, catalog, scope)


def judge(
    parsed: Parsed, catalog: Catalog | None = None, scope: Scope | None = None
) -> list[Finding]:
    """Return every reason to refuse a statement that could be read."""
    shape = check_shape(parsed)
    if shape:
        return shape
    schemas = {t.schema for t in catalog.tables if t.schema} if catalog else set()
    findings = [
        *check_functions(parsed, schemas),
        *check_tables(parsed, catalog, scope),
        *check_hidden_columns(parsed),
        *check_cost(parsed),
    ]
    if not findings and catalog is not None and scope is not None:
        findings = check_columns(parsed, catalog, scope)
    return findings


def check_hidden_columns(parsed: Parsed) -> list[Finding]:
    """Refuse ``"$path"`` and its kin: they tell where the files lie."""
    assert parsed.tree is not None
    return [
        Finding(
            code="column_not_allowed",
            kind="safety",
            severity="block",
            message=f"The hidden column {column.name} may not be read.",
            clause=written(column, parsed.text),
            position=position(column, parsed.text),
        )
        for column in parsed.tree.find_all(exp.Column)
        if column.name.startswith("$")
    ]


def check_shape(parsed: Parsed) -> list[Finding]:
    """Refuse a root that is no read, and any node that is not known to read."""
    assert parsed.tree is not None
    if not isinstance(parsed.tree, _ROOTS):
        return [_not_a_read(parsed, parsed.tree, root=True)]
    strange = [n for n in parsed.tree.walk() if not is_read(n)]
    return [_not_a_read(parsed, n) for n in strange[:5]]


def is_read(node: exp.Expr) -> bool:
    """Tell whether a node of this kind only reads; functions are judged by their names."""
    name = type(node).__name__
    return name in words("nodes_read") or isinstance(node, exp.Func)


def _not_a_read(parsed: Parsed, node: exp.Expr, *, root: bool = False) -> Finding:
    name = type(node).__name__
    shown = _NAMES.get(name) or (node.name.upper() if name == "Command" else name.upper())
    where = "The statement is" if root else "The statement holds"
    return Finding(
        code="not_a_read",
        kind="safety",
        severity="block",
        message=f"{where} {shown}; only a single SELECT may run.",
        clause=written(node, parsed.text),
        hint="Write one SELECT that reads.",
        position=position(node, parsed.text),
    )
