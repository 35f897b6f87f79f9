"""``ftbuild catalog``: the parts and models there are."""

from __future__ import annotations

import dataclasses
import json

import click

from ftbuild import locations
from ftbuild.catalog import UnknownPart
from ftbuild.catalog.parts import KINDS, Part
from ftbuild.cli import session
from ftbuild.cli.output import say
from ftbuild.problems import BuildError, Problem, did_you_mean, plain
from ftbuild.text.document import number
from ftbuild.text.parts import facts, kind_named, part_lines


@click.command("catalog")
@click.argument("kind", required=False)
@click.argument("text", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print everything known, as a JSON array in SI units.")
def command(kind: str | None, text: str | None, as_json: bool) -> None:
    """List parts of a KIND (gpu, cpu, drive, model, ...) whose names hold every word of TEXT.

    One match prints everything known of it, with its source.
    """
    if kind is None:
        say(_kinds())
        return
    wanted = kind_named(kind)
    if wanted is None:
        names = [one.kind for one in KINDS]
        expected = "one of " + ", ".join(names) + did_you_mean(plain(kind), names)
        raise BuildError(
            [Problem("", plain(kind), expected, f"no kind of part {plain(kind)!r}; expected {expected}")]
        )
    found = _found(wanted, text or "")
    if as_json:
        say(json.dumps([_document(part) for part in found], indent=2, allow_nan=False))
    elif len(found) == 1 and text:
        say(part_lines(found[0]))
    else:
        width = max((len(part.id) for part in found), default=0)
        say(f"{part.id:<{width}}  {facts(part)}" for part in found)


def _kinds() -> list[str]:
    catalog = session.catalog()
    lines = [f"{kind.kind:<12} {len(catalog.rows(kind)):>4}" for kind in KINDS]
    return [*lines, "", f"your own parts: TOML files in {locations.parts_folder()}"]


def _found(kind: type[Part], text: str) -> list[Part]:
    """Return what a look-up of `text` finds: exactly one where it names one, else what a search gives."""
    catalog = session.catalog()
    exact = catalog.get(kind, text)
    found = [exact] if exact is not None else catalog.search(kind, text)
    if found:
        return found
    try:
        return [catalog.find(kind, text)]
    except UnknownPart as error:
        near = " or ".join(error.suggestions) or f"a name from `ftbuild catalog {kind.kind}`"
        raise BuildError([Problem("", plain(text), near, str(error))]) from None


def _document(part: Part) -> dict[str, object]:
    values = dataclasses.asdict(part)
    return {
        "kind": part.kind,
        **{
            name: number(float(value)) if type(value) in (int, float) else value
            for name, value in values.items()
        },
    }
