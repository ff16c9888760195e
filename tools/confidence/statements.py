"""Traits of a statement's form: the more there is in it, the more may be wrong."""

import math

from sqlglot import exp

from querymend.tools.checks.seen import Seen
from querymend.tools.confidence.evidence import Traits, capped

PRESENT: dict[str, tuple[type[exp.Expr], ...]] = {
    "intersect": (exp.Intersect,),
    "except": (exp.Except,),
    "union": (exp.Union,),
    "having": (exp.Having,),
    "group": (exp.Group,),
    "order": (exp.Order,),
    "limit": (exp.Limit, exp.Fetch),
    "distinct": (exp.Distinct,),
    "or": (exp.Or,),
    "in": (exp.In,),
    "not": (exp.Not,),
    "differs": (exp.NEQ,),
    "case": (exp.Case,),
    "cast": (exp.Cast, exp.TryCast),
    "divides": (exp.Div,),
    "exists": (exp.Exists,),
    "window": (exp.Window,),
    "average": (exp.Avg,),
    "sum": (exp.Sum,),
    "extreme": (exp.Max, exp.Min),
    "count": (exp.Count,),
}
_COMPARISONS = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like)


def statement_traits(seen: Seen) -> Traits:
    """Return what the statement is made of."""
    kinds = {type(n) for n in seen.nodes}
    found = {f"has_{name}": float(any(k in kinds for k in of)) for name, of in PRESENT.items()}
    return {**found, **_sizes(seen), **_joins(seen), **_list(seen)}


def _sizes(seen: Seen) -> Traits:
    selects = sum(1 for _ in seen.all(exp.Select))
    comparisons = sum(1 for _ in seen.all(*_COMPARISONS))
    return {
        "selects": capped(selects - 1, 4),
        "conditions": capped(comparisons, 6),
        "nodes": capped(math.log1p(len(seen.nodes)) - 2, 4),
    }


def _joins(seen: Seen) -> Traits:
    joins = list(seen.all(exp.Join))
    sources = sum(len(b.sources) for b in seen.binding.blocks)
    return {
        "tables": capped(len(seen.tables) - 1, 4),
        "joins": capped(len(joins), 4),
        "outer_join": float(any(j.side for j in joins)),
        "table_twice": float(sources > len(seen.tables)),
    }


def _list(seen: Seen) -> Traits:
    shown = seen.top.expressions if seen.top is not None else []
    where = seen.top.args.get("where") if seen.top is not None else None
    return {
        "shown": capped(len(shown) - 1, 4),
        "shows_count": float(any(isinstance(e.unalias(), exp.Count) for e in shown)),
        "filters": float(where is not None),
    }
