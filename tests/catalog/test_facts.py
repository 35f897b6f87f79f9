"""What every row that ships must satisfy."""

import json
import re
from pathlib import Path

import pytest

from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import (
    KINDS,
    CloudPrice,
    Cpu,
    Drive,
    EfficiencyTier,
    Fabric,
    Gpu,
    MemoryModule,
    Model,
    Nic,
    Part,
    Psu,
    System,
)
from ftbuild.engine.shape import shape

CATALOG = load_catalog()
EVERY = [part for kind in KINDS for part in (*CATALOG.rows(kind), *CATALOG.claimed(kind))]
COUNTS = json.loads((Path(__file__).parent / "data" / "parameter_counts.json").read_text())["counts"]
DATE = re.compile(r"20\d\d(-\d\d(-\d\d)?)?")


@pytest.mark.parametrize(
    ("kind", "least"), [(Gpu, 40), (Cpu, 25), (Drive, 20), (Nic, 10), (Psu, 12), (System, 8), (Model, 77)]
)
def test_the_catalog_is_large_enough(kind: type[Part], least: int) -> None:
    assert len(CATALOG.rows(kind)) >= least


def test_every_row_has_a_source_and_a_date() -> None:
    assert [part.id for part in EVERY if len(part.source) < 8 or not DATE.fullmatch(part.as_of)] == []


def test_every_source_key_of_a_file_was_resolved() -> None:
    bare = [
        (part.id, part.source) for part in EVERY if any(" " not in text for text in part.source.split("; "))
    ]
    assert bare == []


def test_unverified_names_fields_that_the_row_states() -> None:
    missing = object()
    wrong = [
        (part.id, name)
        for part in EVERY
        for name in part.unverified
        if getattr(part, name, missing) in (missing, None, "", ())
    ]
    assert wrong == []


def test_every_price_has_a_date_and_a_source() -> None:
    priced = [part for part in EVERY if getattr(part, "price", None) is not None and part.kind != "rent"]
    assert [part.id for part in priced if not part.price_date or not part.price_source] == []  # type: ignore[attr-defined]  # priced parts have both


@pytest.mark.parametrize("kind", KINDS)
def test_names_and_aliases_lead_to_their_own_row(kind: type[Part]) -> None:
    for part in (*CATALOG.rows(kind), *CATALOG.claimed(kind)):
        for name in (part.id, part.id.upper(), *part.aliases):
            assert CATALOG.find(kind, name) is part, name


@pytest.mark.parametrize("kind", KINDS)
def test_every_name_leads_somewhere_or_names_its_rivals(kind: type[Part]) -> None:
    assert [part.id for part in CATALOG.rows(kind) if CATALOG.find(kind, part.name).id != part.id] == []


def test_references_lead_to_rows() -> None:
    for system in CATALOG.rows(System):
        assert CATALOG.get(Gpu, system.gpu), system.id
        assert not system.cpu or CATALOG.get(Cpu, system.cpu), system.id
    for rent in CATALOG.rows(CloudPrice):
        assert CATALOG.get(Gpu, rent.gpu), rent.id
    for fabric in CATALOG.rows(Fabric):
        assert not fabric.nic or CATALOG.get(Nic, fabric.nic), fabric.id
    tiers = {tier.id.split("-")[0] for tier in CATALOG.rows(EfficiencyTier)}
    assert {psu.tier for psu in CATALOG.rows(Psu)} <= tiers


@pytest.mark.parametrize("kind", KINDS)
def test_a_claimed_part_names_the_real_one(kind: type[Part]) -> None:
    real = {part.id for part in CATALOG.rows(kind)}
    for part in CATALOG.claimed(kind):
        assert part.claimed, part.id
        assert part.confidence == "unverified", part.id
        assert part.really in real, part.id
        assert part.notes, part.id
        assert part.id not in real, part.id
    assert not any(part.claimed or part.really for part in CATALOG.rows(kind))


@pytest.mark.parametrize(
    ("id_", "really"),
    [
        ("kioxia-cm7-v-3.84tb", "kioxia-cm7-r-3.84tb"),
        ("kioxia-cm7-v-1.92tb", "kioxia-cm7-r-1.92tb"),
        ("kioxia-cm7-v-7.68tb", "kioxia-cm7-r-7.68tb"),
    ],
)
def test_the_guides_drives_can_be_named_but_are_known_not_to_exist(id_: str, really: str) -> None:
    drive = CATALOG.find(Drive, id_)
    assert drive.claimed
    assert drive.really == really
    assert drive not in CATALOG.rows(Drive)
    assert drive not in CATALOG.search(Drive, "cm7")


def test_the_guides_epyc_has_the_cores_of_the_real_one() -> None:
    guide, real = CATALOG.find(Cpu, "amd-epyc-9684"), CATALOG.find(Cpu, "epyc 9684x")
    assert (guide.claimed, guide.really, guide.cores) == (True, real.id, real.cores) == (True, real.id, 96)


# Links. RTX 4090: gpus of the Ada generation have no NVLink connector; the stock driver refuses peer access
# over PCIe on GeForce cards (NVIDIA/nccl issues 1637 and 307). HGX H100 4-GPU is wired without NVSwitch.
@pytest.mark.parametrize("id_", ["rtx-4090-24gb", "rtx-5090-32gb", "rtx-4080-16gb"])
def test_geforce_cards_since_ada_have_neither_nvlink_nor_peer_access(id_: str) -> None:
    gpu = CATALOG.find(Gpu, id_)
    assert (gpu.link, gpu.link_bandwidth, gpu.p2p) == ("none", None, False)


@pytest.mark.parametrize("id_", ["l40s-48gb", "l40-48gb", "l4-24gb", "rtx-6000-ada-48gb"])
def test_ada_server_and_workstation_cards_have_no_nvlink(id_: str) -> None:
    assert CATALOG.find(Gpu, id_).link == "none"


@pytest.mark.parametrize("id_", ["h100-sxm-80gb", "h200-sxm-141gb", "a100-sxm-80gb"])
def test_sxm_boards_of_four_have_no_switch(id_: str) -> None:
    gpu = CATALOG.find(Gpu, id_)
    assert (gpu.boards, gpu.switched, gpu.unswitched) == ((4, 8), True, (4,))


def test_link_facts_agree_with_one_another() -> None:
    for gpu in CATALOG.rows(Gpu):
        assert (gpu.link == "none") == (gpu.link_bandwidth is None), gpu.id
        assert not gpu.switched or gpu.link.startswith("nvlink"), gpu.id
        assert set(gpu.unswitched) <= set(gpu.boards), gpu.id
        assert gpu.link_group is None or gpu.form == "pcie", gpu.id
        assert gpu.form not in ("sxm", "oam") or gpu.boards or "gh200" in gpu.id, gpu.id


@pytest.mark.parametrize(
    ("link", "rate"), [("nvlink2", 150e9), ("nvlink3", 300e9), ("nvlink4", 450e9), ("nvlink5", 900e9)]
)
def test_nvlink_rates_are_per_direction(link: str, rate: float) -> None:
    modules = [gpu for gpu in CATALOG.rows(Gpu) if gpu.link == link and gpu.form == "sxm"]
    assert modules
    assert {gpu.link_bandwidth for gpu in modules} == {rate}


def test_usable_memory_is_a_little_less_than_the_label() -> None:
    known = [gpu for gpu in CATALOG.rows(Gpu) if gpu.usable]
    least = {gpu.id: 0.65 if gpu.form == "unified" else 0.88 for gpu in known}
    assert [gpu.id for gpu in known if not least[gpu.id] < (gpu.usable or 0) / gpu.memory < 1.0] == []
    assert {"h100-sxm-80gb", "a100-sxm-80gb", "rtx-4090-24gb", "rtx-3090-24gb", "b200-sxm-192gb"} <= {
        gpu.id for gpu in known
    }


# Torch prints 79.15 GiB on A100 80 GB and 23.52 to 23.69 on 24 GB cards; a B200 offers 178.35 (pytorch/ao
# 4002).
@pytest.mark.parametrize(
    ("id_", "gib"),
    [("a100-sxm-80gb", 79.15), ("rtx-3090-24gb", 23.56), ("B200", 178.35), ("apple-m2-ultra-192gb", 144)],
)
def test_usable_memory_is_as_torch_prints_it(id_: str, gib: float) -> None:
    assert CATALOG.find(Gpu, id_).usable == pytest.approx(gib * 2**30)


def test_the_reference_card_reads_as_its_data_sheet() -> None:
    h100 = CATALOG.find(Gpu, "h100-sxm-80gb")
    assert (h100.memory, h100.bandwidth, h100.power) == (80 * 2**30, 3350e9, 700)
    assert h100.bf16 == pytest.approx(989.5e12)


def test_gpu_figures_are_within_the_field() -> None:
    for gpu in CATALOG.rows(Gpu):
        assert 8 <= gpu.memory / 2**30 <= 512, gpu.id
        assert 200e9 <= gpu.bandwidth <= 10e12, gpu.id
        assert 50 <= gpu.power <= 1500, gpu.id
        assert gpu.bf16 is None or 50e12 <= gpu.bf16 <= 3e15, gpu.id
        assert gpu.fp8 is None or (gpu.bf16 is not None and gpu.fp8 >= gpu.bf16), gpu.id


def test_cpu_figures_are_within_the_field() -> None:
    for cpu in CATALOG.rows(Cpu):
        assert 20 <= cpu.lanes <= 136, cpu.id
        assert 2400 <= cpu.memory_speed <= 8800, cpu.id
        assert cpu.memory_speed_2dpc is None or cpu.memory_speed_2dpc <= cpu.memory_speed, cpu.id
        assert cpu.overclocked is None or cpu.overclocked > cpu.memory_speed, cpu.id
        assert (cpu.sockets == 2) == (cpu.lanes_two_sockets is not None) or cpu.vendor == "NVIDIA", cpu.id


# The guide's claims about two processors against AMD's specification export of 2023-07.
def test_epyc_9654_is_rated_for_ddr5_4800() -> None:
    cpu = CATALOG.find(Cpu, "9654")
    assert (cpu.cores, cpu.threads, cpu.channels, cpu.memory_speed) == (96, 192, 12, 4800)
    assert (cpu.base_ghz, cpu.boost_ghz) == (2.4, 3.7)


# PCI Express carries 985 MB/s a lane in generation 3, doubling each generation; SATA 0.6 GB/s.
def test_no_drive_reads_faster_than_its_link() -> None:
    for drive in CATALOG.rows(Drive):
        link = 0.985e9 * 2 ** ((drive.pcie_gen or 0) - 3) * (drive.pcie_lanes or 0)
        assert drive.read <= (link if drive.interface == "nvme" else 0.6e9), drive.id


def test_rated_bytes_written_agree_with_writes_per_day() -> None:
    for drive in CATALOG.rows(Drive):
        if drive.tbw and drive.dwpd:
            days = 365 * drive.warranty_years
            assert drive.tbw == pytest.approx(drive.dwpd * drive.capacity * days, rel=0.03), drive.id


def test_memory_modules_come_in_sizes_that_exist() -> None:
    assert {round(module.capacity / 2**30) for module in CATALOG.rows(MemoryModule)} <= {
        8, 16, 24, 32, 48, 64, 96, 128, 256,
    }  # fmt: skip


def test_fabric_ids_are_those_that_a_build_may_name() -> None:
    assert {fabric.id for fabric in CATALOG.rows(Fabric)} == {
        "none", "eth-10g", "eth-25g", "eth-100g", "roce-100g", "roce-200g", "roce-400g", "ib-hdr-200g",
        "ib-ndr-400g", "ib-xdr-800g", "efa-v2", "efa-v3", "uec-400g",
    }  # fmt: skip


@pytest.mark.parametrize(("id_", "share"), [("ib-ndr-400g", 0.03), ("roce-200g", 0.08), ("eth-100g", 0.25)])
def test_the_guides_network_overheads_are_kept_as_claims(id_: str, share: float) -> None:
    assert CATALOG.find(Fabric, id_).guide_overhead == share


# 80 PLUS, 230 V redundant: Platinum 90/94/91 and Titanium 90/94/96/91 per cent.
def test_supply_efficiencies_are_those_of_the_certificate() -> None:
    platinum, titanium = (
        CATALOG.find(EfficiencyTier, "platinum-230"),
        CATALOG.find(EfficiencyTier, "titanium-230"),
    )
    assert (platinum.loads, platinum.efficiency) == ((0.2, 0.5, 1.0), (0.9, 0.94, 0.91))
    assert (titanium.loads, titanium.efficiency) == ((0.1, 0.2, 0.5, 1.0), (0.9, 0.94, 0.96, 0.91))


@pytest.mark.parametrize("model", CATALOG.rows(Model), ids=lambda model: model.id)
def test_a_models_architecture_counts_to_its_parameters(model: Model) -> None:
    total = shape(model).total
    assert total - model.vision == COUNTS[model.id]
    assert model.published is None or total == model.published
