"""Which functions a statement may call: an allow-list for each dialect.

The name is judged as it is written, token by token: the parser turns many calls into nodes that no
longer tell their name, and drops quotes. The lists are the files ``functions_*.txt``, one name a
line, and for FROM ``table_functions_*.txt``: built-in functions whose result depends on their
arguments, the clock or chance alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rapidfuzz import fuzz, process
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from querymend.tools.findings import Finding
from querymend.tools.sql.parse import Parsed, place
from querymend.tools.sql.types.foreign import trinos_way

_LISTS = {"trino": "athena"}
_QUALIFIERS: dict[str, set[tuple[str, ...]]] = {
    "duckdb": {("main",), ("system", "main"), ("pg_catalog",), ("system", "pg_catalog")},
    "postgres": {("pg_catalog",)},
}
_SESSION_NODES = (
    exp.CurrentUser,
    exp.CurrentRole,
    exp.CurrentCatalog,
    exp.CurrentSchema,
    exp.SessionUser,
)

_NAMED = {TokenType.VAR, TokenType.IDENTIFIER}
_PUNCTUATION = {
    TokenType.NUMBER,
    TokenType.STRING,
    TokenType.HEREDOC_STRING,
    TokenType.RAW_STRING,
    TokenType.PARAMETER,
}


@dataclass(frozen=True)
class Call:
    """A name followed by an opening bracket, as written."""

    name: str
    """Lower-case unless the dialect tells quoted names apart by case."""
    quoted: bool
    qualifier: tuple[str, ...]
    token: Token


@cache
def words(name: str) -> frozenset[str]:
    """Read a word list that lies beside this module: one word a line."""
    text = files("querymend.tools.sql").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def allowed_functions(dialect: str) -> frozenset[str]:
    """Return the allow-list of a dialect, in lower case."""
    return words(f"functions_{_LISTS.get(dialect, dialect)}")


def table_functions(dialect: str) -> frozenset[str]:
    """Return what may be called in FROM; in Postgres that is every allowed function."""
    kind = "functions" if dialect == "postgres" else "table_functions"
    return words(f"{kind}_{_LISTS.get(dialect, dialect)}")


def check_functions(parsed: Parsed, schemas: Iterable[str] = ()) -> list[Finding]:
    """Refuse calls that the dialect's allow-list does not hold.

    Args:
        parsed: a statement with a tree.
        schemas: names of schemas of the catalog: a function qualified by one is a user's own.
    """
    assert parsed.tree is not None
    own = {s.lower() for s in schemas}
    findings = [f for call in calls(parsed) if (f := _judge(parsed, call, own))]
    findings += [_session(parsed, n) for n in parsed.tree.find_all(*_SESSION_NODES)]
    return findings + _check_table_functions(parsed)


def calls(parsed: Parsed) -> Iterator[Call]:
    """Yield what is called, in order; keywords, types and aliases with column lists are not."""
    declared = _declared(parsed)
    tokens = parsed.tokens
    for i in range(len(tokens) - 1):
        token = tokens[i]
        if tokens[i + 1].token_type is not TokenType.L_PAREN or token.start in declared:
            continue
        quoted = token.token_type is TokenType.IDENTIFIER
        if not quoted and (not _is_word(token) or _is_grammar(tokens, i)):
            continue
        name = token.text if quoted and parsed.dialect == "postgres" else token.text.lower()
        yield Call(name, quoted, _qualifier(tokens, i), token)


def _is_word(token: Token) -> bool:
    return token.token_type not in _PUNCTUATION and (token.text[:1].isalpha() or "_" in token.text)


def _is_grammar(tokens: tuple[Token, ...], i: int) -> bool:
    """Tell whether the word before a bracket belongs to the grammar and calls nothing."""
    after_dot = i > 0 and tokens[i - 1].token_type is TokenType.DOT
    word = tokens[i].text.lower().split()[-1]
    return not after_dot and (word in words("grammar_words") or word in words("type_words"))


def _declared(parsed: Parsed) -> set[int]:
    """Return where aliases with a list of columns begin: ``t(a, b)``."""
    assert parsed.tree is not None
    places = set()
    for alias in parsed.tree.find_all(exp.TableAlias):
        if alias.args.get("columns") and isinstance(alias.this, exp.Identifier):
            places.add(alias.this.meta.get("start", -1))
    return places


def _qualifier(tokens: tuple[Token, ...], i: int) -> tuple[str, ...]:
    """Return the names before a called name, nearest last; ``?`` stands for an expression."""
    names: list[str] = []
    while i >= 2 and tokens[i - 1].token_type is TokenType.DOT:
        before = tokens[i - 2]
        if not (_is_word(before) or before.token_type in _NAMED):
            return ("?", *names)
        names.insert(0, before.text.lower())
        i -= 2
    if i >= 1 and tokens[i - 1].token_type is TokenType.DOT:
        names.insert(0, "?")
    return tuple(names)


def _judge(parsed: Parsed, call: Call, own: set[str]) -> Finding | None:
    allowed = allowed_functions(parsed.dialect)
    if call.name in allowed and _may_qualify(parsed.dialect, call.qualifier, own):
        return None
    shown = ".".join((*call.qualifier, call.token.text))
    at = place(parsed.text, call.token.start)
    if call.name in allowed or _reaches(call.name):
        return Finding(
            code="function_not_allowed",
            kind="safety",
            severity="block",
            message=f"The function {shown} is not allowed.",
            clause=shown,
            hint="Use a built-in function that works on its arguments alone, without a schema.",
            position=at,
        )
    near = nearest_functions(call.name, parsed.dialect)
    return Finding(
        code="unknown_function",
        kind="name",
        severity="block",
        message=f"{parsed.dialect} has no function {shown} that is allowed.",
        clause=shown,
        hint=_cure(call.name, parsed.dialect, near),
        position=at,
    )


def _cure(name: str, dialect: str, near: list[str]) -> str:
    way = trinos_way(name) if dialect in ("athena", "trino") else None
    if way is not None:
        return f"Write {way}."
    return f"The nearest are {', '.join(near)}." if near else ""


def _may_qualify(dialect: str, qualifier: tuple[str, ...], own: set[str]) -> bool:
    if not qualifier or qualifier in _QUALIFIERS.get(dialect, ()):
        return True
    return (
        dialect == "duckdb" and qualifier[0] not in own and qualifier[0] not in {"temp", "system"}
    )


def _reaches(name: str) -> bool:
    """Tell whether a name begins like those that reach files, settings, servers or hidden SQL."""
    low = name.lower()
    return low.startswith(tuple(words("functions_reaching"))) or low.endswith(("_scan", "_query"))


def nearest_functions(name: str, dialect: str) -> list[str]:
    """Return up to three allowed names that look like this one, best first."""
    found = process.extract(
        name.lower(),
        sorted(allowed_functions(dialect)),
        scorer=fuzz.WRatio,
        score_cutoff=75,
        limit=3,
    )
    return [match[0] for match in found]


def _session(parsed: Parsed, node: exp.Expr) -> Finding:
    return Finding(
        code="function_not_allowed",
        kind="safety",
        severity="block",
        message=f"{node.sql()} tells about the session, not about the data.",
        clause=node.sql(),
    )


def _check_table_functions(parsed: Parsed) -> list[Finding]:
    """Judge what stands in FROM: scalar names and table names are two namespaces."""
    assert parsed.tree is not None
    findings = []
    for node in parsed.tree.find_all(exp.Table, exp.Lateral):
        inner = node.this
        if isinstance(inner, (exp.Identifier, exp.Subquery, exp.Query)) or inner is None:
            continue
        name = _called(inner, parsed.text)
        if name.lower() not in table_functions(parsed.dialect):
            findings.append(_not_a_source(parsed, name, inner))
    return findings


def _called(node: exp.Expr, text: str) -> str:
    """Return the name at the node's own token, unquoted."""
    start, end = node.meta.get("start"), node.meta.get("end")
    if start is not None and end is not None:
        return text[start : end + 1].strip('"')
    return node.name or type(node).__name__


def _not_a_source(parsed: Parsed, name: str, node: exp.Expr) -> Finding:
    start = node.meta.get("start")
    return Finding(
        code="table_function_not_allowed",
        kind="safety",
        severity="block",
        message=f"{name} may not be read from.",
        clause=name,
        hint="Read from the tables of the catalog.",
        position=place(parsed.text, start) if start is not None else None,
    )
