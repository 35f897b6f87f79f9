"""A terminal for tests: a real pseudo-terminal, a program in it, and an emulator that reads what it draws.

Nothing here sleeps for a fixed time: every wait is for something on the screen, for the output to fall
silent, or for the program's end, so that it holds on a slow machine.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 30.0
QUIET_S = 0.25
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=?][0-9;]*\$?[up]")
"""Sequences that pyte would print as text: the kitty keyboard protocol and mode queries."""

_ON_OWN_TTY = 'tty=$1; shift; exec "$@" 0<>"$tty" 1>&0 2>&0'
"""A session leader that opens a terminal is controlled by it, so that hang-ups and job control are real."""


class Terminal:
    """A program in a pseudo-terminal of its own."""

    def __init__(self, size: tuple[int, int]) -> None:
        self.width, self.height = size
        self.screen_buffer = pyte.Screen(max(self.width, 1), max(self.height, 1))
        self._emulator = pyte.ByteStream(self.screen_buffer)
        self._held = b""
        self.output = bytearray()
        self.emulating = True
        """Benchmarks switch this off: emulating takes longer than drawing."""
        self.last_output_at = 0.0
        """When the last output was read, on the clock of `time.perf_counter`."""
        self.process: subprocess.Popen[bytes]
        self.master: int
        self.tty: str

    @classmethod
    def spawn(
        cls,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (80, 24),
        cwd: Path | None = None,
        ignore: Sequence[signal.Signals] = (),
        redirect: str = "",
    ) -> Terminal:
        """Start `argv` on a new terminal of `size` cells; `env` is the whole environment (see `environment`).

        `ignore`: signals that the program inherits as ignored. `redirect`: shell redirections after the
        terminal's.
        """
        terminal = cls(size)
        terminal.master, slave = os.openpty()
        os.set_blocking(terminal.master, False)
        terminal.tty = os.ttyname(slave)
        terminal._set_size(*size)
        script = "".join(f"trap '' {number.name[3:]}; " for number in ignore) + _ON_OWN_TTY + f" {redirect}"
        terminal.process = subprocess.Popen(
            ["/bin/sh", "-c", script, "sh", terminal.tty, *argv],
            env=dict(environment() if env is None else env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        terminal._slave = slave
        return terminal

    _slave: int | None = None
    """Kept open until the program has opened it: a pseudo-terminal nobody holds reads as ended."""

    # What the program shows

    def pump(self, timeout: float = 0.0) -> bool:
        """Take in what the program has written, waiting up to `timeout` s for it; say whether any came."""
        if self.master < 0 or not select.select([self.master], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self.master, 1 << 16)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            return False
        if self._slave is not None:
            os.close(self._slave)
            self._slave = None
        self.last_output_at = time.perf_counter()
        self.output += data
        if self.emulating:
            self._emulate(data)
        return True

    def _emulate(self, data: bytes) -> None:
        data = self._held + data
        cut = data.rfind(b"\x1b")
        whole = cut < 0 or re.match(rb"\x1b\[[0-9;<>=?$]*[^0-9;<>=?$]|\x1b[^\[]", data[cut:]) is not None
        data, self._held = (data, b"") if whole else (data[:cut], data[cut:])
        self._emulator.feed(_UNKNOWN_TO_PYTE.sub(b"", data))

    def screen(self) -> list[str]:
        """Return the lines the terminal shows, without blanks at their ends."""
        return [line.rstrip() for line in self.screen_buffer.display]

    def text(self) -> str:
        """Return the whole screen as one text."""
        return "\n".join(self.screen())

    def wait_for(self, wanted: str | Callable[[Terminal], bool], timeout: float = TIMEOUT_S) -> str:
        """Wait until the screen holds a text, or a predicate is true; return the screen."""
        met = wanted if callable(wanted) else lambda terminal: wanted in terminal.text()
        until = time.monotonic() + timeout
        while not met(self):
            if not self.pump(0.05) and (time.monotonic() > until or self.ended):
                while self.pump():
                    pass
                if met(self):
                    break
                raise AssertionError(self._story(f"waited in vain for {wanted!r}"))
        return self.text()

    def settle(self, quiet: float = QUIET_S, timeout: float = TIMEOUT_S) -> str:
        """Wait until nothing has been written for `quiet` seconds; return the screen."""
        until = time.monotonic() + timeout
        while self.pump(quiet):
            assert time.monotonic() < until, self._story("the output never fell silent")
        return self.text()

    # What is done to the program

    def send(self, data: bytes | str) -> None:
        """Type `data`, taking in what the program writes meanwhile, so that neither waits for the other."""
        rest = memoryview(data.encode() if isinstance(data, str) else data)
        until = time.monotonic() + TIMEOUT_S
        while rest:
            assert time.monotonic() < until, self._story("the program takes no input")
            readable, writable, _ = select.select([self.master], [self.master], [], 0.1)
            if writable:
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(self.master, rest[:2048]) :]
            if readable:
                self.pump()

    def resize(self, width: int, height: int) -> None:
        """Change the terminal's size; the program is told by SIGWINCH."""
        self._set_size(width, height)
        self.screen_buffer.resize(max(height, 1), max(width, 1))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program alone."""
        os.kill(self.process.pid, number)

    def vanish(self) -> None:
        """Take the terminal away, as a closed window does."""
        self._release()

    def wait_exit(self, timeout: float = TIMEOUT_S) -> int:
        """Wait for the program's end, taking in its output; return its exit status (negative: the signal)."""
        until = time.monotonic() + timeout
        while not self.ended:
            if not self.pump(0.05):
                time.sleep(0.005)
            assert time.monotonic() < until, self._story("the program did not end")
        while self.pump():
            pass
        return self.process.wait()

    def stall(self, keys: int = 100) -> None:
        """Stop the terminal's output, as Ctrl+S on a serial line does, and type until nothing moves."""
        line = os.open(self.tty, os.O_RDWR | os.O_NOCTTY)
        termios.tcflow(line, termios.TCOOFF)
        os.close(line)
        for _ in range(keys):
            with contextlib.suppress(BlockingIOError):
                os.write(self.master, b"0")
            time.sleep(0.02)  # one frame each, so that many frames wait to be written

    def wait_exit_unread(self, timeout: float = TIMEOUT_S) -> int:
        """Wait for the program's end without reading what it writes; return its exit status."""
        return self.process.wait(timeout)

    def wait_stopped(self, timeout: float = TIMEOUT_S) -> None:
        """Wait until the program is stopped by job control."""
        self._wait_state("T", timeout)

    def close(self) -> None:
        """End the program if it runs, and give the terminal back."""
        if not self.ended:
            self.process.kill()
        self.process.wait()
        self._release()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What was measured

    def mark(self) -> int:
        """Return a mark in the output, for `bytes_since`."""
        return len(self.output)

    def bytes_since(self, mark: int) -> bytes:
        """Return what the program has written since `mark`."""
        return bytes(self.output[mark:])

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        return self.process.poll() is not None

    @property
    def modes_left_on(self) -> list[str]:
        """Terminal modes that the program has switched on and not off again."""
        state: dict[bytes, bool] = {}
        for modes, switch in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", bytes(self.output)):
            state.update(dict.fromkeys(modes.split(b";"), switch == b"h"))
        resting_on = {b"7", b"25"}  # line wrap, cursor
        return sorted(mode.decode() for mode, on in state.items() if on != (mode in resting_on))

    def echoes(self) -> bool:
        """Whether the terminal is in its usual line mode, with echo and signals from keys."""
        flags: int = termios.tcgetattr(self.master)[3]
        usual: int = termios.ECHO | termios.ICANON | termios.ISIG
        return flags & usual == usual

    # Inside

    def _set_size(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def _wait_state(self, state: str, timeout: float) -> None:
        until = time.monotonic() + timeout
        stat = Path(f"/proc/{self.process.pid}/stat")
        while stat.read_text().rpartition(")")[2].split()[0] != state:
            self.pump(0.02)
            assert time.monotonic() < until, self._story(f"the program never came into state {state}")

    def _release(self) -> None:
        for fd in (self.master, self._slave):
            if fd is not None and fd >= 0:
                os.close(fd)
        self.master, self._slave = -1, None

    def _story(self, problem: str) -> str:
        ending = f"ended with {self.process.returncode}" if self.ended else "still runs"
        last = bytes(self.output[-400:])
        return f"{problem}; the program {ending}; the screen:\n{self.text()}\nlast output: {last!r}"


def environment(home: Path | None = None, **changes: str) -> dict[str, str]:
    """Return a small, known environment; `home` holds the program's configuration, state and cache."""
    base = {
        "PATH": f"{Path(sys.executable).parent}:{os.defpath}",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    if home is not None:
        base |= {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_DATA_HOME": str(home / "data"),
        }
    return base | changes


def wait_for_file(path: Path) -> None:
    """Wait until a file is there and not empty."""
    until = time.monotonic() + TIMEOUT_S
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < until, f"{path} was never written"
        time.sleep(0.02)
