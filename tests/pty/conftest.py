from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.pty.terminal import ROOT, Terminal, environment

SAMPLE = str(ROOT / "tests" / "pty" / "sample_app.py")
LAST_LINE = "field 18:"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Where the sample app keeps its edits when it is hung up."""
    return tmp_path / "kept"


@pytest.fixture
def sample(tmp_path: Path, kept: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts the sample app; what is started is ended with the test."""
    with ExitStack() as stack:

        def start(*arguments: str, env: dict[str, str] | None = None, **spawn: Any) -> Terminal:
            environ = environment(tmp_path, SAMPLE_KEPT=str(kept), **(env or {}))
            return stack.enter_context(Terminal.spawn([sys.executable, SAMPLE, *arguments], environ, **spawn))

        yield start


@pytest.fixture
def running(sample: Callable[..., Terminal]) -> Terminal:
    """The sample app, painted and waiting for a key, at 80x24."""
    terminal = sample()
    terminal.wait_for(LAST_LINE)
    terminal.settle()
    return terminal
