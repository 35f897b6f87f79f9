"""``ftbuild presets``: builds to start from."""

from __future__ import annotations

import click

from ftbuild import library
from ftbuild.cli.output import say


@click.command("presets")
@click.option("--paths", is_flag=True, help="Print the paths of their files only.")
def command(paths: bool) -> None:
    """List the builds to start from: `ftbuild new NAME --from ID`, or open one with `ftbuild PATH`."""
    found = library.presets()
    if paths:
        for preset in found:
            say(str(preset.path))
        return
    width = max((len(preset.id) for preset in found), default=0)
    for preset in found:
        own = "" if preset.shipped else "  (yours)"
        say(f"{preset.id:<{width}}  {preset.about or preset.name}{own}")
    if found:
        say(f"\nin {library.folder()}")
