"""Reserved words that name a table or a column and stand without quotes.

This parser reads ``SELECT end FROM events``; the engines do not.
"""

from collections.abc import Iterator

from sqlglot import exp

from querymend.tools.findings import Finding
from querymend.tools.sql.functions import words
from querymend.tools.sql.parse import position, written
from querymend.tools.sql.subject import Subject
from querymend.tools.sql.trees import copied

_LISTS = {"duckdb": "reserved_duckdb", "athena": "reserved_athena", "trino": "reserved_athena"}
_AFTER_DOT = ("athena", "trino")
"""Dialects that want the quotes behind a dot too."""


def unquoted_reserved_words(subject: Subject) -> list[Finding]:
    """Return names of the catalog that are reserved words and lack their quotes.

    Each finding brings the same fix, the statement with all of them quoted: the names exist, so
    that nothing else can be meant.
    """
    bare = _bare(subject)
    if not bare:
        return []
    fixed = _quoted(subject.tree, bare).sql(subject.dialect)
    return [
        Finding(
            code="reserved_word",
            kind="syntax",
            severity="block",
            message=f"{name.name} is a reserved word and needs quotes.",
            clause=written(name, subject.parsed.text),
            hint=f'Write "{name.name}".',
            position=position(name, subject.parsed.text),
            fix=fixed,
        )
        for name in bare
    ]


def _bare(subject: Subject) -> list[exp.Identifier]:
    """Return the identifiers to quote, in the order of a walk over the tree."""
    if subject.dialect not in _LISTS:
        return []
    reserved = words(_LISTS[subject.dialect])
    named = {id(n) for n in _names(subject)}
    return [
        node
        for node in subject.tree.walk()
        if isinstance(node, exp.Identifier)
        and id(node) in named
        and not node.quoted
        and node.name.lower() in reserved
    ]


def _names(subject: Subject) -> Iterator[exp.Identifier]:
    """Yield the identifiers of columns and tables that the catalog has."""
    for ref in subject.binding.refs:
        behind_dot = bool(ref.column.table) and subject.dialect not in _AFTER_DOT
        if ref.status == "found" and not behind_dot and isinstance(ref.column.this, exp.Identifier):
            yield ref.column.this
    for table in subject.tree.find_all(exp.Table):
        known = subject.catalog.table(table.name) is not None
        if known and not table.args.get("db") and isinstance(table.this, exp.Identifier):
            yield table.this


def _quoted(tree: exp.Expr, bare: list[exp.Identifier]) -> exp.Expr:
    copy, twins = copied(tree, bare)
    for twin in twins:
        twin.set("quoted", True)
    return copy
