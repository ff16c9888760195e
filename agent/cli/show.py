"""Answers as people read them: SQL, a table, the text, findings and what it cost."""

import re
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from querymend.answer import Answer, Cost
from querymend.tools.catalog.model import Cell
from querymend.tools.engines.engine import ResultColumn
from querymend.tools.engines.estimate import Estimate
from querymend.tools.findings import Finding, Severity
from querymend.tools.results.plain import plain

SHOWN_ROWS = 20
MAX_CELL = 60
MIN_COLUMN = 6
MARKS: dict[Severity, tuple[str, str]] = {
    "block": ("✗ block", "bold red"),
    "repair": ("✗ repair", "red"),
    "warn": ("! warn", "yellow"),
    "note": ("· note", "dim"),
}
OUTCOMES = {
    "answered": ("answered", "bold green"),
    "answered_with_warnings": ("answered, with warnings", "bold yellow"),
    "needs_clarification": ("needs clarification", "bold yellow"),
    "refused": ("refused", "bold red"),
    "failed": ("failed", "bold red"),
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_NUMBER = re.compile(
    r"\b(TINYINT|SMALLINT|INT|INTEGER|BIGINT|HUGEINT|U\w*INT\w*|DECIMAL|NUMERIC|DOUBLE|FLOAT|REAL)\b"
)


def clean(text: str, *, keep: str = "") -> str:
    """Show control characters and marks of direction as escapes: a terminal obeys none of them."""
    return _CONTROL.sub(lambda m: m[0] if m[0] in keep else _escaped(m[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def cell_text(value: Cell) -> Text:
    """Return a cell on one line, cut with a mark where it is long."""
    if value is None:
        return Text("NULL", style="dim italic")
    if isinstance(value, float):
        return Text(f"{value:.10g}")
    shown = value if isinstance(value, str) else plain(value)
    text = clean(str(shown))
    return Text(text if len(text) <= MAX_CELL else f"{text[: MAX_CELL - 1]}…")


def show_answer(console: Console, answer: Answer, *, rows: int = SHOWN_ROWS) -> None:
    """Print a whole answer."""
    if answer.sql:
        show_sql(console, answer.sql)
    if answer.columns:
        show_rows(console, answer.columns, answer.rows, truncated=answer.truncated, most=rows)
    label, style = OUTCOMES[answer.outcome]
    console.print()
    if answer.text:
        console.print(Text(clean(answer.text, keep="\n")))
    console.print(Text.assemble((label, style), _confidence(answer)))
    for assumption in answer.assumptions:
        console.print(Text(f"  assumed: {clean(assumption)}", style="dim"))
    show_findings(console, answer.findings)
    if answer.estimate is not None:
        show_estimate(console, answer.estimate)
    show_cost(console, answer.cost)


def show_sql(console: Console, sql: str) -> None:
    """Print SQL in colours, wrapped at the console's width."""
    code = clean(sql.strip(), keep="\n\t")
    console.print()
    if console.is_terminal:
        console.print(Syntax(code, "sql", theme="ansi_dark", word_wrap=True, padding=(0, 2)))
    else:
        console.print(Text(code), soft_wrap=True)
    console.print()


def show_rows(
    console: Console,
    columns: Sequence[ResultColumn],
    rows: Sequence[Sequence[Cell]],
    *,
    truncated: bool = False,
    most: int = SHOWN_ROWS,
) -> None:
    """Print a result as a table, or record by record where it is too wide for one."""
    shown = rows[:most]
    cells = [[cell_text(value) for value in row] for row in shown]
    if len(columns) * (MIN_COLUMN + 3) > console.width:
        _print_records(console, columns, cells)
    else:
        console.print(_table(columns, cells))
    console.print(Text(_count(len(shown), len(rows), truncated=truncated), style="dim"))


def show_findings(console: Console, findings: Iterable[Finding]) -> None:
    """Print findings with their severity, place, evidence and hint."""
    for finding in findings:
        mark, style = MARKS[finding.severity]
        line = Text("  ").append(f"{mark} ", style=style)
        line.append(f"{clean(finding.message)} ").append(f"[{finding.code}]", style="dim")
        console.print(line)
        for label, text in (("at", finding.clause), ("", finding.evidence), ("", finding.hint)):
            if text and text not in finding.message:
                said = f"{label} {clean(text)}".strip()
                console.print(Padding(Text(said, style="dim"), (0, 0, 0, 6), expand=False))


def show_estimate(console: Console, estimate: Estimate) -> None:
    """Print what running a statement would scan: bytes, cost, and partitions of each table."""
    size = "an unknown amount" if estimate.bytes is None else f"about {estimate.bytes:,} bytes"
    usd = "" if estimate.usd is None else f", about ${estimate.usd:.4f}"
    cutoff = f"; cut off at {estimate.cutoff:,} bytes" if estimate.cutoff is not None else ""
    console.print(Text(f"would scan {size}{usd}{cutoff}"))
    for scan in estimate.scans:
        of = f" of {scan.of:,}" if scan.of is not None else ""
        count = "" if scan.partitions is None else f" {scan.partitions:,}{of} partitions"
        bytes_ = "" if scan.bytes is None else f" {scan.bytes:,} bytes"
        where = f" where {scan.where}" if scan.where else ""
        told = clean(f"  {scan.table}{count or ' unpartitioned or unknown'}{bytes_}{where}")
        console.print(Text(told, style="dim"))


def show_cost(console: Console, cost: Cost) -> None:
    """Print what a question took, on one line."""
    scanned = "" if cost.bytes_scanned is None else f" · {cost.bytes_scanned:,} bytes scanned"
    scanned += "" if cost.usd is None else f" (about ${cost.usd:.4f})"
    scanned += f" · {_times(cost.reused, 'reused result')}" if cost.reused else ""
    console.print(
        Text(
            f"{cost.seconds:.1f} s (model {cost.model_seconds:.1f}, engine"
            f" {cost.engine_seconds:.2f}) · {_times(cost.model_calls, 'model call')} ·"
            f" {cost.tokens_in:,} + {cost.tokens_out:,} tokens · {_times(cost.repairs, 'repair')}"
            f"{scanned} · {cost.model or 'no model'}",
            style="dim",
        )
    )


def _table(columns: Sequence[ResultColumn], cells: Sequence[Sequence[Text]]) -> Table:
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        right = bool(_NUMBER.match(column.type.upper()))
        table.add_column(
            Text(clean(column.name)),
            justify="right" if right else "left",
            overflow="fold" if right else "ellipsis",
            no_wrap=not right,
        )
    for row in cells:
        table.add_row(*row)
    return table


def _print_records(
    console: Console, columns: Sequence[ResultColumn], cells: Sequence[Sequence[Text]]
) -> None:
    names = [clean(c.name) for c in columns]
    width = min(max(map(len, names)), 30)
    for number, row in enumerate(cells, start=1):
        console.print(Text(f"row {number}", style="bold"))
        for name, text in zip(names, row, strict=True):
            console.print(Text(f"  {name[:width]:<{width}}  ").append_text(text))


def _count(shown: int, fetched: int, *, truncated: bool) -> str:
    if truncated:
        return f"showing {shown} of more than {fetched:,} rows (cut by the row budget)"
    if shown < fetched:
        return f"showing {shown} of {fetched:,} rows"
    return _times(fetched, "row")


def _confidence(answer: Answer) -> str:
    return "" if answer.confidence is None else f" · confidence {answer.confidence:.2f}"


def _times(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
