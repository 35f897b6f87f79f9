"""Host memory by stage, population, cores and lanes."""

import numpy as np
import pytest

from ftbuild import build as builds
from ftbuild.build import choices
from ftbuild.catalog import load_catalog
from ftbuild.engine import feed, host, lanes, memory
from ftbuild.engine.evaluate import evaluate
from ftbuild.engine.tables import host as table

CATALOG = load_catalog()
TB, GB = 1e12, 1e9


def report(workload=None, hardware=None, **more):
    document = {
        "workload": {"model": "llama-3.1-70b", "method": "full", **(workload or {})},
        "hardware": {"gpu": "a100-sxm-80gb", "gpus_per_node": 8, "cpu": "amd-epyc-9654", "sockets": 2,
                     **(hardware or {})},
        **more,
    }  # fmt: skip
    return evaluate(builds.read(document), CATALOG)


@pytest.mark.parametrize(
    ("model", "method", "sharding", "offload", "plain", "buffers"),
    [
        ("llama-3.1-70b", "full", "zero3", "parameters", 1.27 * TB, 1.90 * TB),
        ("llama-3.1-70b", "full", "zero3", "optimizer", 1.13 * TB, 1.69 * TB),
        ("llama-3.1-70b", "lora", "zero3", "parameters", 0.144 * TB, 0.217 * TB),
        ("llama-2-13b", "full", "zero3", "optimizer", 208 * GB, 312 * GB),
    ],
)
def test_what_offloading_leaves_in_host_memory(model, method, sharding, offload, plain, buffers):
    """18 B a parameter, 16 with resident weights, 2 for a frozen base; 1.5 times that with buffers."""
    found = report({"model": model, "method": method}, {"sharding": sharding, "offload": offload})
    states = found.figures["ram.needed"].parts["offloaded states"][0]
    assert states == pytest.approx(plain, rel=0.01)
    assert states * table.BUFFERS == pytest.approx(buffers, rel=0.01)


def test_the_guide_s_256_gb_hold_a_frozen_base_and_nothing_else():
    frozen = report({"method": "lora"}, {"sharding": "zero3", "offload": "parameters", "ram": "256GB"})
    assert frozen.value("ram.needed") < 256 * 2**30
    full = report({}, {"sharding": "zero3", "offload": "parameters", "ram": "256GB"})
    assert full.value("ram.needed") > 4.5 * 256 * 2**30


def test_deepspeed_s_own_estimate_of_a_small_model():
    """2,851 M parameters, everything offloaded: 18 B x 1.5 = 71.7 GiB."""
    states = host.offloaded(2851e6, 2851e6, states=16, each_gpu=0, gpus=8, nodes=1, weights=2)
    assert states * table.BUFFERS / 2**30 == pytest.approx(71.7, rel=0.001)


@pytest.mark.parametrize(
    ("name", "workload", "hardware", "runs"),
    [
        # users' reports of host memory that ran out, and of runs that fitted
        ("70B, ZeRO-3 with offload, 1 TB", {},
         {"sharding": "zero3", "offload": "parameters", "ram": "1TB"}, False),
        ("the same, 2 TB", {}, {"sharding": "fsdp", "offload": "parameters", "ram": "2TB"}, True),
        ("70B QLoRA over two cards, 128 GB", {"method": "qlora"},
         {"gpu": "rtx-3090-24gb", "gpus_per_node": 2, "sharding": "fsdp", "ram": "128GB"}, False),
        ("the same, 190 GB", {"method": "qlora"},
         {"gpu": "rtx-3090-24gb", "gpus_per_node": 2, "sharding": "fsdp", "ram": "190GB"}, True),
        ("70B LoRA, ZeRO-2 on 8, 800 GB", {"method": "lora"}, {"sharding": "zero2", "ram": "800GB"}, False),
        ("the same under ZeRO-3", {"method": "lora"}, {"sharding": "zero3", "ram": "800GB"}, True),
        ("8B, bf16, optimizer on the host of one card, 64 GB", {"model": "llama-3.1-8b"},
         {"gpus_per_node": 1, "offload": "optimizer", "ram": "64GB"}, False),
        ("the same, 96 GB", {"model": "llama-3.1-8b"},
         {"gpus_per_node": 1, "offload": "optimizer", "ram": "96GB"}, True),
        ("27B, ZeRO-3, optimizer on the host of two cards, 1.1 TB", {"model": "gemma-2-27b"},
         {"gpus_per_node": 2, "sharding": "zero3", "offload": "optimizer", "ram": "1.1TB"}, True),
        ("13B QLoRA on one card, 64 GB", {"model": "llama-2-13b", "method": "qlora"},
         {"gpus_per_node": 1, "ram": "64GB"}, True),
    ],
)  # fmt: skip
def test_reports_of_host_memory(name, workload, hardware, runs):
    found = report(workload, hardware)
    assert (found.value("ram.needed") <= found.value("ram.installed")) == runs, name


def test_a_save_of_the_whole_state_that_ran_out_of_a_terabyte_is_warned_of():
    """70B, FSDP with offload on 8 A100: trained within 1 TB, died saving; 2 TB saved."""
    for ram, severity in (("1TB", "warning"), ("2TB", "ok")):
        found = report({}, {"sharding": "fsdp", "offload": "parameters", "ram": ram})
        rule = next(one for one in found.findings if one.rule.id == "ram.comfortable")
        assert rule.severity.word == severity
    assert float(found.figures["ram.needed"].parts["saving"][0]) == pytest.approx(6 * 70.55e9, rel=0.01)


@pytest.mark.parametrize(
    ("name", "workload", "hardware"),
    [
        ("70B in fp32 by eight ranks of a node, 1 TB", {"precision": "bf16-mixed"},
         {"nodes": 2, "sharding": "fsdp", "ram": "1TB"}),
        ("70B by four ranks, 512 GB", {}, {"gpus_per_node": 4, "sharding": "zero3", "ram": "512GB"}),
    ],
)  # fmt: skip
def test_scripts_that_load_in_every_process_are_warned_of(name, workload, hardware):
    found = report(workload, hardware)
    rule = next(one for one in found.findings if one.rule.id == "ram.load")
    assert rule.severity.word == "warning", name


def test_loading_falls_to_a_quarter_when_one_of_four_ranks_loads():
    found = report({}, {"gpus_per_node": 4, "sharding": "fsdp"})
    each = found.value("ram.load_each") - table.SYSTEM
    assert each / (found.value("ram.load_peak") - table.SYSTEM) == pytest.approx(4)
    assert each == pytest.approx(564 * GB, rel=0.01)


def test_channels_times_speed():
    assert memory.bandwidth(12, 4800) == pytest.approx(460.8 * GB)
    assert memory.bandwidth(8, 6400) == pytest.approx(409.6 * GB)


def test_memory_runs_no_faster_than_the_processor_takes_it():
    server = report(hardware={"ram": "1536GB", "ram_modules": 24, "ram_speed": 6400})
    assert server.value("ram.speed") == 4800
    two_a_channel = report(hardware={"ram": "3TB", "ram_modules": 48, "ram_speed": 4800})
    assert two_a_channel.value("ram.speed") == 3600
    desktop = report(hardware={"cpu": "amd-ryzen-9-9950x", "sockets": 1, "ram": "64GB", "ram_modules": 2,
                               "ram_speed": 6000})  # fmt: skip
    assert desktop.value("ram.speed") == 6000


def test_channels_that_stay_empty_or_uneven_are_counted():
    assert memory.uneven(np.array([24.0, 16, 48, 36]), 24).tolist() == [0, 8, 0, 12]


def test_a_terabyte_does_not_divide_into_24_modules():
    sizes = np.array([0, 16, 32, 48, 64, 96, 128]) * 2.0**30
    assert memory.size_gap(sizes, 1024 / 24 * 2**30) == pytest.approx(0.125)
    assert memory.size_gap(sizes, 64 * 2**30) == 0
    assert memory.even_gap(sizes, 1536 * 2.0**30, 24) == 0
    assert memory.even_gap(sizes, 4096 * 2.0**30, 24) > 0.1


def test_lanes_of_eight_gpus_eight_cards_and_ten_drives():
    assert lanes.lanes_needed(8, 8, 10 * lanes.DRIVE_LANES) == 296


def test_two_cards_on_a_desktop_share_its_lanes():
    found = report(hardware={"gpu": "rtx-4090-24gb", "gpus_per_node": 2, "cpu": "amd-ryzen-9-9950x",
                             "sockets": 1}, storage={"data_drive": "samsung-990-pro-2tb"})  # fmt: skip
    assert found.value("cpu.lanes_needed") == 36
    assert found.value("cpu.gpu_lanes") == 8


def test_gpus_on_a_board_keep_their_lanes():
    assert report().value("cpu.gpu_lanes") == 16


def test_cores_for_processes_and_loaders():
    assert report().value("cpu.cores_min") == 28
    assert report({"dataloader_workers": 4}).value("cpu.cores_min") == 44
    assert report().value("cpu.cores_guide") == 128
    assert report(hardware={"gpus_per_node": 1}).value("cpu.cores_guide") == 32


def test_text_never_starves_eight_gpus_of_an_eight_billion_model():
    found = report({"model": "llama-3.1-8b"}, {"gpu": "h100-sxm-80gb"})
    assert found.value("cpu.feed") > 100 * found.value("cpu.feed_need")
    assert feed.feed_rate(16, 8, 0.75e6) == 6e6


def test_unified_memory_has_no_host_memory_of_its_own():
    found = report({"model": "llama-3.1-8b", "method": "qlora"},
                   {"gpu": "apple-m2-ultra-192gb", "gpus_per_node": 1, "cpu": None})  # fmt: skip
    assert found.value("ram.needed") == 0


def test_the_ratio_counts_what_labels_say():
    assert report(hardware={"ram": "2TB"}).value("ram.ratio") == pytest.approx(3.2)


def test_every_choice_has_its_row():
    for rows, names in ((table.HOST_STATES, choices.SHARDING), (table.LOADING, choices.SHARDING),
                        (table.FEEDS, choices.DATA_KINDS)):  # fmt: skip
        assert {row.id for row in rows} == set(names)
        assert all(row.source for row in rows)
