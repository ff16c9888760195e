"""Exit codes: what went wrong, for scripts; a plain line about it, for people."""

import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from querymend.tools.errors import QuerymendError, SetupError

BELOW = 1
"""``check``: a statement was refused; ``eval --min-right``: too few are right."""
REFUSED, FAILED, SETUP, INTERRUPTED = 3, 4, 5, 130
OUTCOMES = {"refused": REFUSED, "failed": FAILED}
"""Every other outcome exits 0."""


class Commands(TyperGroup):
    """The commands, with their errors turned into messages and exit codes."""

    def main(self, *args: Any, **kwargs: Any) -> Any:  # typer's own signature
        """Run a command; an error ends as a line on stderr, never as a traceback."""
        debug = "--debug" in (kwargs.get("args") or sys.argv[1:])
        try:
            return super().main(*args, **kwargs)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except QuerymendError as error:
            _tell(str(error), error, debug=debug)
            sys.exit(SETUP if isinstance(error, SetupError) else FAILED)
        except Exception as error:  # the outermost boundary: users see no traceback
            text = f"{type(error).__name__}: {error}"
            hint = "" if debug else "\nThis is a fault of QueryMend; --debug shows where."
            _tell(text + hint, error, debug=debug)
            sys.exit(FAILED)


def _tell(text: str, error: Exception, *, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)
    setting = getattr(error, "setting", "")
    cure = f"\nSetting: {setting}" if setting and setting not in text else ""
    typer.echo(f"Error: {text}{cure}", err=True)
