"""The public door: one admitted statement of Athena's into DuckDB's SQL."""

from dataclasses import dataclass

from sqlglot import exp

from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.stand_in.refusals import fault, refused
from querymend.tools.engines.stand_in.translate import (
    choices,
    collection_calls,
    containers,
    date_calls,
    json_calls,
    literals,
    names,
    number_calls,
    operators,
    predicates,
    text_calls,
)
from querymend.tools.engines.stand_in.translate.aggregates import aggregate_rule, is_aggregate
from querymend.tools.engines.stand_in.translate.build import written
from querymend.tools.engines.stand_in.translate.calls import Call, CallRule, called
from querymend.tools.engines.stand_in.translate.casts import try_cast_rule
from querymend.tools.engines.stand_in.translate.queries import own_columns, query
from querymend.tools.engines.stand_in.translate.reading import read_plainly
from querymend.tools.engines.stand_in.translate.translator import Rule, Translator, World
from querymend.tools.engines.stand_in.translate.windows import named_window
from querymend.tools.sql.binding import bind
from querymend.tools.sql.outputs import UNNAMED
from querymend.tools.sql.parse import Parsed
from querymend.tools.sql.types.inference import infer
from querymend.tools.sql.types.model import TrinoType

_CALLS: dict[str, CallRule] = {
    **collection_calls.RULES,
    **date_calls.RULES,
    **json_calls.RULES,
    **number_calls.RULES,
    **text_calls.RULES,
}


@dataclass(frozen=True, kw_only=True)
class Translated:
    """A statement as DuckDB runs it, and what its columns are in Athena."""

    tree: exp.Query
    columns: tuple[tuple[str, TrinoType], ...]
    functions: frozenset[str]
    """The stand-in's own functions that it calls."""

    @property
    def sql(self) -> str:
        """The text for DuckDB."""
        return written(self.tree)


def translate(sql: str, catalog: Catalog, world: World) -> Translated:
    """Translate one statement that the gate has let through.

    Args:
        sql: in Athena's dialect.
        catalog: the tables, with Trino's types; those of the session's database come first.
        world: what lies outside the statement.

    Raises:
        QueryError: Athena refuses it (code: Trino's name of the fault), or the stand-in cannot run
            it (code ``NOT_IN_STAND_IN``).
    """
    try:
        parsed = read_plainly(sql)
        return translate_tree(parsed, catalog, world)
    except RecursionError:
        raise fault("NOT_IN_STAND_IN", "The statement is nested too deeply.") from None


def translate_tree(
    parsed: Parsed, catalog: Catalog, world: World, *, wanted: list[TrinoType] | None = None
) -> Translated:
    """Translate a statement that was read plainly; its columns take the wanted types."""
    assert parsed.tree is not None
    if parsed.tree.find(exp.MatchRecognize):
        raise refused("MATCH_RECOGNIZE")
    binding = bind(parsed, catalog)
    types = infer(parsed.tree, catalog, binding=binding)
    if types.faults:
        first = types.faults[0]
        raise fault(_NAMES.get(first.code, "TYPE_MISMATCH"), f"{first.message} {first.hint}")
    tr = Translator(types, binding, world, rules=_RULES, query_rule=query)
    made = query(tr, parsed.tree, wanted)
    columns = tuple(
        (f"_col{i}" if name == UNNAMED else name, kind)
        for i, (name, kind) in enumerate(own_columns(tr, parsed.tree))
        if kind is not None
    )
    calls = (n.name.lower() for n in made.find_all(exp.Anonymous))
    return Translated(
        tree=made,
        columns=columns,
        functions=frozenset(n for n in calls if n.startswith("qm_")),
    )


_NAMES = {"wrong_arguments": "FUNCTION_NOT_FOUND", "unknown_field": "COLUMN_NOT_FOUND"}


def _anonymous(tr: Translator, node: exp.Expr) -> exp.Expr:
    name = node.name.lower()
    if is_aggregate(name):
        return aggregate_rule(tr, node)
    given = Call(node=node, name=name, arguments=tuple(node.expressions), gives=tr.kind(node))
    return _CALLS.get(name, called)(tr, given)


def _window(tr: Translator, node: exp.Expr) -> exp.Expr:
    if isinstance(node.this, exp.Identifier):
        return named_window(tr, node)
    return aggregate_rule(tr, node)


def _grouping(tr: Translator, node: exp.Expr) -> exp.Expr:
    made = exp.Anonymous(this="grouping", expressions=[tr.expr(e) for e in node.expressions])
    return exp.Cast(this=made, to=exp.DataType.build("INTEGER"))


_RULES: dict[type[exp.Expr], Rule] = {
    exp.Literal: literals.literal,
    exp.Boolean: literals.constant,
    exp.Null: literals.null,
    exp.HexString: literals.hexadecimal,
    exp.Paren: names.wrapped,
    exp.Alias: names.alias,
    exp.Column: names.column_,
    exp.Identifier: names.identifier,
    exp.Dot: names.dot,
    exp.Bracket: containers.subscript,
    exp.Cast: literals.typed_literal,
    exp.TryCast: try_cast_rule,
    exp.Interval: literals.interval,
    exp.Array: containers.array,
    exp.Tuple: containers.row,
    exp.Struct: containers.row,
    exp.Case: choices.case,
    exp.If: choices.if_,
    exp.Coalesce: choices.coalesce,
    exp.Nullif: choices.nullif,
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), operators.arithmetic),
    exp.Neg: operators.negative,
    exp.DPipe: operators.joined,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), predicates.comparison),
    exp.NullSafeEQ: predicates.distinct,
    exp.NullSafeNEQ: predicates.distinct,
    exp.Between: predicates.between,
    exp.In: predicates.membership,
    exp.Like: predicates.like,
    exp.Escape: predicates.escape,
    exp.And: predicates.logic,
    exp.Or: predicates.logic,
    exp.Not: predicates.not_,
    exp.Is: predicates.is_,
    exp.Exists: predicates.exists,
    exp.Subquery: predicates.subquery,
    exp.Select: predicates.subquery,
    exp.Anonymous: _anonymous,
    exp.Window: _window,
    exp.Filter: aggregate_rule,
    exp.WithinGroup: aggregate_rule,
    exp.GroupConcat: aggregate_rule,
    exp.IgnoreNulls: aggregate_rule,
    exp.Grouping: _grouping,
    **date_calls.NODES,
    **json_calls.NODES,
    **text_calls.NODES,
}
