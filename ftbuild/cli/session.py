"""What the commands share: reading a build, evaluating it, saying what is wrong with it."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ftbuild import build as builds
from ftbuild import files, library
from ftbuild.build import FIELDS, Build
from ftbuild.catalog import Catalog, CatalogError
from ftbuild.cli.output import warn
from ftbuild.disk import LARGEST, FileError, fault
from ftbuild.files import STANDARD_INPUT, Loaded
from ftbuild.problems import BuildError, Problem, plain

if TYPE_CHECKING:
    from ftbuild.engine.core import Report

Assignment = tuple[str, Any]
"""A key and what is set for it, as typed or as a file would hold it; None clears it."""
QUOTED = ("[", '"', "'")
"""What a value of TOML starts with that is more than a bare word or number."""
STDIN = "standard input"
"""What messages call the file ``-``."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A build that was read, changed as asked, and evaluated."""

    file: str
    loaded: Loaded
    build: Build
    report: Report
    catalog: Catalog
    unpriced: tuple[Problem, ...] = ()
    """Prices of ``[cost.price]`` that are of no part."""


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
    return key, None if clears else _value(text.strip()) if text.strip().startswith(QUOTED) else text


def _value(text: str) -> Any:
    """Return the list or text that a value written as in a file holds; what is not TOML stays as typed."""
    try:
        document = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return document["value"] if len(document) == 1 else text


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
    if sys.stdin is None:
        raise FileError(STDIN, "nothing, for it is closed", "a TOML file")
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
    except OSError as error:
        raise FileError(STDIN, fault(error), "a TOML file") from None
    return files.loads(data, STDIN)


def named(file: str) -> str:
    """Return what messages call a file."""
    return STDIN if file == STANDARD_INPUT else file


def inputs(file: str, loaded: Loaded) -> tuple[Path | int, ...]:
    """Return what a command reads for a build: its file or stream, and the configuration of its model."""
    read: Path | int = 0 if file == STANDARD_INPUT else Path(file)
    model = loaded.build.workload.model
    return read, (loaded.folder or Path()) / model


def check(file: str, changes: Sequence[Assignment] = ()) -> Checked:
    """Read, change and evaluate one build; raises `BuildError`, which names the file."""
    loaded = load(file)
    shown = named(file)
    known = catalog()
    try:
        build = builds.changed(loaded.build, dict(changes)) if changes else loaded.build
        report = evaluated(build, loaded.folder, shown)
    except BuildError as error:
        raise BuildError([*error.problems, *loaded.unknown], error.file or shown) from None
    return Checked(file, loaded, build, report, known, _unknown_prices(build, known))


def _unknown_prices(build: Build, known: Catalog) -> tuple[Problem, ...]:
    if not build.cost.price:
        return ()
    # Few builds quote prices, and the bill takes a tenth of the time that a check does.
    from ftbuild.bom.quotes import unknown_prices

    return tuple(unknown_prices(build, known))


def evaluated(build: Build, folder: Path | None, file: str = "") -> Report:
    """Evaluate a build of `file` over the user's catalog; raises `BuildError`, also for its own parts."""
    from ftbuild.engine.evaluate import evaluate

    known = catalog()
    try:
        return evaluate(build, known, folder)
    except CatalogError as error:
        raise files.catalog_problem(error, file) from None


def any_report() -> Report:
    """Return the report of the shipped preset that `ftbuild new` takes, for lists of what there is."""
    loaded = files.load(library.find(library.START).path)
    return evaluated(loaded.build, loaded.folder)


def complain(error: BuildError) -> None:
    """Print every problem of a build on standard error, each with its file and key."""
    for problem in error.problems:
        warn(said(problem, error.file))


def warn_unknown(loaded: Loaded, file: str, unpriced: Sequence[Problem] = ()) -> None:
    """Print the keys of a file that ftbuild does not know, and prices of no part, on standard error."""
    for problem in loaded.unknown:
        warn(f"{said(problem, named(file))}; the file keeps it")
    for problem in unpriced:
        warn(said(problem, named(file)))


def said(problem: Problem, file: str) -> str:
    """Return one problem as a line: file, key, message."""
    place = [plain(file, 300)] if file else ["ftbuild"]
    return ": ".join([*place, *([problem.key] if problem.key else []), plain(problem.message, 1000)])
