"""Hold the memory model to the recorded score: no set of measurements may get worse."""

from __future__ import annotations

from typing import Any

import pytest

import ftbuild.accuracy as shipped
from tests.truth import peers, rows, score, scored, steps

RECORDED = shipped.score()
TRUTHS = {row["name"]: row for row in RECORDED["truth"]}
SLACK = 0.002
"""Of an error or a share: what rounding and other releases of NumPy may move."""


@pytest.fixture(scope="module")
def now() -> dict[str, list[dict[str, Any]]]:
    return score.computed(*scored.evaluated())


@pytest.mark.parametrize("name", TRUTHS)
def test_no_error_grows_and_no_range_loses_its_cover(name: str, now: dict[str, list[dict[str, Any]]]) -> None:
    old, new = TRUTHS[name], next(row for row in now["truth"] if row["name"] == name)
    assert new["rows"] == old["rows"]
    for key in ("median", "p90", "worst"):
        assert new[key] <= old[key] * 1.01 + SLACK, key
    if "inside" in old:
        assert new["inside"] >= old["inside"] - 1 / old["rows"] - SLACK


def test_no_verdict_becomes_wrong(now: dict[str, list[dict[str, Any]]]) -> None:
    for old, new in zip(RECORDED["verdict"], now["verdict"], strict=True):
        wrong = "fits" if old["outcome"] == "out of memory" else "does_not_fit"
        assert (new["name"], new["outcome"], new["runs"]) == (old["name"], old["outcome"], old["runs"])
        assert new[wrong] <= old[wrong], (old["name"], wrong)


def test_no_a100_run_that_ran_out_of_memory_is_said_to_fit(now: dict[str, list[dict[str, Any]]]) -> None:
    row = next(row for row in now["verdict"] if row["name"] == "A100" and row["outcome"] != "ran")
    assert row["runs"] > 0
    assert row["fits"] == 0


@pytest.mark.parametrize(
    ("name", "median", "p90"),
    [
        ("real steps, one GPU, torch peak", 0.01, 0.03),
        ("real steps, sharded, torch peak", 0.02, 0.05),
        ("A100, torch peak", 0.03, 0.08),
        ("A100, at rest", 0.005, 0.02),
        ("published, torch peak", 0.06, 0.15),
    ],
)
def test_meets_what_it_was_built_for(
    name: str, median: float, p90: float, now: dict[str, list[dict[str, Any]]]
) -> None:
    row = next(row for row in now["truth"] if row["name"] == name)
    assert row["median"] < median
    assert row["p90"] < p90


@pytest.mark.parametrize(
    "name",
    ["real steps, one GPU, torch peak", "real steps, sharded, torch peak", "A100, torch peak",
     "A100, nvidia-smi", "published, torch peak", "published, nvidia-smi"],
)  # fmt: skip
def test_nine_in_ten_measurements_lie_in_the_range(name: str, now: dict[str, list[dict[str, Any]]]) -> None:
    row = next(row for row in now["truth"] if row["name"] == name)
    assert row["inside"] >= 0.9


def test_every_published_run_far_off_has_its_cause() -> None:
    unknown = [pair.id for pair in score.far(scored.evaluated()[0]) if not score.cause(pair)]
    assert not unknown


def test_every_row_is_scored_or_says_why_not() -> None:
    assert len({row.id for row in rows.rows()}) == len(rows.rows())
    for row in rows.rows():
        assert bool(row.skip) != bool(row.build), row.id
        assert row.source
        if row.build is not None:
            assert row.measured or row.outcome, row.id


def test_a_worse_score_is_called_worse() -> None:
    old = {"truth": [{"name": "x", "median": 0.01, "inside": 0.9}]}
    new = {"truth": [{"name": "x", "median": 0.02, "inside": 0.8}]}
    assert all(line.endswith("(worse)") for line in score.differences(old, new))
    assert len(score.differences(old, new)) == 2
    assert not any("worse" in line for line in score.differences(new, old))
    assert not score.differences(old, old)


def test_the_readme_keeps_what_stands_around_the_table() -> None:
    text = f"before\n{score.BEGIN}\nold\n{score.END}\nafter\n"
    assert score.readme(text, "new") == f"before\n{score.BEGIN}\nnew\n{score.END}\nafter\n"
    assert score.readme("no markers", "new") == "no markers"


def test_shipped_lines_fit_a_page_and_name_every_truth() -> None:
    lines = shipped.lines()
    assert max(map(len, lines)) <= 100
    assert all(any(name in line for line in lines) for name in TRUTHS)


def llama(**choices: Any) -> Any:
    model = {
        "family": "llama", "layers": 32, "hidden": 4096, "intermediate": 14336, "heads": 32, "kv_heads": 8,
        "head_dim": 128, "vocab": 32000, "tied": False, "context": 8192,
    }  # fmt: skip
    numbers = {"sequence": 4096.0, "micro_batch": 4.0, "ranks": choices.pop("ranks", 1.0)}
    return steps.work(model, "attention", numbers, **choices)


GIB = 2**30


@pytest.mark.parametrize(
    ("peer", "choices", "expected"),
    [
        ("gpu_poor", {"method": "full"}, 159.6),
        ("gpu_poor", {"method": "lora"}, 114.7),
        ("gpu_poor", {"method": "qlora", "quantization": "nf4"}, 110.0),
    ],
)
def test_other_estimators_give_what_they_are_known_to_give(
    peer: str, choices: dict[str, Any], expected: float
) -> None:
    found = peers.PEERS[peer](llama(**choices))
    assert found is not None
    assert found / GIB == pytest.approx(expected, rel=0.005)


def test_other_estimators_are_silent_where_they_have_no_input() -> None:
    adapters = llama(method="lora")
    assert [name for name, ask in peers.PEERS.items() if ask(adapters) is None] == [
        "accelerate", "DeepSpeed", "EleutherAI cookbook", "Megatron-LM", "the guide's table",
    ]  # fmt: skip


def test_deepspeed_divides_states_by_the_ranks() -> None:
    total = 7_241_732_096
    alone = peers.deepspeed(llama(method="full", sharding="zero2"))
    eight = peers.deepspeed(llama(method="full", sharding="zero2", ranks=8.0))
    assert alone == pytest.approx(20 * total)
    assert eight == pytest.approx((2 + 18 / 8) * total)
