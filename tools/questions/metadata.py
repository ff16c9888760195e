"""Questions about the catalog itself, and their answers, made without a model."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.engines.engine import ResultColumn
from querymend.tools.questions.quoted import blanked
from querymend.tools.questions.words import alike, content_words, name_words, tokens, words_of

MAX_LISTED = 12

_TABLES = r"(?:data ?(?:sets?|bases?)|tables?|views?|relations?|entities)"
_COLUMNS = r"(?:columns?|fields?|attributes?)"
_ASK = (
    r"^(?:please |can you |could you )*(?:what(?:'s| are| is)?|which|list|show|give|tell|name|"
    r"describe|display|how many|explain)(?: me| us)?(?: about)?(?: all| every)?(?: of)?(?: the)?"
    r"(?: different| available| existing)?"
)
_EXIST = (
    r"(?: (?:are|is|do|does|can|could|exist|there|we|you|i|have|has|available|in|of|the|this|our|"
    r"your|my|database|data|warehouse|schema|catalog|here|query|use|ask|about|access|see|names?|"
    r"all|total|currently|please|loaded|system))*\W*$"
)
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_ASK} {_TABLES}(?: names?)?{_EXIST}",
        rf"{_ASK} (?:names? of )?(?:all )?(?:the )?{_TABLES}{_EXIST}",
        r"^(?:show|list) (?:tables|schema|databases|columns)\W*$",
        rf"{_ASK} (?:data|information|schema|database schema|data model)"
        rf"{_EXIST}",
        r"^what(?:'s| is) (?:in|inside) (?:the|this|our|your|my) "
        r"(?:database|warehouse|data|schema)\W*$",
        r"^what (?:can|could) (?:i|you|we) (?:ask|answer|query|do)\b[^,]*$",
        r"^(?:help|what do you know)\W*$",
    )
)
_OF_TABLE = tuple(
    re.compile(form)
    for form in (
        rf"{_ASK} (?:names? of )?(?:the )?(?:types? of )?(?:the )?{_COLUMNS}(?: names?| types?)? "
        r"(?:are|is|does|do|of|in|for|from|on|exist|can|available|has|have)\b(?P<rest>.*)$",
        r"^(?:please )?(?:what(?:'s| is)|show(?: me)?|describe|explain|give me) (?:the )?"
        r"(?:schema|structure|definition|layout|ddl|(?:primary |foreign )?keys?) (?:of|for|in)\b"
        r"(?P<rest>.*)$",
        r"^(?:please )?(?:describe|explain) (?P<rest>.*)$",
        r"^what (?:does|do|is in|is stored in)\b(?P<rest>.*?\btable\b.*?)"
        r"(?: (?:contain|hold|store|mean|have))?\W*$",
        rf"^what does (?:the )?{_COLUMNS} (?P<rest>.*?) (?:mean|contain|hold|stand for)\W*$",
        rf"^which {_TABLES} (?:contain|have|has|hold|store|include)s?\b(?P<rest>.*)$",
        r"^(?:in )?which table\b(?P<rest>.*)\b(?:stored|kept|live|found)\W*$",
        r"^where (?:is|are|can i find)\b(?P<rest>.*)\b"
        r"(?:stored|kept|saved|in the (?:database|schema))\W*$",
        r"^how (?:is|are)\b(?P<rest>.*)\b(?:related|joined|linked|connected)\W*.*$",
    )
)
_FILLER = words_of(
    "table column field attribute view schema data database type name key primary foreign does "
    "have contain hold store available structure mean stand stored kept saved related joined "
    "linked connected warehouse catalog other exist dataset information"
)


@dataclass(frozen=True, kw_only=True)
class Described:
    """What the catalog says, as text and as rows."""

    text: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[str | int | None, ...], ...]
    tables: tuple[str, ...] = ()
    """Qualified names of the tables that are spoken of."""


def asks_for_catalog(question: str, catalog: Catalog) -> bool:
    """Tell whether a question is about tables and columns themselves, not their rows."""
    text = re.sub(r"\s+", " ", blanked(question).lower()).strip()
    if any(form.match(text) for form in _FORMS) and not _is_business_word(text, catalog):
        return True
    for form in _OF_TABLE:
        if found := form.match(text):
            return _is_about_names(found["rest"], catalog)
    return False


def describe_catalog(question: str, catalog: Catalog) -> Described:
    """Answer a question about the catalog from the catalog alone.

    Names tables and columns, private ones too, but never a value.
    """
    tables = _named_tables(question, catalog)
    words = [w for w in content_words(question) if w not in _FILLER]
    if re.search(r"\b(?:related|joined|linked|connected|relationship)\b", question.lower()):
        return _keys(tables or list(catalog.tables))
    if tables and not re.search(r"\bwhich tables?\b|\bwhere\b", question.lower()):
        return _table(tables[0]) if len(tables) == 1 else _tables(tables, len(tables))
    found = [(t, c) for t in catalog.tables for c in t.columns if _speaks_of(c, words)]
    if words and found:
        return _columns(found)
    return _tables(list(catalog.tables), len(catalog.tables))


def _tables(tables: list[Table], count: int) -> Described:
    names = ", ".join(t.qualified_name for t in tables[:MAX_LISTED])
    more = f" and {count - MAX_LISTED} more" if count > MAX_LISTED else ""
    noun = "table" if count == 1 else "tables"
    verb = "is" if count == 1 else "are"
    return Described(
        text=f"There {verb} {count} {noun}: {names}{more}." if count else "There are no tables.",
        columns=_result_columns("table", "description", "columns", "rows"),
        rows=tuple((t.qualified_name, t.description, len(t.columns), t.rows) for t in tables),
        tables=tuple(t.qualified_name for t in tables),
    )


def _table(table: Table) -> Described:
    count = len(table.columns)
    about = f": {table.description.rstrip('.')}." if table.description else "."
    names = ", ".join(c.name for c in table.columns[:MAX_LISTED])
    more = f" and {count - MAX_LISTED} more" if count > MAX_LISTED else ""
    return Described(
        text=f"{table.qualified_name} has {count} columns{about} They are {names}{more}.",
        columns=_result_columns("column", "type", "description", "key"),
        rows=tuple((c.name, c.type, _about(c), _key(table, c)) for c in table.columns),
        tables=(table.qualified_name,),
    )


def _columns(found: list[tuple[Table, Column]]) -> Described:
    names = ", ".join(f"{t.qualified_name}.{c.name}" for t, c in found[:MAX_LISTED])
    more = f" and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
    return Described(
        text=f"The catalog has {names}{more}.",
        columns=_result_columns("table", "column", "type", "description"),
        rows=tuple((t.qualified_name, c.name, c.type, _about(c)) for t, c in found),
        tables=tuple(dict.fromkeys(t.qualified_name for t, _ in found)),
    )


def _keys(tables: Iterable[Table]) -> Described:
    rows = [
        (t.qualified_name, ", ".join(k.columns), k.table, ", ".join(k.target_columns))
        for t in tables
        for k in t.keys
    ]
    told = "; ".join(f"{a}.{b} refers to {c}.{d}" for a, b, c, d in rows[:MAX_LISTED])
    return Described(
        text=f"{told}." if told else "The catalog knows of no key between these tables.",
        columns=_result_columns("table", "columns", "refers to", "its columns"),
        rows=tuple(rows),
        tables=tuple(t.qualified_name for t in tables),
    )


def _about(column: Column) -> str:
    unit = f" ({column.unit})" if column.unit else ""
    private = "private" if column.private else ""
    return "; ".join(filter(None, (column.description + unit, private))).strip()


def _key(table: Table, column: Column) -> str:
    refers = [f"refers to {k.table}" for k in table.keys if column.name in k.columns]
    primary = ["primary key"] if column.name in table.primary_key else []
    return ", ".join((*primary, *refers))


def _result_columns(*names: str) -> tuple[ResultColumn, ...]:
    return tuple(ResultColumn(name=n, type="VARCHAR") for n in names)


def _named_tables(question: str, catalog: Catalog) -> list[Table]:
    """Return the tables whose whole name stands in the question, longest names first."""
    words = [w for t in tokens(question) for w in name_words(t)]
    raw = set(tokens(question)) | set(question.lower().split())
    exact = [t for t in catalog.tables if {t.name.lower(), t.qualified_name.lower()} & raw]
    if exact:
        return exact
    named = [t for t in catalog.tables if set(name_words(t.name)) <= set(words)]
    longest = max((len(name_words(t.name)) for t in named), default=0)
    return [t for t in named if len(name_words(t.name)) == longest]


def _speaks_of(column: Column, words: list[str]) -> bool:
    names = name_words(column.name)
    return bool(words) and all(any(alike(w, n) for n in names) for w in words)


def _is_about_names(rest: str, catalog: Catalog) -> bool:
    """What follows names tables and columns, and nothing of their contents."""
    words = [w for w in content_words(rest) if w not in _FILLER]
    if not words:
        return bool(re.search(r"\b(?:tables?|columns?|database|schema)\b", rest))
    known = {
        w
        for t in catalog.tables
        for n in (t.name, t.schema, *(c.name for c in t.columns))
        for w in (*name_words(n), n.lower())
    }
    spoken = [p for w in words for p in name_words(w)]
    return all(any(p == k or alike(p, k) for k in known) for p in spoken)


def _is_business_word(text: str, catalog: Catalog) -> bool:
    """The warehouse itself holds tables or fields as things: of a restaurant, of a farm."""
    held = {w for t in catalog.tables for w in name_words(t.name)}
    return any(w in held and re.search(rf"\b{w}s?\b", text) for w in ("table", "view", "field"))
