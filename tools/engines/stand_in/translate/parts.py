"""Which parts of a node its rule reads: a part that none reads is refused, never passed over.

A new version of the parser may say with a flag what it said with a node of its own before: NOT LIKE
was NOT over LIKE once, and is LIKE with a flag now.
"""

from sqlglot import exp

_ALWAYS = frozenset({"this", "expression", "expressions"})
_MORE: dict[type[exp.Expr], str] = {
    exp.Literal: "is_string",
    exp.Alias: "alias",
    exp.Column: "table db catalog",
    exp.Identifier: "quoted",
    exp.Cast: "to",
    exp.TryCast: "to safe",
    exp.Interval: "unit",
    exp.Case: "ifs default",
    exp.If: "true false",
    exp.AtTimeZone: "zone",
    exp.StrPosition: "substr",
    exp.Div: "typed",
    exp.Between: "low high",
    exp.In: "query",
    exp.Like: "negate",
    exp.Is: "negate",
    exp.Window: "partition_by order spec alias over",
    exp.GroupConcat: "separator on_overflow",
    exp.ParseJSON: "is_literal",
    exp.JSONValue: "path returning on_condition",
    exp.JSONExtract: "json_query option quote on_condition",
    exp.Trim: "position",
    exp.Normalize: "form",
    exp.Substring: "start length",
}
_WHOLE = (exp.Select, exp.Subquery)
"""Their parts are held against lists of their own where queries are translated."""


def unread(node: exp.Expr) -> list[str]:
    """Name the parts of a node that its rule would pass over."""
    if isinstance(node, _WHOLE):
        return []
    known = _ALWAYS.union(_MORE.get(type(node), "").split())
    return [name for name, part in node.args.items() if part and name not in known]
