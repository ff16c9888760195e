"""``querymend doctor``: what is set up, what is not, and how to mend it."""

from typing import Annotated

import typer

from querymend.cli.ask import Pack
from querymend.cli.check import Source


def doctor(
    source: Source = "",
    pack: Pack = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Look at everything that a question needs, and say how to mend what is missing.

    Exits 5 if something needed is missing. Names no key and no password.
    """
    from querymend.cli.doctor_run import doctor_and_show

    doctor_and_show(source=source, pack=pack, as_json=as_json)
