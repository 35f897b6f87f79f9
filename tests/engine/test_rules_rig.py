"""Each rule on hosts, links, time and money fires where it should, and nowhere else."""

import pytest

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.engine.evaluate import evaluate
from ftbuild.engine.rules.cost import COST
from ftbuild.engine.rules.host import HOST
from ftbuild.engine.rules.network import NETWORK
from ftbuild.engine.rules.time import TIME

CATALOG = load_catalog()

SERVER = {
    "workload": {"model": "llama-3.1-8b", "method": "lora", "framework": "torchtune", "dataset_tokens": 1e8,
                 "sequence_length": 4096},
    "hardware": {"gpu": "h100-sxm-80gb", "gpus_per_node": 8, "cpu": "amd-epyc-9654", "sockets": 2,
                 "ram": "3TB", "ram_modules": 24, "ram_speed": 4800, "sharding": "ddp"},
}  # fmt: skip
"""A build that no rule of these areas says more than a notice of."""

TWO_NODES = {"hardware": {"nodes": 2}, "network": {"fabric": "ib-ndr-400g", "links_per_node": 8}}
DESKTOP = {"hardware": {"gpu": "rtx-4090-24gb", "gpus_per_node": 1, "cpu": "amd-ryzen-9-9950x", "sockets": 1,
                        "ram": "96GB", "ram_modules": 2, "ram_speed": 5600}}  # fmt: skip


def merged(*documents):
    whole: dict[str, dict[str, object]] = {}
    for document in documents:
        for section, keys in document.items():
            whole[section] = {**whole.get(section, {}), **keys}
    return {section: {key: value for key, value in keys.items() if value is not None}
            for section, keys in whole.items()}  # fmt: skip


def finding(rule, *documents):
    report = evaluate(builds.read(merged(SERVER, *documents)), CATALOG)
    return next((one for one in report.findings if one.rule.id == rule), None)


def hardware(**keys):
    return {"hardware": keys}


def workload(**keys):
    return {"workload": keys}


CASES = {
    "ram.needed": ("violation", [hardware(ram="16GB", ram_modules=None)], []),
    "ram.comfortable": ("warning", [workload(method="full"), hardware(
        ram="192GB", ram_modules=24, offload="optimizer", sharding="zero3")], []),
    "ram.load": ("warning", [workload(model="llama-3.1-70b"), hardware(ram="768GB", sharding="fsdp")],
                 [workload(model="llama-3.1-70b"), hardware(sharding="fsdp")]),
    "ram.ratio": ("warning", [hardware(ram="768GB")], []),
    "ram.ratio_better": ("notice", [hardware(ram="1536GB")], [hardware(gpu="a100-sxm-40gb")]),
    "ram.speed": ("warning", [hardware(ram_speed=6400)], []),
    "ram.dpc": ("notice", [hardware(ram_modules=48)], []),
    "ram.channels": ("warning", [hardware(ram_modules=16, ram="2TB")], []),
    "ram.modules": ("violation", [hardware(ram="1TB")], []),
    "ram.even": ("warning", [hardware(ram="4TB", ram_modules=None)], [hardware(ram_modules=None)]),
    "ram.capacity": ("violation", [DESKTOP, hardware(ram="256GB", ram_modules=4)], []),
    "cpu.cores_least": ("violation", [DESKTOP, hardware(gpus_per_node=16)], []),
    "cpu.cores_min": ("warning", [DESKTOP, hardware(gpus_per_node=8)], []),
    "cpu.cores": ("warning", [DESKTOP], []),
    "cpu.clock": ("warning", [{"limits": {"cpu.clock": "4 GHz"}}],
                  [DESKTOP, {"limits": {"cpu.clock": "4 GHz"}}]),
    "cpu.feed": ("violation", [DESKTOP, workload(data="video", model="Qwen/Qwen2.5-0.5B", sequence_length=512,
                                                 micro_batch=16), hardware(gpus_per_node=12)], []),
    "cpu.lanes": ("warning", [DESKTOP, hardware(gpus_per_node=2)], [DESKTOP]),
    "cpu.gpu_lanes": ("warning", [DESKTOP, hardware(gpus_per_node=2, sharding="fsdp")],
                      [hardware(gpu="l40s-48gb", gpus_per_node=4, sharding="fsdp")]),
    "cpu.sockets": ("violation", [DESKTOP, hardware(sockets=2)], []),
    "cpu.claimed": ("warning", [hardware(cpu="amd-epyc-9684")], []),
    "gpu.claimed": ("warning", [hardware(gpu="apple-m4-ultra-192gb", gpus_per_node=1)], []),
    "model.claimed": ("notice", [workload(model="Llama 3 405B")], []),
    "network.joined": ("violation", [hardware(nodes=2)], [TWO_NODES]),
    "network.overhead": ("warning", [hardware(gpu="l40s-48gb", sharding="fsdp")], []),
    "network.stalled": ("violation", [TWO_NODES, workload(method="full"), hardware(sharding="fsdp"),
                                      {"network": {"fabric": "eth-25g", "links_per_node": 1}}], [TWO_NODES]),
    "network.guide": ("notice", [TWO_NODES, workload(method="full"), hardware(sharding="fsdp"),
                                 {"network": {"links_per_node": 2}}], [TWO_NODES]),
    "network.nvlink_absent": ("violation", [DESKTOP, hardware(gpus_per_node=2, gpu_link="nvlink")], []),
    "network.p2p": ("notice", [DESKTOP, hardware(gpus_per_node=2)], [hardware(gpu="l40s-48gb")]),
    "network.nvlink_need": ("warning", [hardware(gpu="l40s-48gb", sharding="zero3")],
                            [hardware(gpu="l40s-48gb")]),
    "network.tensor_scope": ("warning", [TWO_NODES, hardware(tensor_parallel=16)],
                             [TWO_NODES, hardware(tensor_parallel=8)]),
    "network.cards": ("warning", [TWO_NODES, hardware(sharding="fsdp"), {"network": {"links_per_node": 4}}],
                      [TWO_NODES, hardware(sharding="fsdp")]),
    "network.tcp": ("warning", [TWO_NODES, hardware(sharding="fsdp"), {"network": {"fabric": "eth-100g"}}],
                    [TWO_NODES, hardware(sharding="fsdp")]),
    "network.oversubscription": (
        "warning", [TWO_NODES, hardware(sharding="fsdp"), {"network": {"oversubscription": 2}}],
        [TWO_NODES, hardware(sharding="fsdp")]),
    "network.lora_sharded": ("notice", [hardware(sharding="fsdp")], []),
    "network.board": ("warning", [hardware(gpus_per_node=6)], []),
    "network.switch_absent": ("warning", [hardware(gpus_per_node=4, gpu_link="nvswitch")],
                              [hardware(gpu_link="nvswitch")]),
    "gpu.fp8": ("warning", [workload(precision="fp8"), hardware(gpu="a100-sxm-80gb")],
                [workload(precision="fp8")]),
    "gpu.capability": ("warning", [hardware(gpu="t4-16gb")], [hardware(gpu="a100-sxm-80gb")]),
    "model.context": ("notice", [workload(sequence_length=200_000)], []),
    "time.small_batch": ("warning", [workload(sequence_length=128)], []),
    "time.qlora": ("notice", [workload(method="qlora", sequence_length=512)],
                   [workload(method="qlora", micro_batch=8)]),
    "time.recompute": ("notice", [], [workload(checkpointing="none")]),
    "time.offload": ("warning", [workload(method="full"), hardware(sharding="zero3", offload="optimizer"),
                                 workload(gradient_accumulation=1)], []),
    "time.padding": ("warning", [workload(packing=False, micro_batch=4, tokens_per_sample=512, samples=1e4)],
                     [workload(packing=False)]),
    "time.objective": ("notice", [workload(objective="dpo")], []),
    "time.replicas": ("notice", [hardware(sharding="none")], []),
    "time.guide": ("notice", [workload(model="llama-2-7b"), hardware(gpus_per_node=1),
                              {"limits": {"time.guide": 1e6}}],
                   [workload(model="llama-2-7b"), hardware(gpus_per_node=1)]),
    "cost.unknown": ("notice", [], [{"limits": {"cost.unknown": 1}}]),
    "cost.quote": ("warning", [{"cost": {"quote": 175_000}}], [{"cost": {"quote": 400_000}}]),
    "cost.power_cooling": ("warning", [DESKTOP, {"cost": {"hours_per_week": 168}}], []),
    "cost.break_even": ("notice", [{"cost": {"rent": 1.5, "hours_per_week": 10}}],
                        [{"cost": {"rent": 4, "hours_per_week": 160}}]),
    "cost.rent_price": ("warning", [{"cost": {"rent": 0.2}}], [{"cost": {"rent": 3}}]),
}  # fmt: skip
"""Severity, what makes it fire and what does not, laid over `SERVER`."""


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_fires_and_does_not(rule):
    severity, fires, clear = CASES[rule]
    found = finding(rule, *fires)
    assert found is not None and found.severity.word == severity
    assert not found.unknown
    other = finding(rule, *clear)
    assert other is None or other.severity.word == "ok"


def test_every_rule_of_these_areas_is_held():
    assert {rule.id for rules in (HOST, NETWORK, TIME, COST) for rule in rules} == set(CASES)


@pytest.mark.parametrize("rule", [rule for rules in (HOST, NETWORK, TIME, COST) for rule in rules],
                         ids=lambda rule: rule.id)  # fmt: skip
def test_a_rule_says_what_it_is_for(rule):
    assert rule.fields and rule.source and rule.doc
    assert all(key in builds.FIELDS or key == "cost.price" for key in rule.fields)


def test_the_guide_s_minima_are_violations_where_a_build_asks_for_its_profile():
    strict = {"limits": {"profile": "guide"}}
    assert finding("cpu.cores", DESKTOP, strict).severity.word == "violation"
    assert finding("ram.ratio", hardware(ram="768GB"), strict).severity.word == "violation"
    assert finding("cpu.clock", strict).severity.word == "violation"


def test_a_missed_guide_minimum_counts_where_the_need_is_missed_too():
    assert finding("ram.ratio", hardware(ram="16GB", ram_modules=None)).severity.word == "violation"


def test_a_rented_machine_needs_no_whole_board():
    rented = {"cost": {"rent": 2.0}}
    assert finding("network.board", hardware(gpus_per_node=1), rented) is None
    assert finding("ram.even", hardware(ram="225GB", ram_modules=None), rented) is None
