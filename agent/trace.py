"""One line a stage for whoever is paged: the logger ``querymend``, and a JSONL file if asked for.

Neither holds rows, cell values or secrets: only SQL, findings, times, tokens and fingerprints.
"""

import json
import logging
import threading
import time
from pathlib import Path

from querymend.tools.errors import SetupError
from querymend.tools.results.plain import Plain, plain

logger = logging.getLogger("querymend")


class Trace:
    """Writes records to the log and, where a file is given, to it; from many threads."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._lock = threading.Lock()
        if file is not None:
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.open("a").close()
            except OSError as error:
                raise SetupError(
                    f"The trace file {file} cannot be written: {error.strerror}.", setting="trace"
                ) from error

    def write(self, answer_id: str, stage: str, **data: object) -> None:
        """Note what one stage did."""
        if logger.isEnabledFor(logging.INFO):
            shown = " ".join(f"{k}={_short(v)}" for k, v in data.items())
            logger.info("%s %s %s", answer_id, stage, shown)
        if self._file is None:
            return
        record: dict[str, Plain] = {"id": answer_id, "at": time.time(), "stage": stage}
        record |= {name: plain(value) for name, value in data.items()}
        with self._lock, self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def _short(value: object) -> str:
    """Write a value on one line, capped."""
    text = " ".join(json.dumps(plain(value), ensure_ascii=False).split())
    return text if len(text) <= 300 else text[:299] + "…"
