"""A rig in a few words, and what the modules on power and storage say of it."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.engine import power, runtime, storage, vram
from ftbuild.engine.core import Figure
from ftbuild.engine.evaluate import columns
from ftbuild.engine.inputs import Axis
from ftbuild.engine.judge import findings, judge
from ftbuild.engine.rules.power import POWER
from ftbuild.engine.rules.storage import STORAGE

Document = dict[str, dict[str, Any]]

WORKLOAD = {"model": "llama-3.1-8b", "method": "lora", "dataset_tokens": 1e8, "dataset_size": "400MB"}
SERVER = {
    "gpu": "h100-sxm-80gb", "gpus_per_node": 8, "cpu": "intel-xeon-platinum-8480plus", "sockets": 2,
    "ram": "2TB", "ram_modules": 32, "sharding": "fsdp",
}  # fmt: skip
NVME = {"data_drive": "samsung-pm1743-3.84tb", "data_drives": 8, "data_raid": "5"}
NDR = {"fabric": "ib-ndr-400g", "links_per_node": 8}
SIX = {"psu": "3300W", "psus_per_node": 6, "redundancy": "3+3", "efficiency": "titanium", "voltage": 208,
       "phases": 3, "circuit": "60A", "feeds": 2, "rack_limit": "17kW"}  # fmt: skip
"""An air-cooled node of eight H100 with all that a building gives it."""

TOWER: Document = {
    "hardware": {"gpu": "rtx-4090-24gb", "gpus_per_node": 2, "cpu": "amd-ryzen-9-9950x", "ram": "128GB",
                 "ram_modules": 2},
    "storage": {"data_drive": "samsung-990-pro-2tb"},
    "power": {"psu": "1600W"},
}  # fmt: skip


def document(**changed):
    """Return a server's document with sections changed: ``document(power={"psu": "2kW"})``."""
    base: Document = {
        "workload": WORKLOAD, "hardware": SERVER, "storage": NVME, "network": NDR, "power": SIX,
    }  # fmt: skip
    return {name: {**base.get(name, {}), **changed.get(name, {})} for name in {**base, **changed}}


def tower(**changed):
    """Return the document of a desktop with two RTX 4090."""
    base: Document = {"workload": {**WORKLOAD, "method": "qlora"}, **TOWER}
    return {name: {**base.get(name, {}), **changed.get(name, {})} for name in {**base, **changed}}


def say(document_, *axes):
    """Return what the two modules say: figures by id as numbers or columns, and findings by rule."""
    c = columns(builds.read(document_), load_catalog(), [Axis(*axis) for axis in axes])
    c = c.chunk(0, c.size) if axes else c
    done: dict[str, Figure] = {}
    with np.errstate(all="ignore"):
        for module in (vram, runtime, storage, power):
            done |= {figure.spec.id: figure for figure in module.figures(c, done)}
        judged = judge(c, done, (*STORAGE, *POWER))
    found = {one.rule.id: one for one in findings(c, judged)}
    return SimpleNamespace(
        c=c,
        figures=done,
        value=lambda name: float(done[name].value[0]),
        column=lambda name: np.broadcast_to(done[name].value, c.size),
        findings=found,
        severity=lambda rule: found[rule].severity.word if rule in found else "none",
    )
