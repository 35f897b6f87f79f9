"""``ftbuild check``: the verdict on one or more builds."""

from __future__ import annotations

import json
from typing import Any

import click

from ftbuild.cli import session
from ftbuild.cli.output import say
from ftbuild.engine.core import Severity
from ftbuild.problems import BuildError
from ftbuild.text import error_document, report_document, report_lines


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@session.set_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, one document a file, SI numbers.")
@click.option("--all", "everything", is_flag=True, help="Show every figure, and the findings that are ok.")
@click.option(
    "--strict", is_flag=True, help="Warnings, unknown keys and prices of no part also give status 1."
)
def command(
    files: tuple[str, ...],
    changes: tuple[session.Assignment, ...],
    as_json: bool,
    everything: bool,
    strict: bool,
) -> int:
    """Say what each build violates, and its figures.

    A FILE of - is standard input. Status 0: nothing is violated; 1: something is; 2: a file cannot be read
    or understood.
    """
    status, documents = 0, []
    for place, file in enumerate(files):
        try:
            checked = session.check(file, changes)
        except BuildError as error:
            status = 2
            session.complain(error)
            documents.append(error_document(error, file))
            continue
        session.warn_unknown(checked.loaded, file, checked.unpriced)
        status = max(status, _status(checked, strict))
        if as_json:
            documents.append(report_document(checked.report, checked.build, file))
        else:
            say([*([""] if place else []), *_lines(checked, everything)])
    if as_json:
        _print(documents)
    return status


def _status(checked: session.Checked, strict: bool) -> int:
    least = Severity.WARNING if strict else Severity.VIOLATION
    return int(
        checked.report.verdict >= least or (strict and bool(checked.loaded.unknown or checked.unpriced))
    )


def _lines(checked: session.Checked, everything: bool) -> list[str]:
    file, catalog = session.named(checked.file), checked.catalog
    return report_lines(checked.report, checked.build, file, catalog, everything=everything)


def _print(documents: list[dict[str, Any]]) -> None:
    say(json.dumps(documents, indent=2, allow_nan=False))
