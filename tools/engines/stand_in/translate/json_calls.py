"""SQL/JSON: JSON_VALUE, JSON_QUERY and JSON_EXISTS."""

from sqlglot import exp

from querymend.tools.engines.stand_in.translate.build import call, filled, text
from querymend.tools.engines.stand_in.translate.calls import Call, CallRule
from querymend.tools.engines.stand_in.translate.casts import cast_as
from querymend.tools.engines.stand_in.translate.translator import Rule, Translator
from querymend.tools.sql.types.model import VARCHAR

_EMPTY = "\x01empty"
_ERROR = "\x01error"


def json_value(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate JSON_VALUE; a default stands in where nothing is found, or on an error."""
    gives = tr.kind(node)
    on = node.args.get("on_condition")
    empty, on_empty = _condition(tr, on.args.get("empty") if on else None, _EMPTY)
    error, on_error = _condition(tr, on.args.get("error") if on else None, _ERROR)
    path = node.args.get("path") or node.args.get("expression")
    source = tr.to(node.this, VARCHAR)
    found = call("qm_json_value", source, _path(tr, node, path), text(empty), text(error))
    value = cast_as(found, VARCHAR, gives)
    if gives != VARCHAR and on_error is None:
        value = call("try", value)
    branches = [
        exp.If(this=filled("a = b", a=found, b=text(mark)), true=tr.to(default, gives))
        for mark, default in ((_EMPTY, on_empty), (_ERROR, on_error))
        if default is not None
    ]
    return exp.Case(ifs=branches, default=value) if branches else value


def _condition(tr: Translator, given: object, mark: str) -> tuple[str, exp.Expr | None]:
    if given is None or given == "NULL":
        return "NULL", None
    if given == "ERROR":
        return "ERROR", None
    if isinstance(given, exp.Expr):
        return f"={mark}", given
    raise tr.refused(f"{given} in JSON_VALUE")


def _path(tr: Translator, node: exp.Expr, path: object) -> exp.Expr:
    if isinstance(path, exp.Literal) and path.is_string:
        return text(str(path.this))
    raise tr.refused("A JSON path that is not written", node)


def json_query(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate JSON_QUERY."""
    if not node.args.get("json_query"):
        raise tr.refused(node.sql("trino")[:60], node)
    if node.args.get("quote") or node.args.get("on_condition"):
        raise tr.refused("JSON_QUERY with QUOTES or ON EMPTY", node)
    option = node.args.get("option")
    words = option.name.upper() if isinstance(option, exp.Expr) else str(option or "").upper()
    wrapper = "WITH" if words.startswith(("WITH ", "WITH")) and "OUT" not in words else ""
    wrapper = "CONDITIONAL" if "CONDITIONAL" in words.split() else wrapper
    path = _path(tr, node, node.expression)
    return call("qm_json_query", tr.to(node.this, VARCHAR), path, text(wrapper))


def json_exists(tr: Translator, given: Call) -> exp.Expr:
    """Translate JSON_EXISTS."""
    source, path = given.arguments
    return call("qm_json_exists", tr.to(source, VARCHAR), _path(tr, given.node, path))


RULES: dict[str, CallRule] = {"json_exists": json_exists}


def parsed(tr: Translator, node: exp.Expr) -> exp.Expr:
    """Translate ``JSON '…'``."""
    return call("qm_json_parse", tr.to(node.this, VARCHAR))


NODES: dict[type[exp.Expr], Rule] = {
    exp.ParseJSON: parsed,
    exp.JSONValue: json_value,
    exp.JSONExtract: json_query,
}
