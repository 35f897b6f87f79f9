"""``ftbuild bom``: the bill of materials."""

from __future__ import annotations

from pathlib import Path

import click

from ftbuild import build as builds
from ftbuild import disk, files
from ftbuild.bom import EXPORTERS, Bill, bill, total_lines
from ftbuild.bom.words import HEADINGS, cells
from ftbuild.catalog import CatalogError
from ftbuild.cli import session
from ftbuild.cli.output import say, warn
from ftbuild.problems import BuildError
from ftbuild.text import table


@click.command("bom")
@click.argument("file")
@click.option(
    "--format", "form", type=click.Choice(["text", *EXPORTERS]), help="Else the suffix of OUT, or text."
)
@click.option(
    "-o", "--output", "out", type=click.Path(path_type=Path), help="Write to this file, replacing it."
)
@session.set_option
def command(file: str, form: str | None, out: Path | None, changes: tuple[session.Assignment, ...]) -> None:
    """Print every part of the build in FILE with quantity, price, its date and source, and power.

    Parts that nobody typed but the rig needs are listed with what was assumed. A price that is not known
    stays unknown and is counted.
    """
    made = _bill(file, changes)
    if form is None:
        suffix = out.suffix.removeprefix(".").casefold() if out else ""
        form = suffix if suffix in EXPORTERS else "text"
    text = _text(made) if form == "text" else EXPORTERS[form](made)
    if out is None:
        say(text)
    else:
        disk.write(out, text.encode(), force=True)
        warn(f"{out}: {total_lines(made)[0]}")


def _bill(file: str, changes: tuple[session.Assignment, ...]) -> Bill:
    loaded = session.load(file)
    session.warn_unknown(loaded, file)
    try:
        build = builds.changed(loaded.build, dict(changes)) if changes else loaded.build
        return bill(build, session.catalog(), loaded.folder)
    except BuildError as error:
        raise BuildError(error.problems, error.file or file) from None
    except CatalogError as error:
        raise files.catalog_problem(error, file) from None


def _text(made: Bill) -> str:
    shown = [heading for heading in HEADINGS if heading != "Source"]
    keep = [HEADINGS.index(heading) for heading in shown]
    rows = [[cells(row)[place] for place in keep] for row in made.rows]
    return "\n".join([*table(shown, rows, right={1, 2, 3, 4}), "", *total_lines(made)])
