"""What the gate or the engine behind says, in Athena's words.

An engine that speaks Trino's codes passes through; DuckDB's exceptions are matched by their text.
"""

import re
from collections.abc import Callable, Container, Iterable

from querymend.tools.engines.wire.failures import (
    EXHAUSTED_TEXT,
    SYSTEM,
    USER,
    Failure,
    Refusal,
    malformed,
)
from querymend.tools.engines.wire.verdicts import NOT_RESOLVED, verdict
from querymend.tools.errors import (
    AccessDenied,
    BudgetExceeded,
    EngineUnavailable,
    QueryError,
    QuerymendError,
)
from querymend.tools.findings import Finding

CATALOG = "awsdatacatalog"
_TRINO_CODE = re.compile(r"[A-Z][A-Z0-9_]+")
_EXPECTED = re.compile(r"\(it expects (.+)\)\.$")
_DUCKDB_EXCERPT = re.compile(r"\n\s*LINE \d+: ")
"""What follows shows SQL that DuckDB was asked, which no client wrote."""
_PLACED = re.compile(r"line \d+:\d+: ")
_TYPES = {
    "TABLE_NOT_FOUND": 1301,
    "SCHEMA_NOT_FOUND": 1301,
    "CATALOG_NOT_FOUND": 1301,
    "FUNCTION_NOT_FOUND": 1303,
    "INVALID_FUNCTION_ARGUMENT": 1106,
    "NOT_SUPPORTED": 1200,
    "PERMISSION_DENIED": 1500,
}


def refused_text(findings: Iterable[Finding]) -> Refusal | None:
    """Return the answer to a text that Athena would not even start, or None."""
    for finding in findings:
        if finding.code == "many_statements":
            return malformed("Only one sql statement is allowed. Got: " + finding.clause)
        if finding.kind == "syntax":
            return malformed(_syntax(finding))
    return None


def refused_statement(finding: Finding, database: str, databases: Container[str] = ()) -> Failure:
    """Return the end of a query in which the gate or a check found a fault.

    Args:
        finding: the fault.
        database: the client's database, which bare names belong to.
        databases: all that there are, in lower case.
    """
    if finding.code == "unknown_table":
        name = _named(finding)
        code, text = _missing(name, database, databases)
        return _coded(code, _placed(text, _start(finding, name)))
    if finding.code in {"too_costly", "too_deep", "too_long"}:
        return Failure(text=f"{EXHAUSTED_TEXT}: {finding.message}", type=0)
    if finding.kind in {"safety", "scope"} and finding.code != "unknown_function":
        return Failure(
            text="Insufficient permissions to execute the query. This role only reads: "
            + finding.message,
            type=1500,
        )
    name, text = verdict(finding)
    return _coded(name, _placed(text, finding.position))


def _named(finding: Finding) -> str:
    """Return the whole name of the table that is not there."""
    return finding.message.removeprefix("There is no table ").rstrip(".")


def _start(finding: Finding, name: str) -> tuple[int, int] | None:
    """Return where the whole name begins, given where its last part does."""
    if finding.position is None:
        return None
    line, column = finding.position
    before = len(name) - len(name.rpartition(".")[2])
    return line, max(column - before, 1)


def failed(error: QuerymendError, database: str) -> Failure:
    """Return the end of a query that the engine behind refused or gave up."""
    if isinstance(error, QueryError):
        return _query_error(error, database)
    if isinstance(error, BudgetExceeded):
        return Failure(text=f"{EXHAUSTED_TEXT}: {error}", type=0)
    if isinstance(error, AccessDenied):
        return Failure(text=f"PERMISSION_DENIED: Access Denied: {error}", type=1500)
    retryable = isinstance(error, EngineUnavailable)
    return Failure(
        text=f"GENERIC_INTERNAL_ERROR: {error}", category=SYSTEM, type=100, retryable=retryable
    )


def _query_error(error: QueryError, database: str) -> Failure:
    text = _DUCKDB_EXCERPT.split(str(error))[0].strip()
    if _TRINO_CODE.fullmatch(error.code):
        code = "NOT_SUPPORTED" if error.code == "NOT_IN_STAND_IN" else error.code
        return _coded(code, _placed(text, error.position) if error.position else text)
    for pattern, code, said in _DUCKDB:
        if found := pattern.search(text):
            return _coded(code, _placed(said(found, database), error.position))
    return _coded("SYNTAX_ERROR", _placed(text.split("\n")[0], error.position))


def _coded(code: str, text: str) -> Failure:
    whole = text if text.startswith(f"{code}: ") else f"{code}: {text}"
    return Failure(text=whole, category=USER, type=_TYPES.get(code, 1006))


def _placed(text: str, position: tuple[int, int] | None) -> str:
    if _PLACED.search(text):
        return text
    line, column = position or (1, 1)
    return f"line {line}:{column}: {text}"


def _syntax(finding: Finding) -> str:
    word = finding.clause.strip() or "<EOF>"
    expected = _EXPECTED.search(finding.message)
    wanted = expected[1] if expected else "<expression>"
    return _placed(f"mismatched input '{word}'. Expecting: {wanted}", finding.position)


def _missing(name: str, database: str, databases: Container[str]) -> tuple[str, str]:
    """Say which part of a table's name is not there: its catalog, its schema or itself."""
    parts = [p.strip('"`').lower() for p in name.split(".")]
    catalog, schema, table = ([CATALOG, database, "?"][: 3 - len(parts)] + parts)[-3:]
    if catalog != CATALOG:
        return "CATALOG_NOT_FOUND", f"Catalog '{catalog}' does not exist"
    if len(parts) > 1 and schema not in databases:
        return "SCHEMA_NOT_FOUND", f"Schema '{schema}' does not exist"
    return "TABLE_NOT_FOUND", f"Table '{catalog}.{schema}.{table}' does not exist"


_Said = Callable[[re.Match[str], str], str]


_DUCKDB: tuple[tuple[re.Pattern[str], str, _Said], ...] = (
    (
        re.compile(r'(?:Referenced column "([^"]+)"|column named "([^"]+)")'),
        "COLUMN_NOT_FOUND",
        lambda m, d: NOT_RESOLVED.replace("{clause}", (m[1] or m[2]).lower()),
    ),
    (
        re.compile(r"Ambiguous reference to column name \"([^\"]+)\""),
        "AMBIGUOUS_NAME",
        lambda m, d: f"Column '{m[1].lower()}' is ambiguous",
    ),
    (
        re.compile(r"Table with name \"?([^ \"]+)\"? does not exist"),
        "TABLE_NOT_FOUND",
        lambda m, d: _missing(m[1], d, {d})[1],
    ),
    (
        re.compile(r'Function with name "?(\w+)"? (?:does not exist|is not in)'),
        "FUNCTION_NOT_FOUND",
        lambda m, d: f"Function '{m[1].lower()}' not registered",
    ),
    (
        re.compile(r"No function matches .*?'(\w+)\((.*?)\)'"),
        "FUNCTION_NOT_FOUND",
        lambda m, d: f"Unexpected parameters ({m[2].lower()}) for function {m[1].lower()}.",
    ),
    (
        re.compile(r"Cannot compare values of type (.+?) and (?:type )?(.+?)(?: |$)"),
        "TYPE_MISMATCH",
        lambda m, d: f"Cannot apply operator: {_type(m[1])} = {_type(m[2])}",
    ),
    (
        re.compile(r'column "([^"]+)" must appear in the GROUP BY'),
        "EXPRESSION_NOT_AGGREGATE",
        lambda m, d: (
            f"'{m[1].lower()}' must be an aggregate expression or appear in GROUP BY clause"
        ),
    ),
    (re.compile(r"[Dd]ivision by zero"), "DIVISION_BY_ZERO", lambda m, d: "Division by zero"),
    (
        re.compile(r"Could not convert string (.+?) to (\w+)"),
        "INVALID_CAST_ARGUMENT",
        lambda m, d: f"Cannot cast {m[1]} to {m[2]}",
    ),
    (re.compile(r"Conversion Error: ([^\n]+)"), "INVALID_CAST_ARGUMENT", lambda m, d: m[1]),
    (re.compile(r"aggregates"), "EXPRESSION_NOT_SCALAR", lambda m, d: m.string.split("\n")[0]),
)


def _type(duckdb_type: str) -> str:
    return duckdb_type.lower().strip("()")
