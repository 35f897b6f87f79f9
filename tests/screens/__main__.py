"""Draw every golden screen anew: ``python -m tests.screens``. Look at the difference before you keep it."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from tests.screens.cases import CASES, drawn
from tests.screens.test_screens import GOLDEN


async def main() -> None:
    """Write the files that differ."""
    GOLDEN.mkdir(exist_ok=True)
    for name in CASES:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            _, text = await drawn(name, Path(folder))
        path = GOLDEN / f"{name}.txt"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(f"drawn anew: {path.name}")


asyncio.run(main())
