"""What QueryMend itself costs, and what a slow endpoint makes of a question.

    python tests/bench/latency.py [--json]

Asks the demo pack's questions with their golden SQL as the model's reply (no model time), warm,
and prints the framework's own milliseconds: the whole less model and engine. Then asks simple
questions of an endpoint on loopback that answers each call after a second, and one with a budget
that is too short.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from querymend import Agent, Budget, Settings
from querymend.fewshot.pack import Pack, load_pack
from querymend.settings import ModelSettings
from querymend.testing import OpenAIStandIn, ScriptedModel, Turn

SIMPLE = (
    "How many sales were recorded last month?",
    "What is the total revenue for product ID 42?",
    "How many customers signed up in 2025?",
)


COUNT = "SELECT COUNT(*) FROM sales_fact"


def main() -> None:
    """Print the table, or JSON."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--json", action="store_true")
    wanted = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder))
    if wanted.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:<58} {value:>10.3f}")


def measure(cache: Path) -> dict[str, float]:
    """Return every figure by name."""
    pack = load_pack("retail")
    own = list(framework_seconds(cache, pack))
    slow = list(slow_endpoint(cache))
    cut = cut_short(cache)
    return {
        "questions": len(own),
        "framework ms, warm, median": 1000 * statistics.median(own),
        "framework ms, warm, 95th percentile": 1000 * statistics.quantiles(own, n=20)[-1],
        "endpoint of 1 s a call: whole s, median": statistics.median(slow),
        "endpoint of 1 s a call: whole s, longest": max(slow),
        "endpoint of 5 s a call, budget 2 s: whole s": cut,
    }


def fenced(sql: str) -> str:
    """Return a reply as models give it."""
    return f"```sql\n{sql}\n```"


def framework_seconds(cache: Path, pack: Pack) -> Iterator[float]:
    """Ask each answerable question twice; yield the second's own time."""
    answerable = [q for q in pack.questions if q.sql]
    for question in answerable:
        model = ScriptedModel.forever(fenced(question.sql[0]))
        with Agent.open(Settings(cache_dir=cache, pack=pack.name), writer=model) as agent:
            agent.ask(question.question)
            yield agent.ask(question.question).cost.framework_seconds


def slow_endpoint(cache: Path) -> Iterator[float]:
    """Yield the whole seconds of simple questions where each model call takes one."""
    with (
        OpenAIStandIn(Turn(text=fenced(COUNT), delay=1.0), repeat=True) as server,
        _agent(cache, server.base_url) as agent,
    ):
        for question in SIMPLE:
            yield agent.ask(question).cost.seconds


def cut_short(cache: Path) -> float:
    """Return how long a question takes whose budget is shorter than its model call."""
    with (
        OpenAIStandIn(Turn(text=fenced(COUNT), delay=5.0), repeat=True) as server,
        _agent(cache, server.base_url) as agent,
    ):
        started = time.monotonic()
        answer = agent.ask(SIMPLE[0], budget=Budget(seconds=2))
        assert answer.outcome == "failed", answer.outcome
        return time.monotonic() - started


def _agent(cache: Path, base_url: str) -> Agent:
    model = ModelSettings(base_url=base_url, name="stand-in")
    return Agent.open(Settings(cache_dir=cache, pack="retail", model=model))


if __name__ == "__main__":
    main()
