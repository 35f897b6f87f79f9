"""``ftbuild fix``: the changes that clear what a build violates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from ftbuild import files
from ftbuild.build import Build
from ftbuild.catalog import CatalogError
from ftbuild.cli import session
from ftbuild.cli.output import STANDARD, keep, say, warn
from ftbuild.engine.core import Report, Severity
from ftbuild.engine.fixes import Fix, fixes
from ftbuild.files import STANDARD_INPUT
from ftbuild.problems import BuildError, Problem, plain
from ftbuild.text import verdict_words
from ftbuild.text.fixes import fixes_document, fixes_lines, wrong


@click.command("fix")
@click.argument("file")
@click.argument("rule", required=False, metavar="[RULE]")
@click.option("--apply", "applies", is_flag=True, help="Write a fix into FILE: the first one, or --number.")
@click.option(
    "--number", type=click.IntRange(1), default=1, show_default=True, help="Which fix --apply takes."
)
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    help="Write the mended build to this file instead, replacing it; - is standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document, SI numbers.")
@click.option("--strict", is_flag=True, help="Warnings also give status 1.")
@session.set_option
def command(
    file: str,
    rule: str | None,
    applies: bool,
    number: int,
    out: Path | None,
    as_json: bool,
    strict: bool,
    changes: tuple[session.Assignment, ...],
) -> int:
    """Print what clears each violation and warning of the build in FILE, the cheapest first.

    Every fix was evaluated: its finding is met, and nothing is violated that was not before. RULE asks for
    one finding. Status 0: nothing is violated (after --apply: any more); 1: something is; 2: bad input.
    """
    if out is not None:
        _check_output(out, as_json)
    checked = session.check(file, changes)
    session.warn_unknown(checked.loaded, file, checked.unpriced)
    found = _fixes(checked, rule)
    report, build = checked.report, checked.build
    if as_json:
        say(json.dumps(fixes_document(report, build, file, found, rule), indent=2, allow_nan=False))
    elif not applies and out is None:
        say(_lines(checked, found, rule))
    if applies or out is not None:
        chosen = _chosen(found, number, report, rule, file)
        if chosen is not None:
            _write(checked, chosen.build, out)
            to = "standard output" if out == STANDARD else plain(out or file, 300)
            warn(f"{to}: {plain(chosen.title, 400)}; {verdict_words(chosen.report)}")
            report = chosen.report
        else:
            warn(f"{plain(session.named(file), 300)}: nothing to fix")
    return int(report.verdict >= (Severity.WARNING if strict else Severity.VIOLATION))


def _check_output(out: Path, as_json: bool) -> None:
    """Raise `UsageError` for an output that cannot hold a build beside what else is printed."""
    if out == STANDARD and as_json:
        raise click.UsageError("--json and -o - both want standard output.")
    if out != STANDARD and out.suffix.casefold() not in ("", ".toml"):
        raise click.UsageError(f"-o {plain(out)}: a build is written as TOML; expected a name in .toml.")


def _fixes(checked: session.Checked, rule: str | None) -> tuple[Fix, ...]:
    try:
        return fixes(checked.build, checked.catalog, rule, checked.loaded.folder)
    except BuildError as error:
        raise BuildError(error.problems, error.file or session.named(checked.file)) from None
    except CatalogError as error:
        raise files.catalog_problem(error, session.named(checked.file)) from None


def _lines(checked: session.Checked, found: Sequence[Fix], rule: str | None) -> list[str]:
    head = f"{plain(session.named(checked.file), 300)}: {verdict_words(checked.report)}"
    if not wrong(checked.report, rule):
        return [head, f"{rule} is met" if rule else "nothing to fix"]
    return [head, *fixes_lines(checked.report, checked.build, found, rule)]


def _chosen(found: Sequence[Fix], number: int, report: Report, rule: str | None, file: str) -> Fix | None:
    """Return the fix of a number; None where nothing is wrong. Raises `BuildError` for no such fix."""
    if not found and not wrong(report, rule):
        return None
    if number > len(found):
        expected = f"a number up to {len(found)}" if found else "a fix, and none was found"
        raise BuildError(
            [Problem("", str(number), expected, f"no fix {number}; expected {expected}")],
            session.named(file),
        )
    return found[number - 1]


def _write(checked: session.Checked, build: Build, out: Path | None) -> None:
    if out == STANDARD:
        say(files.dumps(build, checked.loaded.document))
    elif out is not None:
        keep(out, session.inputs(checked.file, checked.loaded), "--apply, or another file")
        files.save(out, build, checked.loaded, force=True)
    elif checked.file == STANDARD_INPUT:
        expected = "-o OUT to write to"
        raise BuildError([Problem("", session.STDIN, expected, f"expected {expected}")], session.STDIN)
    else:
        files.save(checked.file, build, checked.loaded)
