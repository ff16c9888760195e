"""``querymend``: ask a warehouse questions from the command line."""

import logging
import os
import sys
from typing import Annotated

import typer

from querymend.cli.ask import ask
from querymend.cli.check import check
from querymend.cli.demo import demo
from querymend.cli.doctor import doctor
from querymend.cli.eval import evaluate
from querymend.cli.exits import INTERRUPTED, Commands
from querymend.cli.fetch_model import fetch_model
from querymend.cli.index import index
from querymend.cli.run import run
from querymend.cli.stand_in import stand_in

app = typer.Typer(
    cls=Commands,
    name="querymend",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"querymend {version('querymend')}")
        raise typer.Exit


@app.callback()
def _querymend(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say which.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Ask a warehouse questions; never be told something silently wrong.

    Settings are read from variables that start with QUERYMEND_; `querymend doctor` shows what is
    set up. Exit codes: 0 answered, 1 refused by check or below --min-right, 2 usage, 3 refused,
    4 failed, 5 set-up.
    """
    # What sqlglot cannot read is told as a finding; its own log lines would say it again.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)


app.command("demo")(demo)
app.command("ask")(ask)
app.command("index")(index)
app.command("check")(check)
app.command("run")(run)
app.command("eval")(evaluate)
app.command("doctor")(doctor)
app.command("stand-in")(stand_in)
app.command("fetch-model")(fetch_model)


def main() -> None:
    """Run the command line."""
    try:
        app(prog_name="querymend")
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        # The local model ends only after its current step; whoever pressed Ctrl-C does not wait.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)
