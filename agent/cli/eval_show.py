"""Show what an evaluation found: shares by tag, costs, and two runs side by side."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from querymend.evaluation.compare import Comparison, Pair, compare, whole_loop
from querymend.evaluation.records import Mode, Record, read_records
from querymend.evaluation.report import Figures, by_tag, figures, flagged_first

TITLES: dict[Mode, str] = {"loop": "Whole loop", "single": "Single pass"}


def show_report(by_mode: Mapping[Mode, Sequence[Record]], out: Path, *, as_json: bool) -> None:
    """Print the report of a run: a table for each mode, and their comparison."""
    both = compare(*by_mode.values()) if len(by_mode) == 2 else None
    if as_json:
        report: dict[str, object] = {"file": str(out)}
        report |= {mode: _as_dict(records) for mode, records in by_mode.items()}
        if both:
            report["comparison"] = _comparison_dict(both)
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
        return
    console = Console()
    for mode, records in by_mode.items():
        _show_figures(console, TITLES[mode], records)
    if both:
        show_comparison(console, both, "single pass", "loop")
    console.print(f"Every question: {out}", markup=False, highlight=False, soft_wrap=True)


def show_files(before: Path, after: Path, *, as_json: bool) -> None:
    """Compare two output files: what the second mended and broke."""
    found = compare(whole_loop(read_records(before)[1]), whole_loop(read_records(after)[1]))
    if as_json:
        typer.echo(json.dumps(_comparison_dict(found), ensure_ascii=False, indent=2))
    else:
        show_comparison(Console(), found, before.name, after.name)


def show_comparison(console: Console, found: Comparison, before: str, after: str) -> None:
    """Print the questions that changed, and how likely so uneven a split is by chance."""
    console.print(
        f"{before} → {after}: mended {len(found.mended)}, broken {len(found.broken)},"
        f" unchanged {found.unchanged} ({found.both} delivered by both);"
        f" McNemar exact p = {found.p:.3g}",
        markup=False,
        highlight=False,
    )
    if found.only_one:
        console.print(f"{found.only_one} questions are in one run only, and left out.")
    for title, pairs in (("Mended", found.mended), ("Broken", found.broken)):
        for pair in pairs:
            console.print(f"  {title}: {escape(_pair_line(pair))}", highlight=False)


def _pair_line(pair: Pair) -> str:
    return f"[{pair.after.key}] {pair.after.question} ({pair.before.score} → {pair.after.score})"


def _show_figures(console: Console, title: str, records: Sequence[Record]) -> None:
    whole = figures(records)
    rows = (*by_tag(records), whole)
    for heading, columns in ((f"{title}: {whole.n} questions", SCORES), ("Costs", COSTS)):
        console.print(_table(heading, columns, rows))
    for line in _lines(whole, records):
        console.print(line, markup=False, highlight=False)


def _table(
    title: str, columns: Mapping[str, Callable[[Figures], str]], rows: Sequence[Figures]
) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("tag", overflow="fold")
    for name in columns:
        table.add_column(name, justify="right")
    for row in rows:
        cells = (write(row) for write in columns.values())
        table.add_row(escape(row.tag), *cells, style="bold" if row is rows[-1] else "")
    return table


SCORES: dict[str, Callable[[Figures], str]] = {
    "n": lambda f: str(f.n),
    "right": lambda f: str(f.right),
    "cautious": lambda f: str(f.cautious),
    "silent": lambda f: str(f.silently_wrong),
    "said so": lambda f: str(f.said_so),
    "withheld": lambda f: str(f.withheld),
    "failed": lambda f: str(f.errors),
    "delivered": lambda f: f"{f.share(f.delivered):.0f} %",
}
COSTS: dict[str, Callable[[Figures], str]] = {
    "calls": lambda f: f"{f.model_calls:.2f}",
    "tokens in": lambda f: f"{f.tokens_in:.0f}",
    "out": lambda f: f"{f.tokens_out:.0f}",
    "model": lambda f: f"{f.model_seconds:.1f} s",
    "engine": lambda f: f"{1000 * f.engine_seconds:.0f} ms",
    "framework": lambda f: f"{1000 * f.framework_seconds:.0f} ms",
}
"""Means a question; of the framework's time, the median."""


def _lines(whole: Figures, records: Sequence[Record]) -> list[str]:
    named = ("delivered", "right", "cautious", "silently_wrong", "said_so", "withheld")
    shares = [f"{n.replace('_', ' ')} {whole.share(getattr(whole, n)):.1f} %" for n in named]
    lines = [", ".join(shares)]
    first = flagged_first(records)
    if first.n:
        lines.append(
            f"First attempts with a finding to act on: {first.n}; {first.right} ended with a right"
            f" result ({100 * first.right / first.n:.0f} %), {first.silently_wrong} silently wrong"
            f" ({100 * first.silently_wrong / first.n:.0f} %)"
        )
    broken = [r for r in records if r.error]
    if broken:
        lines.append(f"Broken and asked again next time: {len(broken)}. The first:")
        lines.append(f"  [{broken[0].key}] {broken[0].error.splitlines()[0]}")
    return lines


def _as_dict(records: Sequence[Record]) -> dict[str, object]:
    return {
        "all": figures(records).to_dict(),
        "by_tag": {f.tag: f.to_dict() for f in by_tag(records)},
        "flagged_first": vars(flagged_first(records)),
        "broken": [r.key for r in records if r.error],
    }


def _comparison_dict(found: Comparison) -> dict[str, object]:
    return {
        "mended": [_pair_dict(p) for p in found.mended],
        "broken": [_pair_dict(p) for p in found.broken],
        "unchanged": found.unchanged,
        "delivered_by_both": found.both,
        "delivered_by_neither": found.neither,
        "in_one_run_only": found.only_one,
        "mcnemar_p": found.p,
    }


def _pair_dict(pair: Pair) -> dict[str, object]:
    return {
        "key": pair.after.key,
        "question": pair.after.question,
        "before": pair.before.score,
        "after": pair.after.score,
    }
