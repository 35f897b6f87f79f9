"""Collectives, strategies and the guide's three overheads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftbuild import build as builds
from ftbuild.build import choices
from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import Gpu
from ftbuild.engine import links, network
from ftbuild.engine.evaluate import evaluate
from ftbuild.engine.tables import network as table

CATALOG = load_catalog()


def report(workload=None, hardware=None, fabric="ib-ndr-400g", **more):
    document = {
        "workload": {"model": "llama-3.1-70b", "method": "full", "framework": "torchtune",
                     "gradient_accumulation": 1, **(workload or {})},
        "hardware": {"gpu": "h100-sxm-80gb", "nodes": 4, "gpus_per_node": 8, "sharding": "fsdp",
                     **(hardware or {})},
        "network": {"fabric": fabric, "links_per_node": 8, **more},
    }  # fmt: skip
    return evaluate(builds.read(document), CATALOG)


def test_a_ring_of_one_sends_nothing_and_a_long_one_twice_the_payload():
    assert network.ring_time(1e9, 1, 1e11, 2) == 0
    assert network.ring_time(1e9, 1e9, 1e11, 2) == pytest.approx(2 * 1e9 / 1e11)


def test_latency_and_bandwidth_of_eight_h200():
    """nccl-tests over NVLink 4: t = 42 us + S / 249 GB/s, as all-reduces of 8 GPUs took."""
    hop = links.LINKS["nvlink4"].latency
    rate = links.LINKS["nvlink4"].share * 450e9
    for size in (1e6, 1e7, 1e8, 1e9):
        measured = 42e-6 + size / 249e9
        assert 1 / 1.4 < network.ring_time(size, 8, rate, 2, hop) / measured < 1.4


@given(st.floats(1e6, 1e12), st.integers(2, 4096), st.floats(1e9, 1e12))
def test_a_collective_grows_with_payload_and_ranks(payload, ranks, rate):
    time = network.ring_time(payload, ranks, rate, 1, 1e-6)
    assert time < network.ring_time(payload * 2, ranks, rate, 1, 1e-6)
    assert time < network.ring_time(payload, ranks + 1, rate, 1, 1e-6)
    assert time > network.ring_time(payload, ranks, rate * 2, 1, 1e-6)


@given(st.floats(0, 1e3), st.floats(1e-3, 1e3), st.floats(0, 1))
def test_what_shows_is_no_more_than_what_is_sent(communication, compute, hidden):
    shown = network.exposed_time(communication, compute, hidden)
    assert 0 <= shown <= communication * (1 + 1e-12)
    assert 0 <= network.overhead(shown, compute) < 1


@pytest.mark.parametrize(
    ("fabric", "ours", "guide"),
    [("ib-ndr-400g", 0.058, 0.03), ("roce-200g", 0.103, 0.08), ("eth-100g", 0.216, 0.25)],
)
def test_the_guide_s_overheads_come_out_for_full_sharding_at_4096_tokens(fabric, ours, guide):
    """4 nodes of 8 H100, one card a GPU, HFU 0.42, 70 % hidden."""
    found = report(fabric=fabric)
    assert found.value("network.overhead") == pytest.approx(ours, abs=0.012)
    assert found.value("network.overhead") == pytest.approx(guide, abs=0.04)
    assert found.value("network.guide_overhead") == guide


def test_overhead_falls_with_tokens_and_bandwidth_and_grows_with_nodes():
    tokens = [report({"micro_batch": size}).value("network.overhead") for size in (1, 2, 4)]
    assert tokens == sorted(tokens, reverse=True)
    rate = [
        report(fabric=name).value("network.overhead") for name in ("eth-100g", "roce-200g", "ib-ndr-400g")
    ]
    assert rate == sorted(rate, reverse=True)
    nodes = [report(hardware={"nodes": n}).value("network.overhead") for n in (2, 4, 16)]
    assert nodes == sorted(nodes)


def test_adapters_with_plain_data_parallelism_need_no_fast_network():
    found = report({"model": "llama-3.1-8b", "method": "lora"}, {"sharding": "ddp"}, fabric="eth-100g")
    assert found.value("network.overhead") < 0.005


def test_adapters_on_a_sharded_base_pay_for_the_base():
    sharded = report({"method": "lora"})
    assert sharded.value("network.overhead") > 20 * report({"method": "lora"}, {"sharding": "ddp"}).value(
        "network.overhead"
    )


def test_volume_of_full_sharding_is_three_times_the_weights():
    found = report()
    weights = 2 * found.value("vram.params")
    assert found.value("network.volume") == pytest.approx(3 * weights * 31 / 32, rel=1e-3)


def test_accumulation_spares_plain_data_parallelism_only():
    for sharding, grows in (("ddp", 1), ("fsdp", 8)):
        one = report(hardware={"sharding": sharding}).value("network.volume")
        many = report({"gradient_accumulation": 8}, {"sharding": sharding}).value("network.volume")
        assert many / one == pytest.approx(grows)


def test_one_card_a_node_starves_full_sharding():
    assert report(links_per_node=1).value("network.overhead") > 0.25


def test_tensor_parallelism_sends_activations_in_every_layer():
    """70B, 8 ways, 4,096 tokens: 80 x 6 x 1.75 x 67 MB = 56 GB with recomputation."""
    found = report(hardware={"tensor_parallel": 8})
    sent = float(found.figures["network.volume"].parts["tensor and expert parallel"][0])
    assert sent == pytest.approx(80 * 6 * 1.75 * 2 * 4096 * 8192, rel=1e-6)


def test_a_pipeline_sends_thousands_of_times_less():
    found = report(hardware={"pipeline_parallel": 4})
    sent = float(found.figures["network.volume"].parts["other activations"][0])
    assert sent == pytest.approx(2 * 2 * 4096 * 8192)


def test_one_gpu_has_nothing_to_send():
    found = report(hardware={"nodes": 1, "gpus_per_node": 1}, fabric="none")
    assert found.value("network.overhead") == found.value("network.time") == 0


def test_nodes_without_a_network_have_no_overhead_but_a_fault():
    found = report(fabric="none")
    assert np.isnan(found.value("network.overhead")) and np.isnan(found.value("time.step"))
    assert found.value("network.unjoined") == 3


def test_links_in_a_node():
    gb = 1e9
    inside = {
        ("h100-sxm-80gb", "auto", 8): 364, ("h100-sxm-80gb", "pcie", 8): 48,
        ("rtx-4090-24gb", "nvlink", 2): 8,
        ("h100-pcie-80gb", "auto", 2): 243, ("h100-pcie-80gb", "auto", 4): 48, ("l40s-48gb", "auto", 4): 24,
        ("mi300x-oam-192gb", "auto", 8): 314, ("mi300x-oam-192gb", "auto", 2): 45,
    }  # fmt: skip
    for (gpu, link, count), rate in inside.items():
        hardware = {"gpu": gpu, "gpu_link": link, "gpus_per_node": count, "nodes": 1}
        found = report(hardware=hardware, fabric="none").value("network.inside")
        assert found / gb == pytest.approx(rate, rel=0.02), (gpu, link, count)


def test_every_choice_and_link_has_its_row():
    assert {row.id for row in table.TRAFFIC} == set(choices.SHARDING)
    assert {gpu.link for gpu in CATALOG.rows(Gpu)} <= set(links.LINKS)
    assert all(row.source for rows in (table.TRAFFIC, table.GPU_LINKS, table.PCIE) for row in rows)
