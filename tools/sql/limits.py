"""The row cap: at most n rows, in the statement's own order."""

from sqlglot import exp

from querymend.tools.sql.parse import parse


def cap(sql: str, n: int, dialect: str) -> str:
    """Bound a statement to n rows without changing which rows come first.

    A smaller LIMIT or FETCH stays and a larger one is lowered in place, inside outer brackets too.
    A limit that is no plain number (a percentage, a subquery, ties) is bounded from outside if no
    ORDER BY would be buried by that, else left to whoever fetches. A text that cannot be read is
    returned as it is: the gate refuses it.

    Args:
        sql: one statement that the gate let through; its text is kept where it is bounded already.
        n: rows at most; the caller asks for one more than it shows to see a truncation.
        dialect: one of ``parse.DIALECTS``.
    """
    parsed = parse(sql, dialect)
    if parsed.tree is None:
        return sql
    tree = parsed.tree.copy()
    target = _innermost(tree)
    own = target.args.get("limit")
    rows = _rows(own) if own is not None else None
    if rows is not None and rows <= n:
        return parsed.text
    if isinstance(target, exp.Query) and (own is None or rows is not None):
        target.set("limit", exp.Limit(expression=exp.Literal.number(n)))
        return _text(tree, dialect)
    return parsed.text if target.args.get("order") else _text(_wrap(tree, n), dialect)


def _text(tree: exp.Expr, dialect: str) -> str:
    """Write the statement; functions that nobody here knows keep their case."""
    return tree.sql(dialect, normalize_functions=False)


def _innermost(tree: exp.Expr) -> exp.Expr:
    """Go through outer brackets that carry nothing of their own."""
    own = ("order", "limit", "offset", "with_")
    while isinstance(tree, exp.Subquery) and not any(tree.args.get(k) for k in own):
        tree = tree.this
    return tree


def _rows(limit: exp.Expr) -> int | None:
    """Return how many rows a LIMIT or FETCH lets through, where it says so plainly."""
    if isinstance(limit, exp.Fetch):
        options = limit.args.get("limit_options")
        if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
            return None
        count = limit.args.get("count")
        return 1 if count is None else _number(count)
    if limit.args.get("limit_options") is not None or limit.args.get("expressions"):
        return None
    return _number(limit.expression)


def _number(node: exp.Expr) -> int | None:
    return int(node.this) if isinstance(node, exp.Literal) and node.is_int else None


def _wrap(tree: exp.Expr, n: int) -> exp.Expr:
    """Put a bound around a statement whose own is kept, and its order with it."""
    inner = exp.Subquery(this=tree.copy(), alias=exp.TableAlias(this=exp.to_identifier("capped")))
    outer = exp.select("*").from_(inner)
    return outer.limit(n)
