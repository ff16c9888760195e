"""WITH RECURSIVE, which Trino gives up after ten rounds."""

from sqlglot import exp

from querymend.tools.engines.stand_in.refusals import fault
from querymend.tools.engines.stand_in.translate.build import column, filled, number
from querymend.tools.engines.stand_in.translate.translator import Translator
from querymend.tools.sql.outputs import alias_columns
from querymend.tools.sql.types.model import TrinoType

ROUNDS = 10
_DEPTH = "qm_depth"
_TOO_DEEP = (
    f"CASE WHEN a >= {ROUNDS} THEN error('NOT_SUPPORTED: Recursion depth limit exceeded"
    f" ({ROUNDS}). Use ''max_recursion_depth'' session property to modify the limit.')"
    " ELSE a + 1 END"
)


def recursive(tr: Translator, cte: exp.CTE) -> list[exp.Expr]:
    """Translate a query that meets itself into one that counts its rounds, and one without them."""
    names = alias_columns(cte.args.get("alias"))
    union = cte.this
    if not names:
        raise fault("MISSING_COLUMN_ALIASES", "missing column aliases in recursive WITH query")
    if not isinstance(union, exp.Union) or union.args.get("distinct"):
        raise tr.refused("A recursive query that is no UNION ALL", cte)
    step = union.expression
    if not isinstance(step, exp.Select) or _is_odd(step):
        raise tr.refused("A recursive step with groups, DISTINCT, windows or a limit", cte)
    kinds = _kinds(tr, union)
    counted = f"qm_{cte.alias}"
    base = tr.query(union.this, kinds)
    again = tr.query(step, kinds)
    _count(base, number(0))
    _count_step(tr, again, cte.alias, counted)
    whole = exp.Union(this=base, expression=again, distinct=False)
    return [
        exp.CTE(this=whole, alias=_alias(counted, [*names, _DEPTH])),
        exp.CTE(this=_without_depth(counted, names), alias=_alias(cte.alias, names)),
    ]


def _is_odd(step: exp.Select) -> bool:
    clauses = ("group", "having", "distinct", "order", "limit", "offset", "with_")
    return any(step.args.get(k) for k in clauses) or step.find(exp.Window) is not None


def _kinds(tr: Translator, union: exp.Union) -> list[TrinoType]:
    columns = tr.types.columns(union.this)
    if columns is None or any(k is None for _, k in columns):
        raise tr.refused("A recursive query whose columns cannot be told", union)
    return [k for _, k in columns if k is not None]


def _count(made: exp.Query, depth: exp.Expr) -> None:
    if not isinstance(made, exp.Select):
        raise fault("NOT_IN_STAND_IN", "This recursive query is not supported by the stand-in.")
    made.append("expressions", exp.Alias(this=depth, alias=exp.to_identifier(_DEPTH)))


def _count_step(tr: Translator, made: exp.Query, name: str, counted: str) -> None:
    """Let the step read the query that counts, and count on."""
    tables = [t for t in made.find_all(exp.Table) if t.name.lower() == name.lower() and not t.db]
    if len(tables) != 1:
        raise tr.refused("A recursive step that reads itself more than once", made)
    tables[0].set("this", exp.to_identifier(counted, quoted=True))
    depth = column(_DEPTH, tables[0].alias)
    _count(made, filled(_TOO_DEEP, a=depth))


def _alias(name: str, columns: list[str]) -> exp.TableAlias:
    return exp.TableAlias(
        this=exp.to_identifier(name, quoted=True),
        columns=[exp.to_identifier(c, quoted=True) for c in columns],
    )


def _without_depth(counted: str, names: list[str]) -> exp.Select:
    """Count all rounds all the same: DuckDB does not fail in what nobody reads, or beyond a limit.

    Trino 435 fails even under ``LIMIT 3``.
    """
    table = exp.Table(this=exp.to_identifier(counted, quoted=True))
    last = exp.Select(
        expressions=[exp.Max(this=column(_DEPTH))], from_=exp.From(this=table.copy())
    ).subquery(copy=False)
    return exp.Select(
        expressions=[column(n) for n in names],
        from_=exp.From(this=table),
        where=exp.Where(this=exp.GTE(this=last, expression=number(0))),
    )
