"""``querymend demo``: from nothing to a checked answer, on data that ships."""

from typing import Annotated

import typer

PACK = "retail"
QUESTION = "What was the total revenue last quarter by region?"


def demo(
    question: Annotated[
        str, typer.Argument(help="Ask something else of the demo's data.")
    ] = QUESTION,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole answer as JSON, and nothing else.")
    ] = False,
) -> None:
    """Build a retailer's warehouse, fetch the local model if it is needed, and ask a question.

    The first time takes some minutes: the model has 1.1 GB. Settings of yours for a hosted model
    are used; the source is the demo's own.
    """
    from querymend.cli.demo_run import demo_and_show

    demo_and_show(question, pack=PACK, as_json=as_json)
