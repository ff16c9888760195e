"""The confidence of an answer: its traits, its coefficients, and what it may never do."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from querymend import Agent
from querymend.tools.catalog.model import Catalog, Column, Key, Table
from querymend.tools.confidence.evidence import Evidence, evidence_of
from querymend.tools.confidence.model import confidence, lowers, shipped, traits_of
from querymend.tools.confidence.outcomes import candidate_traits
from querymend.tools.engines.engine import Result, ResultColumn
from querymend.tools.findings import Finding, Severity
from querymend.tools.questions.reading import read_question

ROOT = Path(__file__).parent.parent
FOUND = ("found_", "doubted_", "noted_")
SHOP = Catalog(
    tables=(
        Table(
            name="customers",
            columns=tuple(Column(name=n, type="VARCHAR") for n in ("id", "name", "region")),
            primary_key=("id",),
        ),
        Table(
            name="orders",
            columns=tuple(Column(name=n, type="INTEGER") for n in ("id", "customer_id", "amount")),
            keys=(Key(columns=("customer_id",), table="customers", target_columns=("id",)),),
        ),
    )
)
QUERIES = [
    ("How many orders are there?", "SELECT COUNT(*) FROM orders", ((4,),)),
    ("Names of customers in EMEA?", "SELECT name FROM customers WHERE region = 'EMEA'", ()),
    (
        "Which customers have more than 3 orders?",
        "SELECT c.name, COUNT(*) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id "
        "GROUP BY c.name HAVING COUNT(*) > 3 ORDER BY 2 DESC LIMIT 5",
        (("Ann", 4), ("Bob", None), ("Bob", None)),
    ),
    (
        "Customers without orders, or of APAC?",
        "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE amount "
        "BETWEEN 1 AND 2) UNION SELECT name FROM customers WHERE region <> 'APAC'",
        ((None,),),
    ),
    ("What is the average amount?", "SELECT AVG(amount) * 1.0 / 2 FROM orders", ((0,),)),
]


def evidence(
    question: str, sql: str, rows: tuple[tuple[object, ...], ...], *findings: Finding
) -> Evidence:
    width = len(rows[0]) if rows else 1
    columns = tuple(ResultColumn(name=f"c{i}", type="") for i in range(width))
    found = evidence_of(
        sql,
        Result(columns=columns, rows=rows),
        findings,
        dialect="duckdb",
        catalog=SHOP,
        reading=read_question(question),
    )
    assert found is not None
    return found


def finding(severity: Severity, code: str = "made_up") -> Finding:
    return Finding(code=code, kind="shape", severity=severity, message="Something.")


@pytest.mark.parametrize(("question", "sql", "rows"), QUERIES)
def test_a_confidence_is_a_probability_and_every_trait_is_within_one(
    question: str, sql: str, rows: tuple[tuple[object, ...], ...]
) -> None:
    case = evidence(question, sql, rows)
    assert 0 < confidence(case) < 1
    assert all(-1 <= value <= 1 for value in traits_of(case, "differs").values())


def test_every_trait_with_a_weight_is_computed_for_every_answer() -> None:
    named = {n for model in shipped() for n in model.weights if not n.startswith(FOUND)}
    for question, sql, rows in QUERIES:
        assert named <= set(traits_of(evidence(question, sql, rows)))


def test_every_finding_with_a_weight_is_still_made_somewhere() -> None:
    named = {n.split("_", 1)[1] for m in shipped() for n in m.weights if n.startswith(FOUND)}
    sources = (p for folder in ("tools", "agent") for p in (ROOT / folder).rglob("*.py"))
    made = {code for p in sources for code in re.findall(r'"([a-z_]+)"', p.read_text("utf-8"))}
    assert named
    assert named <= made


def test_the_coefficients_are_those_of_two_models_and_what_made_them() -> None:
    told = json.loads(files("querymend.tools.confidence").joinpath("weights.json").read_text())
    assert set(told) == {"made_by", "alone", "with_candidate"}
    assert not any(n.startswith("candidate_") for n in told["alone"]["weights"])
    assert told["with_candidate"]["weights"]["candidate_differs"] < 0


def test_what_speaks_against_an_answer_never_raises_its_confidence() -> None:
    assert all(w < 0 for m in shipped() for n, w in m.weights.items() if lowers(n))
    assert lowers("found_fan_out")
    assert not lowers("has_count")


@pytest.mark.parametrize(("question", "sql", "rows"), QUERIES)
def test_a_grave_finding_lowers_the_confidence_and_a_second_one_further(
    question: str, sql: str, rows: tuple[tuple[object, ...], ...]
) -> None:
    sure = confidence(evidence(question, sql, rows))
    doubted = confidence(evidence(question, sql, rows, finding("repair")))
    worse = confidence(evidence(question, sql, rows, finding("repair"), finding("block", "other")))
    assert worse < doubted < sure
    assert doubted < sure - 0.1


def test_a_note_that_means_nothing_leaves_the_confidence_alone() -> None:
    question, sql, rows = QUERIES[0]
    noted = evidence(question, sql, rows, finding("note"))
    assert confidence(noted) == confidence(evidence(question, sql, rows))


@pytest.mark.parametrize("code", ["second_try", "unverified_fix"])
def test_an_answer_that_was_mended_without_proof_is_less_sure(code: str) -> None:
    question, sql, rows = QUERIES[0]
    mended = confidence(evidence(question, sql, rows, finding("warn", code)))
    assert mended < confidence(evidence(question, sql, rows)) - 0.08


@pytest.mark.parametrize(("question", "sql", "rows"), QUERIES)
def test_a_candidate_that_agrees_makes_surer_than_one_that_differs(
    question: str, sql: str, rows: tuple[tuple[object, ...], ...]
) -> None:
    case = evidence(question, sql, rows)
    assert confidence(case, "agrees") > confidence(case, "failed") - 0.05
    assert confidence(case, "agrees") > confidence(case, "differs") + 0.05


def test_a_statement_that_cannot_be_read_gives_no_evidence() -> None:
    result = Result(columns=(), rows=())
    reading = read_question("How many?")
    told = {"dialect": "duckdb", "catalog": SHOP, "reading": reading}
    assert evidence_of("SELECT FROM WHERE", result, (), **told) is None


def test_words_that_the_statement_leaves_out_make_it_less_likely() -> None:
    sql, rows = "SELECT name FROM customers", (("Ann",), ("Bob",))
    fitting = evidence("What are the names of the customers?", sql, rows)
    missing = evidence("What are the names of the suppliers and their turnover?", sql, rows)
    assert confidence(missing) < confidence(fitting)


def test_an_answer_carries_its_confidence_and_a_failed_one_none(ask: Callable[..., Agent]) -> None:
    answer = ask("SELECT COUNT(*) FROM orders").ask("How many orders are there?")
    assert answer.confidence is not None
    assert 0.5 < answer.confidence < 1
    assert json.loads(answer.to_json())["confidence"] == answer.confidence
    failed = ask(*["SELECT nothing FROM nowhere"] * 3).ask("How many orders are there?")
    assert (failed.outcome, failed.confidence) == ("failed", None)


def test_what_did_not_run_has_no_confidence(ask: Callable[..., Agent]) -> None:
    draft = ask("SELECT COUNT(*) FROM orders").ask("How many orders are there?", run=False)
    assert draft.answer.confidence is None
    assert draft.run().confidence is not None


def test_the_bench_fits_what_made_the_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "bench"))
    from logistic import auroc, calibration_error, fit

    random = np.random.default_rng(7)
    rows = [
        {"good": float(g), "found_x": float(b), "noise": float(n)}
        for g, b, n in random.integers(0, 2, size=(2_000, 3))
    ]
    chance = np.array([0.5 + 0.3 * r["good"] - 0.3 * r["found_x"] for r in rows])
    labels = (random.random(2_000) < chance).astype(float)
    model = fit(rows, labels, penalty=1.0, most=2, lowers=lowers)
    assert model.names == ("found_x", "good")
    assert model.weights[0] < -1 < 1 < model.weights[1]
    assert auroc(labels, model.of(rows)) > 0.7
    assert calibration_error(labels, model.of(rows)) < 0.05
    flipped = fit(rows, 1 - labels, penalty=1.0, most=3, lowers=lowers)
    assert "found_x" not in flipped.names
    assert auroc(np.array([1.0, 0, 1, 0]), np.array([0.5, 0.5, 0.9, 0.1])) == 0.875


def test_a_candidates_traits_are_zero_without_one_and_tell_agreement_on_a_grave_finding() -> None:
    grave = {"grave_any": 1.0}
    assert set(candidate_traits(None, grave).values()) == {0.0}
    agreed = candidate_traits("agrees", grave)
    assert {n for n, v in agreed.items() if v} == {"agreed_grave"}
    assert set(candidate_traits("agrees", {}).values()) == {0.0}


def test_findings_alone_change_nothing_else_of_the_traits() -> None:
    case = evidence(*QUERIES[2])
    more = replace(case, findings=(finding("repair", "fan_out"),))
    changed = {n for n, v in traits_of(more).items() if v != traits_of(case).get(n, 0.0)}
    assert changed == {"found_fan_out", "grave_any", "grave_many"}
