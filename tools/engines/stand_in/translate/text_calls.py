"""Calls on texts and bytes that no template can say."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import (
    call,
    cast,
    column,
    filled,
    lambda_,
    number,
    replaced,
    text,
)
from querymend.tools.engines.stand_in.translate.calls import Call, CallRule, arguments_of, called
from querymend.tools.engines.stand_in.translate.casts import cast_as
from querymend.tools.engines.stand_in.translate.coercions import coerced
from querymend.tools.engines.stand_in.translate.literals import written_number
from querymend.tools.engines.stand_in.translate.translator import Rule, Translator
from querymend.tools.sql.types.model import (
    INTEGERS,
    TEXTS,
    UNKNOWN,
    VARCHAR,
    TrinoType,
)
from querymend.tools.sql.types.model import (
    array as array_of,
)

_FLOATS = ("real", "double")


def try_(tr: Translator, given: Call) -> exp.Expr:
    """Translate TRY."""
    return call("try", tr.expr(given.arguments[0]))


def typeof(tr: Translator, given: Call) -> exp.Expr:
    """Translate TYPEOF: the type is known before anything runs."""
    return text(str(tr.kind(given.arguments[0])))


def concat(tr: Translator, given: Call) -> exp.Expr:
    """Translate CONCAT, which gives NULL if any part is."""
    if given.gives.base == "array":
        sides = [_as_array(tr, a, given.gives) for a in given.arguments]
        found = sides[0]
        for side in sides[1:]:
            template = "CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE list_concat(a, b) END"
            found = filled(template, a=found, b=side)
        return found
    if given.gives.base not in ("varchar", "varbinary"):
        raise tr.refused(f"concat giving {given.gives}", given.node)
    found = tr.to(given.arguments[0], given.gives)
    for part in given.arguments[1:]:
        found = filled("a || b", a=found, b=tr.to(part, given.gives))
    return found


def _as_array(tr: Translator, node: exp.Expr, wanted: TrinoType) -> exp.Expr:
    made, kind = tr.expr(node), tr.kind(node)
    if kind.base != "array" and kind != UNKNOWN:
        made, kind = call("list_value", made), array_of(kind)
    return coerced(made, kind, wanted)


def concat_ws(tr: Translator, given: Call) -> exp.Expr:
    """Translate CONCAT_WS, which leaves NULLs out."""
    separator = tr.to(given.arguments[0], VARCHAR)
    rest = given.arguments[1:]
    if len(rest) == 1 and tr.kind(rest[0]).base == "array":
        items = tr.to(rest[0], array_of(VARCHAR))
    else:
        items = call("list_value", *(tr.to(r, VARCHAR) for r in rest))
    template = (
        "CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE coalesce(array_to_string(a, b), '') END"
    )
    return filled(template, a=items, b=separator)


def format_(tr: Translator, given: Call) -> exp.Expr:
    """Translate FORMAT: each value as a text, with the name of its type."""
    pattern, *values = given.arguments
    texts, kinds = [], []
    for value in values:
        kind = tr.kind(value)
        plain = kind.base in (
            *INTEGERS,
            *TEXTS,
            *_FLOATS,
            "decimal",
            "boolean",
            "date",
            "timestamp",
        )
        if not plain and kind != UNKNOWN:
            raise tr.refused(f"format of {kind}", given.node)
        texts.append(_formattable(tr.expr(value), kind))
        kinds.append(text(kind.base))
    lists = [cast(call("list_value", *items), "VARCHAR[]") for items in (texts, kinds)]
    return call("qm_format", tr.to(pattern, VARCHAR), *lists)


def _formattable(node: exp.Expr, kind: TrinoType) -> exp.Expr:
    return cast(node, "VARCHAR") if kind.base in _FLOATS else cast_as(node, kind, VARCHAR)


def regexp_replace(tr: Translator, given: Call) -> exp.Expr:
    """Translate REGEXP_REPLACE, with a lambda over the groups of each match."""
    last = given.arguments[-1]
    if not isinstance(last, exp.Lambda):
        return called(tr, given)
    body, names = tr.lambda_(last, lambda: tr.to(last.this, VARCHAR))
    source, pattern = (tr.to(a, VARCHAR) for a in given.arguments[:2])
    groups = filled("struct_extract(m, 'groups')", m=column("m"))
    inner = replaced(body, {names[0]: groups})
    piece = filled(
        "struct_extract(m, 'before') || CASE WHEN g IS NULL THEN '' ELSE coalesce(r, '') END",
        m=column("m"),
        g=groups.copy(),
        r=inner,
    )
    pieces = call("list_transform", call("qm_regexp_cut", source, pattern), lambda_(piece, "m"))
    return filled("CASE WHEN a IS NULL THEN NULL ELSE array_to_string(a, '') END", a=pieces)


_BLANKS = (
    " \t\n\v\f\r\x1c\x1d\x1e\x1f\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
)
"""What Trino takes for white space: Java's ``Character.isWhitespace``."""
_TRIMS = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}


def trim(tr: Translator, given: Call) -> exp.Expr:
    """Translate TRIM, LTRIM and RTRIM."""
    if len(given.arguments) > 1 or given.gives.base != "varchar":
        return called(tr, given)
    made, _ = arguments_of(tr, given)
    return call(given.name, made[0], text(_BLANKS))


def trim_node(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``TRIM(BOTH 'x' FROM y)``."""
    letters = node.args.get("expression")
    value = tr.to(node.this, VARCHAR)
    taken = tr.to(letters, VARCHAR) if letters is not None else text(_BLANKS)
    return call(_TRIMS[str(node.args.get("position") or "BOTH").upper()], value, taken)


def normalize_node(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``NORMALIZE(x, NFD)``."""
    form = node.args.get("form")
    name = form.name.upper() if isinstance(form, exp.Expr) else "NFC"
    return call("qm_normalize", tr.to(node.this, VARCHAR), text(name))


def substring_node(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``SUBSTRING(x FROM a FOR b)``."""
    parts = [node.args[k] for k in ("start", "length") if node.args.get(k)]
    made: list[exp.Expr] = [cast(tr.expr(p), "BIGINT") for p in parts]
    return _cut(tr.to(node.this, VARCHAR), made, [written_number(p) for p in parts])


def substr(tr: Translator, given: Call) -> exp.Expr:
    """Translate SUBSTR."""
    made, kinds = arguments_of(tr, given)
    if kinds[0].base != "varchar":
        return called(tr, given)
    return _cut(made[0], made[1:], [written_number(a) for a in given.arguments[1:]])


_START = (
    "CASE WHEN b = 0 OR abs(b) > length(a) THEN '' WHEN b > 0 THEN substring(a, b)"
    " ELSE right(a, -b) END"
)


def _cut(whole: exp.Expr, sizes: list[exp.Expr], written: list[int | None]) -> exp.Expr:
    """Cut a text from a place that may be counted from the end, or lie outside."""
    if all(n is not None and n > 0 for n in written):
        return call("substring", whole, *sizes)
    found = filled(_START, a=whole, b=sizes[0])
    return call("left", found, call("greatest", sizes[1], number(0))) if sizes[1:] else found


def position(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``POSITION(a IN b)``."""
    found = call("instr", tr.to(node.this, VARCHAR), tr.to(node.args["substr"], VARCHAR))
    return cast(found, "BIGINT")


def length(tr: Translator, given: Call) -> exp.Expr:
    """Translate LENGTH; a char has its declared length."""
    kind = tr.kind(given.arguments[0])
    if kind.base != "char":
        return called(tr, given)
    shown = number(kind.precision)
    return cast(
        filled("CASE WHEN a IS NOT NULL THEN b END", a=tr.expr(given.arguments[0]), b=shown),
        "BIGINT",
    )


RULES: dict[str, CallRule] = {
    "length": length,
    "try": try_,
    "typeof": typeof,
    "concat": concat,
    "concat_ws": concat_ws,
    "format": format_,
    "regexp_replace": regexp_replace,
    "substr": substr,
    "substring": substr,
    **dict.fromkeys(("trim", "ltrim", "rtrim"), trim),
}
NODES: dict[type[exp.Expr], Rule] = {
    exp.Trim: trim_node,
    exp.Normalize: normalize_node,
    exp.Substring: substring_node,
    exp.StrPosition: position,
}
