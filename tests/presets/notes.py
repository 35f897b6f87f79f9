"""The figures in the presets' notes: written as ``18.2 GiB (vram.per_gpu)``, and held against the engine.

``python -m tests.presets.notes`` writes today's values into the shipped presets.
"""

import re

from ftbuild import disk, library, units
from tests.presets.reports import NAMES, report_of

MENTION = re.compile(
    r"(?P<value>\$?[\d.,]*\d(?:[xkMBT](?![\w/])| [A-Za-z%][A-Za-z%/]*)?) \((?P<id>[a-z]+\.[a-z_]+)\)"
)


def shown(preset, name):
    """Return a figure of a preset as its notes write it."""
    report = report_of(preset)
    return units.show(report.value(name), report.figures[name].spec.kind)


def mentions(preset, text):
    """Yield the figures that a text mentions: id, what the text says, what the engine says."""
    for match in MENTION.finditer(text):
        yield match["id"], match["value"], report_of(preset)


def refreshed(preset, text):
    """Return a preset's file with today's values in its notes."""
    return MENTION.sub(lambda match: f"{shown(preset, match['id'])} ({match['id']})", text)


if __name__ == "__main__":
    for name in NAMES:
        path = library.find(name).path
        text = disk.read(path).decode()
        new = refreshed(name, text)
        if new != text:
            disk.write(path, new.encode(), force=True)
            print(f"{path}: refreshed")
