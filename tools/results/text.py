"""The answer's text by plain templates: every number in it is in the rows, or counts them."""

from collections.abc import Sequence

from querymend.tools.engines.engine import Result
from querymend.tools.findings import Finding
from querymend.tools.results.expectation import Expectation
from querymend.tools.results.numbers import numbers_in_rows
from querymend.tools.results.spelling import LONGEST, cut, spell, title

LISTED = 20
"""Values of a single column that are all named."""
ROWS = 5
"""Rows of several columns that are shown."""
COLUMNS = 8
TOLD_NOTES = ("tie_at_limit", "fewer_rows_than_asked", "more_rows_than_asked", "null_column")


def say(
    question: str,
    result: Result,
    *,
    expectation: Expectation | None = None,
    assumptions: Sequence[str] = (),
    findings: Sequence[Finding] = (),
) -> str:
    """Write the answer: what came, what was assumed, what is doubtful.

    Every row is shown or its absence is said; a result that was cut is never told as a
    total. The question is not repeated, so nothing in it can end up in the answer.
    """
    body = _body(result, expectation, findings)
    told = (
        question,
        *labels(result),
        *assumptions,
        *(f"{f.message} {f.evidence}" for f in findings),
    )
    parts = [held_to_rows(body, result, allowed=told)]
    parts += [f"Assumed: {_sentence(a)}" for a in dict.fromkeys(assumptions)]
    parts += [f"Note: {f.message}" for f in findings if f.code in TOLD_NOTES]
    doubts = [f for f in findings if f.severity in ("block", "repair", "warn")]
    parts += [f"Warning: {_told(f)}" for f in doubts if f.code not in _SAID]
    return "\n".join(parts)


def held_to_rows(text: str, result: Result, *, allowed: Sequence[str] = ()) -> str:
    """Return the text if all its numbers are in the rows, else the rows themselves, unadorned.

    Args:
        text: whoever wrote it, a template or a model.
        result: what it speaks of.
        allowed: texts whose numbers may be repeated: the question, assumptions, evidence.
    """
    lengths = (f"{_length(cell):,}" for row in result.rows[:LISTED] for cell in row)
    shown = (str(n) for n in (LISTED, ROWS, len(result.columns) - COLUMNS))
    if numbers_in_rows(text, result, allowed=(*allowed, *lengths, *shown)):
        return _unadorned(result)
    return text


def _length(cell: object) -> int:
    """Return what is said of a cell that is too long to be shown."""
    return len(cell) if isinstance(cell, bytes) else len(" ".join(str(cell).split()))


def _unadorned(result: Result) -> str:
    """Write cells as the engine gave them: no rounding, no units, no separators."""
    many = "The first rows of more" if result.truncated else f"{len(result.rows)} rows"
    if not result.rows:
        return "No rows match."
    lines = [
        "; ".join(
            f"{c.name}: {cut(str(v), LONGEST)}" for c, v in zip(result.columns, row, strict=True)
        )
        for row in result.rows[:ROWS]
    ]
    hidden = len(result.rows) > ROWS
    head = f"{many}; the first {ROWS}:" if hidden else f"{many}:"
    return lines[0] if len(result.rows) == 1 and not result.truncated else "\n".join((head, *lines))


_SAID = ("empty_result", "null_aggregate")
"""The body tells them already."""


def _body(result: Result, expectation: Expectation | None, findings: Sequence[Finding]) -> str:
    if not result.rows:
        return _nothing("No rows match.", findings)
    if len(result.rows) == 1 and all(c is None for c in result.rows[0]):
        return _nothing("There is no value to report: no row matched.", findings)
    if len(result.rows) == 1 and not result.truncated:
        return _one_row(result, expectation)
    return _several(result)


def _nothing(what: str, findings: Sequence[Finding]) -> str:
    """Say that nothing came, and what the data does hold where that is known."""
    told = next((f for f in findings if f.code in (*_SAID, "contradiction")), None)
    if told is None:
        return what
    why = told.message if told.kind == "literal" else ""
    evidence = f"{told.evidence}." if told.evidence else ""
    return " ".join(filter(None, (what, why, evidence[:1].upper() + evidence[1:])))


def _one_row(result: Result, expectation: Expectation | None) -> str:
    row = result.rows[0]
    if len(row) == 1:
        name = result.columns[0].name
        label = title(name)
        if label == "Result" and expectation is not None and expectation.number:
            label = "Count"
        return f"{label}: {_spelt(row[0], name, expectation)}."
    return "; ".join(_pairs(result, row)) + "."


def _several(result: Result) -> str:
    count, width = len(result.rows), len(result.columns)
    most = LISTED if width == 1 else ROWS
    shown = result.rows[:most]
    many = f"The first {count:,} rows of more" if result.truncated else f"{count:,} rows"
    part = f"; showing {len(shown)}" + ("" if result.truncated else f" of {count:,}")
    head = many + (part if len(shown) < count else "")
    if width == 1:
        name = result.columns[0].name
        return f"{head}. {title(name)}: {', '.join(spell(r[0], name=name) for r in shown)}."
    lines = [f"- {'; '.join(_pairs(result, row))}" for row in shown]
    return "\n".join((f"{head}:", *lines))


def _pairs(result: Result, row: tuple[object, ...]) -> list[str]:
    columns = list(zip(labels(result), result.columns, row, strict=True))
    pairs = [f"{label}: {spell(v, name=c.name)}" for label, c, v in columns[:COLUMNS]]
    more = len(columns) - len(pairs)
    return [*pairs, f"and {more} more columns"] if more > 0 else pairs


def labels(result: Result) -> list[str]:
    """Return a label for each column; of those that share one, the later ones are numbered."""
    given = [title(c.name) for c in result.columns]
    return [
        f"{label} ({before + 1})" if (before := given[:place].count(label)) else label
        for place, label in enumerate(given)
    ]


def _spelt(cell: object, name: str, expectation: Expectation | None) -> str:
    percent = expectation is not None and expectation.share and "percent" in name.lower()
    return spell(cell, name=name) + ("%" if percent and isinstance(cell, int | float) else "")


def _told(finding: Finding) -> str:
    evidence = f" ({finding.evidence})" if finding.evidence else ""
    return f"{finding.message.rstrip('.')}{evidence}."


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


__all__ = ["held_to_rows", "numbers_in_rows", "say"]
