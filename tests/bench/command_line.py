"""Time the command line's first signs of life, and put the gate's statements through it.

    python tests/bench/command_line.py DATA [--runs 5] [--json]

DATA is a folder with ``gate/refuse.jsonl`` and ``gate/accept.jsonl``; without them that part is
left out and said so. Times are medians of whole processes, wall-clock.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

SCRIPT = [sys.executable, "-c", "from querymend.cli.main import main; main()"]
BARS = {"querymend --help": 0.5, "import querymend": 0.5, "first line of ask": 1.0}


def seconds(run: Callable[[], None]) -> float:
    """Return how long something takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def show_help() -> None:
    """Run ``querymend --help``."""
    subprocess.run([*SCRIPT, "--help"], check=True, capture_output=True)


def import_package() -> None:
    """Import the package in a new process."""
    subprocess.run([sys.executable, "-c", "import querymend"], check=True)


def first_line() -> None:
    """Start a question about nothing, and wait for the first line."""
    with (
        tempfile.TemporaryDirectory() as cache,
        subprocess.Popen(
            [*SCRIPT, "ask", "How many?", "--source", "nowhere.duckdb"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"QUERYMEND_CACHE_DIR": cache, **_environment()},
        ) as process,
    ):
        assert process.stdout
        process.stdout.readline()
        process.kill()


def _environment() -> dict[str, str]:

    return {k: v for k, v in os.environ.items() if not k.startswith("QUERYMEND_")}


def times(runs: int) -> dict[str, float]:
    """Return the median seconds of each."""
    measured = {
        "querymend --help": show_help,
        "import querymend": import_package,
        "first line of ask": first_line,
    }
    return {
        name: statistics.median(seconds(run) for _ in range(runs)) for name, run in measured.items()
    }


def verdicts(file: Path) -> tuple[int, int]:
    """Return how many statements ``check`` refuses, and how many there are."""
    done = subprocess.run(
        [*SCRIPT, "check", "--jsonl", str(file)], capture_output=True, text=True, check=False
    )
    found = [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
    return found.count("refuse"), len(found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report: dict[str, object] = {"seconds": times(given.runs)}
    for name in ("refuse", "accept"):
        file = given.data / "gate" / f"{name}.jsonl"
        report[name] = verdicts(file) if file.is_file() else f"{file} is not there"
    print(json.dumps(report, indent=2) if given.json else _table(report))


def _table(report: dict[str, object]) -> str:
    measured = report["seconds"]
    assert isinstance(measured, dict)
    lines = [f"{n:<20} {s:6.2f} s   (bar {BARS[n]} s)" for n, s in measured.items()]
    for name in ("refuse", "accept"):
        found = report[name]
        said = f"{found[0]} of {found[1]} refused" if isinstance(found, tuple) else found
        lines.append(f"{name + '.jsonl':<20} {said}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
