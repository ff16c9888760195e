"""Answers are scored against gold rows, recorded as they come, and runs go on where they were."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from querymend.answer import Answer, Attempt, Cost, Outcome, Summary
from querymend.budget import Budget
from querymend.evaluation.questions import Question
from querymend.evaluation.records import Record, RunId, open_output, read_records, run_id
from querymend.evaluation.runner import Opened, run_questions
from querymend.evaluation.score import Judge, score, sqlite_rows
from querymend.events import Answered, Event, StageStarted
from querymend.settings import Settings
from querymend.tools.catalog.model import Catalog
from querymend.tools.engines.duckdb import open_duckdb
from querymend.tools.engines.engine import Engine, Limits
from querymend.tools.errors import QueryError, SetupError
from querymend.tools.findings import Finding
from querymend.tools.sql.gate import admit

SCORES = yaml.safe_load((Path(__file__).parent / "evaluation/scores.yaml").read_text())
RUN = RunId(settings={"rows": 1}, prompts={"generate": "generate@1-a"}, code="c")
PAID = "SELECT count(*) FROM orders WHERE status = 'paid'"
ALL = "SELECT count(*) FROM orders"


class Replying:
    """Answers each question with the SQL given for it, on a real engine."""

    def __init__(self, engine: Engine, replies: dict[str, object]) -> None:
        self.engine = engine
        self.catalog: Catalog = engine.catalog()
        self.replies = replies
        self.asked: list[tuple[str, Budget | None, tuple[str, ...]]] = []
        self.closed = False

    def stream(
        self, question: str, *, budget: Budget | None, facts: tuple[str, ...]
    ) -> Iterator[Event]:
        self.asked.append((question, budget, facts))
        yield StageStarted(stage="generate")
        reply = self.replies[question]
        if isinstance(reply, BaseException):
            raise reply
        yield Answered(answer=reply if isinstance(reply, Answer) else self.answer(str(reply)))

    def answer(self, sql: str, outcome: Outcome = "answered", rows: int | None = None) -> Answer:
        verdict = admit(sql, dialect="duckdb", catalog=self.catalog)
        assert verdict.sql is not None
        result = self.engine.run(verdict.sql, limits=Limits(rows=rows))
        summary = Summary(rows=1, truncated=result.truncated, columns=result.columns, digest="d")
        return Answer(
            id="1",
            question="",
            outcome=outcome,
            sql=sql,
            columns=result.columns,
            rows=result.rows,
            truncated=result.truncated,
            attempts=(Attempt(sql=sql, author="model", summary=summary, kept=True),),
            cost=Cost(seconds=2.0, model_seconds=1.5, model_calls=1),
        )

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def engine(shop: Path) -> Iterator[Engine]:
    with closing(open_duckdb(shop)) as opened:
        yield opened


@pytest.fixture
def one(engine: Engine) -> Callable[..., Record]:
    """Return what asks one question and gives its record."""

    def ask(reply: object, **question: object) -> Record:
        asked = Question(key="q", text="Q", **{"gold": (PAID,), **question})  # type: ignore[arg-type]
        agent = Replying(engine, {"Q": reply})
        [record] = run_questions([asked], lambda db: Opened(agent=agent))
        return record

    return ask


@pytest.mark.parametrize("case", SCORES, ids=str)
def test_outcomes_are_scored(case: dict[str, object]) -> None:
    wanted = case.pop("score")
    assert score(**case) == wanted  # type: ignore[arg-type]


def test_any_gold_will_do(one: Callable[..., Record]) -> None:
    assert one(ALL, gold=(PAID, ALL)).score == "right"
    assert one(ALL, gold=(PAID,)).score == "silently_wrong"


def test_a_gold_that_does_not_run_is_passed_over_where_another_runs(
    one: Callable[..., Record],
) -> None:
    assert one(ALL, gold=("SELECT nothing FROM nowhere", ALL)).score == "right"
    broken = one(ALL, gold=("SELECT nothing FROM nowhere",))
    assert broken.score is None
    assert "No gold of q runs" in broken.error


def test_order_counts_where_the_gold_orders_or_the_question_says_so(
    one: Callable[..., Record],
) -> None:
    up, down = "SELECT id FROM orders ORDER BY id", "SELECT id FROM orders ORDER BY id DESC"
    assert one(down, gold=(up,)).score == "silently_wrong"
    assert one(down, gold=(up,), ordered=False).score == "right"
    assert one(down, gold=("SELECT id FROM orders",)).score == "right"
    assert one(down, gold=("SELECT id FROM orders",), ordered=True).score == "silently_wrong"


def test_rows_that_were_cut_are_fetched_whole(engine: Engine, one: Callable[..., Record]) -> None:
    cut = Replying(engine, {}).answer("SELECT id FROM orders", rows=2)
    assert cut.truncated
    assert one(cut, gold=("SELECT id FROM orders",)).score == "right"
    assert one(cut, gold=("SELECT id FROM orders LIMIT 2",)).score == "silently_wrong"


def test_golds_for_sqlite_run_on_the_file_itself(
    shop: Path, tmp_path: Path, engine: Engine
) -> None:
    path = tmp_path / "s.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (3), ('x'), (NULL)")
    judge = Judge(engine=engine, catalog=engine.catalog(), sqlite=path)
    question = Question(key="q", text="Q", gold_sqlite=('SELECT a FROM t WHERE a = "x"',))
    [gold] = judge.golds(question)
    assert gold.rows == (("x",),)


def test_sqlite_is_opened_read_only_and_stopped_in_time(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
    with pytest.raises(QueryError, match="readonly"):
        sqlite_rows(path, "INSERT INTO t VALUES (1)")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(QueryError, match="interrupted"):
        sqlite_rows(path, endless, seconds=0.05)


def test_an_unanswerable_question_is_right_only_if_refused(
    engine: Engine, one: Callable[..., Record]
) -> None:
    refusal = Answer(id="1", question="Q", outcome="refused", route="unanswerable")
    assert one(refusal, gold=()).score == "right"
    assert one(ALL, gold=()).score == "silently_wrong"
    assert one(refusal).score == "withheld"


def test_a_record_says_all_that_one_needs_to_see_why(
    engine: Engine, one: Callable[..., Record]
) -> None:
    doubt = Finding(code="doubt", kind="shape", severity="repair", message="odd")
    wrong = Attempt(sql=PAID, author="model", findings=(doubt,), summary=None)
    answer = Replying(engine, {}).answer(ALL, "answered_with_warnings")
    record = one(replace(answer, attempts=(wrong, *answer.attempts), findings=(doubt,)))
    again = Record.from_dict(json.loads(record.to_json()))
    assert again == record
    assert record.first == {"verdict": "failed", "severity": "repair"}
    assert record.gold == {"sql": [PAID], "rows": [[3]], "row_count": 1, "ordered": False}
    assert (record.score, record.rows, record.row_count) == ("said_so", [[4]], 1)
    assert record.cost["framework_seconds"] == 0.5


def test_the_first_attempt_is_judged_by_itself(engine: Engine, one: Callable[..., Record]) -> None:
    answer = Replying(engine, {}).answer(PAID)
    first = replace(answer.attempts[0], sql=ALL, kept=False)
    record = one(replace(answer, attempts=(first, *answer.attempts)))
    assert (record.score, record.first["verdict"]) == ("right", "wrong")


def test_facts_and_a_budget_without_repairs_go_with_the_question(engine: Engine) -> None:
    agent = Replying(engine, {"Q": ALL})
    question = Question(key="q", text="Q", gold=(ALL,), facts=("paid means paid",))
    records = run_questions([question], lambda db: Opened(agent=agent), modes=("single", "loop"))
    assert [r.mode for r in records] == ["single", "loop"]
    single, loop = agent.asked
    assert single == ("Q", Budget(max_repairs=0), ("paid means paid",))
    assert loop == ("Q", None, ("paid means paid",))


def test_one_agent_is_open_at_a_time_and_each_is_closed(engine: Engine) -> None:
    opened: list[Replying] = []

    def open_one(db: str) -> Opened:
        assert all(agent.closed for agent in opened)
        opened.append(Replying(engine, dict.fromkeys("1234", ALL)))
        return Opened(agent=opened[-1])

    places = zip("1234", "abab", strict=True)
    questions = [Question(key=k, text=k, db=db, gold=(ALL,)) for k, db in places]
    assert [r.key for r in run_questions(questions, open_one)] == ["1", "3", "2", "4"]
    assert [a.closed for a in opened] == [True, True]


def test_a_fault_of_one_question_is_recorded_and_the_run_goes_on(engine: Engine) -> None:
    agent = Replying(engine, {"1": ZeroDivisionError("oops"), "2": ALL})
    questions = [Question(key=k, text=k, gold=(ALL,)) for k in "12"]
    broken, fine = run_questions(questions, lambda db: Opened(agent=agent))
    assert broken.error.startswith("ZeroDivisionError: oops")
    assert (broken.score, fine.score) == ("withheld", "right")


def test_what_the_developer_must_mend_ends_the_run(engine: Engine) -> None:
    agent = Replying(engine, {"1": SetupError("no model")})
    with pytest.raises(SetupError):
        list(run_questions([Question(key="1", text="1")], lambda db: Opened(agent=agent)))
    assert agent.closed


def test_what_is_done_is_not_asked_again_unless_its_text_or_gold_changed(engine: Engine) -> None:
    agent = Replying(engine, {"1": ALL, "2": ALL})
    one, two = (Question(key=k, text=k, gold=(ALL,)) for k in "12")
    done = frozenset({(one.key, "loop", one.digest), (two.key, "loop", "another digest")})
    records = run_questions([one, two], lambda db: Opened(agent=agent), done=done)
    assert [r.key for r in records] == ["2"]


def _record(key: str, **changes: object) -> Record:
    return Record(key=key, mode="loop", digest="d", question="Q", score="right", **changes)  # type: ignore[arg-type]


def test_a_run_goes_on_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "sub/out.jsonl"
    with open_output(path, RUN) as output:
        assert (output.done, output.notes) == ([], [])
        output.write(_record("1"))
        output.write(_record("2", error="broke"))
    with open_output(path, RUN) as output:
        assert [r.key for r in output.done] == ["1"]
        assert "2 records" in output.notes[0]
        output.write(_record("2"))
    header, records = read_records(path)
    assert header["fingerprint"] == RUN.fingerprint
    assert [(r.key, r.error) for r in records] == [("1", ""), ("2", "")]


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with open_output(path, RUN) as output:
        output.write(_record("1"))
        output.stream.write('{"key": "2", "mo')
    with open_output(path, RUN) as output:
        output.write(_record("3"))
    assert [r.key for r in read_records(path)[1]] == ["1", "3"]


@pytest.mark.parametrize("changed", ["settings", "prompts", "code"])
def test_a_changed_run_starts_anew_and_keeps_the_old_records_aside(
    changed: str, tmp_path: Path
) -> None:
    path = tmp_path / "out.jsonl"
    with open_output(path, RUN) as output:
        output.write(_record("1"))
    other = replace(RUN, **{changed: "x" if changed == "code" else {"a": "b"}})
    with open_output(path, other) as output:
        assert output.done == []
        assert changed in output.notes[0]
    aside = path.with_name(f"out.{RUN.fingerprint}.jsonl")
    assert [r.key for r in read_records(aside)[1]] == ["1"]


def test_fresh_starts_anew_and_keeps_the_old_records_aside(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    for _ in range(3):
        with open_output(path, RUN, fresh=True) as output:
            assert output.done == []
            output.write(_record("1"))
    assert len(list(tmp_path.glob("*.jsonl"))) == 3


def test_two_runs_cannot_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with open_output(path, RUN), pytest.raises(SetupError, match="--out"), open_output(path, RUN):
        pass


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (path := tmp_path / "out.jsonl").write_text('{"mine": 1}\n')
    with pytest.raises(SetupError, match="no output"), open_output(path, RUN):
        pass
    assert path.read_text() == '{"mine": 1}\n'


def test_a_runs_identity_holds_settings_but_no_secret() -> None:
    settings = Settings.model_validate(
        {
            "model": {
                "base_url": "http://h/v1",
                "api_key": "s3cret",
                "headers": {"api-key": "s3cret"},
            }
        }
    )
    run = run_id(settings)
    assert "s3cret" not in json.dumps(run.settings)
    assert run.fingerprint == run_id(settings).fingerprint
    assert run.fingerprint != run_id(Settings()).fingerprint
