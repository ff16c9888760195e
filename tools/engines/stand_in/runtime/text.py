"""Trino's functions on texts that DuckDB lacks or has otherwise."""

import re
import unicodedata
from datetime import datetime
from decimal import Decimal
from urllib.parse import quote_plus, unquote_plus, urlsplit

from querymend.tools.engines.stand_in.runtime.scalar import (
    Scalar,
    invalid,
    scalar,
    unsupported,
)

_SOUNDS = {
    **dict.fromkeys("BFPV", "1"),
    **dict.fromkeys("CGJKQSXZ", "2"),
    **dict.fromkeys("DT", "3"),
    "L": "4",
    **dict.fromkeys("MN", "5"),
    "R": "6",
}
_FORMAT = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")
_URL = re.compile(r"""[^\s<>"{}|\\^`]*""")


def _upper(text: str) -> str:
    return "".join(u if len(u := c.upper()) == 1 else c for c in text)


def _lower(text: str) -> str:
    return "".join(c.lower()[:1] for c in text)


def _replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new)


def _normalize(text: str, form: str) -> str:
    if form == "NFC":
        return unicodedata.normalize("NFC", text)
    if form == "NFD":
        return unicodedata.normalize("NFD", text)
    if form == "NFKC":
        return unicodedata.normalize("NFKC", text)
    if form == "NFKD":
        return unicodedata.normalize("NFKD", text)
    raise invalid("Normalization form must be one of [NFD, NFC, NFKD, NFKC]")


def _soundex(text: str) -> str:
    letters = [c for c in text.upper() if c.isalpha()]
    if any(not c.isascii() for c in letters):
        raise invalid(f"The character is not mapped: {text}")
    if not letters:
        return ""
    code, last = letters[0], _SOUNDS.get(letters[0], "")
    for letter in letters[1:]:
        sound = _SOUNDS.get(letter, "")
        if sound and sound != last:
            code += sound
        if letter not in "HW":
            last = sound
    return code[:4].ljust(4, "0")


def _hamming(left: str, right: str) -> int:
    if len(left) != len(right):
        raise invalid("The input strings to hamming_distance function must have the same length")
    return sum(a != b for a, b in zip(left, right, strict=True))


def _levenshtein(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        before, row[0] = row[0], i
        for j, b in enumerate(right, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def _split(text: str, delimiter: str, limit: int) -> list[str]:
    if not delimiter:
        raise invalid("The delimiter may not be the empty string")
    if limit <= 0:
        raise invalid("Limit must be positive")
    return text.split(delimiter, limit - 1)


def _split_part(text: str, delimiter: str, index: int) -> str | None:
    if index <= 0:
        raise invalid("Index must be greater than zero")
    if not delimiter:
        return text[index - 1] if index <= len(text) else None
    parts = text.split(delimiter)
    return parts[index - 1] if index <= len(parts) else None


def _split_to_map(text: str, entries: str, pairs: str) -> list[dict[str, str]]:
    if not entries or not pairs:
        raise invalid("entryDelimiter or keyValueDelimiter is empty")
    if entries == pairs:
        raise invalid("entryDelimiter and keyValueDelimiter must not be the same")
    held: dict[str, str] = {}
    for entry in text.split(entries) if text else []:
        key, found, value = entry.partition(pairs)
        if not found or pairs in value:
            raise invalid("Key-value delimiter must appear exactly once in each entry")
        if key in held:
            raise invalid(f"Duplicate keys ({key}) are not allowed")
        held[key] = value
    return [{"k": k, "v": v} for k, v in held.items()]


def _position(text: str, wanted: str, instance: int) -> int:
    if instance == 0:
        raise invalid("'instance' must be a positive or negative number.")
    if not wanted:
        return 1
    at = -1 if instance > 0 else len(text)
    for _ in range(abs(instance)):
        at = text.find(wanted, at + 1) if instance > 0 else text.rfind(wanted, 0, max(at, 0))
        if at < 0:
            return 0
        at += len(wanted) - 1 if instance > 0 else 0
    return at - (len(wanted) - 1 if instance > 0 else 0) + 1


def _substr(text: str, start: int) -> str:
    if start == 0 or abs(start) > len(text):
        return ""
    return text[start - 1 :] if start > 0 else text[start:]


def _substr_length(text: str, start: int, length: int) -> str:
    return _substr(text, start)[: max(length, 0)]


def _pad(text: str, size: int, fill: str, left: bool) -> str:
    if size < 0 or size > 2**31 - 1:
        raise invalid("Target length must be in the range [0..2147483647]")
    if not fill:
        raise invalid("Padding string must not be empty")
    missing = size - len(text)
    if missing <= 0:
        return text[:size]
    padding = (fill * (missing // len(fill) + 1))[:missing]
    return padding + text if left else text + padding


def _trim(text: str, letters: str, side: str) -> str:
    if side in ("both", "leading"):
        text = text.lstrip(letters)
    return text.rstrip(letters) if side in ("both", "trailing") else text


def _blank(text: str, side: str) -> str:
    """Trim what Trino takes for white space: Java's ``Character.isWhitespace``."""
    return _trim(
        text,
        " \t\n\v\f\r\x1c\x1d\x1e\x1f\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
        "\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000",
        side,
    )


def _translate(text: str, old: str, new: str) -> str:
    table: dict[str, str] = {}
    for place, letter in enumerate(old):
        table.setdefault(letter, new[place] if place < len(new) else "")
    return "".join(table.get(c, c) for c in text)


def _chr(point: int) -> str:
    if not 0 <= point <= 0x10FFFF or 0xD800 <= point <= 0xDFFF:
        raise invalid(f"Not a valid Unicode code point: {point}")
    return chr(point)


def _codepoint(text: str) -> int:
    if len(text) != 1:
        raise invalid("Input string must be a single character string")
    return ord(text)


def _luhn(text: str) -> bool:
    if not text.isdigit() or not text:
        return False if not text else _no_luhn(text)
    doubled = (int(c) * (1 + place % 2) for place, c in enumerate(reversed(text)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _no_luhn(text: str) -> bool:
    raise invalid(f"Input string contains non-digits: {text}")


def _url_part(url: str, part: str) -> str | None:
    if not _URL.fullmatch(url):
        return None
    try:
        found = urlsplit(url)
        port = found.port
    except ValueError:
        return None
    if part == "port":
        return str(port) if port is not None else None
    values = {
        "host": found.hostname and _host(found.netloc),
        "path": unquote(found.path),
        "query": unquote(found.query),
        "protocol": found.scheme,
        "fragment": unquote(found.fragment),
    }
    return values[part] if part == "host" else values[part] or ""


def _host(netloc: str) -> str:
    return netloc.rpartition("@")[2].partition(":")[0]


def unquote(text: str) -> str:
    """Decode ``%20`` but not ``+``."""
    return unquote_plus(text.replace("+", "%2B"))


def _url_parameter(url: str, name: str) -> str | None:
    if not _URL.fullmatch(url):
        return None
    for pair in urlsplit(url).query.split("&"):
        key, _, value = pair.partition("=")
        if key == name:
            return unquote_plus(value)
    return None


def _url_encode(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def _url_decode(text: str) -> str:
    return unquote_plus(text)


def _format(pattern: str, given: list[str | None], kinds: list[str]) -> str:
    place = 0
    out: list[str] = []
    at = 0
    for found in _FORMAT.finditer(pattern):
        out.append(pattern[at : found.start()])
        at = found.end()
        if found[5] in "%n":
            out.append("%" if found[5] == "%" else "\n")
            continue
        index = int(found[1]) - 1 if found[1] else place
        place += 0 if found[1] else 1
        if index >= len(given):
            raise invalid(f"Invalid format string: {pattern} (Format specifier '{found[0]}')")
        out.append(_formatted(found, given[index], kinds[index]))
    rest = pattern[at:]
    if "%" in "".join((*out[::2], rest)) and "%" in rest:
        raise invalid(f"Invalid format string: {pattern}")
    return "".join((*out, rest))


def _formatted(found: re.Match[str], value: str | None, kind: str) -> str:
    flags, width, digits, code = found[2], int(found[3] or 0), found[4], found[5]
    if value is None:
        text = "null"
    elif code in "sS":
        text = _shown(value, kind)
        text = text[: int(digits)] if digits else text
    else:
        text = _number(code, flags, digits, value, kind, width)
    text = text.upper() if code.isupper() and code != "T" else text
    return text.ljust(width) if "-" in flags else text.rjust(width)


def _shown(value: str, kind: str) -> str:
    if kind.startswith("timestamp"):
        moment = datetime.fromisoformat(value)
        text = moment.isoformat(
            timespec="auto" if moment.microsecond or moment.second else "minutes"
        )
        return text[:-3] if text.endswith("000") and moment.microsecond else text
    return value


def _number(code: str, flags: str, digits: str | None, value: str, kind: str, width: int) -> str:
    zeros = f"0{width}" if "0" in flags and width else ""
    comma = "," if "," in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    if code == "d" and kind in ("tinyint", "smallint", "integer", "bigint"):
        return format(int(value), f"{sign}{zeros}{comma}d")
    if code == "x" and kind in ("integer", "bigint") and int(value) >= 0:
        return format(int(value), f"{zeros}x")
    if code == "b" and kind == "boolean":
        return value
    if code in "fe" and (kind in ("double", "real") or kind.startswith("decimal")):
        places = int(digits or 6)
        number = Decimal(value)
        if code == "f":
            exact = number.quantize(Decimal(1).scaleb(-places), "ROUND_HALF_UP")
            return format(exact, f"{sign}{zeros}{comma}f")
        return (
            format(number, f"{sign}{zeros}.{places}e").replace("e+", "e+0", 1)
            if _short(number, places)
            else format(number, f"{sign}{zeros}.{places}e")
        )
    raise unsupported(f"format of {kind} with %{code}")


def _short(number: Decimal, places: int) -> bool:
    return len(format(number, f".{places}e").partition("e+")[2]) == 1


def _from_utf8(held: bytes) -> str:
    try:
        return held.decode("utf-8")
    except UnicodeDecodeError:
        return held.decode("utf-8", "replace")


def _from_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text) if not re.search(r"\s", text) else _no_hex(text)
    except ValueError as error:
        raise invalid(f"{error}: {text}") from error


def _no_hex(text: str) -> bytes:
    raise invalid(f"invalid hex: {text}")


FUNCTIONS: tuple[Scalar, ...] = (
    scalar("upper", "VARCHAR", "VARCHAR", _upper),
    scalar("lower", "VARCHAR", "VARCHAR", _lower),
    scalar("replace", "VARCHAR VARCHAR VARCHAR", "VARCHAR", _replace),
    scalar("normalize", "VARCHAR VARCHAR", "VARCHAR", _normalize),
    scalar("soundex", "VARCHAR", "VARCHAR", _soundex),
    scalar("hamming_distance", "VARCHAR VARCHAR", "BIGINT", _hamming),
    scalar("levenshtein_distance", "VARCHAR VARCHAR", "BIGINT", _levenshtein),
    scalar("split", "VARCHAR VARCHAR BIGINT", "VARCHAR[]", _split),
    scalar("split_part", "VARCHAR VARCHAR BIGINT", "VARCHAR", _split_part),
    Scalar(
        name="qm_split_to_map",
        takes=("VARCHAR", "VARCHAR", "VARCHAR"),
        gives="STRUCT(k VARCHAR, v VARCHAR)[]",
        call=_split_to_map,
    ),
    scalar("strpos", "VARCHAR VARCHAR BIGINT", "BIGINT", _position),
    scalar("substr", "VARCHAR BIGINT", "VARCHAR", _substr),
    scalar("substr_length", "VARCHAR BIGINT BIGINT", "VARCHAR", _substr_length),
    scalar("pad", "VARCHAR BIGINT VARCHAR BOOLEAN", "VARCHAR", _pad),
    scalar("trim", "VARCHAR VARCHAR VARCHAR", "VARCHAR", _trim),
    scalar("trim_blank", "VARCHAR VARCHAR", "VARCHAR", _blank),
    scalar("translate", "VARCHAR VARCHAR VARCHAR", "VARCHAR", _translate),
    scalar("chr", "BIGINT", "VARCHAR", _chr),
    scalar("codepoint", "VARCHAR", "INTEGER", _codepoint),
    scalar("luhn_check", "VARCHAR", "BOOLEAN", _luhn),
    scalar("url_part", "VARCHAR VARCHAR", "VARCHAR", _url_part),
    scalar("url_parameter", "VARCHAR VARCHAR", "VARCHAR", _url_parameter),
    scalar("url_encode", "VARCHAR", "VARCHAR", _url_encode),
    scalar("url_decode", "VARCHAR", "VARCHAR", _url_decode),
    scalar("format", "VARCHAR VARCHAR[] VARCHAR[]", "VARCHAR", _format),
    scalar("from_utf8", "BLOB", "VARCHAR", _from_utf8),
    scalar("from_hex", "VARCHAR", "BLOB", _from_hex),
)
