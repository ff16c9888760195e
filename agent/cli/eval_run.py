"""Run an evaluation from the command line: progress, interruption, report, exit code."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from querymend.cli.eval_show import show_report
from querymend.cli.exits import BELOW, INTERRUPTED
from querymend.cli.progress import EvalProgress, eval_progress
from querymend.evaluation.records import Mode, Record, open_output, run_id
from querymend.evaluation.report import figures
from querymend.evaluation.runner import Open
from querymend.evaluation.session import (
    Places,
    Selection,
    belonging,
    default_output,
    go,
    opener,
    select,
    shared_writer,
)
from querymend.settings import Settings, load_settings


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the command line asked for."""

    file: str
    databases: Path | None = None
    source: str = ""
    pack: str = ""
    limit: int | None = None
    offset: int = 0
    modes: tuple[Mode, ...] = ("loop",)
    out: Path | None = None
    fresh: bool = False
    keep_replies: bool = True
    min_right: float | None = None
    as_json: bool = False


def evaluate_and_show(
    wanted: Wanted, *, settings: Settings | None = None, open_agent: Open | None = None
) -> None:
    """Evaluate, show the report, and exit with 1 where too few answers are right.

    Args:
        wanted: the options.
        settings: those of the environment if None.
        open_agent: opens what is evaluated; agents on the questions' databases if None.
    """
    settings = settings or load_settings(**({"pack": wanted.pack} if wanted.pack else {}))
    selection = select(wanted.file, settings=settings, offset=wanted.offset, limit=wanted.limit)
    out = wanted.out or default_output(selection, wanted.file, wanted.modes, settings.cache_dir)
    try:
        records = _run(wanted, settings, selection, out, open_agent)
    except KeyboardInterrupt:
        typer.echo(f"\nStopped. The same command goes on from {out}.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    by_mode = {m: belonging(records, selection, m) for m in wanted.modes}
    show_report(by_mode, out, as_json=wanted.as_json)
    _hold_to(wanted.min_right, by_mode[wanted.modes[-1]])


def _run(
    wanted: Wanted, settings: Settings, selection: Selection, out: Path, open_agent: Open | None
) -> list[Record]:
    run = run_id(settings)
    with open_output(out, run, fresh=wanted.fresh) as output:
        records = list(output.done)
        earlier = sum(len(belonging(records, selection, m)) for m in wanted.modes)
        total = len(selection.questions) * len(wanted.modes)
        with eval_progress(total, done=earlier) as progress:
            for note in (f"Writing {out}", *output.notes):
                progress.say(note)
            with _opening(wanted, settings, selection, progress, open_agent) as opening:
                for record in go(selection, opening, output, modes=wanted.modes, run=run):
                    records.append(record)
                    progress.add(record)
    return records


@contextmanager
def _opening(
    wanted: Wanted,
    settings: Settings,
    selection: Selection,
    progress: EvalProgress,
    given: Open | None,
) -> Iterator[Open]:
    if given is not None:
        yield given
        return
    say, step = progress.say, progress.step
    with shared_writer(settings, keep=wanted.keep_replies, log=say, progress=step) as writer:
        places = Places(databases=wanted.databases, source=wanted.source)
        yield opener(selection, places, settings=settings, writer=writer, log=say, progress=step)


def _hold_to(min_right: float | None, records: Sequence[Record]) -> None:
    if min_right is None:
        return
    found = figures(records)
    share = found.share(found.right)
    if share < min_right:
        typer.echo(f"{share:.1f} % are right; {min_right:g} % were asked for.", err=True)
        raise typer.Exit(BELOW)
