"""How often each rule's change is what was meant: measured on half of the published predictions."""

PRIORS: dict[str, float] = {
    "alias_of_table": 0.95,
    "joined_named": 0.8,
    "requalified_sole": 0.85,
    "requalified": 0.68,
    "requalified_any": 0.5,
    "same_name": 0.8,
    "own_name": 0.85,
    "alike_name": 0.66,
    "similar_name": 0.56,
    "other_source": 0.7,
    "joined_sole": 0.85,
    "joined": 0.7,
    "joined_any": 0.4,
    "joined_like": 0.3,
    "replaced_table": 0.4,
    "rejoined": 0.7,
    "paired_key": 0.9,
    "period_again": 0.9,
    "period_as_dates": 0.8,
    "period_as_dates_any": 0.45,
    "paired_both": 0.6,
    "dropped_output": 0.05,
    "dropped_condition": 0.1,
    "qualified": 0.88,
    "qualified_own": 0.45,
    "qualified_other": 0.25,
    "quotes": 0.97,
    "shared_table": 0.95,
    "same_table": 0.9,
    "similar_table": 0.72,
    "left_out_table": 0.2,
    "value_case": 0.9,
    "value_padded": 0.9,
    "value_stated": 0.5,
    "value_stated_only": 0.25,
    "value_asked": 0.65,
    "value_initial": 0.35,
    "value_near": 0.6,
    "value_column": 0.55,
    "value_source": 0.6,
    "value_key": 0.9,
    "value_joined": 0.5,
    "value_kept": 0.25,
    "one_of_many": 0.6,
    "join_kept": 0.4,
    "off_key": 0.65,
    "off_key_in": 0.75,
    "unused_join": 0.52,
    "both_asked": 0.9,
    "both_bounds": 0.65,
    "both_values": 0.8,
    "count_of_sets": 0.8,
    "counted_child": 0.3,
    "grouped_by_asked": 0.3,
    "after_error": 0.7,
    "after_empty": 0.7,
    "distinct_asked": 0.9,
    "distinct_key": 0.6,
    "distinct_joined": 0.45,
    "distinct_single": 0.4,
    "one_statement": 0.35,
    "buried": 0.78,
    "foreign": 0.7,
    "respelt": 0.9,
    "foreign_form": 0.6,
    "nested_top": 0.7,
    "nested": 0.7,
    "to_having": 0.8,
    "to_scalar": 0.7,
    "window_of_groups": 0.9,
    "group_order": 0.5,
    "group_having": 0.7,
    "group_all": 0.97,
    "group_more": 0.7,
    "any_value": 0.5,
}

PLAIN = 0.72
"""From this certainty on a fix needs no warning."""
PLAIN_SHARE = 0.95
"""… if this part of all weight that gave rows stands behind its result."""

GUESSED = frozenset({"own_name", "respelt"})
"""Rules that always warn: of what they wrote and nothing else doubted, less than 65 % was meant
(published predictions, each database left out in turn). A name of the same words, spelt otherwise,
is no guess: what is wrong with such texts lies elsewhere."""


def prior(code: str) -> float:
    """Return how often a rule is right."""
    return PRIORS[code]


def named(like: float, fit: float) -> tuple[str, float]:
    """Return rule and certainty for a name of this likeness and this fit with the question."""
    if like == 1.0:
        return "same_name", prior("same_name")
    if like >= 0.95:
        return "own_name", prior("own_name") * like
    if like >= 0.84:
        return "alike_name", prior("alike_name") * (0.9 + 0.1 * fit) * like
    return "similar_name", prior("similar_name") * like * (0.7 + 0.3 * fit)
