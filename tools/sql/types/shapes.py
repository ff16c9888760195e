"""Types of what wraps, subscripts or picks from other expressions, and the clauses of a SELECT."""

from sqlglot import exp

from querymend.tools.sql.types.calls import known_node
from querymend.tools.sql.types.coercion import coerces, common_type
from querymend.tools.sql.types.cures import cast_cure, compare_cure, field_cure
from querymend.tools.sql.types.forms import FORMS
from querymend.tools.sql.types.model import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    UNKNOWN,
    VARCHAR,
    TrinoType,
)
from querymend.tools.sql.types.predicates import condition
from querymend.tools.sql.types.relations import source_columns
from querymend.tools.sql.types.scalars import inner
from querymend.tools.sql.types.signatures import matches, overloads
from querymend.tools.sql.types.spelling import read_type
from querymend.tools.sql.types.typer import Named, Rule, Typer, typeless
from querymend.tools.sql.types.values import check_index

_EPOCH = "Write to_unixtime({0}) for seconds since 1970."


def branch(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``IF(…)``; a branch of CASE is the CASE's own matter."""
    if isinstance(node.parent, exp.Case):
        return None
    nodes = [node.this, node.args.get("true"), node.args.get("false")]
    return FORMS["if"](typer, node, [n for n in nodes if isinstance(n, exp.Expr)])


def subscript(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``array[i]``, ``map[key]`` and ``row[i]``."""
    whole, key = typer.of(node.this), node.expressions[0] if node.expressions else None
    index = typer.of(key)
    if whole is None or whole == UNKNOWN:
        return None
    if whole.base == "array":
        _check_key(typer, node, whole, BIGINT, index)
        check_index(typer, node, key)
        return whole.parts[0]
    if whole.base == "map":
        _check_key(typer, node, whole, whole.parts[0], index)
        return whole.parts[1]
    if whole.base == "row":
        return _row_item(node, whole, key)
    owner = node.this.sql("trino")[:80]
    hint = field_cure(owner, whole, key.name if key is not None else "x")
    typer.blame(node, "type_mismatch", f"{owner} is {whole}: it has no elements.", hint)
    return None


def _check_key(
    typer: Typer, node: exp.Expr, whole: TrinoType, wanted: TrinoType, given: TrinoType | None
) -> None:
    if given is None or given == UNKNOWN or coerces(given, wanted):
        return
    if wanted.base == given.base or common_type(given, wanted) == wanted:
        return
    message = f"A {whole} is not looked up by {given}."
    typer.blame(node, "type_mismatch", message, f"The key is {wanted}. {cast_cure(str(wanted))}")


def _row_item(node: exp.Expr, whole: TrinoType, key: exp.Expr | None) -> TrinoType | None:
    """Return a row's field by its number; the parser counts from 0 where it knows no row."""
    if not isinstance(key, exp.Literal) or not key.is_int:
        return None
    at = int(key.name) - (0 if node.args.get("offset") is None and _counts(node) else 1)
    return whole.parts[at] if 0 <= at < len(whole.parts) else None


def _counts(node: exp.Expr) -> bool:
    return not isinstance(node.this, exp.Struct)


def extract(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type ``EXTRACT(field FROM x)``; blame fields that Trino or the type does not have."""
    field, moment = node.this.name.lower(), node.args["expression"]
    kind = typer.of(moment)
    candidates = overloads(field)
    takes = [s for s in candidates if len(s.arguments) == 1]
    if not takes or takes[0].result != BIGINT:
        shown = moment.sql("trino")[:80]
        cure = _EPOCH.format(shown) if field == "epoch" else "Take year, month, day, hour …"
        typer.blame(node, "unknown_unit", f"Trino's EXTRACT has no field {field.upper()}.", cure)
    elif kind is not None and not any(True for _ in matches(takes, [kind], exact=False)):
        message = f"EXTRACT cannot take {field.upper()} from {kind}."
        target = "timestamp" if kind.base in ("varchar", "date") else "date"
        hint = f"Write EXTRACT({field.upper()} FROM CAST({moment.sql('trino')[:80]} AS {target}))."
        typer.blame(node, "wrong_arguments", message, hint)
    return BIGINT


def json_value(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type JSON_VALUE by its RETURNING, else as a text."""
    _check_json(typer, node)
    returning = node.args.get("returning")
    return read_type(returning.sql("trino")) if isinstance(returning, exp.Expr) else VARCHAR


def json_extract(typer: Typer, node: exp.Expr) -> TrinoType | None:
    """Type JSON_QUERY as a text, ``json_extract`` as JSON."""
    if not node.args.get("json_query"):
        return known_node(typer, node)
    _check_json(typer, node)
    return VARCHAR


def _check_json(typer: Typer, node: exp.Expr) -> None:
    """Blame JSON functions with a path of their own over what is no text."""
    kind = typer.of(node.this)
    if kind is None or kind == UNKNOWN or kind.base in ("varchar", "char", "varbinary"):
        return
    inner_sql = node.this.sql("trino")[:80]
    message = f"json_value and json_query read texts, not {kind}."
    hint = f"Write json_extract_scalar({inner_sql}, '$.key')."
    if kind.base != "json":
        hint = f"Write json_format(CAST({inner_sql} AS json)), or take the part by name."
    typer.blame(node, "wrong_arguments", message, hint)


def text(_typer: Typer, _node: exp.Expr) -> TrinoType:
    """Type what gives a text."""
    return VARCHAR


def clause(typer: Typer, node: exp.Expr) -> None:
    """Check the condition of WHERE and HAVING."""
    condition(typer, node.this, node.key.upper())


def join(typer: Typer, node: exp.Expr) -> None:
    """Check a join's condition, or the columns that USING joins."""
    on = node.args.get("on")
    if isinstance(on, exp.Expr):
        condition(typer, on, "JOIN")
    select = node.parent
    block = typer.block(select) if select is not None else None
    if block is None or not node.args.get("using"):
        return
    mine = next((s for s in block.sources if s.node is node.this), None)
    if mine is None:
        return
    before = block.sources[: block.sources.index(mine)]
    left = [c for s in before for c in source_columns(typer, s) or []]
    for name in node.args["using"]:
        _using(typer, name, left, source_columns(typer, mine) or [])


def _using(typer: Typer, name: exp.Expr, left: list[Named], right: list[Named]) -> None:
    low = name.name.lower()
    kinds = [next((k for n, k in side if n.lower() == low), None) for side in (left, right)]
    first, second = kinds
    if first is None or second is None or common_type(first, second) is not None:
        return
    column = exp.column(name.name)
    message = f"USING ({name.name}) joins {first} with {second}."
    hint = f"Join with ON and a cast. {compare_cure(column, first, column.copy(), second)}"
    typer.blame(name, "type_mismatch", message, hint)


SHAPES: dict[type[exp.Expr], Rule] = {
    exp.If: branch,
    exp.Bracket: subscript,
    exp.Extract: extract,
    exp.JSONValue: json_value,
    exp.JSONExtract: json_extract,
    exp.JSONObject: text,
    exp.Format: text,
    exp.Grouping: lambda _t, _n: INTEGER,
    exp.JSONArray: text,
    exp.Window: inner,
    exp.Filter: inner,
    exp.IgnoreNulls: inner,
    exp.RespectNulls: inner,
    exp.WithinGroup: inner,
    exp.Log: lambda _t, _n: DOUBLE,
    exp.JSONExists: lambda _t, _n: BOOLEAN,
    exp.Where: typeless(clause),
    exp.Having: typeless(clause),
    exp.Join: typeless(join),
}
