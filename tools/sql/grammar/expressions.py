"""Expressions by Trino's grammar. Queries within them are read as the reader was told."""

from collections.abc import Callable

from querymend.tools.sql.grammar.lexemes import Lexeme
from querymend.tools.sql.grammar.reader import Mismatch, Reader
from querymend.tools.sql.grammar.typenames import type_name

_COMPARISONS = ("=", "<>", "!=", "<", "<=", ">", ">=")
_SUMS = ("+", "-", "*", "/", "%", "||")
_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_CLOCKS = ("CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP")
_SESSION = ("CURRENT_DATE", "CURRENT_USER", "CURRENT_CATALOG", "CURRENT_SCHEMA", "CURRENT_PATH")
_JSON = ("JSON_EXISTS", "JSON_VALUE", "JSON_QUERY", "JSON_OBJECT", "JSON_ARRAY")
_QUERIES = ("SELECT", "WITH", "VALUES", "TABLE")


def expression(reader: Reader) -> None:
    """Read conditions joined by AND and OR."""
    while True:
        while reader.takes("NOT"):
            pass
        _predicated(reader)
        if not reader.takes_any("AND", "OR"):
            return


def expressions(reader: Reader) -> None:
    """Read ``a, b, c``."""
    reader.listed(expression)


def _predicated(reader: Reader) -> None:
    value(reader)
    if reader.takes_any(*_COMPARISONS):
        if reader.takes_any("ALL", "ANY", "SOME"):
            subquery(reader)
        else:
            value(reader)
    elif reader.takes("IS"):
        _is(reader)
    else:
        _tested(reader)


def _tested(reader: Reader) -> None:
    """Read BETWEEN, IN and LIKE, with NOT or without."""
    if reader.sees("NOT") and reader.ahead().upper in ("BETWEEN", "IN", "LIKE"):
        reader.at += 1
    if reader.takes("BETWEEN"):
        value(reader)
        reader.expect("AND")
        value(reader)
    elif reader.takes("IN"):
        _in(reader)
    elif reader.takes("LIKE"):
        value(reader)
        if reader.takes("ESCAPE"):
            value(reader)


def _is(reader: Reader) -> None:
    reader.takes("NOT")
    if reader.takes("DISTINCT"):
        reader.expect("FROM")
        value(reader)
    else:
        reader.expect("NULL")


def _in(reader: Reader) -> None:
    if reader.sees("(") and reader.ahead().upper in _QUERIES:
        subquery(reader)
        return
    reader.expect("(")
    expressions(reader)
    reader.expect(")")


def value(reader: Reader) -> None:
    """Read operands joined by arithmetic and ``||``."""
    while True:
        while reader.takes_any("+", "-"):
            pass
        _primary(reader)
        _postfix(reader)
        if not reader.takes_any(*_SUMS):
            return


def _postfix(reader: Reader) -> None:
    """Read subscripts, fields and time zones after an operand."""
    while True:
        if reader.takes("["):
            value(reader)
            reader.expect("]")
        elif reader.sees(".") and reader.ahead().upper != "*":
            reader.at += 1
            reader.name()
        elif reader.takes("AT", "TIME", "ZONE"):
            if not reader.sort("string"):
                _interval(reader)
        else:
            return


def _primary(reader: Reader) -> None:
    now = reader.now
    if now.sort in ("string", "number"):
        reader.at += 1
    elif now.upper in _WORDS:
        _WORDS[now.upper](reader)
    elif now.upper == "?":
        reader.at += 1
    elif reader.is_name():
        _named(reader)
    else:
        raise reader.mismatch("an expression")


def _named(reader: Reader) -> None:
    """Read what begins with a name: a column, a call, a typed literal, a lambda."""
    if reader.ahead().upper == "->":
        reader.at += 2
        expression(reader)
    elif reader.ahead().sort == "string" and reader.now.sort == "word":
        reader.at += 2
    elif reader.sees("DOUBLE", "PRECISION") and reader.ahead(2).sort == "string":
        reader.at += 3
    else:
        _column_or_call(reader)


def _column_or_call(reader: Reader) -> None:
    if reader.sees_any("RUNNING", "FINAL") and reader.is_name(1):
        reader.at += 1
    start = reader.at
    reader.at += 1
    while reader.sees(".") and reader.is_name(1):
        reader.at += 2
    if reader.sees("("):
        call(reader)
    elif reader.sees("OVER") and (reader.ahead().upper == "(" or reader.is_name(1)):
        _over(reader)
    else:
        reader.at = start + 1


def call(reader: Reader) -> None:
    """Read the arguments of a call and what may follow them."""
    reader.expect("(")
    if reader.takes("*") or _labelled_star(reader):
        reader.expect(")")
    elif not reader.takes(")"):
        reader.takes_any("DISTINCT", "ALL")
        if not reader.sees("ORDER", "BY"):
            expressions(reader)
        order_by(reader)
        reader.expect(")")
    _filter(reader)
    if reader.sees_any("IGNORE", "RESPECT") and reader.ahead().upper == "NULLS":
        reader.at += 2
        if not reader.sees("OVER"):
            raise reader.mismatch("OVER")
    if reader.sees("OVER"):
        _over(reader)


def _labelled_star(reader: Reader) -> bool:
    if reader.is_name() and reader.ahead().upper == "." and reader.ahead(2).upper == "*":
        reader.at += 3
        return True
    return False


def _filter(reader: Reader) -> None:
    if reader.sees("FILTER", "("):
        reader.at += 2
        reader.expect("WHERE")
        expression(reader)
        reader.expect(")")


def _over(reader: Reader) -> None:
    reader.expect("OVER")
    if reader.sees("("):
        window(reader)
    else:
        reader.name()


def window(reader: Reader) -> None:
    """Read ``(PARTITION BY … ORDER BY … ROWS …)``."""
    reader.expect("(")
    if reader.is_name() and not reader.sees_any("PARTITION", "ROWS", "RANGE", "GROUPS", "MEASURES"):
        reader.at += 1
    if reader.takes("PARTITION"):
        reader.expect("BY")
        expressions(reader)
    order_by(reader)
    if reader.takes_any("ROWS", "RANGE", "GROUPS"):
        if reader.takes("BETWEEN"):
            _bound(reader)
            reader.expect("AND")
        _bound(reader)
    if reader.sees_any("MEASURES", "AFTER", "INITIAL", "SEEK", "PATTERN", "SUBSET", "DEFINE"):
        _rest(reader)
    reader.expect(")")


def _rest(reader: Reader) -> None:
    """Go past whatever comes before the closing bracket."""
    while not reader.sees(")") and reader.now.sort != "end":
        if reader.sees("("):
            reader.brackets()
        else:
            reader.at += 1


def _bound(reader: Reader) -> None:
    if reader.takes("CURRENT"):
        reader.expect("ROW")
        return
    if not reader.takes("UNBOUNDED"):
        value(reader)
    if not reader.takes_any("PRECEDING", "FOLLOWING"):
        raise reader.mismatch("PRECEDING")


def order_by(reader: Reader) -> None:
    """Read ORDER BY where it comes next."""
    if not reader.takes("ORDER"):
        return
    reader.expect("BY")
    while True:
        expression(reader)
        reader.takes_any("ASC", "DESC")
        if reader.takes("NULLS") and not reader.takes_any("FIRST", "LAST"):
            raise reader.mismatch("FIRST")
        if not reader.takes(","):
            return


def subquery(reader: Reader) -> None:
    """Read a query in brackets."""
    reader.expect("(")
    reader.query(reader)
    reader.expect(")")


def _bracket(reader: Reader) -> None:
    """Read what begins with a bracket: a lambda, a query, a row, an expression."""
    if _is_lambda(reader):
        expression(reader)
        return
    if reader.ahead().upper in _QUERIES:
        subquery(reader)
        return
    start = reader.at
    reader.expect("(")
    try:
        expressions(reader)
        reader.expect(")")
    except Mismatch:
        if reader.all[start + 1].upper != "(":
            raise
        reader.at = start
        subquery(reader)


def _is_lambda(reader: Reader) -> bool:
    """Go past the parameters of ``(a, b) ->`` and the arrow, if that is what comes next."""
    at = 1
    while reader.is_name(at) and reader.ahead(at + 1).upper == ",":
        at += 2
    at += reader.is_name(at)
    if reader.ahead(at).upper == ")" and reader.ahead(at + 1).upper == "->":
        reader.at += at + 2
        return True
    return False


def _case(reader: Reader) -> None:
    reader.expect("CASE")
    if not reader.sees("WHEN"):
        expression(reader)
    while reader.takes("WHEN"):
        expression(reader)
        reader.expect("THEN")
        expression(reader)
    if reader.takes("ELSE"):
        expression(reader)
    reader.expect("END")


def _cast(reader: Reader) -> None:
    reader.at += 1
    reader.expect("(")
    expression(reader)
    reader.expect("AS")
    type_name(reader)
    reader.expect(")")


def _interval(reader: Reader) -> None:
    """Read ``INTERVAL '1' DAY``."""
    reader.expect("INTERVAL")
    reader.takes_any("+", "-")
    if not reader.sort("string"):
        raise reader.mismatch("a text")
    for _ in range(2):
        if not reader.takes_any(*_FIELDS):
            raise reader.mismatch("YEAR, MONTH, DAY, HOUR, MINUTE or SECOND")
        if not reader.takes("TO"):
            return


def _interval_or_name(reader: Reader) -> None:
    if reader.ahead().sort in ("string", "number") or reader.ahead().upper in ("+", "-"):
        _interval(reader)
    else:
        _named(reader)


def _exists(reader: Reader) -> None:
    reader.at += 1
    subquery(reader)


def _clock(reader: Reader) -> None:
    reader.at += 1
    if reader.takes("("):
        if not reader.sort("number"):
            raise reader.mismatch("a whole number")
        reader.expect(")")


def _word(reader: Reader) -> None:
    reader.at += 1


def _extract(reader: Reader) -> None:
    reader.at += 1
    reader.expect("(")
    reader.name()
    reader.expect("FROM")
    value(reader)
    reader.expect(")")


def _trim(reader: Reader) -> None:
    reader.at += 1
    reader.expect("(")
    sided = reader.takes_any("BOTH", "LEADING", "TRAILING")
    if not (sided and reader.sees("FROM")):
        value(reader)
    if reader.takes_any("FROM", ","):
        value(reader)
    reader.expect(")")


def _substring(reader: Reader) -> None:
    """Read SUBSTRING with words or commas between its arguments; it may also be a name."""
    if reader.ahead().upper != "(":
        _named(reader)
        return
    reader.at += 2
    expression(reader)
    if reader.takes("FROM"):
        value(reader)
        if reader.takes("FOR"):
            value(reader)
    else:
        while reader.takes(","):
            expression(reader)
    reader.expect(")")


def _position(reader: Reader) -> None:
    if reader.ahead().upper != "(":
        _named(reader)
        return
    reader.at += 2
    value(reader)
    reader.expect("IN")
    value(reader)
    reader.expect(")")


def _normalize(reader: Reader) -> None:
    reader.at += 1
    reader.expect("(")
    value(reader)
    if reader.takes(",") and not reader.takes_any("NFC", "NFD", "NFKC", "NFKD"):
        raise reader.mismatch("NFC")
    reader.expect(")")


def _array(reader: Reader) -> None:
    if reader.ahead().upper != "[":
        _named(reader)
        return
    reader.at += 2
    if not reader.takes("]"):
        expressions(reader)
        reader.expect("]")


def _grouping(reader: Reader) -> None:
    reader.at += 1
    reader.expect("(")
    if not reader.sees(")"):
        reader.listed(Reader.names)
    reader.expect(")")


def _json(reader: Reader) -> None:
    """Go past a call whose insides have a grammar of their own; the path names its mode."""
    path = reader.sees_any("JSON_EXISTS", "JSON_VALUE", "JSON_QUERY")
    reader.at += 1
    start = reader.at
    reader.brackets()
    at = next((i for i in range(start, reader.at) if reader.all[i].upper == ","), None)
    if path and at is not None and not _has_mode(reader.all[at + 1]):
        raise Mismatch(reader.all[at + 1], "a path that begins with lax or strict")


def _has_mode(lexeme: Lexeme) -> bool:
    return lexeme.sort == "string" and lexeme.text.strip("'").lstrip().startswith(("lax", "strict"))


def _listagg(reader: Reader) -> None:
    reader.at += 1
    reader.expect("(")
    reader.takes_any("DISTINCT", "ALL")
    expression(reader)
    if reader.takes(",") and not reader.sort("string"):
        raise reader.mismatch("a text")
    if reader.takes("ON"):
        _rest(reader)
    reader.expect(")", "WITHIN", "GROUP", "(")
    if not reader.sees("ORDER"):
        raise reader.mismatch("ORDER")
    order_by(reader)
    reader.expect(")")
    _filter(reader)


_WORDS: dict[str, Callable[[Reader], None]] = {
    **dict.fromkeys(("NULL", "TRUE", "FALSE", *_SESSION), _word),
    **dict.fromkeys(_CLOCKS, _clock),
    **dict.fromkeys(_JSON, _json),
    **dict.fromkeys(("CAST", "TRY_CAST"), _cast),
    "(": _bracket,
    "CASE": _case,
    "INTERVAL": _interval_or_name,
    "EXISTS": _exists,
    "EXTRACT": _extract,
    "TRIM": _trim,
    "SUBSTRING": _substring,
    "POSITION": _position,
    "NORMALIZE": _normalize,
    "ARRAY": _array,
    "GROUPING": _grouping,
    "LISTAGG": _listagg,
}
