"""Where a failure at run time harms nothing, or may never come."""

from sqlglot import exp


def is_tried(node: exp.Expr) -> bool:
    """Tell whether a failure would become NULL, or another branch may be taken instead."""
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.Query):
        named = isinstance(parent, exp.Anonymous) and parent.name.lower() in ("try", "if")
        if named or isinstance(parent, (exp.Try, exp.Case, exp.If)):
            return True
        parent = parent.parent
    return isinstance(node, exp.TryCast)
