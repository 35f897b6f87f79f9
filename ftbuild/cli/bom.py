"""``ftbuild bom``: the bill of materials."""

from __future__ import annotations

from pathlib import Path

import click

from ftbuild import build as builds
from ftbuild import files
from ftbuild.bom import EXPORTERS, Bill, bill, total_lines
from ftbuild.bom.quotes import unknown_prices
from ftbuild.bom.words import HEADINGS, cells
from ftbuild.catalog import CatalogError
from ftbuild.cli import session
from ftbuild.cli.output import STANDARD, say, warn, write
from ftbuild.files import Loaded
from ftbuild.problems import BuildError, plain
from ftbuild.text import table


@click.command("bom")
@click.argument("file")
@click.option(
    "--format", "form", type=click.Choice(["text", *EXPORTERS]), help="Else the suffix of OUT, or text."
)
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    help="Write to this file, replacing it; - is standard output.",
)
@session.set_option
def command(file: str, form: str | None, out: Path | None, changes: tuple[session.Assignment, ...]) -> None:
    """Print every part of the build in FILE with quantity, price, its date and source, and power.

    Parts that nobody typed but the rig needs are listed with what was assumed. A price that is not known
    stays unknown and is counted.
    """
    form = form or _form(out)
    loaded = session.load(file)
    made = _bill(loaded, file, changes)
    text = _text(made) if form == "text" else EXPORTERS[form](made)
    if out is None or out == STANDARD:
        say(text)
        return
    write(out, text if text.endswith("\n") else f"{text}\n", session.inputs(file, loaded))
    warn(f"{plain(out, 300)}: {total_lines(made)[0]}")


def _form(out: Path | None) -> str:
    """Return the format that a file's suffix asks for; raises `UsageError` for a suffix of none."""
    suffix = out.suffix.removeprefix(".").casefold() if out else ""
    if suffix in ("", "txt"):
        return "text"
    if suffix not in EXPORTERS:
        known = ", ".join(f".{name}" for name in (*EXPORTERS, "txt"))
        raise click.UsageError(
            f"-o {plain(out)}: no format has this suffix; expected {known}, or --format to say which."
        )
    return suffix


def _bill(loaded: Loaded, file: str, changes: tuple[session.Assignment, ...]) -> Bill:
    shown, catalog = session.named(file), session.catalog()
    try:
        build = builds.changed(loaded.build, dict(changes)) if changes else loaded.build
        try:
            made = bill(build, catalog, loaded.folder)
        except CatalogError as error:
            raise files.catalog_problem(error, shown) from None
    except BuildError as error:
        raise BuildError([*error.problems, *loaded.unknown], error.file or shown) from None
    session.warn_unknown(loaded, file, unknown_prices(build, catalog))
    return made


def _text(made: Bill) -> str:
    shown = [heading for heading in HEADINGS if heading != "Source"]
    keep = [HEADINGS.index(heading) for heading in shown]
    rows = [[cells(row)[place] for place in keep] for row in made.rows]
    return "\n".join([*table(shown, rows, right={1, 2, 3, 4}), "", *total_lines(made)])
