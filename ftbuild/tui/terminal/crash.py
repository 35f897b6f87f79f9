"""An error nobody expected: details into a private file, one line for the user."""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from datetime import datetime
from importlib import metadata
from pathlib import Path

LONGEST_REASON = 160


def report(error: BaseException, folder: Path | None = None) -> str:
    """Write a log of `error` and return the line that tells of it. Never raises."""
    try:
        where = f"details: {write_log(error, folder)}"
    except OSError as failure:
        where = f"no log could be written ({plain(failure.strerror or str(failure))})"
    return f"ftbuild: an unexpected error ended the screen ({plain(reason(error))}); {where}"


def reason(error: BaseException) -> str:
    """Return the error's kind and text, short."""
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 3] + "..."


def plain(text: str) -> str:
    """Return `text` with everything escaped that a terminal might obey."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def write_log(error: BaseException, folder: Path | None = None) -> Path:
    """Write the traceback, without local values, to a new private file; return its path."""
    target = state_folder() if folder is None else folder
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd, name = tempfile.mkstemp(
            prefix=f"crash-{datetime.now():%Y%m%d-%H%M%S}-", suffix=".log", dir=target
        )
    except OSError:
        fd, name = tempfile.mkstemp(prefix="ftbuild-crash-", suffix=".log")
    with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as log:
        log.write(_details(error))
    return Path(name)


def state_folder() -> Path:
    """Return the folder of what ftbuild remembers between runs."""
    import platformdirs

    return platformdirs.user_state_path("ftbuild", appauthor=False)


def _details(error: BaseException) -> str:
    versions = " ".join(
        f"{name} {_version(name)}" for name in ("ftbuild", "textual", "rich", "numpy", "pydantic")
    )
    return f"{versions}\npython {platform.python_version()} on {platform.platform()}\n\n" + "".join(
        traceback.format_exception(error)
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "?"
