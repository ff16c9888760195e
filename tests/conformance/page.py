"""The table of agreement as a page of the documentation: ``docs/conformance.md``."""

from collections.abc import Iterable
from pathlib import Path

from cases import LISTS
from data import PACK
from holding import Held
from judging import Judged, Line, by_construct, by_function, by_list

PAGE = Path(__file__).parent.parent.parent / "docs" / "conformance.md"
WITH_DATA = "## With a folder of data"
_HEAD = """# How far the stand-in and the static checks agree with Trino

Made by `make conformance` on a real Trino {version}; not to be edited. Every statement is asked
of that Trino, and of the stand-in and the static checks beside it.

- *equal*: the same types, names of columns and rows, or refused by both
- *refused, told*: the stand-in says that it cannot run it, and why
- *different*: in silence; the known ones are in [differences.md](differences.md)
- *checks agree*: the static checks refuse what Trino refuses before it runs, and nothing else
- *changed*: Trino says of it now what it did not say when it was recorded

## By list

{lists}

## By construct

{constructs}

## By function

How the statements of `tests/conformance/cases` that call it fare.

{functions}
"""
_DATA = """
{title}

What `make conformance DATA=FOLDER` asks besides: statements of files that are kept elsewhere, with
what a Trino 435 once said of each. Of `verdicts` the checks alone are asked.

{lists}
"""


def page(own: Held, more: Held | None, *, version: str, before: str = "") -> str:
    """Return the page.

    Args:
        own: this folder's cases, and the pack's.
        more: the statements of a data folder; where none was given, its part of ``before`` stays.
        version: Trino's.
        before: the page as it was.
    """
    listed = [j for j in own.judged if j.case.list in LISTS]
    head = _HEAD.format(
        version=version,
        lists=table("list", by_list(own.judged), own),
        constructs=table("construct", by_construct(j for j in listed if _is_construct(j))),
        functions=table("function", by_function(listed)),
    )
    _, title, kept = before.partition(f"\n{WITH_DATA}\n")
    if more is None:
        return f"{head}{title}{kept}"
    return head + _DATA.format(title=WITH_DATA, lists=table("file", by_list(more.judged), more))


def table(title: str, lines: Iterable[Line], held: Held | None = None) -> str:
    """Return lines of agreement as a Markdown table, with what has changed if held."""
    changed = " changed |" if held else ""
    rule = "---|" * (7 if held else 6)
    rows = [f"| {title} | statements | equal | refused, told | different | checks agree |{changed}"]
    rows.append(f"|{rule}")
    rows += [_row(line) + (_changed(line, held) if held else "") for line in _sorted(lines)]
    return "\n".join(rows)


def _sorted(lines: Iterable[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: line.name)


def _row(x: Line) -> str:
    unasked = x.statements > 0 and x.equal + x.told + x.different == 0
    ran = " | ".join("" if unasked else str(n) for n in (x.equal, x.told, x.different))
    return f"| {x.name} | {x.statements} | {ran} | {x.checks} |"


def _changed(line: Line, held: Held) -> str:
    if line.name == PACK:
        return "  |"
    return f" {sum(c.list == line.name for c in held.drifted)} |"


def _is_construct(judged: Judged) -> bool:
    return judged.case.list != "functions"
