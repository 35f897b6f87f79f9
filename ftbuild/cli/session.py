"""What the commands share: reading a build, evaluating it, saying what is wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ftbuild import build as builds
from ftbuild import files, library
from ftbuild.build import FIELDS, Build
from ftbuild.catalog import Catalog, CatalogError
from ftbuild.cli.output import warn
from ftbuild.disk import LARGEST
from ftbuild.files import STANDARD_INPUT, Loaded
from ftbuild.problems import BuildError, Problem, plain

if TYPE_CHECKING:
    from ftbuild.engine.core import Report

Assignment = tuple[str, str | None]
"""A key and what is typed for it; None clears it."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A build that was read, changed as asked, and evaluated."""

    file: str
    loaded: Loaded
    build: Build
    report: Report
    catalog: Catalog


def _assignments(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[Assignment, ...]:
    """Split each ``key=value`` at its first equals sign; no value clears an optional key."""
    return tuple(_assignment(value) for value in values)


def _assignment(value: str) -> Assignment:
    key, equals, text = value.partition("=")
    key = key.strip()
    if not equals or not key:
        raise click.BadParameter(f"{plain(value)!r} is not KEY=VALUE, such as workload.micro_batch=4")
    spec = FIELDS.get(builds.ALIASES.get(key, key))
    clears = not text.strip() and (spec is None or spec.optional)
    return key, None if clears else text


set_option = click.option(
    "--set", "changes", multiple=True, callback=_assignments, metavar="KEY=VALUE",
    help="Change a key first, as in a file: workload.micro_batch=4. May be given more than once.",
)  # fmt: skip


@cache
def catalog() -> Catalog:
    """Return the catalog with the user's own parts."""
    return files.user_catalog()


def load(file: str) -> Loaded:
    """Read a build's file, or standard input for ``-``."""
    if file != STANDARD_INPUT:
        return files.load(file)
    return files.loads(sys.stdin.buffer.read(LARGEST + 1), "standard input")


def check(file: str, changes: Sequence[Assignment] = ()) -> Checked:
    """Read, change and evaluate one build; raises `BuildError`, which names the file."""
    loaded = load(file)
    try:
        build = builds.changed(loaded.build, dict(changes)) if changes else loaded.build
        return Checked(file, loaded, build, evaluated(build, loaded.folder), catalog())
    except BuildError as error:
        raise BuildError([*error.problems, *loaded.unknown], error.file or file) from None


def evaluated(build: Build, folder: Path | None) -> Report:
    """Evaluate a build over the user's catalog; raises `BuildError`, also for the build's own parts."""
    from ftbuild.engine.evaluate import evaluate

    try:
        return evaluate(build, catalog(), folder)
    except CatalogError as error:
        raise files.catalog_problem(error) from None


def any_report() -> Report:
    """Return the report of the shipped preset that `ftbuild new` takes, for lists of what there is."""
    loaded = files.load(library.find(library.START).path)
    return evaluated(loaded.build, loaded.folder)


def complain(error: BuildError) -> None:
    """Print every problem of a build on standard error, each with its file and key."""
    for problem in error.problems:
        warn(said(problem, error.file))


def warn_unknown(loaded: Loaded, file: str) -> None:
    """Print the keys of a file that ftbuild does not know, on standard error."""
    for problem in loaded.unknown:
        warn(f"{said(problem, file)}; the file keeps it")


def said(problem: Problem, file: str) -> str:
    """Return one problem as a line: file, key, message."""
    place = [plain(file, 300)] if file else ["ftbuild"]
    return ": ".join([*place, *([problem.key] if problem.key else []), plain(problem.message, 1000)])
