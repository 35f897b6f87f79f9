"""Edits that were not saved, kept so that a lost connection or a crash costs nothing.

Every running editor has one entry for each file it edits: a small JSON file that only the user may read,
named after host, process and file. Saving or leaving on purpose discards it; what is left of a process that
no longer runs is offered for recovery.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ftbuild import disk, locations
from ftbuild.disk import FileError

MOST = 200
"""Entries that are looked at; more are a fault of something else."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One build that somebody was editing."""

    text: str
    """The build's TOML, as it would have been saved."""
    file: str
    """The file that was open; empty for a build that never had one."""
    fingerprint: str
    """Of that file when it was opened: what the edits were made on."""
    pid: int
    started: str
    """When the process began, as the system counts it, to tell it from a later one of the same number."""
    host: str
    time: float
    """Of the last edit, s since 1970."""
    pending: Mapping[str, str] = field(default_factory=dict)
    """Texts that were typed but were not in force, by the key of their field."""
    place: Path = Path()
    """Where the entry lies."""

    @property
    def abandoned(self) -> bool:
        """Return whether the process that wrote it is known to have ended."""
        return self.host == _host() and not (_alive(self.pid) and _started(self.pid) == self.started)


class Journal:
    """The entries of one user; `folder` is a test's own, else the platform's."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or locations.recovery_folder()

    def record(
        self,
        text: str,
        path: Path | None = None,
        fingerprint: str = "",
        pending: Mapping[str, str] | None = None,
    ) -> None:
        """Keep the build as it is now for this process and file, in place of the entry before.

        Raises `FileError` where it cannot be kept (a full disk, say); the edit itself is not touched.
        """
        file = str(path.resolve()) if path else ""
        pid = os.getpid()
        waiting = dict(pending or {})
        entry = Entry(text, file, fingerprint, pid, _started(pid), _host(), time.time(), waiting)
        values = {name: value for name, value in asdict(entry).items() if name != "place"}
        disk.write_private(self._place(file), json.dumps(values).encode())

    def discard(self, path: Path | None = None) -> None:
        """Drop this process's entry for a file: it was saved, or left on purpose."""
        self._place(str(path.resolve()) if path else "").unlink(missing_ok=True)

    def entries(self) -> tuple[Entry, ...]:
        """Return every entry that can be read, the newest first."""
        try:
            places = sorted(self.folder.glob("*.json"))[:MOST]
        except OSError:
            return ()
        found = [entry for place in places if (entry := _read(place)) is not None]
        return tuple(sorted(found, key=lambda entry: entry.time, reverse=True))

    def recoverable(self) -> tuple[Entry, ...]:
        """Return the entries whose process has ended without saving, the newest first."""
        return tuple(entry for entry in self.entries() if entry.abandoned)

    def forget(self, entry: Entry) -> None:
        """Drop an entry: its build was recovered, or is not wanted."""
        with contextlib.suppress(OSError):
            entry.place.unlink(missing_ok=True)

    def _place(self, file: str) -> Path:
        name = hashlib.sha256(f"{_host()}\0{file}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return self.folder / f"{os.getpid()}-{name}.json"


def _read(place: Path) -> Entry | None:
    try:
        values = json.loads(disk.read(place))
        entry = Entry(**values, place=place) if isinstance(values, dict) else None
    except (FileError, ValueError, TypeError, RecursionError):
        return None
    return entry if entry is not None and _sound(entry) else None


def _sound(entry: Entry) -> bool:
    """Return whether every value is of its type: the file may hold anything."""
    texts = (entry.text, entry.file, entry.fingerprint, entry.started, entry.host)
    return (
        all(isinstance(text, str) for text in texts)
        and isinstance(entry.pending, dict)
        and all(isinstance(text, str) for pair in entry.pending.items() for text in pair)
        and isinstance(entry.pid, int)
        and isinstance(entry.time, (int, float))
    )


def _host() -> str:
    return socket.gethostname()


def _alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _started(pid: int) -> str:
    """Return when a process began, in ticks since the system's start; nothing where /proc is not there."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    # The name in parentheses may hold spaces; the 20th field after it is `starttime` of proc(5).
    fields = text.rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""
