"""Each rule on storage and checkpoints fires where it should, and nowhere else."""

import pytest

from ftbuild.engine.rules.storage import STORAGE
from tests.engine.rig import document, say, tower

GOOD = document()
FULL = {"method": "full", "framework": "deepspeed"}
SATA = {"data_drive": "samsung-pm893-3.84tb", "data_drives": 1, "data_raid": "none"}
VIDEO = {
    "data": "video",
    "dataset_size": "40TB",
    "samples": 1e6,
    "tokens_per_sample": 1000,
    "dataset_tokens": None,
}
NVME = {
    "workload": {**FULL, "gradient_accumulation": 1},
    "hardware": {"offload": "nvme", "sharding": "zero3"},
}


def video(**changed):
    """Return a server that reads videos of 40 MB, which need gigabytes a second."""
    workload = {key: value for key, value in document()["workload"].items() if key != "dataset_tokens"}
    base = document(**changed)
    base["workload"] = {**workload, **VIDEO}
    return base


LARGE = {"dataset_size": "60GB", "dataset_tokens": 15e9}
OFTEN = {"checkpoint_every": "60s"}
ASYNC = {"checkpoint_async": True}
STAGED = {"shared": "nfs", "staged": True}

FIRING = {
    "storage.raid_even": ("violation", document(storage={"data_raid": "10", "data_drives": 5}),
                          document(storage={"data_raid": "10", "data_drives": 6})),
    "storage.load": ("notice", document(workload={"model": "llama-3.1-405b"}, storage=SATA), GOOD),
    "checkpoint.cache": ("warning", tower(workload={**FULL, "model": "llama-3.1-70b"}),
                         tower(workload=FULL)),
    "storage.read_need": ("violation", video(storage=SATA), GOOD),
    "storage.read": ("warning", document(workload=LARGE, storage=SATA),
                     document(workload=LARGE)),
    "storage.read_better": (
        "notice", document(workload=LARGE, storage={**SATA, "data_drive": "samsung-990-pro-4tb"}),
        document(workload=LARGE),
    ),
    "storage.random_read_need": ("violation", document(storage={"measured": {"random_read_iops": 1}}), GOOD),
    "storage.random_read": ("warning", document(storage=SATA), GOOD),
    "storage.shared_fs": (
        "warning", video(storage={"shared": "nfs"}), video(storage=STAGED)
    ),
    "storage.shared_text": (
        "notice", document(storage={"shared": "cifs"}), document(storage={"shared": "cifs", "staged": True})
    ),
    "storage.stage": (
        "warning",
        document(workload={"dataset_size": "1TB", "dataset_tokens": 1e8}, storage=STAGED,
                 network={"fabric": "eth-10g", "links_per_node": 1}),
        document(storage=STAGED),
    ),
    "storage.capacity": ("violation", document(workload={"dataset_size": "90TB"}), GOOD),
    "storage.claimed": ("warning", document(storage={"data_drive": "kioxia-cm7-v-3.84tb"}), GOOD),
    "storage.sheet": (
        "warning",
        {**document(storage={"data_drive": "acme-impossible"}), "catalog": {"drive": [{
            "id": "acme-impossible", "name": "Acme", "vendor": "Acme", "interface": "nvme", "form": "M.2",
            "pcie_gen": 4, "pcie_lanes": 4, "capacity": 2, "read": 14, "write": 7, "read_iops": 1e6,
            "grade": "consumer", "dwpd": 1, "source": ["me"], "as_of": "2026", "confidence": "user",
        }]}},
        GOOD,
    ),
    "storage.sata": ("warning", video(storage=SATA), document(storage=SATA)),
    "storage.cached": ("notice", document(workload={"dataset_size": "2TB"}), GOOD),
    "checkpoint.write_time": (
        "violation", tower(workload={**FULL, **OFTEN}), tower(workload=OFTEN)
    ),
    "checkpoint.stall": ("warning", tower(workload=FULL),
                         tower(workload={**FULL, "checkpoint_every": "12h"})),
    "checkpoint.interval": ("notice", document(workload={"checkpoint_every": "30d"}), GOOD),
    "checkpoint.space": ("violation", tower(workload={**FULL, "checkpoints_kept": 30}), tower(workload=FULL)),
    "checkpoint.copy": (
        "warning", tower(workload={**FULL, **ASYNC}), tower(workload=ASYNC)
    ),
    "checkpoint.unsafe": ("warning", document(storage={"data_raid": "0"}), GOOD),
    "storage.wear": (
        "violation", tower(workload={**FULL, "checkpoint_every": "10min"}), tower(workload={"method": "lora"})
    ),
    "storage.offload_wear": ("violation", document(**NVME), GOOD),
    "storage.offload": (
        "warning", document(**NVME),
        document(workload={"method": "lora", "micro_batch": 16},
                 hardware={"offload": "nvme", "sharding": "zero3"}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", FIRING)
def test_a_rule_fires(rule):
    severity, fires, _ = FIRING[rule]
    assert say(fires).severity(rule) == severity


@pytest.mark.parametrize("rule", FIRING)
def test_a_rule_does_not_fire_on_a_rig_that_keeps_it(rule):
    _, _, clear = FIRING[rule]
    assert say(clear).severity(rule) in ("ok", "none")


def test_every_rule_is_held_by_these_tests():
    assert {rule.id for rule in STORAGE} == set(FIRING)


def test_the_guides_minimum_is_softened_where_the_need_is_met_and_stands_where_it_is_not():
    soft = say(FIRING["storage.read"][1]).findings["storage.read"]
    assert soft.softened
    assert say(video(storage=SATA)).severity("storage.read") == "violation"


def test_the_guides_minimum_is_a_violation_where_the_need_is_unknown():
    unknown = video(storage=SATA)
    del unknown["workload"]["samples"]
    rig = say(unknown)
    assert rig.findings["storage.read_need"].unknown
    assert rig.severity("storage.read") == "violation"


def test_the_guides_minimum_is_not_asked_of_small_sets_of_text():
    assert say(document(storage=SATA)).severity("storage.read") == "none"


def test_a_little_more_than_the_need_is_tight():
    needed = say(GOOD).value("storage.read_need")
    rig = say(document(storage={"measured": {"read": f"{needed * 1.5:.0f} B/s"}}))
    assert rig.severity("storage.read_need") == "warning"


@pytest.mark.parametrize("rule", ["storage.read_need", "storage.capacity", "checkpoint.write_time"])
def test_without_drives_it_is_unknown_and_not_a_violation(rule):
    finding = say({**GOOD, "storage": {}}).findings[rule]
    assert finding.unknown
    assert finding.severity.word == "ok"
