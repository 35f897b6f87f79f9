"""Each rule on GPU memory fires where it should, and nowhere else."""

import pytest

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.engine.evaluate import evaluate


def finding(rule, workload=None, hardware=None):
    document = {
        "workload": {"model": "llama-3.1-8b", "method": "qlora", **(workload or {})},
        "hardware": {"gpu": "h100-sxm-80gb", **(hardware or {})},
    }
    report = evaluate(builds.read(document), load_catalog())
    return next((one for one in report.findings if one.rule.id == rule), None)


@pytest.mark.parametrize(
    ("rule", "severity", "fires", "clear"),
    [
        ("vram.fits", "violation", {"workload": {"method": "full", "micro_batch": 8}}, {}),
        ("vram.comfortable", "warning", {"workload": {"method": "full"}}, {}),
        ("vram.guide", "notice", {}, {"workload": {"method": "full", "checkpointing": "none", "loss": "fused",
                                                   "optimizer": "sgd", "sequence_length": 128}}),
        ("vram.guide_table", "notice", {"workload": {"micro_batch": 4}},
         {"workload": {"sequence_length": 256, "loss": "fused"}}),
        ("vram.unsharded", "notice", {"hardware": {"sharding": "zero3"}}, None),
        ("vram.two_bit", "warning", {"workload": {"quantization": "2bit"}}, {}),
    ],
)  # fmt: skip
def test_a_rule_fires_and_does_not(rule, severity, fires, clear):
    assert finding(rule, **fires).severity.word == severity
    found = None if clear is None else finding(rule, **clear)
    assert found is None or found.severity.word == "ok"


def test_a_build_that_does_not_fit_is_not_called_tight_as_well():
    assert finding("vram.comfortable", {"method": "full", "micro_batch": 8}) is None


def test_sharding_over_two_gpus_is_not_remarked_on():
    assert finding("vram.unsharded", hardware={"sharding": "zero3", "gpus_per_node": 2}) is None


def test_memory_that_a_display_holds_is_taken_off():
    alone = finding("vram.fits")
    shared = finding("vram.fits", hardware={"vram_reserved": "2GB"})
    assert alone.limit - shared.limit == 2 * 2**30
