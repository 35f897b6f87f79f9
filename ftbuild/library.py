"""Builds to start from: those that ship with ftbuild and those that a user keeps.

The shipped ones are the ``presets`` folder of the source tree, or its copy inside an installed package.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ftbuild import locations
from ftbuild.disk import FileError, read
from ftbuild.problems import BuildError, Problem, did_you_mean, hostile, plain

START = "workstation-24gb"
"""The preset that a new build is made from, unless another is asked for."""
MOST = 500
"""Presets of one folder that are looked at."""


@dataclass(frozen=True, slots=True)
class Preset:
    """One build to start from."""

    id: str
    path: Path
    name: str
    about: str
    """First line of its notes."""
    shipped: bool


def folder() -> Path:
    """Return the folder of the shipped presets."""
    package = Path(__file__).resolve().parent
    inside = package / "presets"
    return inside if inside.is_dir() else package.parent / "presets"


def presets() -> tuple[Preset, ...]:
    """Return every preset: the shipped ones in the order of their names, then the user's own."""
    return tuple(_presets())


def find(name: str) -> Preset:
    """Return the preset called `name` (its id, or its name); raises `BuildError`."""
    known = presets()
    wanted = name.strip().casefold().removesuffix(".toml")
    for preset in reversed(known):  # a user's own preset stands in for a shipped one of the same name
        if wanted in (preset.id.casefold(), preset.name.casefold()):
            return preset
    shown = plain(name)
    names = [preset.id for preset in known]
    holding = [name for name in names if wanted and wanted in name]
    near = f"; did you mean {' or '.join(holding[:3])}?" if holding else did_you_mean(shown, names)
    expected = f"a name from `ftbuild presets`{near}"
    raise BuildError([Problem("", shown, expected, f"no preset {shown!r}; expected {expected}")])


def _presets() -> Iterator[Preset]:
    for place, shipped in ((folder(), True), (locations.presets_folder(), False)):
        try:
            paths = sorted(path for path in place.iterdir() if path.suffix == ".toml")[:MOST]
        except OSError:
            continue
        for path in paths:
            yield _preset(path, shipped)


def _preset(path: Path, shipped: bool) -> Preset:
    """Return what a list shows of a preset; one that cannot be read shows its file name and says so."""
    try:
        document = tomllib.loads(read(path).decode())
        name, notes = document.get("name", ""), document.get("notes", "")
    except (FileError, ValueError, RecursionError):
        name, notes = "", "cannot be read"
    sound = isinstance(name, str) and isinstance(notes, str) and not hostile(name)
    about = plain(notes.strip().partition("\n")[0]) if sound else ""
    return Preset(plain(path.stem), path, plain(name if sound else "") or plain(path.stem), about, shipped)
