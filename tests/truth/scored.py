"""Predicted beside measured: for every run, what the engine says, the range, the verdict; then by truth."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ftbuild.engine.core import Figure
from ftbuild.engine.inputs import Columns
from ftbuild.engine.tables import reserve
from ftbuild.engine.vram import figures
from ftbuild.engine.vram.compose import peers_of, work_of
from ftbuild.engine.vram.phases import Work
from ftbuild.engine.vram.reserved import spread_of
from tests.truth import peers as others
from tests.truth import rows, steps

NAMES = {
    "at_rest": "at rest",
    "allocated": "torch peak",
    "reserved": "torch pool",
    "nvidia_smi": "nvidia-smi",
}
FIGURES = {
    "at_rest": "vram.at_rest", "allocated": "vram.allocated", "reserved": "vram.reserved",
    "nvidia_smi": "vram.reserved",
}  # fmt: skip
PEAK = "torch peak"
CAPPED = "published, length a cap"
"""Runs whose samples may be shorter than the stated length: that they ran says nothing of the full length."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One measured figure and what the engine says of it, in bytes."""

    id: str
    truth: str
    """Set of rows and what was measured: a line of the table."""
    predicted: float
    low: float
    """NaN where the engine gives no range."""
    high: float
    measured: float
    work: Work
    family: str

    @property
    def error(self) -> float:
        """Return predicted over measured, less one."""
        return self.predicted / self.measured - 1

    @property
    def inside(self) -> bool:
        """Say whether the measurement lies in the range."""
        return self.low <= self.measured <= self.high


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the engine says of a run whose outcome is known."""

    id: str
    truth: str
    outcome: str
    """``ran`` or ``out of memory``."""
    verdict: str
    """``fits``, ``tight`` or ``does not fit``."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Errors of a set of pairs, as shares."""

    rows: int
    median: float
    p90: float
    worst: float
    inside: float
    """Share of measurements in the range; NaN without one."""


@lru_cache(maxsize=1)
def evaluated() -> tuple[tuple[Pair, ...], tuple[Verdict, ...]]:
    """Return every pair and every verdict of the folder's rows."""
    pairs, verdicts = list(_counted()), []
    for row in rows.rows():
        if row.build is None:
            continue
        columns = Columns(row.build, rows.catalog())
        found = {figure.spec.id: figure for figure in figures(columns, {})}
        if row.outcome and not (row.outcome == "ran" and row.truth == CAPPED):
            verdicts.append(Verdict(row.id, row.truth, row.outcome, _verdict(found)))
        if row.outcome != "ran":
            continue
        work, family = work_of(columns), columns.parts("workload.model")[0].family
        peers = float(np.max(peers_of(columns, work)))
        pairs += [_pair(row, name, found[FIGURES[name]], work, family, peers) for name in row.measured]
    return tuple(pairs), tuple(verdicts)


def _pair(row: rows.Row, name: str, figure: Figure, work: Work, family: str, peers: float) -> Pair:
    value, low, high = (_one(part) for part in (figure.value, figure.low, figure.high))
    if name == "reserved":
        pool = [
            part - held.context - peers * held.peers
            for part, held in zip((value, low, high), _HELD, strict=True)
        ]
        value, low, high = pool[0], min(pool), max(pool)
    return Pair(row.id, f"{row.truth}, {NAMES[name]}", value, low, high, row.measured[name], work, family)


def _one(part: Any) -> float:
    return float("nan") if part is None else float(np.max(part))


_HELD = (reserve.EXPECTED, reserve.LOW, reserve.HIGH)


def _counted() -> Iterable[Pair]:
    """Yield the steps counted on tensors without storage."""
    one = [(row, steps.step(row), steps.peak(row)) for row in steps.rows("oracle.jsonl")]
    many = [
        (row, steps.sharded_step(row), steps.sharded_peak(row)) for row in steps.rows("oracle_fsdp.jsonl")
    ]
    for truth, found in (("real steps, one GPU", one), ("real steps, sharded", many)):
        for row, work, peak in found:
            low, high = spread_of(work)
            yield Pair(
                row["case"], f"{truth}, {PEAK}", peak, peak * (1 - low), peak * (1 + high), row["peak"], work,
                row["model"]["family"],
            )  # fmt: skip


def _verdict(found: dict[str, Figure]) -> str:
    needs, most, has = (
        float(found[f"vram.{name}"].value.flat[0]) for name in ("per_gpu", "comfortable", "usable")
    )
    return "does not fit" if needs > has else "tight" if most > has else "fits"


def summary(pairs: Sequence[Any]) -> Summary:
    """Return the errors of pairs, whose `error` and `inside` are read."""
    errors = np.abs([pair.error for pair in pairs])
    ranged = not np.isnan(pairs[0].low)
    inside = float(np.mean([pair.inside for pair in pairs])) if ranged else np.nan
    median, p90, worst = (float(np.percentile(errors, at)) for at in (50, 90, 100))
    return Summary(len(pairs), median, p90, worst, inside)


def by_truth(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    """Return pairs by the set of rows, in the order of the files."""
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(pair.truth, []).append(pair)
    return found


@dataclass(frozen=True, slots=True)
class PeerScore:
    """One estimator on the torch peaks that it has inputs for, and this engine on the same rows."""

    name: str
    group: str
    """Of `GROUPS`."""
    rows: int
    asked: int
    median: float
    p90: float
    worst: float
    own_median: float
    own_p90: float


GROUPS = {"counted steps": "real steps", "A100 runs": "A100", "published runs": "published, torch"}
"""Torch peaks that estimators are asked for, by how the names of the truths start."""


def peer_scores(pairs: Iterable[Pair]) -> list[PeerScore]:
    """Return each peer on the torch peaks of each group; vramcalc where its answers are on file."""
    peaks = [pair for pair in pairs if pair.truth.endswith(PEAK)]
    kept = kept_answers()
    found = []
    for group, start in GROUPS.items():
        asked = [pair for pair in peaks if pair.truth.startswith(start)]
        answers = {name: [ask(pair.work) for pair in asked] for name, ask in others.PEERS.items()}
        if kept:
            answers["vramcalc 0.1.2"] = [kept.get(pair.id) for pair in asked]
        found += [_peer_score(name, group, asked, given) for name, given in answers.items() if any(given)]
    return found


def _peer_score(name: str, group: str, asked: Sequence[Pair], found: Sequence[float | None]) -> PeerScore:
    both = [(pair, value) for pair, value in zip(asked, found, strict=True) if value is not None]
    errors = np.abs([value / pair.measured - 1 for pair, value in both])
    own = np.abs([pair.error for pair, _ in both])
    median, p90, worst = (float(np.percentile(errors, at)) for at in (50, 90, 100))
    own_median, own_p90 = (float(np.percentile(own, at)) for at in (50, 90))
    return PeerScore(name, group, len(both), len(asked), median, p90, worst, own_median, own_p90)


KEPT = rows.FOLDER / "vramcalc.csv"
"""What vramcalc 0.1.2 says of the rows in its scope: it is another project's program, run once."""


def kept_answers() -> dict[str, float]:
    """Return vramcalc's answers by row, empty without the file."""
    if not KEPT.exists():
        return {}
    with KEPT.open(encoding="utf-8") as file:
        return {line["id"]: float(line["bytes"]) for line in csv.DictReader(file)}


def ask_vramcalc(python: str) -> int:
    """Run vramcalc in its own environment on every torch peak, keep its answers, return how many."""
    asked = [pair for pair in evaluated()[0] if pair.truth.endswith(PEAK)]
    found = others.vramcalc(python, [others.vramcalc_run(pair.work, pair.family) for pair in asked])
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("id", "bytes"))
        out.writerows((pair.id, f"{value:.0f}") for pair, value in zip(asked, found, strict=True) if value)
    return sum(value is not None for value in found)
