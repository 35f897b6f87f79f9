"""How far the memory figures lie from measurements: the score of the truth rows, as shipped.

`accuracy.toml` is generated (`python -m tests.truth.score --write`) and held against the engine by a test.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

FILE = "accuracy.toml"


@lru_cache(maxsize=1)
def score() -> Mapping[str, Any]:
    """Return the shipped score: lists named truth, verdict, peer, explained and unscored."""
    return tomllib.loads(files(__name__).joinpath(FILE).read_text(encoding="utf-8"))


def lines() -> list[str]:
    """Return the shipped score as lines of at most 100 columns."""
    found = score()
    return [
        "Modelled memory of one GPU against measurements (median, 90th percentile and worst error)",
        "",
        *columns(truth_cells(found)),
        "",
        "In range: measurements between the figure's low and high end. Mechanisms and their coefficients",
        "were found on rows of the same kinds; nothing is fitted to a single row.",
        "",
        "Verdicts on runs whose outcome is known",
        "",
        *columns(verdict_cells(found)),
        "",
        "Other estimators on the same torch peaks, where they have the inputs; ftbuild on those rows",
        "",
        *columns(peer_cells(found)),
        "",
        "Published runs more than 15 % off, and why",
        "",
        *(f"  {row['rows']:3d}  {row['cause']}" for row in found["explained"]),
        "",
        "Runs on file that are not scored",
        "",
        *(f"  {row['rows']:3d}  {row['reason']}" for row in found["unscored"]),
    ]


def truth_cells(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the table of errors by truth, the head first."""
    head = ["truth", "rows", "median", "90th", "worst", "in range"]
    return [head] + [
        [row["name"], str(row["rows"]), *(_percent(row[key]) for key in ("median", "p90", "worst")),
         f"{100 * row['inside']:.0f} %" if "inside" in row else ""]
        for row in found["truth"]
    ]  # fmt: skip


def verdict_cells(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the table of verdicts by outcome, the head first."""
    head = ["truth", "outcome", "runs", "fits", "tight", "does not fit"]
    keys = ("runs", "fits", "tight", "does_not_fit")
    return [head] + [
        [row["name"], row["outcome"], *(str(row[key]) for key in keys)] for row in found["verdict"]
    ]


def peer_cells(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the table of other estimators, the head first."""
    head = ["estimator", "asked for", "answers", "median", "90th", "ftbuild median", "ftbuild 90th"]
    return [head] + [
        [row["name"], row["group"], f"{row['rows']} of {row['asked']}",
         *(_percent(row[key]) for key in ("median", "p90", "own_median", "own_p90"))]
        for row in found["peer"]
    ]  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share < 0.01 else f"{100 * share:.1f} %"


def columns(cells: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells in columns, the first column left, the others right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  " + "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]  # fmt: skip
