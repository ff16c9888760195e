"""What helps whoever writes the next text: real names, the place, the rule of the dialect."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler
from sqlglot import exp

from querymend.tools.catalog.model import Catalog, Table
from querymend.tools.engines.athena.faults import Failure
from querymend.tools.sql.checks import check
from querymend.tools.sql.parse import parse

EXPECTED = 5
NEAR = 3
_PLACE = re.compile(r"line (\d+):(\d+)")
_EXPECTING = re.compile(r"Expecting: (.*)", re.DOTALL)
_TOKEN = re.compile(r"'[^']*'|<[^>]+>|\w+")
_NAME = re.compile(r"(?:[Cc]olumn|[Tt]able|[Ss]chema|[Ff]unction) '([^']+)'")
_SIGNATURES = re.compile(r"Expected: .*", re.DOTALL)
_UNKNOWN_FUNCTION = re.compile(r"[Ff]unction '?(\w+)'? not registered")
_WORD = re.compile(r"[A-Za-z_][\w$-]*")
REPLACED = MappingProxyType(
    {
        "nvl": "coalesce",
        "ifnull": "coalesce",
        "isnull": "coalesce",
        "getdate": "current_timestamp",
        "datediff": "date_diff('day', a, b)",
        "dateadd": "date_add('day', n, d)",
        "to_date": "date_parse or CAST(… AS date)",
        "to_char": "date_format",
        "strftime": "date_format",
        "left": "substr(s, 1, n)",
        "right": "substr(s, -n)",
        "len": "length",
        "string_agg": "array_join(array_agg(x), ',')",
        "group_concat": "array_join(array_agg(x), ',')",
        "median": "approx_percentile(x, 0.5)",
        "percentile_cont": "approx_percentile",
        "first": "min_by or arbitrary",
        "charindex": "strpos",
        "instr": "strpos",
    }
)
"""What models write, and what Athena has."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """One failure with the statement and the tables it is about."""

    failure: Failure
    sql: str
    catalog: Catalog | None
    place: Callable[[tuple[int, int]], tuple[int, int]]

    @property
    def position(self) -> tuple[int, int] | None:
        """The 1-based place in the statement, where the text tells one."""
        found = _PLACE.search(self.failure.text)
        return self.place((int(found[1]), int(found[2]))) if found else None

    @property
    def tables(self) -> list[Table]:
        """The catalog's tables that the statement reads; where it is no SQL, those it names."""
        tree = parse(self.sql, "athena").tree
        words = _WORD.findall(self.sql) if tree is None else _read_by(tree)
        names = {w.lower() for w in words}
        return [t for t in self.everything if t.name.lower() in names]

    @property
    def everything(self) -> tuple[Table, ...]:
        """The catalog's tables."""
        return self.catalog.tables if self.catalog else ()

    @property
    def is_faulty(self) -> bool:
        """Whether the checks, which know every column of the catalog, refuse the statement."""
        found = check(self.sql, dialect="athena", catalog=self.catalog)
        return any(f.severity == "block" for f in found)

    @property
    def name(self) -> str:
        """The name that the failure is about."""
        found = _NAME.search(self.failure.text)
        return found[1] if found else ""


def hint(rule: str, told: Told) -> str:
    """Return the cure for a failure of this kind, or an empty text."""
    make = _HINTS.get(rule)
    return make(told) if make else ""


def is_forbidden_column(told: Told) -> str:
    """Return a column that Athena hides although the statement may read it there, or nothing.

    Athena says "cannot be resolved or requester is not authorized" in both cases: it hides one
    that a table has which the statement reads, where nothing else is wrong with the statement.
    """
    if "not authorized" not in told.failure.text:
        return ""
    bare = told.name.rpartition(".")[2]
    owners = [t.qualified_name for t in told.tables if t.column(bare)]
    if not owners or told.is_faulty:
        return ""
    return f"{owners[0]}.{bare}" if len(owners) == 1 else bare


def _read_by(tree: exp.Expr) -> list[str]:
    """Name the tables that a statement reads, and not what it only calls like one."""
    return [t.name for t in tree.find_all(exp.Table)]


def _syntax(told: Told) -> str:
    found = _EXPECTING.search(told.failure.text)
    tokens = _TOKEN.findall(found[1])[:EXPECTED] if found else []
    expected = f"Expected here: {', '.join(tokens)}. " if tokens else ""
    reminder = (
        "Athena quotes names with \"…\" and strings with '…'; OFFSET stands before LIMIT; there is"
        " no ::, ILIKE, QUALIFY or TOP."
    )
    return f"{_caret(told)}{expected}{reminder}"


def _caret(told: Told) -> str:
    """Return the line at fault with a caret below the place."""
    lines = told.sql.split("\n")
    at = told.position
    if at is None or at[0] > len(lines):
        return ""
    line, column = lines[at[0] - 1], at[1] - 1
    start = max(0, column - 40)
    return f"\n{line[start : column + 40]}\n{' ' * (column - start)}^\n"


def _column(told: Told) -> str:
    if "ambiguous" in told.failure.text.lower():
        return "Write the table's name or alias before the column."
    bare = told.name.rpartition(".")[2]
    if not told.tables:
        owners = [t.name for t in told.everything if t.column(bare)][:NEAR]
        return f"Read it FROM {' or '.join(owners)}." if owners else ""
    names = {f"{t.name}.{c.name}": c.name for t in told.tables for c in t.columns}
    near = _near(bare, names)
    listed = "; ".join(
        f"{t.name}: {', '.join(c.name for c in t.columns[:20])}" for t in told.tables
    )
    meant = f"Nearest: {', '.join(near)}. " if near else ""
    return f"{meant}Columns: {listed}."


def _table(told: Told) -> str:
    tables = {t.qualified_name: t.name for t in told.everything}
    near = _near(told.name.rpartition(".")[2], tables) or list(tables)[:NEAR]
    return f"Tables that exist: {', '.join(near)}." if near else ""


def _function(told: Told) -> str:
    found = _UNKNOWN_FUNCTION.search(told.failure.text)
    if found and found[1].lower() in REPLACED:
        return f"Athena has {REPLACED[found[1].lower()]} instead of {found[1]}."
    expected = _SIGNATURES.search(told.failure.text)
    if expected:
        return expected[0].strip()
    return _run_time(told) or "Use a function of Trino with its arguments' types."


def _type(told: Told) -> str:
    named = [c for t in told.tables for c in t.columns if _mentions(told, c.name)]
    types = ", ".join(f"{c.name} is {c.type.lower()}" for c in named[:5])
    rule = (
        "Nothing is converted by itself: write DATE '2024-01-31', TIMESTAMP '2024-01-31 00:00:00',"
        " CAST(x AS …), or TRY_CAST where values are dirty."
    )
    return f"{types}. {rule}" if types else rule


def _mentions(told: Told, name: str) -> bool:
    """Tell whether a column stands on the line at fault, or anywhere if no line is told."""
    at, lines = told.position, told.sql.split("\n")
    line = lines[at[0] - 1] if at and at[0] <= len(lines) else told.sql
    return re.search(rf"\b{re.escape(name)}\b", line, re.IGNORECASE) is not None


def _run_time(told: Told) -> str:
    text = told.failure.text.lower()
    cures = (
        ("division by zero", "Divide by NULLIF(x, 0)."),
        ("out_of_range", "CAST to double or a wider decimal before the sum."),
        ("multiple rows", "Aggregate the subquery, or use IN."),
        ("key not present", "Read maps with element_at(m, key), which gives NULL."),
        ("subscript", "Read arrays with element_at(a, n), which gives NULL."),
    )
    return next((cure for sign, cure in cures if sign in text), "")


def _partition(told: Told) -> str:
    found = re.search(r"partition column (\S+)", told.failure.text)
    name = found[1] if found else "the partition key"
    return f"Give {name} one value, or a list: {name} = '…' or {name} IN ('…', '…')."


def _narrower(told: Told) -> str:
    keys = [f"{t.name}.{p}" for t in told.tables for p in t.partitions]
    by = f"Filter on the partition keys ({', '.join(keys)}), s" if keys else "S"
    return (
        f"{by}elect only the columns that are needed, count with approx_distinct, and sort or"
        " window over less."
    )


def _fixed(text: str) -> Callable[[Told], str]:
    return lambda told: text


def _near(name: str, candidates: dict[str, str]) -> list[str]:
    found = process.extract(
        name.lower(),
        {k: v.lower() for k, v in candidates.items()},
        scorer=JaroWinkler.normalized_similarity,
        limit=NEAR,
        score_cutoff=0.75,
    )
    return [key for _, _, key in found]


_HINTS: dict[str, Callable[[Told], str]] = {
    "syntax": _syntax,
    "column": _column,
    "table": _table,
    "function": _function,
    "type": _type,
    "grouping": _fixed(
        "Every selected expression is an aggregate or stands in GROUP BY; no alias is seen in"
        " WHERE, GROUP BY or HAVING; aggregates are not nested; ORDER BY of a SELECT DISTINCT names"
        " selected expressions."
    ),
    "run time": _run_time,
    "partition": _partition,
    "limit of the engine": _fixed("Write a correlated subquery as a join, and fewer stages."),
    "resources": _narrower,
    "time": _narrower,
    "cutoff": _narrower,
}
