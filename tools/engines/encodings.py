"""Text files in other encodings than UTF-8, which is all that DuckDB reads without downloads."""

import codecs
from pathlib import Path

CHUNK = 1 << 20


def as_utf8(path: Path, folder: Path) -> Path:
    """Return the file itself if it is UTF-8, else a UTF-8 copy of it in the folder.

    A byte-order mark tells UTF-16; what is neither is read as Windows-1252, which has all
    letters of Latin-1. The copy keeps the path below the folder, for partitions in its names.
    """
    if _is_utf8(path):
        return path
    copy = folder.joinpath(*path.absolute().parts[1:])
    copy.parent.mkdir(parents=True, exist_ok=True)
    encoding = "utf-16" if _starts_as_utf16(path) else "cp1252"
    with (
        path.open(encoding=encoding, errors="replace", newline="") as text,
        copy.open("w", encoding="utf-8", newline="") as out,
    ):
        while part := text.read(CHUNK):
            out.write(part)
    return copy


def _starts_as_utf16(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _is_utf8(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", newline="") as text:
            while text.read(CHUNK):
                pass
    except UnicodeDecodeError:
        return False
    return True
