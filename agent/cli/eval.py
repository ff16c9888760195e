"""``querymend eval``: how often the answers are right, and how often silently wrong."""

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[
    str,
    typer.Argument(
        help="A pack (name or folder) or a JSONL file of questions with gold SQL.",
        show_default=False,
    ),
]
Databases = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the databases that the questions name: DIR/<db>.sqlite or .duckdb.",
        exists=True,
        file_okay=False,
        show_default=False,
    ),
]


def evaluate(
    file: File = "",
    databases: Databases = None,
    source: Annotated[
        str, typer.Option("--source", "-s", help="The one database, where questions name none.")
    ] = "",
    pack: Annotated[str, typer.Option(help="Descriptions, facts and examples to use.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    offset: Annotated[int, typer.Option(min=0, help="Pass over the first N questions.")] = 0,
    single_pass: Annotated[
        bool, typer.Option("--single-pass", help="One pass: no repairs, no rule fixes.")
    ] = False,
    both: Annotated[
        bool, typer.Option("--both", help="Single pass and loop in one run, compared.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write here, one JSON line a question.", show_default="in the cache"),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask everything again; earlier records are kept aside.")
    ] = False,
    reply_cache: Annotated[
        bool, typer.Option(help="Keep the model's replies by prompt and model.")
    ] = True,
    min_right: Annotated[
        float | None,
        typer.Option(min=0, max=100, help="Exit 1 if less than this per cent are right."),
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="Compare two output files instead: mended, broken, unchanged."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Ask questions with known answers and score what comes back.

    A run that was stopped goes on where it was; one whose settings, prompts or code differ starts
    anew. Right: answered, with a gold result. Cautious: the same with warnings. Silently wrong:
    answered without a warning, and not right. Said so: wrong, with warnings. Withheld: refused or
    failed.
    """
    if compare:
        from querymend.cli.eval_show import show_files

        show_files(*compare, as_json=as_json)
        return
    if not file:
        raise typer.BadParameter("Name a pack or a file of questions.", param_hint="FILE")
    if single_pass and both:
        raise typer.BadParameter("--both includes the single pass.", param_hint="--single-pass")
    from querymend.cli.eval_run import Wanted, evaluate_and_show

    evaluate_and_show(
        Wanted(
            file=file,
            databases=databases,
            source=source,
            pack=pack,
            limit=limit,
            offset=offset,
            modes=("single", "loop") if both else (("single",) if single_pass else ("loop",)),
            out=out,
            fresh=fresh,
            keep_replies=reply_cache,
            min_right=min_right,
            as_json=as_json,
        )
    )
