"""DuckDB's errors by Trino's names for them."""

import re

from querymend.tools.engines.errors_duckdb import masked
from querymend.tools.errors import QueryError
from querymend.tools.findings import Finding

_NAMED = re.compile(r"(?:Fault: |Error: |string ')([A-Z][A-Z0-9_]{5,}): (.*?)(?:' to BOOL|$)", re.S)
_KNOWN: tuple[tuple[str, str], ...] = (
    (r"Division by zero", "DIVISION_BY_ZERO"),
    (r"More than one row returned by a subquery", "SUBQUERY_MULTIPLE_ROWS"),
    (r"Map keys must be unique|Map keys can not be NULL", "INVALID_FUNCTION_ARGUMENT"),
    (r"[Oo]verflow|out of range|Out of Range|exceeds the", "NUMERIC_VALUE_OUT_OF_RANGE"),
    (r"must appear in the GROUP BY clause", "EXPRESSION_NOT_AGGREGATE"),
)
_UNREADABLE = re.compile(r"Could not convert string '.*?' to ([A-Z]+)\d*", re.S)
_KINDS = {"INT": "whole number", "DOUBLE": "double", "FLOAT": "real", "BOOL": "boolean"}
"""What a text was to be read as, by DuckDB's name for it."""
_CODES = {
    "ConversionException": "INVALID_CAST_ARGUMENT",
    "OutOfRangeException": "NUMERIC_VALUE_OUT_OF_RANGE",
}


_FINDINGS = {
    "unknown_table": "TABLE_NOT_FOUND",
    "unknown_column": "COLUMN_NOT_FOUND",
    "unknown_field": "COLUMN_NOT_FOUND",
    "ambiguous_column": "AMBIGUOUS_NAME",
    "unknown_function": "FUNCTION_NOT_FOUND",
    "wrong_arguments": "FUNCTION_NOT_FOUND",
    "type_mismatch": "TYPE_MISMATCH",
    "not_boolean": "TYPE_MISMATCH",
    "division_by_zero": "DIVISION_BY_ZERO",
    "ungrouped_column": "EXPRESSION_NOT_AGGREGATE",
    "misplaced_aggregate": "EXPRESSION_NOT_SCALAR",
    "misplaced_window": "EXPRESSION_NOT_SCALAR",
}
"""Trino's names for what static checks find; all others are ``SYNTAX_ERROR``."""


def as_fault(finding: Finding) -> QueryError:
    """Return what a static check refuses as the engine's own refusal."""
    name = _FINDINGS.get(finding.code, "SYNTAX_ERROR")
    message = f"{finding.message} {finding.hint}".strip()
    return QueryError(message, code=name, position=finding.position)


def in_trinos_words(error: QueryError, sql: str) -> QueryError:
    """Return the error with Trino's name; one that the stand-in cannot place is its own refusal.

    Values that are not in ``sql`` are masked: they come from the data and may be private.
    """
    text = str(error).partition("\n\nLINE ")[0]  # what follows is the text for DuckDB
    named = _NAMED.search(str(error.__cause__ or error))
    if named:
        return QueryError(masked(named[2].strip(), sql), code=named[1])
    unreadable = _UNREADABLE.search(text)
    if unreadable and unreadable[1] in _KINDS:
        message = f"Cannot cast to {_KINDS[unreadable[1]]}: a text is not written as one."
        return QueryError(message, code="INVALID_CAST_ARGUMENT")
    for pattern, name in _KNOWN:
        if re.search(pattern, text):
            return QueryError(text, code=name)
    return QueryError(text, code=_CODES.get(error.code, "NOT_IN_STAND_IN"))
