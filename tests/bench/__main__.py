"""Print the project's benchmark figures: ``python -m tests.bench [engine] [start] [keys] [--json]``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

from tests.bench.figures import Figure, print_figures

GROUPS = ("engine", "start", "keys")


def figures(groups: list[str]) -> Iterator[Figure]:
    """Measure group by group."""
    for group in groups:
        yield from importlib.import_module(f"tests.bench.{group}").measure()


def main(arguments: list[str]) -> int:
    """Measure and print; return the exit status."""
    as_json = "--json" in arguments
    wanted = [argument for argument in arguments if argument != "--json"]
    if unknown := [group for group in wanted if group not in GROUPS]:
        print(f"no such group: {', '.join(unknown)}; there are {', '.join(GROUPS)}", file=sys.stderr)
        return 2
    print_figures(figures(wanted or list(GROUPS)), as_json)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
