"""Step times: counted work against published speeds, and what slows a step."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild.build import choices
from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import Gpu, Model
from ftbuild.engine import runtime, schedule
from ftbuild.engine.evaluate import evaluate
from ftbuild.engine.tables import guide_runs
from ftbuild.engine.tables import runtime as table

CATALOG = load_catalog()
GFLOP = 1e9


def report(workload=None, hardware=None, **more):
    document = {
        "workload": {"model": "llama-3.1-8b", **(workload or {})},
        "hardware": {"gpu": "h100-sxm-80gb", **(hardware or {})},
        **more,
    }
    return evaluate(builds.read(document), CATALOG)


@pytest.mark.parametrize(
    ("model", "method", "sequence", "checkpointing", "gflop"),
    [
        # 6 x 7.50 G linear + 4.5 x 2 x 4096 x 4096 x 32 attention = 45.0 + 4.8
        ("llama-3.1-8b", "lora", 4096, "full", 49.8),
        # 8 x 7.50 G + 4.8
        ("llama-3.1-8b", "full", 4096, "full", 64.8),
        # 6 x 69.5 G + 4.5 x 2 x 4096 x 8192 x 80 = 417 + 24
        ("llama-3.1-70b", "lora", 4096, "full", 441),
        # 4 x 68.7 G + 3.5 x 2 x 8192 x 8192 x 80 = 275 + 38
        ("llama-2-70b", "lora", 8192, "none", 313),
    ],
)  # fmt: skip
def test_work_of_a_token(model, method, sequence, checkpointing, gflop):
    found = report({"model": model, "method": method, "sequence_length": sequence,
                    "checkpointing": checkpointing})  # fmt: skip
    parts = found.figures["time.flops_per_token"].parts
    base = sum(float(part[0]) for name, part in parts.items() if name != "adapters")
    assert base / GFLOP == pytest.approx(gflop, rel=0.01)


def test_parts_of_a_step_add_up():
    found = report({"method": "qlora"}, {"gpus_per_node": 8, "sharding": "fsdp"})
    for name in ("time.compute", "time.step", "time.flops_per_token", "time.total"):
        figure = found.figures[name]
        assert sum(float(part[0]) for part in figure.parts.values()) == pytest.approx(found.value(name))


def test_a_frozen_base_saves_a_third_of_the_work_at_most():
    full = report({"method": "full", "checkpointing": "none"}).value("time.flops_per_token")
    lora = report({"method": "lora", "checkpointing": "none"}).value("time.flops_per_token")
    assert 2 / 3 < lora / full < 0.72


def test_dequantisation_weighs_on_small_micro_batches():
    """7B: +29 % at 2,048 tokens and +4 % at 16,384 on A100."""
    share = {}
    for sequence in (2048, 16384):
        found = report({"model": "llama-2-7b", "method": "qlora", "sequence_length": sequence,
                        "framework": "axolotl"}, {"gpu": "a100-sxm-80gb"})  # fmt: skip
        parts = found.figures["time.compute"].parts
        share[sequence] = float(parts["dequantisation"][0]) / found.value("time.compute")
    assert share[2048] / (1 - share[2048]) == pytest.approx(0.29, abs=0.06)
    assert share[16384] / (1 - share[16384]) == pytest.approx(0.035, abs=0.015)


def test_a_handful_of_tokens_waits_for_memory():
    found = report({"method": "full", "sequence_length": 64, "checkpointing": "none"})
    assert float(found.figures["time.compute"].parts["waiting for memory"][0]) > 0
    plenty = report({"method": "full", "sequence_length": 4096, "checkpointing": "none"})
    assert float(plenty.figures["time.compute"].parts["waiting for memory"][0]) == 0


def test_a_power_limit_slows_as_the_table_says():
    free = report().value("time.utilisation")
    capped = report(power={"gpu_power_limit": 0.8}).value("time.utilisation")
    assert capped / free == pytest.approx(0.95)


@given(st.floats(0.3, 1.0), st.floats(0.3, 1.0))
def test_a_higher_power_limit_is_never_slower(one, other):
    low, high = sorted((one, other))
    assert runtime.speed_under_limit(low) <= runtime.speed_under_limit(high)


def test_every_choice_has_its_row():
    for table_rows, names in (
        (table.STACK_SPEED, choices.FRAMEWORKS), (table.PASSES, choices.METHODS),
        (table.RECOMPUTES, choices.CHECKPOINTING), (table.ATTENTION_SPEED, choices.ATTENTION),
        (table.OBJECTIVE_SPEED, choices.OBJECTIVES),
    ):  # fmt: skip
        assert {row.id for row in table_rows} == set(names)
        assert all(row.source for row in table_rows)


@pytest.mark.parametrize("gpu", [row.id for row in CATALOG.rows(Gpu)])
def test_every_gpu_finds_its_utilisation(gpu):
    row = runtime.utilisation_row(gpu)
    assert 0 < row.plain <= row.fused <= 1 and row.low < 1 < row.high


def test_a_known_gpu_beats_the_row_for_all_others():
    assert runtime.utilisation_row("h200-sxm-141gb").id == "h200"
    assert runtime.utilisation_row("rtx-4090-24gb").id == "ada"
    assert runtime.utilisation_row("something-new").id == "other"


def test_a_card_whose_rate_nobody_knows_is_said_to_be_unknown():
    found = report(hardware={"gpu": "t4-16gb"})
    if np.isnan(next(row for row in CATALOG.rows(Gpu) if row.id == "t4-16gb").bf16 or np.nan):
        assert np.isnan(found.value("time.step"))
        assert any("16-bit rate" in sentence for sentence in found.missing)


def test_experts_cost_only_what_a_token_reaches():
    mixtral = next(row for row in CATALOG.rows(Model) if "Mixtral-8x7B" in row.id)
    # 12.9 G active of 46.7 G, less the embedding
    assert runtime.active_parameters(mixtral) / 1e9 == pytest.approx(12.7, abs=0.2)


def test_pipeline_stages_idle_at_the_ends():
    assert schedule.bubble_time(8.0, 4, 8) == pytest.approx(3.0)
    assert schedule.bubble_time(8.0, 1, 8) == 0


def test_padding_costs_unpacked_samples_only():
    lengths = {"sequence_length": 4096, "tokens_per_sample": 1024, "samples": 1000}
    packed = report({**lengths, "micro_batch": 4})
    padded = report({**lengths, "micro_batch": 4, "packing": False})
    alone = report({**lengths, "micro_batch": 1, "packing": False})
    assert padded.value("time.tokens_per_s") == pytest.approx(packed.value("time.tokens_per_s") / 4)
    assert padded.value("time.padding") == 0.75
    assert alone.value("time.padding") == packed.value("time.padding") == 0


def test_an_offloaded_optimizer_takes_what_torchtune_measured():
    """Llama 3.1 70B full, 8 A100, optimizer on the host: 1,568 tokens/s."""
    found = report(
        {"model": "llama-3.1-70b", "method": "full", "sequence_length": 2048, "micro_batch": 2,
         "gradient_accumulation": 1, "framework": "torchtune"},
        {"gpu": "a100-sxm-80gb", "gpus_per_node": 8, "sharding": "fsdp", "offload": "parameters",
         "cpu": "amd-epyc-7742", "sockets": 2, "ram": "2TB", "ram_modules": 16, "ram_speed": 3200},
    )  # fmt: skip
    assert found.value("time.tokens_per_s") == pytest.approx(1568, rel=0.25)


def test_ppo_takes_five_times_supervised_training():
    plain, rlhf = report(), report({"objective": "ppo"})
    assert 3 < rlhf.value("time.step") / plain.value("time.step") < 6.7


def test_the_bottleneck_is_named():
    assert report().figures["time.step"].note.startswith("bottleneck: computing")


def test_a_measured_step_stands_beside_the_model():
    found = report(measured={"step": 9.0})
    parts = found.figures["time.measured"].parts
    assert float(parts["modelled"][0] + parts["difference"][0]) == pytest.approx(9.0)


def test_tokens_come_from_what_is_stated_and_are_guessed_aloud():
    assert report({"dataset_tokens": 5e6, "epochs": 2}).value("time.tokens") == 1e7
    assert report({"samples": 1e3, "tokens_per_sample": 512, "epochs": 1}).value("time.tokens") == 512_000
    guessed = report({"dataset_size": "4GB", "epochs": 1})
    assert guessed.value("time.tokens") == 1e9
    assert "guessed" in guessed.figures["time.total"].note


def published(name):
    lines = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def test_published_speeds_come_out_within_a_factor():
    """Configurations published in full: fms-acceleration, Answer.AI, torchtitan, PEFT and others."""
    ratios = {}
    for number, row in enumerate(published("speeds.csv")):
        gpus = int(row["gpus"])
        nodes = max(gpus // 8, 1)
        found = report(
            {"model": row["model"], "method": row["method"], "quantization": row["quantization"] or "nf4",
             "rank": int(row["rank"]), "framework": row["framework"], "precision": row["precision"],
             "checkpointing": row["checkpointing"], "micro_batch": int(row["micro_batch"]),
             "gradient_accumulation": int(row["accumulation"]), "sequence_length": int(row["sequence"])},
            {"gpu": row["gpu"], "nodes": nodes, "gpus_per_node": gpus // nodes, "sharding": row["sharding"],
             "offload": row["offload"], "cpu": "amd-epyc-7763"},
            network={"fabric": "ib-hdr-200g" if nodes > 1 else "none", "links_per_node": 8},
        )  # fmt: skip
        speed = found.value("time.tokens_per_s_gpu") / float(row["tokens_per_s_per_gpu"])
        ratios[f"{number} {row['source']} {row['model']} {row['gpu']}"] = speed
    known = {name: ratio for name, ratio in ratios.items() if np.isfinite(ratio)}
    far = {name: round(ratio, 2) for name, ratio in known.items() if not 1 / 1.5 <= ratio <= 1.5}
    assert len(known) > 0.95 * len(ratios)
    assert 1 - len(far) / len(known) >= 0.85, far
    assert 0.85 < np.median(list(known.values())) < 1.15


def test_mlperf_runs_come_out_within_a_factor():
    """Published tokens/s per GPU of Llama-2-70B LoRA on H100, H200, B200, GB200, MI300X and MI325X."""
    ratios = []
    for row in published("mlperf_lora.csv"):
        gpus = int(row["nodes"]) * int(row["gpus_per_node"])
        tensor = max(gpus // int(row["batch"]), 1)
        found = report(
            {"model": "llama-2-70b", "precision": "fp8", "framework": "megatron", "sequence_length": 8192,
             "checkpointing": "none", "gradient_accumulation": 1},
            {"gpu": row["gpu"], "nodes": int(row["nodes"]), "gpus_per_node": int(row["gpus_per_node"]),
             "context_parallel": tensor, "sharding": "ddp"},
            network={"fabric": "ib-ndr-400g", "links_per_node": 8},
        )  # fmt: skip
        ratios.append(found.value("time.tokens_per_s_gpu") / float(row["tokens_per_s_per_gpu"]))
    within = np.mean([1 / 1.5 <= ratio <= 1.5 for ratio in ratios])
    assert within >= 0.8, sorted(ratios)


@pytest.mark.parametrize("method", list(guide_runs.RUNS))
def test_the_guide_s_run_times_are_shown_with_the_tokens_they_imply(method):
    names = {"h100-sxm": "h100-sxm-80gb", "h100": "h100-sxm-80gb", "rtx-4090": "rtx-4090-24gb",
             "a100": "a100-sxm-80gb", "b200": "b200-sxm-192gb"}  # fmt: skip
    models = {7e9: "llama-2-7b", 8e9: "llama-3.1-8b", 13e9: "llama-2-13b", 70e9: "llama-3.1-70b",
              405e9: "llama-3.1-405b"}  # fmt: skip
    for run in guide_runs.RUNS[method]:
        nodes = max(run.gpus // 8, 1)
        found = report({"model": models[run.parameters], "method": method},
                       {"gpu": names[run.gpu], "nodes": nodes, "gpus_per_node": run.gpus // nodes,
                        "sharding": "fsdp" if run.gpus > 1 else "none"},
                       network={"fabric": "ib-ndr-400g", "links_per_node": 8})  # fmt: skip
        assert found.value("time.guide") == run.seconds
        low, high = guide_runs.PLAUSIBLE
        assert low < found.value("time.implied_tokens") < high
        assert found.figures["time.guide"].note == run.says


def test_other_jobs_have_no_run_time_of_the_guide():
    assert np.isnan(report({"model": "llama-3.1-8b"}).value("time.guide"))
