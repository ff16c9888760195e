"""Names of types by Trino's grammar, as they stand in CAST."""

from functools import cache
from importlib.resources import files

from querymend.tools.sql.grammar.reader import Reader

_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


NO_TYPE = "a type that Trino has"


@cache
def known_types() -> frozenset[str]:
    """Return the names of Trino's types, in capitals."""
    text = files("querymend.tools.sql.grammar").joinpath("types.txt").read_text("utf-8")
    return frozenset(text.upper().split())


def type_name(reader: Reader) -> None:
    """Read ``decimal(12,2)``, ``array(row(a bigint))``, ``timestamp(3) with time zone``."""
    if reader.takes("ROW", "("):
        _fields(reader)
    elif reader.takes("INTERVAL"):
        reader.takes_any(*_FIELDS)
        if reader.takes("TO"):
            reader.takes_any(*_FIELDS)
    elif reader.sees_any("ARRAY", "MAP") and reader.ahead().upper == "<":
        _angled(reader)
    elif not reader.takes("DOUBLE", "PRECISION"):
        _plain(reader)
    while reader.takes("ARRAY"):
        if reader.takes("["):
            reader.sort("number")
            reader.expect("]")


def _plain(reader: Reader) -> None:
    if reader.now.sort == "word" and reader.is_name() and reader.now.upper not in known_types():
        raise reader.mismatch(NO_TYPE)
    reader.name()
    _parameters(reader)
    if reader.takes_any("WITH", "WITHOUT"):
        reader.expect("TIME", "ZONE")


def _angled(reader: Reader) -> None:
    reader.at += 2
    type_name(reader)
    if reader.takes(","):
        type_name(reader)
    reader.expect(">")


def _parameters(reader: Reader) -> None:
    if not reader.takes("("):
        return
    while True:
        if not reader.sort("number"):
            type_name(reader)
        if not reader.takes(","):
            break
    reader.expect(")")


def _fields(reader: Reader) -> None:
    """Read a row's fields: a type each, with a name before it or without."""
    while True:
        after = reader.ahead().upper
        if reader.is_name() and after not in (",", ")", "(", "<") and not _is_two_words(reader):
            reader.at += 1
        type_name(reader)
        if not reader.takes(","):
            break
    reader.expect(")")


def _is_two_words(reader: Reader) -> bool:
    """Tell whether the next words are one type: ``double precision``, ``timestamp with …``."""
    return reader.sees("DOUBLE", "PRECISION") or (
        reader.sees_any("TIMESTAMP", "TIME") and reader.ahead().upper in ("WITH", "WITHOUT")
    )
