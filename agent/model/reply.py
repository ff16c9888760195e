"""Read the one SQL text that a model's reply holds, or why it holds none."""

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from querymend.model.patterns import (
    AFTER,
    ANYWHERE,
    COMMENTS,
    DANGLING,
    DECLINED,
    ENTITY,
    INTERMEDIATE,
    JSON_SQL,
    LABEL,
    PROSE_VERB,
    QUERY,
    REFUSAL,
    THOUGHT,
    THOUGHT_END,
    THOUGHT_OPEN,
)
from querymend.model.scan import Block, before_first_fence, blocks, masked

Reason = Literal["", "empty", "prose", "refusal", "declined", "cut", "intermediate"]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What was read from one reply."""

    sql: str | None
    """One SQL text as the model wrote it, comments and lines kept, the last ``;`` taken off.

    Several different statements stay together: the gate refuses them, and no half is lost.
    """
    reason: Reason = ""
    """Why there is no SQL, or what is doubtful about it; empty for a whole query."""
    declined: str = ""
    """The model's own reason why the data cannot answer; it outweighs any SQL beside it."""


def read_reply(text: str, *, finished: bool | None = None) -> Reply:
    """Read one SQL text from what a model answered, whatever stands around it.

    Args:
        text: the reply, whole: fences of any tag, prose, thoughts, labels, JSON or bare SQL.
        finished: whether the model ended by itself, where the endpoint said so. False marks a
            query as cut unless ``;``, a fence or prose shows its end; True lets an unclosed fence
            pass (a stop text took it).

    Returns:
        The last whole query that is not marked ``intermediate``; see `Reply` for the rest.
    """
    spoken, thinking = _without_thoughts(text.replace("\r\n", "\n").lstrip("\ufeff"))
    if not spoken.strip():
        return Reply(sql=None, reason="cut" if thinking else "empty")
    reply = _read_json(spoken) or _read_spoken(spoken, finished)
    if thinking and not reply.declined:
        return Reply(sql=reply.sql, reason="cut")
    return reply


def _without_thoughts(text: str) -> tuple[str, bool]:
    """Return the text without its thoughts, and whether a thought was never closed."""
    rest = THOUGHT.sub("", text) if THOUGHT_OPEN.match(text) else text
    if THOUGHT_OPEN.match(rest):
        last = [block.body for block in blocks(rest) if block.closed and _is_query(block.body)]
        return (last[-1] if last else ""), True
    ending = THOUGHT_END.match(rest)
    if ending and "<" not in masked(ending[0])[-12:]:
        return rest, False
    return (rest[ending.end() :], False) if ending else (rest, False)


def _read_spoken(text: str, finished: bool | None) -> Reply:
    declined = _declined(text)
    found = _fenced(text) or _unfenced(text)
    if found is None:
        return _without_sql(text, declined)
    sql = _tidy(found.body)
    reason: Reason = ""
    if _is_cut(found, sql, finished):
        reason = "cut"
    elif INTERMEDIATE.search(sql):
        reason = "intermediate"
    return Reply(sql=sql, reason="declined" if declined else reason, declined=declined)


def _is_cut(found: Block, sql: str, finished: bool | None) -> bool:
    ended = found.closed or _ends_with_semicolon(found.body)
    if not ended and (finished is False or (found.closed is False and not finished)):
        return True
    return _is_half(sql) or (not found.closed and _breaks_off_in_literal(sql))


def _ends_with_semicolon(body: str) -> bool:
    last = masked(body).rfind(";")
    return last >= 0 and not _is_query(body[last + 1 :])


def _without_sql(text: str, declined: str) -> Reply:
    if declined:
        return Reply(sql=None, reason="declined", declined=declined)
    return Reply(sql=None, reason="refusal" if REFUSAL.search(text) else "prose")


def _declined(text: str) -> str:
    found = DECLINED.search(text)
    if found is None:
        return ""
    why = re.sub(r"\s*(?:\*/|```).*\Z", "", found["why"]).strip(" \t*_;'`")
    return why or "the model gave no reason"


def _fenced(text: str) -> Block | None:
    """Return the last whole query among the fenced texts, or the best of the others."""
    if _is_query(text):
        head = before_first_fence(text)
        if head is not None:
            return Block(body=head, closed=True)
        if "```" not in masked(text):
            return None
    found = [Block(body=_unlabelled(b.body), closed=b.closed) for b in blocks(text)]
    queries = [block for block in found if _is_query(block.body)]
    return max(enumerate(queries), key=_preference)[1] if queries else _buried(found)


def _preference(numbered: tuple[int, Block]) -> tuple[bool, bool, int]:
    number, block = numbered
    return not INTERMEDIATE.search(block.body), bool(block.closed), number


def _buried(found: Iterable[Block]) -> Block | None:
    """Return a query that stands within a fence after prose or as JSON."""
    for block in reversed(list(found)):
        read = _read_json(block.body)
        if read and read.sql:
            return Block(body=read.sql, closed=block.closed)
        inner = _unfenced(block.body)
        if inner:
            return Block(body=inner.body, closed=block.closed)
    return None


def _unfenced(text: str) -> Block | None:
    """Return the query that stands in plain text: from its first word to `;`, prose or the end."""
    text = _unlabelled(text)
    if not _is_query(text):
        found = _first_query(text)
        if found is None:
            return None
        text = found
    elif _reads_as_prose(text.lstrip()):
        return None
    end = _end_of_query(text)
    return Block(body=text[:end], closed=True if end < len(text) else None)


def _first_query(text: str) -> str | None:
    """Return the text from the first query on that stands at a line's beginning or after ``:``."""
    for match in ANYWHERE.finditer(text):
        start = match.start("query")
        if _reads_as_prose(text[start:]):
            continue
        if text[start - 1 : start] == "`":
            return text[start:].partition("`")[0]
        return text[_with_comments(text, start) :]
    return None


def _reads_as_prose(text: str) -> bool:
    verb = text[:6].split(maxsplit=1)[0] if text.strip() else ""
    if verb.isupper():
        return False
    if verb.istitle() and not re.search(r"\bfrom\b|;", text, re.IGNORECASE):
        return True
    return bool(PROSE_VERB.match(text))


def _with_comments(text: str, start: int) -> int:
    """Move the start up over the comment lines that stand right above it."""
    lines = text[:start].split("\n")
    while len(lines) > 1 and not lines[-1].strip() and lines[-2].lstrip().startswith("--"):
        start -= len(lines[-1]) + 1 + len(lines[-2])
        lines = [*lines[:-2], ""]
    return start


def _end_of_query(text: str) -> int:
    """Return where prose begins after the query, or the text's length."""
    quiet = masked(text)
    ends = [m.start() for m in (AFTER.search(quiet), re.search(r"`{3,}|~{3,}", quiet)) if m]
    return min(ends, default=len(text))


def _tidy(body: str) -> str:
    """Cut what follows the last statement, decode entities, and take off the last ``;``."""
    body = _unlabelled(body).strip()
    if ENTITY.search(masked(body)):
        body = html.unescape(body).replace("\u00a0", " ")
    kept = _distinct(_statements(body))
    return ";\n".join(kept) if kept else body


def _statements(body: str) -> list[str]:
    """Split at every ``;`` that is SQL, and keep the parts up to the first that is none."""
    quiet, parts, start = masked(body), [], 0
    for end in [*(m.start() for m in re.finditer(";", quiet)), len(body)]:
        part = body[start:end].strip()
        if start and not _is_query(part):
            break
        parts.append(part)
        start = end + 1
    return parts


def _distinct(statements: list[str]) -> list[str]:
    """Drop repetitions: a small model may write the same query until its tokens are spent."""
    return list({" ".join(s.split()): s for s in reversed(statements)}.values())[::-1]


def _unlabelled(text: str) -> str:
    """Take labels such as ``SQLQuery:`` off the text's beginning."""
    while label := LABEL.match(text):
        text = text[label.end() :]
    return text


def _is_query(text: str) -> bool:
    comments = COMMENTS.match(text)
    return bool(QUERY.match(text, comments.end() if comments else 0))


def _is_half(sql: str) -> bool:
    """Tell whether a bracket stays open, or the last word needs one more."""
    quiet = masked(sql)
    return quiet.count("(") > quiet.count(")") or bool(DANGLING.search(quiet.rstrip(" ;")))


def _breaks_off_in_literal(sql: str) -> bool:
    return masked(sql).endswith("·") and (sql.count("'") % 2 == 1 or sql.count('"') % 2 == 1)


def _read_json(text: str) -> Reply | None:
    """Read ``{"sql": …}``, whole or cut, where the text is JSON at all."""
    if not text.lstrip(" \n`json").startswith("{"):
        return None
    found = JSON_SQL.search(text)
    if found is None:
        return None
    try:
        sql = json.loads(f'"{found["sql"]}"', strict=False)
    except json.JSONDecodeError:
        return None
    if not _is_query(sql):
        return None
    return Reply(sql=_tidy(sql), reason="" if found["end"] else "cut")
