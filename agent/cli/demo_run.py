"""Build the demo's warehouse, ask it, and say what to try next."""

from rich.console import Console

from querymend.cli.ask_run import Asked, OpenAgent, ask_and_show, open_agent
from querymend.cli.opening import opening
from querymend.settings import load_settings

NEXT = """
Try next:
  querymend ask --pack {pack} "Top 5 products by revenue this year, by region?"
  querymend ask --source your.duckdb "…"      (.sqlite, or a folder of Parquet, CSV or JSON)
  querymend eval {pack} --limit 10              how often it is right, and what it cost
  querymend doctor                            what is set up, and how to use a model of yours"""


def demo_and_show(
    question: str, *, pack: str, as_json: bool, open_agent: OpenAgent = open_agent
) -> None:
    """Ask the demo's question, and exit by the outcome.

    Args:
        question: what to ask.
        pack: the pack whose data is asked.
        as_json: print the answer's JSON alone.
        open_agent: opens what is asked.
    """
    console = Console(stderr=True)
    source = _warehouse(pack, console)
    if not as_json:
        console.print(f"Question: {question}", markup=False, highlight=False)
    try:
        ask_and_show(
            Asked(question=question, source=source, pack=pack, as_json=as_json),
            open_agent=open_agent,
        )
    finally:
        if not as_json:
            console.print(NEXT.format(pack=pack), markup=False, highlight=False)


def _warehouse(pack: str, console: Console) -> str:
    from querymend.fewshot.build import warehouse_path
    from querymend.fewshot.pack import load_pack

    with opening(console) as shown:
        return str(
            warehouse_path(
                load_pack(pack),
                load_settings().sources_dir,
                lambda done, total: shown.progress(f"Building the {pack} warehouse", done / total),
            )
        )
