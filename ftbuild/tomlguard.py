"""TOML from anybody: bytes to tables, with a clear error for whatever is not a file of ours.

The parser of the standard library is safe but not quick on hostile input: a key of many dotted parts costs
it time in the square of their number, and deep nesting ends in `RecursionError`. Both are met before or
around it.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from ftbuild.disk import LARGEST, FileError, too_large
from ftbuild.problems import syntax_mistake

DEEPEST = 32
"""Tables or lists inside one another, also as parts of a dotted key; a build needs three."""

_DOTTED = re.compile(r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*""")


def parse(data: bytes, file: str = "") -> dict[str, Any]:
    """Return the tables of a TOML file; raises `FileError`."""
    if len(data) > LARGEST:
        raise too_large(file)
    if b"\0" in data:
        raise FileError(file, "binary data", "a TOML file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        found = f"byte 0x{data[error.start]:02x} in line {line}, which is not UTF-8"
        raise FileError(file, found, "a TOML file in UTF-8") from None
    if not text.strip():
        raise FileError(file, "an empty file", 'a build; `ftbuild new` writes one')  # fmt: skip
    deep = FileError(file, "tables nested too deeply", f"at most {DEEPEST} inside one another")
    if any(match.group().count(".") > 4 * DEEPEST for match in _DOTTED.finditer(text)):
        raise deep
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise deep from None
    except ValueError as error:
        raise FileError(file, f"a mistake in the TOML: {syntax_mistake(error)}", "a TOML file") from None
    if _too_deep(document):
        raise deep
    return document


def _too_deep(document: dict[str, Any]) -> bool:
    """Return whether any value lies deeper than `DEEPEST`; walks level by level, without recursion."""
    level: list[Any] = [document]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for table in level:
            below += table.values() if isinstance(table, dict) else table
        level = [value for value in below if isinstance(value, (dict, list))]
        if not level:
            return False
    return True
