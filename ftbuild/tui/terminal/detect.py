"""What the terminal can do, decided from the environment alone; Textual is not imported here."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Literal

from ftbuild.tui.terminal.colors import Color, Depth, depth_of, terminfo_colors

Switch = Literal["auto", "on", "off"]

SEE_CHECK = "`ftbuild check FILE` gives the same answers as plain text"

DUMB_TERMS = frozenset({"dumb", "unknown", "emacs"})
"""Values of TERM whose terminals show control sequences as text."""

ASCII_TERMS = frozenset({"linux", "ansi", "cons25", "vt52", "vt100", "vt102", "vt220", "vt320"})
"""Values of TERM whose fonts lack rounded corners, braille and half blocks."""

REMOTE_DEFAULTS = {"TEXTUAL_FPS": "30", "TEXTUAL_ANIMATIONS": "none", "ESCDELAY": "150"}
"""What a session over SSH starts with: fewer frames, more time for escape sequences that arrive in parts."""

ANSI_THEMES = ("ansi-dark", "ansi-light")
"""Textual's themes of the terminal's own 16 colours."""

COLOR_SYSTEMS: Mapping[Depth, str] = {
    "truecolor": "truecolor",
    "256": "256",
    "16": "standard",
    "none": "standard",
}
"""Depth -> its name in Textual and Rich. No colour is 16 colours and a filter that takes them out."""


@dataclass(frozen=True, slots=True)
class TerminalOptions:
    """What the user asked for, on the command line or in the configuration."""

    color: Color = "auto"
    mouse: bool = True
    ascii: Switch = "auto"


@dataclass(frozen=True, slots=True)
class Streams:
    """Which standard streams are terminals. Textual reads standard input and draws on standard error."""

    stdin: bool = True
    stderr: bool = True

    @classmethod
    def probe(cls) -> Streams:
        """Look at this process's own streams; a closed one is not a terminal."""
        return cls(stdin=_is_terminal(0), stderr=_is_terminal(2))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the screen cannot be shown here, in one line."""

    message: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """What was decided of a terminal that can show the screen.

    `ansi_theme`: use a theme of the terminal's own 16 colours. `encoding`: of its bytes, both ways.
    `notices`: lines to show the user once. `environment`: what Textual must find when it is imported.
    """

    color: Depth = "256"
    ansi_theme: bool = False
    ascii: bool = False
    mouse: bool = True
    encoding: str = "utf-8"
    notices: tuple[str, ...] = ()
    environment: Mapping[str, str | None] = field(default_factory=dict)

    def apply(self, env: MutableMapping[str, str] | None = None) -> None:
        """Put the decisions where Textual looks for them; call it before Textual is imported."""
        target = os.environ if env is None else env
        for name, value in self.environment.items():
            if value is None:
                target.pop(name, None)
            else:
                target[name] = value


def prepare(
    options: TerminalOptions | None = None,
    env: Mapping[str, str] | None = None,
    streams: Streams | None = None,
    colors_of: Callable[[str], int | None] = terminfo_colors,
) -> Terminal | Refusal:
    """Decide whether and how the screen can be shown; by default from this process's own surroundings."""
    options = options or TerminalOptions()
    env = os.environ if env is None else env
    streams = streams or Streams.probe()
    if reason := _refused(env, streams):
        return Refusal(f"the screen needs a terminal: {reason}; {SEE_CHECK}")
    term = env.get("TERM", "").strip().lower()
    encoding = _encoding(env)
    foreign = encoding != "utf-8"
    no_color = bool(env.get("NO_COLOR")) or options.color == "none"
    depth = "none" if no_color else depth_of(options.color, env, colors_of)
    return Terminal(
        color=depth,
        ansi_theme=depth in ("16", "none"),
        ascii=options.ascii == "on" or (options.ascii == "auto" and (foreign or term in ASCII_TERMS)),
        mouse=options.mouse,
        encoding=encoding,
        notices=(_foreign_notice(encoding),) if foreign else (),
        environment=_environment(env, depth, no_color),
    )


def _refused(env: Mapping[str, str], streams: Streams) -> str | None:
    """Return what is missing, or None."""
    if not streams.stdin:
        return "standard input is not one (over ssh, `ssh -t` makes one)"
    if not streams.stderr:
        return "standard error, where the screen is drawn, is not one"
    term = env.get("TERM", "").strip()
    if term.lower() in DUMB_TERMS:
        return f"TERM={term} has no cursor to move"
    return None


def _environment(env: Mapping[str, str], depth: Depth, no_color: bool) -> dict[str, str | None]:
    """Return the variables that Textual reads on import; what the user has set stays."""
    wanted: dict[str, str | None] = {"NO_COLOR": "1" if no_color else None}
    if "TEXTUAL_COLOR_SYSTEM" not in env or no_color:
        wanted["TEXTUAL_COLOR_SYSTEM"] = COLOR_SYSTEMS[depth]
    theme = env.get("TEXTUAL_THEME")
    if (no_color and theme not in ANSI_THEMES) or (depth == "16" and theme is None):
        # Also chooses the filter: with a theme of RGB colours Textual's NO_COLOR makes greys, not no colour.
        wanted["TEXTUAL_THEME"] = ANSI_THEMES[0]
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        wanted |= {name: value for name, value in REMOTE_DEFAULTS.items() if name not in env}
    return wanted


def _encoding(env: Mapping[str, str]) -> str:
    """Return the codec of the terminal's bytes, as the locale names it.

    A locale without a codeset (`C`, `POSIX`, `en_GB`) says nothing of the terminal: UTF-8 is taken, as
    Python does for `C`. PYTHONIOENCODING speaks of Python's streams, not of the terminal.
    """
    locale = next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), "")
    _language, dot, codeset = locale.partition(".")
    if not dot:
        return "utf-8"
    try:
        return codecs.lookup(codeset.partition("@")[0]).name
    except LookupError:
        return "utf-8"


def _foreign_notice(encoding: str) -> str:
    return f"The locale says {encoding}, not UTF-8: drawn in ASCII. On a UTF-8 terminal set LANG=C.UTF-8."


def _is_terminal(fd: int) -> bool:
    try:
        return os.isatty(fd)
    except OSError:
        return False
