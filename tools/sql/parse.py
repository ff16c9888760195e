"""SQL text to tree, with sizes bounded before anything walks it.

A text that this parser and the engine may read differently is refused (``hazards``).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import sqlglot
from sqlglot import exp
from sqlglot.dialects.athena import Athena
from sqlglot.dialects.dialect import DialectType
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.postgres import Postgres
from sqlglot.dialects.sqlite import SQLite
from sqlglot.dialects.trino import Trino
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from querymend.tools.findings import Finding
from querymend.tools.sql.hazards import Refused, check_gaps, check_glue, fault, place
from querymend.tools.sql.trees import with_plain_negations

__all__ = ["DIALECTS", "Dialect", "Parsed", "parse", "place", "position", "written"]

Dialect = Literal["duckdb", "athena", "trino", "postgres", "sqlite"]
DIALECTS: tuple[str, ...] = ("duckdb", "athena", "trino", "postgres", "sqlite")
MAX_BYTES = 262_144
"""Athena's bound on a query's text; no question needs more."""
MAX_TOKENS = 20_000
MAX_NESTING = 60
"""Open brackets, CASE and NOT at one place: deeper texts exhaust a recursive parser's stack."""
MAX_POSTFIX = 2_000
"""Square brackets in all: chains of subscripts take this parser quadratic time."""
MAX_DEPTH = 150
MAX_NODES = 30_000
MAX_SELECTS = 300


class _DuckDB(DuckDB):
    """DuckDB as of version 2, which takes names in backticks too."""

    class Tokenizer(DuckDB.Tokenizer):
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ['"', "`"]


_READERS: dict[str, DialectType] = {
    "duckdb": _DuckDB,
    "athena": Athena,
    "trino": Trino,
    "postgres": Postgres,
    "sqlite": SQLite,
}
"""All are imported here: by name, a second thread would get one that is only half made."""
_CHAINS = (exp.Connector, exp.SetOperation, exp.Join)
_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
_PREFIX = {TokenType.NOT, TokenType.DASH, TokenType.TILDE, TokenType.PLUS}


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """One statement as text, tokens and tree, or the findings that say why there is none."""

    text: str
    """What was given, without a trailing semicolon; otherwise character by character the same."""
    dialect: str
    tree: exp.Expr | None = None
    """None exactly when there are findings."""
    findings: tuple[Finding, ...] = ()
    tokens: tuple[Token, ...] = field(default=(), repr=False)


def parse(sql: str, dialect: str) -> Parsed:
    """Read exactly one statement; what is too big, too deep or ambiguous ends as a finding.

    Args:
        sql: any text, a model's answer included.
        dialect: one of ``DIALECTS``.

    Raises:
        ValueError: the dialect is none of ``DIALECTS`` (the caller's fault, not the text's).
    """
    if dialect not in DIALECTS:
        raise ValueError(f"unknown dialect {dialect!r}, expected one of {', '.join(DIALECTS)}")
    text = sql
    try:
        _bound_text(sql)
        tokens = _tokens(sql, dialect)
        text, tokens = _only_statement(sql, tokens)
        _bound_tokens(tokens)
        check_glue(text, tokens)
        tree = _tree(text, dialect)
        _bound_tree(tree)
    except Refused as refused:
        return Parsed(text=text, dialect=dialect, findings=(refused.finding,))
    return Parsed(text=text, dialect=dialect, tree=tree, tokens=tuple(tokens))


def position(node: exp.Expr, text: str) -> tuple[int, int] | None:
    """Return where a node begins, as far as any token within it tells."""
    starts = [n.meta["start"] for n in node.walk() if n.meta.get("start") is not None]
    return place(text, min(starts)) if starts else None


def written(node: exp.Expr, text: str) -> str:
    """Return the node's own text where its tokens tell, else as the parser would write it."""
    spans = [(n.meta["start"], n.meta["end"]) for n in node.walk() if "end" in n.meta]
    if not spans:
        return node.sql()[:200]
    return text[min(s for s, _ in spans) : max(e for _, e in spans) + 1][:200]


def _bound_text(sql: str) -> None:
    try:
        size = len(sql.encode())
    except UnicodeEncodeError:
        raise fault("bad_character", "The text holds half a surrogate pair.") from None
    if size > MAX_BYTES:
        raise fault("too_long", f"The text has {size:,} bytes; at most {MAX_BYTES:,} are read.")
    if "\0" in sql:
        at = place(sql, sql.index("\0"))
        raise fault("bad_character", "The text holds a NUL character.", at=at)


def _tokens(sql: str, dialect: str) -> list[Token]:
    try:
        return sqlglot.tokenize(sql, read=_READERS.get(dialect, dialect))
    except TokenError as error:
        cause = str(error).splitlines()[0]
        raise fault("syntax_error", f"The text cannot be read: {cause}", kind="syntax") from error


def _only_statement(sql: str, tokens: list[Token]) -> tuple[str, list[Token]]:
    """Cut trailing semicolons; refuse nothing and more than one statement."""
    ends = [i for i, t in enumerate(tokens) if t.token_type is TokenType.SEMICOLON]
    if not tokens or len(ends) == len(tokens):
        raise fault("empty", "There is no statement.", kind="syntax", hint="Write one SELECT.")
    if not ends:
        check_gaps(sql, tokens)
        return sql, tokens
    first = ends[0]
    rest = tokens[first:]
    if first == 0 or any(t.token_type is not TokenType.SEMICOLON for t in rest):
        other = next(t for t in rest if t.token_type is not TokenType.SEMICOLON)
        raise fault(
            "many_statements",
            "There is more than one statement.",
            clause=sql[other.start : other.end + 1],
            hint="Write one SELECT and no semicolon.",
            at=place(sql, other.start),
        )
    check_gaps(sql, tokens)
    return sql[: tokens[first].start].rstrip(), tokens[:first]


def _bound_tokens(tokens: list[Token]) -> None:
    if len(tokens) > MAX_TOKENS:
        raise fault("too_long", f"The text has {len(tokens):,} words; at most {MAX_TOKENS:,}.")
    if sum(t.token_type is TokenType.L_BRACKET for t in tokens) > MAX_POSTFIX:
        raise fault("too_long", f"The text has more than {MAX_POSTFIX:,} square brackets.")
    if max(_nesting(tokens), default=0) > MAX_NESTING:
        raise _too_deep()


def _nesting(tokens: Iterable[Token]) -> Iterator[int]:
    """Yield how deep each token lies, counting brackets and runs of prefix operators."""
    depth = run = 0
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING and depth > 0)
        run = run + 1 if kind in _PREFIX else 0
        yield depth + run


def _too_deep() -> Refused:
    return fault(
        "too_deep", "The statement is nested too deeply to be judged.", hint="Nest less, use WITH."
    )


def _tree(text: str, dialect: str) -> exp.Expr:
    try:
        trees = sqlglot.parse(text, read=_READERS.get(dialect, dialect))
    except RecursionError:
        raise _too_deep() from None
    except ParseError as error:
        raise _syntax(error) from error
    except SqlglotError as error:
        message = str(error).splitlines()[0]
        raise fault("syntax_error", f"Not valid SQL: {message}", kind="syntax") from error
    if len(trees) != 1 or trees[0] is None:
        raise fault("many_statements", "There is not exactly one statement.")
    return with_plain_negations(trees[0])


def _syntax(error: ParseError) -> Refused:
    first = error.errors[0] if error.errors else {}
    near = str(first.get("highlight") or "").strip()
    said = str(first.get("description") or "Invalid syntax").split("\n")[0].rstrip(".")
    said = re.sub(r" for <class '[\w.]+\.(\w+)'>", r" in \1", said)
    said = re.sub(r"<Token token_type.*?text: (.*?), line:.*?>$", r"`\1`", said)
    line, column = first.get("line"), first.get("col")
    return fault(
        "syntax_error",
        f"Not valid SQL: {said}" + (f", near `{near[:80]}`." if near else "."),
        kind="syntax",
        clause=near,
        at=(int(line), int(column)) if line and column else None,
    )


def _bound_tree(tree: exp.Expr) -> None:
    """Count nodes and depth without recursion; chains of AND, OR, UNION and joins are flat."""
    stack: list[tuple[exp.Expr, int]] = [(tree, 0)]
    nodes = selects = 0
    while stack:
        node, depth = stack.pop()
        nodes += 1
        selects += isinstance(node, exp.Select)
        if nodes > MAX_NODES or selects > MAX_SELECTS:
            raise fault(
                "too_long", f"The statement has over {MAX_NODES:,} parts or too many SELECTs."
            )
        if depth > MAX_DEPTH:
            raise _too_deep()
        for child in node.iter_expressions():
            flat = isinstance(child, _CHAINS) and type(child) is type(node)
            stack.append((child, depth if flat else depth + 1))
