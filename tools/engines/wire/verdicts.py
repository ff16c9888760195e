"""Findings in Trino's words: the error that Athena would answer a faulty statement with.

Where no text is here the finding's own message is used, with Trino's name for such a fault.
"""

from querymend.tools.findings import Finding

NOT_RESOLVED = (
    "Column '{clause}' cannot be resolved or requester is not authorized to access requested"
    " resources"
)
_NOT_SCALAR = (
    "{place} clause cannot contain aggregations, window functions or grouping operations:"
    " [{clause}]"
)
_WORDS: dict[str, tuple[str, str]] = {
    "unknown_column": ("COLUMN_NOT_FOUND", NOT_RESOLVED),
    "unknown_alias": ("COLUMN_NOT_FOUND", NOT_RESOLVED),
    "alias_not_visible": ("COLUMN_NOT_FOUND", NOT_RESOLVED),
    "merged_column": ("COLUMN_NOT_FOUND", NOT_RESOLVED),
    "unknown_field": ("COLUMN_NOT_FOUND", NOT_RESOLVED),
    "ambiguous_column": ("AMBIGUOUS_NAME", "Column '{clause}' is ambiguous"),
    "unknown_function": ("FUNCTION_NOT_FOUND", "Function '{clause}' not registered"),
    "not_an_aggregate": ("FUNCTION_NOT_AGGREGATE", ""),
    "not_a_window": ("FUNCTION_NOT_WINDOW", ""),
    "not_grouped": (
        "EXPRESSION_NOT_AGGREGATE",
        "'{clause}' must be an aggregate expression or appear in GROUP BY clause",
    ),
    "aggregate_in_where": ("EXPRESSION_NOT_SCALAR", _NOT_SCALAR.replace("{place}", "WHERE")),
    "aggregate_in_group": ("EXPRESSION_NOT_SCALAR", _NOT_SCALAR.replace("{place}", "GROUP BY")),
    "aggregate_in_on": ("EXPRESSION_NOT_SCALAR", _NOT_SCALAR.replace("{place}", "JOIN")),
    "window_in_where": ("EXPRESSION_NOT_SCALAR", _NOT_SCALAR.replace("{place}", "WHERE")),
    "window_in_group": ("EXPRESSION_NOT_SCALAR", _NOT_SCALAR.replace("{place}", "GROUP BY")),
    "window_in_on": ("EXPRESSION_NOT_SCALAR", _NOT_SCALAR.replace("{place}", "JOIN")),
    "window_in_having": (
        "NESTED_WINDOW",
        "HAVING clause cannot contain window functions or row pattern measures",
    ),
    "nested_aggregate": ("NESTED_AGGREGATION", ""),
    "nested_window": (
        "NESTED_WINDOW",
        "Cannot nest window functions or row pattern measures inside window function arguments",
    ),
    "missing_over": ("MISSING_OVER", "Window function {clause} requires an OVER clause"),
    "missing_order": ("MISSING_ORDER_BY", ""),
    "unknown_window": ("INVALID_WINDOW_REFERENCE", ""),
    "order_outside_distinct": (
        "EXPRESSION_NOT_IN_DISTINCT",
        "For SELECT DISTINCT, ORDER BY expressions must appear in select list",
    ),
    "position_out_of_range": ("INVALID_COLUMN_REFERENCE", ""),
    "recursion_without_columns": (
        "MISSING_COLUMN_ALIASES",
        "missing column aliases in recursive WITH query",
    ),
    "columns_not_named": ("MISMATCHED_COLUMN_ALIASES", ""),
    "defined_twice": ("DUPLICATE_NAMED_QUERY", ""),
    "star_without_from": (
        "COLUMN_NOT_FOUND",
        "SELECT * not allowed in queries without FROM clause",
    ),
    "wrong_arguments": ("FUNCTION_NOT_FOUND", ""),
    "type_mismatch": ("TYPE_MISMATCH", ""),
    "not_boolean": ("TYPE_MISMATCH", ""),
    "column_count": ("TYPE_MISMATCH", ""),
    "invalid_literal": ("INVALID_LITERAL", ""),
    "invalid_path": ("INVALID_FUNCTION_ARGUMENT", ""),
    "unknown_unit": ("INVALID_FUNCTION_ARGUMENT", ""),
    "division_by_zero": ("DIVISION_BY_ZERO", "Division by zero"),
}
"""The finding's code, Trino's name, and its text; ``{clause}`` is the SQL at fault."""
_OF_KIND = {"syntax": "SYNTAX_ERROR", "name": "COLUMN_NOT_FOUND", "type": "NOT_SUPPORTED"}


def verdict(finding: Finding) -> tuple[str, str]:
    """Return Trino's name for what a finding says, and its text."""
    other = (_OF_KIND.get(finding.kind, "NOT_SUPPORTED"), "")
    name, text = _WORDS.get(finding.code, other)
    clause = finding.clause.strip()
    if name == "FUNCTION_NOT_FOUND":
        clause = clause.partition("(")[0].strip().lower()
    return name, text.replace("{clause}", clause) if text else finding.message
