from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild.engine.tables import CHOICES
from ftbuild.engine.vram.phases import MOMENTS, NOTES, PARTS, memory
from tests.truth import steps

STEPS = steps.rows("oracle.jsonl")
SHARDED = steps.rows("oracle_fsdp.jsonl")
LLAMA_8B = {
    "family": "llama", "layers": 32, "hidden": 4096, "intermediate": 14336, "heads": 32, "kv_heads": 8,
    "head_dim": 128, "vocab": 128256, "tied": False, "context": 8192,
}  # fmt: skip
MISTRAL_7B = {**LLAMA_8B, "family": "mistral", "vocab": 32000}
CUBLAS = 2 * 8_519_680.0


def bytes_of(work: Any) -> tuple[float, float]:
    found = memory(work)
    return float(np.max(found.at_rest)), float(np.max(found.peak))


def errors(rows: list[dict[str, Any]], model: Any) -> Any:
    return np.array([abs(model(row) / row["peak"] - 1) for row in rows])


def test_counts_the_parameters_of_every_step() -> None:
    for row in STEPS:
        found = memory(steps.step(row))
        full = row["args"]["method"] == "full"
        assert found.parameters == row["params"]
        assert (found.parameters if full else found.adapters) == row["trainable"], row["case"]


def test_peaks_of_counted_steps() -> None:
    found = errors(STEPS, steps.peak)
    assert np.median(found) < 0.005
    assert np.percentile(found, 90) < 0.035
    assert found.max() < 0.08


def test_peaks_of_counted_steps_of_whole_models() -> None:
    found = errors([row for row in STEPS if not row["args"]["layers"]], steps.peak)
    assert np.median(found) < 0.002
    assert found.max() < 0.02


def test_peaks_of_sharded_steps() -> None:
    found = errors(SHARDED, steps.sharded_peak)
    assert np.median(found) < 0.005
    assert found.max() < 0.04


@pytest.mark.parametrize(
    ("case", "rest", "peak"),
    [
        ({"model": MISTRAL_7B, "method": "full", "batch": 4}, 43467876352, 72434837504),
        ({"model": MISTRAL_7B, "method": "lora", "batch": 4}, 14664493056, 26704571904),
        ({"model": MISTRAL_7B, "method": "lora", "batch": 8}, 14664886272, 38742912512),
        ({"model": MISTRAL_7B, "method": "qlora", "batch": 8}, 4306889728, 28412178944),
        ({"model": MISTRAL_7B, "method": "lora", "batch": 2, "gpus": 2}, 7368030720, 15144870400),
        ({"model": MISTRAL_7B, "method": "full", "batch": 2, "gpus": 2}, 28984199680, 36225939968),
    ],
)
def test_memory_of_a100_runs(case: dict[str, Any], rest: int, peak: int) -> None:
    gpus = case.get("gpus", 1)
    work = steps.work(
        case["model"], ("q_proj", "k_proj", "v_proj", "o_proj"),
        {"sequence": 4096.0, "micro_batch": case["batch"], "ranks": gpus, "library": CUBLAS},
        method=case["method"], quantization="nf4", attention="flash",
        stack="trl-2024" if case["method"] == "qlora" else "trl-2024-bf16",
        sharding="fsdp" if gpus > 1 else "none",
    )  # fmt: skip
    found_rest, found_peak = bytes_of(work)
    assert found_rest == pytest.approx(rest, rel=1e-4)
    assert found_peak == pytest.approx(peak, rel=0.01)


def test_four_bit_weights_weigh_what_their_blocks_say() -> None:
    found = memory(steps.work(MISTRAL_7B, "attention", method="qlora", quantization="nf4"))
    linears = 6_979_321_856
    others = 7_241_732_096 - linears
    assert found.parts["weights"][0] == pytest.approx(linears * (0.5 + 1 / 64 + 4 / 16384) + others * 2)


@given(
    batch=st.integers(1, 64), sequence=st.integers(16, 32768), rank=st.integers(1, 512),
    method=st.sampled_from(["full", "lora", "dora", "qlora"]),
    checkpointing=st.sampled_from(["none", "selective", "full", "offloaded"]),
    loss=st.sampled_from(["standard", "kernel", "chunked", "fused"]),
)  # fmt: skip
def test_more_tokens_never_need_less(
    batch: int, sequence: int, rank: int, method: str, checkpointing: str, loss: str
) -> None:
    def peak(micro_batch: int, length: int) -> float:
        numbers = {"micro_batch": micro_batch, "sequence": length, "rank": rank}
        choices = {"method": method, "quantization": "nf4", "checkpointing": checkpointing, "loss": loss}
        return bytes_of(steps.work(LLAMA_8B, "all-linear", numbers, **choices))[1]

    assert peak(batch, sequence) <= peak(batch + 1, sequence)
    assert peak(batch, sequence) <= peak(batch, sequence + 16)


@given(ranks=st.integers(1, 512), sharding=st.sampled_from(["zero1", "zero2", "zero3", "fsdp"]))
def test_sharding_divides_what_is_at_rest(ranks: int, sharding: str) -> None:
    def rest(count: int) -> float:
        return bytes_of(steps.work(LLAMA_8B, "qv", {"ranks": count}, method="full", sharding=sharding))[0]

    assert rest(ranks + 1) < rest(ranks)


def test_checkpointing_orders_activations() -> None:
    peaks = [
        bytes_of(steps.work(LLAMA_8B, "qv", {"micro_batch": 4}, checkpointing=kind, method="lora"))[1]
        for kind in ("offloaded", "full", "selective", "none")
    ]
    assert peaks == sorted(peaks)


def test_loss_kernels_order_logits() -> None:
    peaks = [
        bytes_of(steps.work(LLAMA_8B, "qv", {"micro_batch": 4}, loss=kind, method="lora"))[1]
        for kind in ("fused", "kernel", "standard")
    ]
    assert peaks == sorted(peaks)
    assert peaks[-1] - peaks[0] > 4 * 2048 * 128256


def test_offload_takes_states_off_the_card() -> None:
    none, states, everything = (
        bytes_of(steps.work(LLAMA_8B, "qv", {"ranks": 8}, method="full", sharding="zero3", offload=kind))[0]
        for kind in ("none", "optimizer", "parameters")
    )
    assert none > states > everything


def test_a_preference_pair_doubles_the_sequences_and_full_training_adds_a_reference() -> None:
    sft = memory(steps.work(LLAMA_8B, "qv", method="full"))
    dpo = memory(steps.work(LLAMA_8B, "qv", method="full", objective="dpo"))
    assert dpo.parts["weights"][1] == 2 * sft.parts["weights"][1]
    assert dpo.parts["activations"][1] == pytest.approx(2 * sft.parts["activations"][1])
    with_adapters = memory(steps.work(LLAMA_8B, "qv", method="lora", objective="dpo"))
    assert with_adapters.parts["weights"][1] == sft.parts["weights"][1]


def test_accumulation_keeps_gradients_through_the_loss() -> None:
    once = memory(steps.work(LLAMA_8B, "qv", {"accumulation": 1}, method="full"))
    often = memory(steps.work(LLAMA_8B, "qv", {"accumulation": 8}, method="full"))
    assert once.parts["gradients"][1] == 0
    assert often.parts["gradients"][1] == often.parts["gradients"][-1] > 0


def test_arrays_give_what_numbers_give() -> None:
    batches = np.array([1.0, 2.0, 7.0])
    together = memory(steps.work(LLAMA_8B, "qv", {"micro_batch": batches}, method="lora")).peak
    apart = [bytes_of(steps.work(LLAMA_8B, "qv", {"micro_batch": one}, method="lora"))[1] for one in batches]
    assert np.array_equal(together, apart)


def test_every_moment_has_its_parts_and_its_words() -> None:
    found = memory(steps.work(LLAMA_8B))
    assert tuple(found.parts) == PARTS
    assert all(len(column) == len(MOMENTS) for column in found.parts.values())
    assert set(NOTES) == set(MOMENTS)


@pytest.mark.parametrize("key", CHOICES)
def test_every_choice_names_its_source(key: str) -> None:
    rows = CHOICES[key]
    assert all(row.source for row in rows)
    assert len({row.id for row in rows}) == len(rows)


def test_checkpointing_by_operation_keeps_every_second_product() -> None:
    shared = {"method": "full", "precision": "bf16-mixed", "stack": "torchtitan", "sharding": "fsdp"}
    ops = steps.work(
        LLAMA_8B, "qv", {"ranks": 8.0, "sequence": 8192.0, "micro_batch": 2.0},
        checkpointing="selective-ops", **shared,
    )  # fmt: skip
    none, full = (
        steps.work(LLAMA_8B, "qv", {"ranks": 8.0, "sequence": 8192.0, "micro_batch": 2.0},
                   checkpointing=kind, **shared)
        for kind in ("none", "full")
    )  # fmt: skip
    assert bytes_of(full)[1] < bytes_of(ops)[1] < bytes_of(none)[1]
    # Queries, values, attention's output, gate, MLP's output: 2 bytes; and its statistics.
    kept = 32 * 2 * 8192 * (2 * (4096 + 1024 + 4096 + 14336 + 4096) + 4 * 32)
    found = memory(ops).parts["activations"][1] - memory(full).parts["activations"][1]
    assert found == pytest.approx(kept)


def test_a_pipeline_keeps_whole_parameters_and_gradients_between_micro_batches() -> None:
    numbers = {"ranks": 8.0, "pipeline": 4.0, "accumulation": 4.0}
    shared = {"method": "full", "sharding": "fsdp"}
    gathered = [
        memory(steps.work(LLAMA_8B, "qv", numbers, stack=name, **shared)).parts["gathered"][1]
        for name in ("torchtune", "torchtitan")
    ]
    layers = 6_979_584_000 / 4
    assert gathered[1] - gathered[0] > 0.9 * layers * (2 + 4)


def test_frozen_layers_stay_gathered_where_no_hook_reshards_them() -> None:
    now, then = (
        steps.work(LLAMA_8B, "qv", {"ranks": 2.0}, method="lora", sharding="fsdp", stack=name)
        for name in ("torchtune", "litgpt")
    )
    base = 32 * 218_112_000 * 2
    assert bytes_of(then)[1] - bytes_of(now)[1] == pytest.approx(base, rel=0.1)


PER_PARAMETER = (
    # optimizer, precision, sharding, bytes of states a parameter of 16 or 32 bits, and where they are stated
    ("adamw", "bf16", "none", 4.0),  # torch: two states in the parameter's dtype
    ("adamw-fused", "fp32", "none", 8.0),
    ("adamw", "bf16-mixed", "none", 8.0),
    ("sgd", "bf16", "none", 0.0),
    ("sgd-momentum", "bf16", "none", 2.0),
    ("lion", "fp32", "none", 4.0),  # 2302.06675: one momentum
    ("muon", "bf16", "none", 2.0),  # one momentum of a matrix
    ("adafactor", "bf16", "none", 0.002),  # 1804.04235: a row and a column of each matrix
    ("adamw", "bf16", "zero1", 12.0),  # 1910.02054: fp32 weights and two states, K = 12
    ("adamw", "bf16", "zero2", 12.0),
    ("adamw", "bf16", "zero3", 12.0),
)


@pytest.mark.parametrize(("optimizer", "precision", "sharding", "expected"), PER_PARAMETER)
def test_states_of_a_parameter(optimizer: str, precision: str, sharding: str, expected: float) -> None:
    ranks = 1.0 if sharding == "none" else 8.0
    work = steps.work(
        LLAMA_8B, "qv", {"ranks": ranks}, method="full", optimizer=optimizer, precision=precision,
        sharding=sharding,
    )  # fmt: skip
    assert memory(work).parts["optimizer"][1] * ranks / 8_030_261_248 == pytest.approx(expected)


def test_states_of_8_bit_adamw_leave_embeddings_in_32_bits() -> None:
    """2110.02861: a byte a state and an fp32 absmax of 256; bitsandbytes keeps embeddings' states in fp32."""
    found = memory(steps.work(LLAMA_8B, "qv", method="full", optimizer="adamw-8bit")).parts["optimizer"][1]
    embeddings = 2 * 128256 * 4096
    eight = 2 * (1 + 4 / 256)
    assert found == pytest.approx((8_030_261_248 - embeddings) * eight + embeddings * 8)


ZERO = {
    # 1910.02054 equations of section 5 with N = 64, in bytes a parameter: weights, gradients, states
    "zero1": (2, 2, 12 / 64),
    "zero2": (2, 2 / 64, 12 / 64),
    "zero3": (2 / 64, 2 / 64, 12 / 64),
}


@pytest.mark.parametrize("stage", ZERO)
def test_stages_of_zero_divide_what_the_paper_says(stage: str) -> None:
    work = steps.work(LLAMA_8B, "qv", {"ranks": 64.0, "accumulation": 2.0}, method="full", sharding=stage)
    parts = memory(work).parts
    found = [parts[name][1] / 8_030_261_248 for name in ("weights", "gradients", "optimizer")]
    assert found == pytest.approx(ZERO[stage])


@pytest.mark.parametrize(
    ("kind", "per_element"),
    [
        ("nf4", 0.5 + 1 / 64 + 4 / 16384), ("int8", 1 + 4 / 4096), ("gptq4", 0.5 + 2.5 / 128),
        ("gptq4-columns", 0.5 + 2.5 / 8192), ("2bit", 0.25 + 4 / 64),
    ],
)  # fmt: skip
def test_bytes_of_a_quantised_element(kind: str, per_element: float) -> None:
    found = memory(steps.work(MISTRAL_7B, "attention", method="qlora", quantization=kind)).parts["weights"]
    linears = 6_979_321_856
    assert found[0] == pytest.approx(linears * per_element + (7_241_732_096 - linears) * 2)


def test_adapters_apart_are_whole_on_each_rank_in_16_bits() -> None:
    """Weights 2, gradients 2 and states 4 bytes: A100 runs hold 8 bytes of each adapter on 2 and 4 GPUs."""
    rest = [
        bytes_of(steps.work(MISTRAL_7B, "attention", {"ranks": ranks}, method="qlora", quantization="nf4",
                            stack="fms-acceleration-2025", sharding="fsdp", attention="flash"))[0]
        for ranks in (2.0, 4.0)
    ]  # fmt: skip
    adapters, linears, others = 13_631_488, 6_979_321_856, 262_410_240
    scales = linears * (1 / 64 + 4 / 16384)
    for ranks, found in zip((2, 4), rest, strict=True):
        base = (linears * 0.5 + others * 2) / ranks + scales
        assert found == pytest.approx(base + 8 * adapters, rel=0.002)


def test_ligers_kernels_save_less_of_a_layer_in_flight() -> None:
    """Two norms keep 16-bit inputs alone; the activated gate and one MLP-wide gradient are not there."""
    tokens, hidden, width = 2048, 4096, 14336

    def in_flight(stack: str) -> float:
        found = memory(steps.work(LLAMA_8B, "qv", method="full", loss="fused", stack=stack))
        return float(found.parts["activations"][3] + found.parts["workspace"][3])

    saved = in_flight("torchtune") - in_flight("deepspeed")
    norms = 2 * (4 + 2) * hidden - 2 * 2 * hidden
    assert saved == pytest.approx(tokens * (norms + 2 * width + 2 * width), rel=1e-3)


def test_axolotl_shards_stay_in_16_bits() -> None:
    """Its preparation for FSDP2 has no upcast: weights and two states take 6 bytes, not 12."""
    shared = {"method": "full", "sharding": "fsdp", "loss": "fused"}
    upcast, kept = (
        bytes_of(steps.work(LLAMA_8B, "qv", {"ranks": 8.0}, stack=name, **shared))[0]
        for name in ("llama-factory", "axolotl")
    )
    assert upcast - kept == pytest.approx(6 * 8_030_261_248 / 8, rel=0.01)


def test_the_gradient_of_fused_experts_is_one_tensor() -> None:
    """Mixtral's gates of one layer: 8 experts, two matrices of 14336 x 4096, 2 bytes."""
    mixtral = {**MISTRAL_7B, "family": "mixtral", "experts": 8, "experts_per_token": 2}
    mixtral["expert_intermediate"] = mixtral["intermediate"]
    numbers = {"sequence": 128.0}
    fused, apart = (
        memory(steps.work(mixtral, "qv", numbers, method="full", stack=name)).parts["workspace"][5]
        for name in ("transformers", "trl-2025")
    )
    assert fused - apart == pytest.approx(8 * 2 * 14336 * 4096 * 2, rel=0.05)
