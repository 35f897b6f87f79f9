"""What was opened and chosen last, kept between runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ftbuild import disk, locations
from ftbuild.problems import BuildError, hostile

MOST_FILES = 12
MOST_CHOICES = 6


class Recent:
    """Files by path and choices by kind of part, the last one first; a file that fails is an empty list."""

    def __init__(self, place: Path | None = None) -> None:
        self.place = place or locations.recent_file()
        self._files: list[str] = []
        self._choices: dict[str, list[str]] = {}
        self._load()

    def files(self) -> list[Path]:
        """Return the files that are still there."""
        return [path for path in map(Path, self._files) if path.is_file()]

    def choices(self, kind: str) -> Sequence[str]:
        """Return what was chosen last of a kind of part."""
        return self._choices.get(kind, ())

    def opened(self, path: Path) -> None:
        """Note a file."""
        self._load()
        self._files = _first(str(path.resolve()), self._files, MOST_FILES)
        self._write()

    def chosen(self, kind: str, name: str) -> None:
        """Note a choice."""
        self._load()
        self._choices[kind] = _first(name, self._choices.get(kind, []), MOST_CHOICES)
        self._write()

    def _load(self) -> None:
        """Take what the file holds now: another run may have added to it."""
        document = self._read()
        if document:
            choices = document.get("choices")
            self._files = _texts(document.get("files"))[:MOST_FILES]
            self._choices = {
                str(kind): _texts(ids)[:MOST_CHOICES]
                for kind, ids in (choices.items() if isinstance(choices, dict) else ())
            }

    def _read(self) -> dict[str, object]:
        try:
            document = json.loads(disk.read(self.place))
        except (BuildError, ValueError, RecursionError):
            return {}
        return document if isinstance(document, dict) else {}

    def _write(self) -> None:
        document = {"files": self._files, "choices": self._choices}
        try:
            disk.write_private(self.place, json.dumps(document).encode())
        except BuildError:
            return  # a list of conveniences is not worth a word


def _texts(values: object) -> list[str]:
    """Return the sound texts of what a file holds, which may be anything."""
    listed = values if isinstance(values, list) else []
    return [value for value in listed if isinstance(value, str) and not hostile(value)]


def _first(value: str, values: Sequence[str], most: int) -> list[str]:
    return [value, *(other for other in values if other != value)][:most]
