"""Verdicts hold whatever the clothes: case, blanks, comments, brackets, nesting."""

import json
from pathlib import Path

import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot.tokenizer_core import Token, TokenType

from querymend.tools.sql.gate import admit

SQL = Path(__file__).parent / "sql"


def cases(name: str) -> list[dict[str, str]]:
    text = (SQL / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


ATTACKS = [
    c
    for c in cases("attacks.jsonl")
    if c["sql"].isascii() and not any(mark in c["sql"] for mark in ("\0", "\r", "/*", "--"))
]
QUERIES = [c for c in cases("innocent.jsonl") if c["sql"].lstrip("(").startswith("SELECT")]
ATTACKING = [c for c in ATTACKS if c["sql"].startswith(("SELECT", "WITH")) and ";" not in c["sql"]]
BLANKS = st.sampled_from([" ", "\n", "\t", "  \n", " /* x */ ", " -- y\n", "\n/* ; */\n"])
QUICK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
WORDS = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER)


def dressed(sql: str, dialect: str, draw: st.DrawFn) -> str:
    """Change case of keywords and unquoted names, and what stands between words."""
    tokens = sqlglot.tokenize(sql, read=dialect)
    parts = [sql[: tokens[0].start]]
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        parts.append(_cased(sql, token, draw))
        gap = sql[token.end + 1 : following.start if following else len(sql)]
        parts.append(draw(BLANKS) if gap.isspace() else gap)
    return "".join(parts)


def _cased(sql: str, token: Token, draw: st.DrawFn) -> str:
    text = sql[token.start : token.end + 1]
    if not text.replace("_", "").isalnum() or token.token_type in WORDS[1:]:
        return text
    return draw(st.sampled_from([text, text.upper(), text.lower(), text.swapcase()]))


NESTS = (
    "{}",
    "({})",
    "SELECT * FROM ({}) AS nested",
    "WITH nested AS ({}) SELECT * FROM nested",
    "WITH a AS (SELECT 1 AS x), b AS (SELECT * FROM ({}) AS c) SELECT * FROM a, b",
    "SELECT 1 AS one UNION ALL SELECT 1 FROM ({}) AS nested",
    "({}) UNION ALL ({})",
    "SELECT x FROM t WHERE x IN (SELECT 1 FROM ({}) AS nested)",
    "SELECT (SELECT count(*) FROM ({}) AS nested) AS n",
    "SELECT 1 FROM t JOIN ({}) AS nested ON true",
    "SELECT CASE WHEN EXISTS ({}) THEN 1 END",
)


def nested(sql: str, nest: str) -> str:
    return nest.replace("{}", sql.rstrip(";").rstrip() + "\n")


@QUICK
@given(st.data())
def test_a_refused_statement_stays_refused_in_any_clothes(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(ATTACKS))
    sql = dressed(case["sql"], case["dialect"], data.draw)
    assert admit(sql, dialect=case["dialect"]).sql is None


@QUICK
@given(st.data())
def test_a_refused_query_stays_refused_wherever_it_is_nested(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(ATTACKING))
    inner = nested(case["sql"], data.draw(st.sampled_from(NESTS)))
    outer = nested(inner, data.draw(st.sampled_from(NESTS)))
    assert admit(outer, dialect=case["dialect"]).sql is None


@QUICK
@given(st.data())
def test_an_accepted_statement_stays_accepted_in_any_clothes(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(QUERIES))
    sql = dressed(case["sql"], case["dialect"], data.draw)
    assert admit(sql, dialect=case["dialect"]).findings == ()


@QUICK
@given(st.data())
def test_an_accepted_query_stays_accepted_wherever_it_is_nested(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(QUERIES))
    sql = nested(case["sql"], data.draw(st.sampled_from(NESTS)))
    assert admit(sql, dialect=case["dialect"]).findings == ()


@QUICK
@given(st.text(max_size=60), st.sampled_from(["duckdb", "athena", "postgres", "sqlite"]))
def test_any_text_gets_a_verdict(text: str, dialect: str) -> None:
    verdict = admit(text, dialect=dialect)
    assert (verdict.sql is None) == any(f.severity == "block" for f in verdict.findings)


@QUICK
@given(st.data())
def test_a_name_with_unicode_escapes_is_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["nextval", "pg_sleep", "read_text", "lower"]))
    place = data.draw(st.integers(0, len(name) - 1))
    escaped = f"{name[:place]}\\{ord(name[place]):04X}{name[place + 1 :]}"
    prefix = data.draw(st.sampled_from(["U&", "u&"]))
    dialect = data.draw(st.sampled_from(["duckdb", "athena", "postgres"]))
    assert admit(f"SELECT {prefix}\"{escaped}\"('x')", dialect=dialect).sql is None
