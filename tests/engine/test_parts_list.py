"""The rig's parts: counted over all nodes, priced by quote or catalog, never zero for want of a price."""

import numpy as np

from ftbuild import build as builds
from ftbuild.catalog import load_catalog
from ftbuild.engine.inputs import Axis, Columns
from ftbuild.engine.parts_list import lines


def build(price=None, **tables):
    document = {"workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "h100-sxm-80gb"}, **tables}
    if price:
        document["cost"] = {"price": price}
    return builds.read(document)


def parts(price=None, axes=(), **tables):
    c = Columns(build(price, **tables), load_catalog(), axes)
    return {line.id: line for line in lines(c.chunk(0, c.size) if axes else c)}


SERVER = {
    "hardware": {
        "gpu": "h100-sxm-80gb", "gpus_per_node": 8, "nodes": 4, "cpu": "amd-epyc-9654", "sockets": 2,
        "ram": "1536GB", "ram_modules": 24, "ram_speed": 4800,
    },
    "network": {"fabric": "ib-ndr-400g", "links_per_node": 8},
    "power": {"psu": "3000W", "psus_per_node": 6, "racks": 4, "feeds": 2},
}  # fmt: skip


def test_typed_parts_are_counted_over_all_nodes():
    found = parts(**SERVER)
    counts = {name: line.count[0] for name, line in found.items() if not line.implied}
    assert counts["h100-sxm-80gb"] == 32
    assert counts["amd-epyc-9654"] == 8
    assert counts["ddr5-rdimm-64gb-4800"] == 96
    assert counts["connectx-7-400g"] == 32
    assert counts["server-3000-platinum"] == 24


def test_parts_that_nobody_typed_are_named_with_their_assumption():
    found = parts(**SERVER)
    for name, count in {"gpu-baseboard": 4, "server-chassis": 4, "cpu-heatsink": 8, "link-cable": 32,
                        "switch-port": 32, "rack-pdu": 8, "boot-drive": 4}.items():  # fmt: skip
        assert found[name].count[0] == count
        assert found[name].implied and found[name].assumption
    assert found["workstation-chassis"].count[0] == 0


def test_two_nodes_are_joined_without_a_switch():
    tables = {**SERVER, "hardware": {**SERVER["hardware"], "nodes": 2}}
    found = parts(**tables)
    assert found["switch-port"].count[0] == 0
    assert found["link-cable"].count[0] == 8


def test_a_node_alone_has_a_cable_for_each_link_to_a_switch():
    tables = {**SERVER, "hardware": {**SERVER["hardware"], "nodes": 1}}
    cable = parts(**tables)["link-cable"]
    assert cable.count[0] == 8
    assert "a node alone too" in cable.assumption


def test_what_draws_power_that_nobody_states_is_unknown_and_not_nothing():
    found = parts(**SERVER)
    assert all(np.isnan(found[name].power[0]) for name in ("server-chassis", "gpu-baseboard", "boot-drive"))
    assert found["cold-plate"].power[0] == 0


def test_a_desktop_has_a_case_and_no_rack_distribution():
    found = parts(hardware={"gpu": "rtx-4090-24gb", "cpu": "amd-ryzen-9-9950x"})
    assert found["workstation-chassis"].count[0] == 1
    assert found["server-chassis"].count[0] == found["rack-pdu"].count[0] == 0
    assert found["gpu-baseboard"].count[0] == 0


def test_a_machine_in_one_piece_is_one_line():
    found = parts(hardware={"gpu": "apple-m2-ultra-192gb"})
    assert [name for name, line in found.items() if line.count[0]] == ["apple-m2-ultra-192gb"]


def test_liquid_cooling_replaces_heatsinks_by_cold_plates():
    tables = {**SERVER, "power": {"cooling": "dlc+rdhx", "racks": 2}}
    found = parts(**tables)
    assert found["cold-plate"].count[0] == 40
    assert found["cpu-heatsink"].count[0] == 0
    assert found["rear-door"].count[0] == 2


def test_quotes_win_over_the_catalog_and_what_nobody_knows_stays_unknown():
    found = parts(price={"H100": 28500, "server-chassis": 9000}, **SERVER)
    assert found["h100-sxm-80gb"].price[0] == 28500 and found["h100-sxm-80gb"].quoted
    assert found["server-chassis"].price[0] == 9000
    assert found["amd-epyc-9654"].price[0] == 11805 and found["amd-epyc-9654"].price_date == "2023-07"
    assert np.isnan(found["boot-drive"].price[0])


def test_a_quoted_module_and_supply_are_found_by_their_id():
    found = parts(price={"ddr5-rdimm-64gb-4800": 350, "server-3000-platinum": 700}, **SERVER)
    assert found["ddr5-rdimm-64gb-4800"].price[0] == 350
    assert found["server-3000-platinum"].price[0] == 700


def test_a_grid_says_the_same_as_single_builds():
    axes = (Axis("hardware.gpu", ("h100-sxm-80gb", "rtx-4090-24gb", "mi300x-oam-192gb")),
            Axis("hardware.ram_modules", (12, 16)))  # fmt: skip
    grid = parts(axes=axes, price={"mi300x": 12000}, **SERVER)
    index = 0
    for gpu in axes[0].values:
        for modules in axes[1].values:
            hardware = {**SERVER["hardware"], "gpu": gpu, "ram_modules": modules}
            one = list(parts(price={"mi300x": 12000}, **{**SERVER, "hardware": hardware}).values())
            for line, alone in zip(grid.values(), one, strict=True):
                count, price = np.broadcast_arrays(line.count, line.price, np.zeros(6))[:2]
                assert count[index] == alone.count[0], line.id
                np.testing.assert_equal(price[index], alone.price[0])
            index += 1
