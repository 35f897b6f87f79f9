"""Arrays, checkpoints, wear and read needs against hand calculations and published tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftbuild.build import choices
from ftbuild.engine.storage import array, checkpoint, need
from ftbuild.engine.tables import storage as table
from tests.engine.rig import document, say, tower

HOUR = 3600.0
FULL = {"method": "full", "framework": "deepspeed", "precision": "bf16", "optimizer": "adamw"}


@pytest.mark.parametrize(("generation", "rate"), [(3, 3.94e9), (4, 7.88e9), (5, 15.75e9)])
def test_four_lanes_of_a_generation(generation, rate):
    assert array.link(generation, 4) == pytest.approx(rate, rel=0.002)


def test_a_drive_reads_no_faster_than_its_link():
    assert array.of_drive(14e9, array.link(5, 4)) == 14e9
    assert array.of_drive(14e9, array.link(4, 4)) == pytest.approx(0.92 * 7.877e9, rel=0.001)
    assert array.of_drive(0.55e9, array.link(np.nan, np.nan)) == 0.55e9


@pytest.mark.parametrize(
    ("level", "drives", "read", "write", "capacity", "survives"),
    [("0", 4, 4, 4, 4, 0), ("1", 2, 2, 1, 1, 1), ("10", 4, 4, 2, 2, 1), ("5", 4, 3, 3, 3, 1),
     ("6", 6, 4, 4, 4, 2), ("none", 3, 1, 1, 3, 0)],
)  # fmt: skip
def test_levels_give_their_drives_worth(level, drives, read, write, capacity, survives):
    row = next(one for one in table.RAID if one.id == level)
    assert array.drives_worth(drives, row.read, row.read_fixed) == read
    assert array.drives_worth(drives, row.write, row.write_fixed) == write
    assert array.drives_worth(drives, row.capacity, row.capacity_fixed) == capacity
    assert row.survives == survives


def test_four_cm7_in_raid_0_read_between_what_was_measured_and_nine_tenths_of_the_sheet():
    """4 x 14 GB/s by sheet; DeepNVMe measured 27 GB/s on four Gen5 drives; the guide says 28."""
    rig = say(document(storage={"data_drive": "kioxia-cm7-v-3.2tb", "data_drives": 4, "data_raid": "0"}))
    figure = rig.figures["storage.read"]
    assert figure.value[0] == pytest.approx(0.9 * 56e9)
    assert figure.low[0] == pytest.approx(27e9, rel=0.01)
    assert figure.low[0] < 28e9 < figure.value[0]


def test_what_was_measured_wins_over_data_sheets():
    rig = say(
        document(storage={"measured": {"read": "24 GB/s", "random_read_iops": 3.1e6, "write": "1 GB/s"}})
    )
    assert rig.value("storage.read") == 24e9
    assert rig.value("storage.random_read") == 3.1e6
    assert rig.value("storage.write") == 1e9
    assert rig.figures["storage.read"].note == "measured"


@pytest.mark.parametrize(
    ("model", "size"), [("llama-3.1-8b", 112e9), ("llama-3.1-70b", 988e9), ("llama-3.1-405b", 5.67e12)]
)
def test_full_checkpoints_hold_fourteen_bytes_a_parameter(model, size):
    """MLPerf Storage v2: 2 + 4 + 8 bytes under ZeRO."""
    rig = say(document(workload={**FULL, "model": model}, hardware={"sharding": "zero3"}))
    assert rig.value("checkpoint.size") == pytest.approx(size, rel=0.005)


@pytest.mark.parametrize(
    ("changed", "bytes_each"),
    [({"precision": "bf16"}, 6), ({"precision": "bf16-mixed"}, 12), ({"optimizer": "adamw-8bit"}, 4.03)],
)
def test_plain_training_saves_what_it_keeps(changed, bytes_each):
    rig = say(
        document(workload={**FULL, "framework": "transformers", **changed}, hardware={"sharding": "ddp"})
    )
    each = rig.value("checkpoint.size") / rig.value("vram.params")
    assert each == pytest.approx(bytes_each, rel=0.2 if "optimizer" in changed else 0.001)


def test_adapters_save_adapters_only():
    """LoRA r16 on all linear layers of 70B: 207.1 M; in fp32 with both moments 12 B each."""
    rig = say(document(workload={"model": "llama-3.1-70b"}))
    assert rig.value("vram.trainable") == pytest.approx(207.1e6, rel=0.001)
    assert rig.value("checkpoint.size") == pytest.approx(12 * 207.1e6, rel=0.001)


def test_shards_are_written_by_all_and_a_whole_by_one():
    assert checkpoint.rate(50e9, 8, 1.0) == pytest.approx(8 * table.PARALLEL.rate)
    assert checkpoint.rate(50e9, 8, 0.0) == pytest.approx(table.SERIAL.rate)
    assert checkpoint.rate(0.5e9, 8, 1.0) == 0.5e9


@pytest.mark.parametrize(
    ("gpus", "stall", "hours", "lost"),
    [(512, 60, 1.8, 0.018), (512, 300, 4.1, 0.041), (1024, 60, 1.3, 0.026), (1024, 300, 2.9, 0.058)],
)
def test_the_best_interval_of_large_fleets(gpus, stall, hours, lost):
    """Young: sqrt(2 C M) with 50,700 GPU hours between interruptions of Llama 3."""
    between = checkpoint.between_failures(gpus)
    best = checkpoint.best_interval(stall, between)
    assert between == pytest.approx(50_700 / gpus * HOUR)
    assert best / HOUR == pytest.approx(hours, abs=0.06)
    assert checkpoint.waste(stall, best, between, 0) == pytest.approx(lost, abs=0.0006)


def test_small_rigs_are_stopped_once_a_month():
    assert checkpoint.between_failures(8) == 720 * HOUR


@given(st.floats(0.1, 1e4), st.floats(1e3, 1e7), st.floats(0.01, 100))
def test_no_interval_wastes_less_than_the_best(stall, between, factor):
    best = checkpoint.best_interval(stall, between)
    least = checkpoint.waste(stall, best, between, 60)
    assert least <= checkpoint.waste(stall, best * factor, between, 60) * (1 + 1e-12)


def test_a_consumer_drive_slows_beyond_its_cache():
    """2 TB 990 Pro: 226 GB at 6.9 GB/s, then 1.4 GB/s."""
    assert array.write_time(400e9, 6.9e9, 226e9, 1.4e9) == pytest.approx(226 / 6.9 + 174 / 1.4)
    assert array.write_time(100e9, 6.9e9, 226e9, 1.4e9) == pytest.approx(100 / 6.9)
    assert array.write_time(100e9, 5e9, np.nan, np.nan) == pytest.approx(20)
    assert array.write_time(400e9, 1e9, 226e9, 1.4e9) == pytest.approx(400)


@pytest.mark.parametrize(
    ("rated", "dwpd", "capacity", "per_day", "years"),
    [(np.nan, 1, 3.84e12, 27e12, 0.7), (1200e12, 0.33, 2e12, 6.1e12, 0.54),
     (np.nan, 3, 3.2e12, 27e12 / 4, 7.1), (np.nan, 1, 3.84e12, 0.07e12, 274)],
)  # fmt: skip
def test_drives_live_as_long_as_their_rated_writes(rated, dwpd, capacity, per_day, years):
    endurance = array.rated_writes(rated, 5, dwpd, capacity)
    assert array.life(endurance, per_day * 365.25) == pytest.approx(years, rel=0.03)


def test_hourly_full_checkpoints_wear_a_consumer_drive_out_within_half_a_year():
    """8B, 112 GB each half hour around the clock on a 2 TB 990 Pro: the guide's six months hold."""
    rig = say(
        tower(
            workload={**FULL, "method": "full", "checkpoint_every": "30min"},
            hardware={"sharding": "zero3"},
            cost={"hours_per_week": 168},
        )
    )
    assert rig.value("storage.wear_life") == pytest.approx(0.6, abs=0.1)
    assert say(tower()).value("storage.wear_life") > 100


@pytest.mark.parametrize(
    ("size", "tokens", "vocabulary", "text", "expected"),
    [(1e9, np.nan, 128_256, 1, 4), (1e9, np.nan, 32_000, 1, 2), (50e9, 10e9, 128_256, 1, 5)],
)
def test_bytes_of_a_token(size, tokens, vocabulary, text, expected):
    assert need.bytes_per_token(size, tokens, vocabulary, text) == expected


def test_images_without_a_count_have_no_known_need():
    assert np.isnan(need.bytes_per_token(1e9, np.nan, 128_256, 0))


def test_text_needs_less_than_a_megabyte_a_second():
    """Eight H100 on an 8B: tens of thousands of tokens a second at 4 bytes."""
    assert 0.05e6 < say(document()).value("storage.read_need") < 1e6


def test_nvme_offload_of_70b_moves_26_bytes_a_parameter():
    read, written = need.offload_bytes(70.6e9, 0.0, 1)
    assert read + written == pytest.approx(26 * 70.6e9)
    assert (read + written) / 27e9 == pytest.approx(68, abs=1)


def test_loading_a_70b_takes_longer_from_sata():
    slow = say(
        document(
            workload={"model": "llama-3.1-70b"},
            storage={"data_drive": "samsung-pm893-3.84tb", "data_drives": 1, "data_raid": "none"},
        )
    )
    assert slow.value("storage.load_time") == pytest.approx(141e9 / 0.55e9, rel=0.02)
    fast = say(document(workload={"model": "llama-3.1-70b"}, storage={"data_raid": "0"}))
    assert fast.value("storage.load_time") == pytest.approx(141e9 / 16e9, rel=0.02)


def test_staging_takes_as_long_as_the_slower_of_link_and_drives():
    rig = say(document(
        workload={"dataset_size": "1TB"}, storage={"shared": "nfs", "staged": True},
        network={"fabric": "eth-10g", "links_per_node": 1},
    ))  # fmt: skip
    assert rig.value("storage.stage_time") == pytest.approx(1e12 / (0.7 * 10e9 / 8))
    assert say(document()).value("storage.stage_time") == 0


def test_shared_reads_stop_at_the_link_until_they_are_staged():
    slow = {"fabric": "eth-10g", "links_per_node": 1}
    over = say(document(storage={"shared": "nfs"}, network=slow))
    staged = say(document(storage={"shared": "nfs", "staged": True}, network=slow))
    assert over.value("storage.read") == pytest.approx(0.7 * 1.25e9)
    assert staged.value("storage.read") == say(document()).value("storage.read")


def test_restoring_reads_the_checkpoint_and_the_base():
    """8B under ZeRO-3: 112 GB and 16 GB of base, at 9/10 of seven drives' 14 GB/s."""
    rig = say(document(workload={**FULL}, hardware={"sharding": "zero3"}))
    assert rig.value("checkpoint.restore_time") == pytest.approx(128.5e9 / (0.9 * 7 * 14e9), rel=0.01)


def test_checkpoints_without_drives_of_their_own_go_where_shared_data_lies():
    slow = {"fabric": "eth-10g", "links_per_node": 1}
    full = {**FULL, "framework": "deepspeed"}
    over = say(
        document(workload=full, hardware={"sharding": "zero3"}, storage={"shared": "nfs"}, network=slow)
    )
    assert over.value("storage.write") == pytest.approx(0.7 * 1.25e9)
    assert over.severity("checkpoint.stall") == "warning"
    own = {"shared": "nfs", "checkpoint_drive": "kioxia-cm7-r-3.84tb"}
    local = say(document(workload=full, hardware={"sharding": "zero3"}, storage=own, network=slow))
    assert local.value("storage.write") == pytest.approx(6.75e9)


def test_every_figure_of_a_stated_build_is_finite():
    rig = say(document())
    for name, figure in rig.figures.items():
        if name.startswith(("storage", "checkpoint")):
            assert np.isfinite(figure.value).all(), name
    assert np.isfinite(rig.value("storage.offload_life"))


DRIVES = ("samsung-990-pro-2tb", "samsung-pm893-3.84tb", "kioxia-cm7-v-3.84tb")
AXES = {
    "workload.method": st.sampled_from(("full", "lora", "qlora")),
    "workload.optimizer": st.sampled_from(("adamw", "adamw-8bit", "sgd")),
    "workload.dataset_size": st.sampled_from(("1GB", "60GB", "9TB")),
    "workload.checkpoint_every": st.sampled_from(("60s", "1h")),
    "workload.checkpoint_async": st.booleans(),
    "workload.data": st.sampled_from(("text", "images")),
    "hardware.nodes": st.integers(1, 9),
    "hardware.gpus_per_node": st.sampled_from((1, 2, 8)),
    "hardware.sharding": st.sampled_from(("ddp", "zero3")),
    "hardware.offload": st.sampled_from(("none", "nvme")),
    "storage.data_drive": st.sampled_from(DRIVES),
    "storage.data_drives": st.integers(4, 9),
    "storage.data_raid": st.sampled_from(("none", "0", "5", "10")),
    "storage.checkpoint_drive": st.sampled_from(("samsung-990-pro-2tb", "kioxia-cm7-r-1.92tb")),
    "storage.shared": st.sampled_from(("none", "nfs", "lustre")),
    "storage.staged": st.booleans(),
    "network.fabric": st.sampled_from(("none", "eth-10g", "ib-ndr-400g")),
}  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_grid_says_what_its_builds_say_one_by_one(data):
    keys = data.draw(st.lists(st.sampled_from(sorted(AXES)), min_size=1, max_size=3, unique=True))
    axes = [(key, tuple(data.draw(st.lists(AXES[key], min_size=1, max_size=2, unique=True)))) for key in keys]
    grid = say(document(), *axes)
    for place, values in enumerate(np.ndindex(*(len(axis[1]) for axis in axes))):
        single = {section: dict(keys_) for section, keys_ in document().items()}
        for (key, options), index in zip(axes, values, strict=True):
            section, name = key.split(".")
            single[section][name] = options[index]
        for name, figure in say(single).figures.items():
            if name.startswith(("storage", "checkpoint")):
                assert grid.column(name)[place] == pytest.approx(float(figure.value[0]), nan_ok=True), name


@pytest.mark.parametrize(
    ("rows", "names"), [(table.RAID, choices.RAID), (table.SHARED, choices.SHARED_STORAGE)]
)
def test_every_choice_has_its_row(rows, names):
    assert {row.id for row in rows} == set(names)
