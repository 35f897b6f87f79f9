"""``ftbuild schema``: every key of a build file."""

from __future__ import annotations

import json

import click

from ftbuild.cli.output import say
from ftbuild.jsonschema import json_schema, key_lines


@click.command("schema")
@click.option("--text", is_flag=True, help="Print one line a key instead.")
def command(text: bool) -> None:
    """Print every key of a build file, with what it accepts, its default and its help, as a JSON Schema."""
    if text:
        say("\n".join(key_lines()))
    else:
        say(json.dumps(json_schema(), indent=2, allow_nan=False))
