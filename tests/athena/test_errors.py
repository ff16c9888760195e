"""The error table: for each row who must act, what is told, and whether it is tried again."""

import inspect
from pathlib import Path
from typing import Any

import botocore.exceptions as aws  # type: ignore[import-untyped]
import pytest
import yaml
from pyathena import error as athena

from querymend.tools import errors as ours
from querymend.tools.catalog.model import Catalog, Column, Table
from querymend.tools.engines.athena.cleaning import clean
from querymend.tools.engines.athena.errors import RAISED, Statement, translate
from querymend.tools.engines.execution import Execution

CASES = yaml.safe_load((Path(__file__).parent / "faults.yaml").read_text(encoding="utf-8"))
CATALOG = Catalog(
    tables=(
        Table(
            name="orders",
            columns=tuple(
                Column(name=n, type=t)
                for n, t in (
                    ("customer_id", "bigint"),
                    ("amount", "double"),
                    ("status", "varchar"),
                    ("dt", "varchar"),
                )
            ),
            partitions=("dt",),
        ),
        Table(
            name="customers",
            columns=(
                Column(name="customer_id", type="bigint"),
                Column(name="name", type="varchar"),
            ),
        ),
    )
)


def raised(case: dict[str, Any]) -> BaseException:
    """Make what pyathena raises: with a cause where the API refused, without one where not."""
    if "api" not in case:
        return athena.OperationalError(case["text"])
    cause = aws.ClientError({"Error": {"Code": case["api"], "Message": case["text"]}}, "Call")
    error = athena.DatabaseError(*cause.args)
    error.__cause__ = cause
    return error


def translated(case: dict[str, Any]) -> ours.QuerymendError:
    told = None
    if "state" in case:
        told = Execution(
            query_id="q-1",
            state=case["state"],
            bytes_scanned=7,
            error_category=case.get("category"),
            error_type=case.get("type"),
            retryable=case.get("retryable"),
        )
    statement = Statement(sql=case.get("sql", ""), catalog=CATALOG)
    return translate(raised(case), statement=statement, execution=told)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['row']}: {c['text'][:50]}")
def test_a_failure_is_told_to_who_must_act(case: dict[str, Any]) -> None:
    error = translated(case)
    assert isinstance(error, getattr(ours, case["class"]))
    said = f"{error} {getattr(error, 'hint', '')}"
    assert case.get("told", "") in said
    assert case.get("never", "\0") not in said
    if "position" in case:
        assert getattr(error, "position", None) == tuple(case["position"])
    if "setting" in case:
        assert getattr(error, "setting", None) == case["setting"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['row']}: {c['text'][:50]}")
def test_only_what_is_transient_is_tried_again(case: dict[str, Any]) -> None:
    error = translated(case)
    if case["class"] == "EngineUnavailable":
        assert getattr(error, "retries", None) == case["retries"]
        assert getattr(error, "retry_after", None) == case.get("wait")
    else:
        assert not isinstance(error, ours.Unavailable)


@pytest.mark.parametrize("case", [c for c in CASES if "state" in c], ids=lambda c: c["text"][:50])
def test_what_the_server_told_is_kept(case: dict[str, Any]) -> None:
    told = translated(case).execution
    assert told is not None
    assert (told.query_id, told.state, told.bytes_scanned) == ("q-1", case["state"], 7)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['row']}: {c['text'][:50]}")
def test_a_message_for_whoever_mends_the_sql_repeats_neither_the_code_nor_the_place(
    case: dict[str, Any],
) -> None:
    error = translated(case)
    if isinstance(error, ours.QueryError):
        assert error.code
        assert not str(error).startswith((error.code + ":", "line "))
        assert not error.position or f"line {error.position[0]}:" not in str(error)


def test_every_row_of_the_table_has_a_case() -> None:
    rows = {c["row"] for c in CASES}
    assert rows >= {
        "syntax", "column", "table", "function", "types", "grouping", "data run time",
        "constraint", "resources", "time", "byte cutoff", "throttling", "internal",
        "moving files", "bad data", "capacity", "permission", "results", "cancelled",
        "credentials",
    }  # fmt: skip


def classes(module: object, base: type[BaseException]) -> list[type[BaseException]]:
    found = [c for _, c in inspect.getmembers(module, inspect.isclass)]
    return sorted((c for c in found if issubclass(c, base)), key=lambda c: c.__name__)


@pytest.mark.parametrize(
    "kind",
    [*classes(athena, athena.Error), athena.Warning, *classes(aws, aws.BotoCoreError)],
    ids=lambda c: c.__name__,
)
def test_every_exception_class_of_the_clients_is_mapped(kind: type[BaseException]) -> None:
    error = kind.__new__(kind)
    error.args = ("told",)
    assert isinstance(error, RAISED)
    assert isinstance(translate(error), ours.QuerymendError)


def test_a_text_is_cleaned_of_what_names_accounts_and_files() -> None:
    text = (
        "\x1b[31mFailed\x1b[0m for arn:aws:iam::123456789012:role/x on s3://bucket/key.parquet"
        " (Service: Amazon S3; Request ID: ABC) in 210987654321"
    )
    assert clean(text) == "Failed for (arn) on (s3) in (account)"
    assert len(clean("x" * 900)) == 500


def test_the_line_at_fault_is_shown_with_a_caret() -> None:
    error = translated(CASES[0])
    assert "SELECT amount FORM orders\n              ^" in getattr(error, "hint", "")
