import jinja2
import pytest
from jinja2 import meta

from querymend import prompts
from querymend.prompts.rules import rules_for

GENERATE = {
    "dialect": "DuckDB",
    "schema": "CREATE TABLE t (a INTEGER);",
    "joins": ["t.a = u.a"],
    "facts": ["revenue is the sum of amount"],
    "examples": [{"question": "How many?", "sql": "SELECT COUNT(*) FROM t"}],
    "values": ["'Ann' is in t.name"],
    "today": "2026-07-15",
    "periods": ["last month = 1 June to 30 June 2026"],
    "rules": ["no ::"],
    "question": "How many {braces} {{ here }}?",
}


@pytest.mark.parametrize("name", prompts.names())
def test_each_prompt_declares_just_what_it_uses(name: str) -> None:
    tree = jinja2.Environment(autoescape=True).parse(prompts.source(name))
    assert meta.find_undeclared_variables(tree) == set(prompts.declared_inputs(name))


def test_inputs_that_are_not_declared_are_refused() -> None:
    with pytest.raises(ValueError, match="takes sql, problems; given: sql"):
        prompts.render("repair", sql="SELECT 1")


def test_braces_of_a_question_are_text() -> None:
    assert "How many {braces} {{ here }}?" in prompts.render("generate", **GENERATE).user


def test_the_question_stands_last_so_that_the_beginning_is_shared() -> None:
    first = prompts.render("generate", **GENERATE).user
    second = prompts.render("generate", **GENERATE | {"question": "And when?"}).user
    cut = first.index("Question: How many {braces}")
    assert first[:cut] == second[:cut]


def test_empty_parts_leave_no_heading() -> None:
    bare = {"joins": [], "facts": [], "examples": [], "values": [], "periods": [], "rules": []}
    text = prompts.render("generate", **GENERATE | bare).user
    assert not any(h in text for h in ("Joins:", "Facts", "Examples", "Values", "Today", " SQL:"))


def test_the_fingerprint_names_the_prompt_and_its_version() -> None:
    assert prompts.fingerprint("generate").startswith("generate@3-")
    assert prompts.fingerprint("generate") != prompts.fingerprint("repair")


ALWAYS = "No alias of SELECT"
"""How the one rule of Athena's begins that every question brings."""


@pytest.mark.parametrize(
    ("question", "types", "told"),
    [
        ("How many customers are there?", ["varchar", "bigint"], []),
        ("What is the average order?", ["bigint"], ["Whole numbers divide"]),
        ("What share of orders was paid?", ["bigint"], ["Whole numbers divide"]),
        ("How many orders are there?", ["timestamp(3)"], ["Nothing is converted"]),
        ("What is the median price?", ["double"], ["approx_percentile"]),
        ("Which tags are used?", ["array(varchar)"], ["CROSS JOIN UNNEST"]),
        ("Which devices are used?", ["json"], ["json_extract_scalar"]),
        ("Revenue by month?", ["double"], ["date_trunc"]),
        ("How many days between order and delivery?", ["bigint"], ["date_diff", "date_trunc"]),
        ("The top product in each region?", ["double"], ["Rank in a subquery"]),
        ("Names that contain 'ann'?", ["varchar"], ["lower(x) LIKE"]),
    ],
)
def test_a_prompt_carries_the_rules_of_the_dialect_that_matter(
    question: str, types: list[str], told: list[str]
) -> None:
    first, *others = rules_for("athena", question, types)
    assert first.startswith(ALWAYS)
    assert len(others) == len(told)
    assert all(other.startswith(begin) for other, begin in zip(others, told, strict=True))
    assert rules_for("trino", question, types) == [first, *others]
    assert rules_for("duckdb", question, types) == []
