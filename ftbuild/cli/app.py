"""The command group, and the one place where errors become a message and an exit status.

Commands are imported when they run: `ftbuild --help` reads the table below and nothing else.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

import click

from ftbuild.cli.output import warn

OPEN = "open"
COMMANDS = {
    "check": "Say what a build violates; exit 1 if anything.",
    "fix": "Say what clears the violations, the cheapest first.",
    "explain": "Show where a figure or rule comes from, with this build's numbers.",
    "bom": "Print the bill of materials.",
    "presets": "List the builds to start from.",
    "new": "Write a new build file.",
    "catalog": "List parts and models, with their facts.",
    "schema": "Print every key of a build file as a JSON Schema.",
}
"""Name -> what `--help` says; each is the command of that name in the module of that name."""

PROGRAM = "ftbuild"
COMPLETE = "_FTBUILD_COMPLETE"
"""Environment variable by which a shell asks for completions."""
BAD_INPUT = 2
FAULT = 70
"""EX_SOFTWARE of sysexits(3): a fault of ftbuild, not of its input."""
INTERRUPTED = 130
PIPE_CLOSED = 141
DEBUG = "FTBUILD_DEBUG"
"""Environment variable that lets a fault's traceback through."""


class Commands(click.Group):
    """The group, with commands loaded by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return one command."""
        if cmd_name not in COMMANDS and cmd_name != OPEN:
            return None
        module = importlib.import_module(f"ftbuild.cli.{'screen' if cmd_name == OPEN else cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="[FILE] | COMMAND ...",
    options_metavar="[--no-mouse] [--ascii] [--color WHEN]",
)
@click.version_option(None, "-V", "--version", package_name="ftbuild", message="%(prog)s %(version)s")
def group() -> None:
    """Plan and check hardware for fine-tuning language models.

    With a FILE (or nothing), opens the screen; `ftbuild open --help` lists its options.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its status; no traceback reaches a user."""
    _prepare_streams()
    if sys.stdout is None:
        _say_or_drop("ftbuild: standard output is closed; expected one to write to")
        sys.exit(BAD_INPUT)
    sys.exit(_status(list(sys.argv[1:] if arguments is None else arguments)))


def _status(arguments: list[str]) -> int:
    try:
        if COMPLETE in os.environ:
            group.main(args=arguments, prog_name=PROGRAM)
        with group.make_context(PROGRAM, with_command(arguments)) as context:
            status = group.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.ClickException as error:
        return _told(error)
    except click.exceptions.Abort:
        return INTERRUPTED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop(sys.stdout)
        return PIPE_CLOSED
    except Exception as error:
        return _failed(error)
    return status if isinstance(status, int) else 0


def with_command(arguments: list[str]) -> list[str]:
    """Return the arguments with the command that opens the screen, where they name none."""
    words = [word for before, word in zip(["", *arguments], arguments, strict=False) if before != "--color"]
    first = next((word for word in words if not word.startswith("-") or word == "-"), None)
    asks = {"-h", "--help", "-V", "--version"} & set(arguments)
    if first in COMMANDS or first == OPEN or (first is None and asks):
        return arguments
    if first is not None and first == arguments[0] and first.isidentifier() and not os.path.lexists(first):
        near = difflib.get_close_matches(first, COMMANDS, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else " See 'ftbuild --help'."
        raise click.UsageError(f"No command or file '{first}'.{hint}")
    return [OPEN, *arguments]


def _told(error: click.ClickException) -> int:
    """Show what is wrong with the command line, where standard error takes it."""
    try:
        error.show()
    except OSError:
        _drop(sys.stderr)
    return BAD_INPUT


def _say_or_drop(line: str) -> None:
    """Print a line on standard error, or nothing where even that cannot be written."""
    try:
        warn(line)
    except OSError:
        _drop(sys.stderr)


def _failed(error: Exception) -> int:
    """Say what went wrong: a build's problems line by line, a full disk, or a fault of ftbuild."""
    from ftbuild.problems import BuildError, plain

    if isinstance(error, BuildError):
        from ftbuild.cli.session import complain

        try:
            complain(error)
        except OSError:
            _drop(sys.stderr)
        return BAD_INPUT
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
        _drop(sys.stdout)
        _say_or_drop(f"ftbuild: cannot write the output: {(error.strerror or 'a fault').lower()}")
        return BAD_INPUT
    if os.environ.get(DEBUG):
        raise error
    what = plain(f"{type(error).__name__}: {error}", 200)
    _say_or_drop(f"ftbuild: a fault of ftbuild, please report it ({DEBUG}=1 shows where): {what}")
    return FAULT


def _prepare_streams() -> None:
    """Print `?` for what the terminal's encoding lacks, rather than fail; do without a standard error."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - kept until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that leaving does not fail on it again."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
