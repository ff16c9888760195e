"""Queries by Trino's grammar: SELECT, set operations, what stands in FROM."""

from querymend.tools.sql.grammar.expressions import (
    expression,
    expressions,
    order_by,
    subquery,
    window,
)
from querymend.tools.sql.grammar.reader import Mismatch, Reader

_SETS = ("UNION", "INTERSECT", "EXCEPT")
_JOINS = ("JOIN", "INNER", "LEFT", "RIGHT", "FULL")


def query(reader: Reader) -> None:
    """Read ``WITH … SELECT …``."""
    if reader.takes("WITH"):
        reader.takes("RECURSIVE")
        reader.listed(_named_query)
    plain_query(reader)


def _named_query(reader: Reader) -> None:
    reader.name()
    if reader.sees("("):
        reader.name_list()
    reader.expect("AS", "(")
    query(reader)
    reader.expect(")")


def plain_query(reader: Reader) -> None:
    """Read a query without WITH: its terms, then ORDER BY, OFFSET, and LIMIT or FETCH."""
    _term(reader)
    while reader.takes_any(*_SETS):
        reader.takes_any("ALL", "DISTINCT")
        _term(reader)
    order_by(reader)
    if reader.takes("OFFSET"):
        _count(reader)
        reader.takes_any("ROW", "ROWS")
    if reader.takes("LIMIT"):
        if not reader.takes("ALL"):
            _count(reader)
    elif reader.takes("FETCH"):
        _fetch(reader)


def _count(reader: Reader) -> None:
    if reader.now.sort != "number" or not reader.now.text.isdigit():
        raise reader.mismatch("a whole number")
    reader.at += 1


def _fetch(reader: Reader) -> None:
    if not reader.takes_any("FIRST", "NEXT"):
        raise reader.mismatch("FIRST")
    if reader.now.sort == "number":
        _count(reader)
    if not reader.takes_any("ROW", "ROWS"):
        raise reader.mismatch("ROWS")
    if not reader.takes("ONLY"):
        reader.expect("WITH", "TIES")


def _term(reader: Reader) -> None:
    if reader.takes("("):
        plain_query(reader)
        reader.expect(")")
    elif reader.takes("TABLE"):
        reader.names()
    elif reader.takes("VALUES"):
        expressions(reader)
    else:
        _select(reader)


def _select(reader: Reader) -> None:
    reader.expect("SELECT")
    reader.takes_any("ALL", "DISTINCT")
    reader.listed(_item)
    if reader.takes("FROM"):
        reader.listed(relation)
    if reader.takes("WHERE"):
        expression(reader)
    if reader.takes("GROUP", "BY"):
        reader.takes_any("ALL", "DISTINCT")
        _group(reader)
    if reader.takes("HAVING"):
        expression(reader)
    if reader.takes("WINDOW"):
        _windows(reader)


def _item(reader: Reader) -> None:
    """Read one output: an expression with an alias, ``*``, ``t.*``."""
    if reader.takes("*"):
        return
    expression(reader)
    if reader.takes(".", "*"):
        if reader.takes("AS"):
            reader.name_list()
    elif reader.takes("AS"):
        reader.name()
    elif reader.is_name() and not _is_clause(reader):
        reader.at += 1


def _group(reader: Reader) -> None:
    reader.listed(_grouped)


def _grouped(reader: Reader) -> None:
    if reader.takes("GROUPING", "SETS") or reader.takes_any("ROLLUP", "CUBE"):
        reader.expect("(")
        if not reader.takes(")"):
            reader.listed(_set)
            reader.expect(")")
        return
    _set(reader)


def _set(reader: Reader) -> None:
    if not reader.takes("(", ")"):
        expression(reader)


def _windows(reader: Reader) -> None:
    while True:
        reader.name()
        reader.expect("AS")
        window(reader)
        if not reader.takes(","):
            return


def relation(reader: Reader) -> None:
    """Read one entry of FROM with its joins."""
    _sampled(reader)
    while True:
        if reader.takes("CROSS"):
            reader.expect("JOIN")
            _sampled(reader)
        elif reader.takes("NATURAL"):
            _join_kind(reader)
            _sampled(reader)
        elif reader.sees_any(*_JOINS):
            _join_kind(reader)
            relation(reader)
            _condition(reader)
        else:
            return


def _join_kind(reader: Reader) -> None:
    if reader.takes_any("LEFT", "RIGHT", "FULL"):
        reader.takes("OUTER")
    else:
        reader.takes("INNER")
    reader.expect("JOIN")


def _condition(reader: Reader) -> None:
    if reader.takes("ON"):
        expression(reader)
    elif reader.takes("USING"):
        reader.name_list()
    else:
        raise reader.mismatch("ON")


def _sampled(reader: Reader) -> None:
    _source(reader)
    _alias(reader)
    if reader.takes("MATCH_RECOGNIZE"):
        reader.brackets()
        _alias(reader)
    if reader.takes("TABLESAMPLE"):
        if not reader.takes_any("BERNOULLI", "SYSTEM"):
            raise reader.mismatch("BERNOULLI")
        reader.expect("(")
        expression(reader)
        reader.expect(")")


def _alias(reader: Reader) -> None:
    if reader.takes("AS"):
        reader.name()
    elif reader.is_name() and not _is_clause(reader):
        reader.at += 1
    else:
        return
    if reader.sees("("):
        reader.name_list()


def _is_clause(reader: Reader) -> bool:
    """Tell whether a word that could be an alias begins a clause."""
    after = reader.ahead()
    if reader.sees("WINDOW"):
        return reader.is_name(1) and reader.ahead(2).upper == "AS"
    if reader.sees_any("TABLESAMPLE", "MATCH_RECOGNIZE"):
        return after.upper in ("(", "BERNOULLI", "SYSTEM")
    if reader.sees("LIMIT"):
        return after.sort == "number" or after.upper == "ALL"
    if reader.sees("OFFSET"):
        return after.sort == "number"
    return reader.sees("FETCH") and after.upper in ("FIRST", "NEXT")


def _source(reader: Reader) -> None:
    if reader.takes("UNNEST"):
        reader.expect("(")
        expressions(reader)
        reader.expect(")")
        if reader.takes("WITH"):
            reader.expect("ORDINALITY")
    elif reader.sees("LATERAL", "("):
        reader.at += 1
        subquery(reader)
    elif reader.sees("TABLE", "(") or reader.sees("JSON_TABLE", "("):
        reader.at += 1
        reader.brackets()
    elif reader.sees("("):
        _bracketed(reader)
    else:
        reader.names()
        _period(reader)


def _bracketed(reader: Reader) -> None:
    """Read a subquery or joins in brackets, whichever it is."""
    start = reader.at
    depth = 0
    while reader.ahead(depth).upper == "(":
        depth += 1
    if reader.ahead(depth).upper in ("SELECT", "WITH", "VALUES", "TABLE"):
        try:
            subquery(reader)
        except Mismatch:
            if depth == 1:
                raise
            reader.at = start
        else:
            return
    reader.expect("(")
    relation(reader)
    reader.expect(")")


def _period(reader: Reader) -> None:
    if reader.takes("FOR"):
        if not reader.takes_any("TIMESTAMP", "VERSION"):
            raise reader.mismatch("TIMESTAMP")
        reader.expect("AS", "OF")
        expression(reader)
