"""One measured figure, its goal, and how figures are printed."""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    """A figure; lower is better. `goal` is what the project aims for; a time is never asserted."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    note: str = ""

    @property
    def line(self) -> str:
        """The figure as one line of the table."""
        goal = (
            ""
            if self.goal is None
            else f"goal {self.goal:g}  {'met' if self.value <= self.goal else 'MISSED'}"
        )
        return f"{self.name:<46} {self.value:>10.4g} {self.unit:<6} {goal:<20} {self.note}".rstrip()


def print_figures(figures: Iterable[Figure], as_json: bool = False) -> None:
    """Print figures as they are measured, or as one JSON array at the end."""
    if as_json:
        print(json.dumps([asdict(figure) for figure in figures], indent=1))
        return
    for figure in figures:
        print(figure.line, flush=True)


def seconds(action: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_seconds(action: Callable[[], object], repeats: int, warm_up: int = 3) -> float:
    """Return the median of `repeats` calls, after some that do not count."""
    for _ in range(warm_up):
        action()
    return statistics.median(seconds(action) for _ in range(repeats))


def fastest_of_each(
    commands: Sequence[Sequence[str]], env: Mapping[str, str], repeats: int = 5
) -> list[float]:
    """Return the fastest run of each command, in turns, so that all meet the same weather."""
    times: list[list[float]] = [[] for _ in commands]
    for _ in range(repeats):
        for command, taken in zip(commands, times, strict=True):
            taken.append(seconds(lambda command=command: run_quietly(command, env)))  # type: ignore[misc] # bound now
    return [min(taken) for taken in times]


def run_quietly(command: Sequence[str], env: Mapping[str, str]) -> None:
    """Run a command without a terminal; its output and status do not matter."""
    subprocess.run(
        command, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
