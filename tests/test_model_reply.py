import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querymend.model.reply import read_reply
from querymend.model.scan import masked

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/replies.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_reply_is_read_as_its_case_says(case: dict) -> None:
    reply = read_reply(case["reply"], finished=case.get("finished"))
    assert reply.sql == case["sql"]
    assert reply.reason == case.get("reason", "")
    assert reply.declined == case.get("declined", "")


def test_case_names_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("case", [c for c in CASES if c["sql"] and "reason" not in c])
def test_what_was_read_reads_the_same_again(case: dict) -> None:
    assert read_reply(case["sql"]).sql == case["sql"]


@settings(deadline=None)  # a busy machine is no fault of the reader
@given(st.text(alphabet=st.sampled_from("`'\";-/*<>{}()\n sqlSELECT1think"), max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    reply = read_reply(text)
    assert (reply.sql is None) <= bool(reply.reason)


@settings(deadline=None)
@given(st.text(max_size=40).filter(lambda s: "\r" not in s))
def test_a_literal_of_any_content_survives_a_fence(value: str) -> None:
    sql = "SELECT '" + value.replace("'", "''") + "' AS x"
    assert read_reply(f"Here:\n```sql\n{sql}\n```\nDone.").sql == sql


@settings(deadline=None)
@given(st.text(alphabet="ab'\"`-/*\n;", max_size=60))
def test_masking_keeps_every_position(text: str) -> None:
    assert len(masked(text)) == len(text)


def test_a_long_reply_is_read_in_linear_time() -> None:
    reply = "SELECT " + ", ".join(f"'{n}'" for n in range(20_000)) + " FROM t"
    assert read_reply(reply).sql == reply
    assert read_reply("select " * 20_000).reason in {"cut", "prose"}
    assert read_reply("`'\"" * 20_000).sql is None
