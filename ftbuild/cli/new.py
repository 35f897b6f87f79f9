"""``ftbuild new``: a build file to start from."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import click

from ftbuild import disk, files, library
from ftbuild.cli.output import say
from ftbuild.problems import BuildError, Problem, hostile, plain

_NAME = re.compile(r'^name = ".*"$', re.MULTILINE)


@click.command("new")
@click.argument("name", metavar="NAME")
@click.option(
    "--from", "preset", default=library.START, show_default=True, metavar="PRESET", help="What to start from."
)
@click.option("--force", is_flag=True, help="Replace a file of that name.")
def command(name: str, preset: str, force: bool) -> None:
    """Write NAME.toml (or the path NAME), a copy of a preset under its own name."""
    title = os.path.basename(name).removesuffix(".toml")  # noqa: PTH119 - a Path drops the dots and slashes
    if hostile(title) or not title.strip(". ") or len(title) > 80:
        expected = "a name of 1 to 80 characters without control characters"
        found = plain(name) or "nothing"
        raise BuildError([Problem("", found, expected, f"{found!r} is not accepted; expected {expected}")])
    path = Path(name if name.endswith(".toml") else f"{name}.toml")
    source = library.find(preset)
    text = disk.read(source.path).decode("utf-8", "replace")
    quoted = '"' + title.replace("\\", "\\\\").replace('"', '\\"') + '"'
    named, count = _NAME.subn(lambda _: f"name = {quoted}", text, count=1)
    data = named if count else text
    files.loads(data, str(source.path))
    disk.write(path, data.encode(), force=force)
    shown = plain(f"./{path}" if str(path).startswith("-") else path, 400)
    say(f"{shown}: a copy of {source.id}; open it with: ftbuild {shlex.quote(shown)}")
