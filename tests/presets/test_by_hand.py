"""What the engine says of the guide's three builds, against calculations by hand.

Each case writes the calculation out; the sources are those of the numbers in it:

- model shapes: the publishers' config.json (Llama 3.1 8B: L 32, h 4096, k 8 x 128, i 14336; 70B: L 80,
  h 8192, i 28672; 405B: L 126, h 16384, i 53248; vocabulary 128256, untied);
- LoRA: rank x (in + out) of every linear layer (arXiv 2106.09685);
- RTX 4090: 24 GB, 450 W, $1,599 at launch; H100 SXM: 80 GB, 700 W; B200: 192 GB, 1000 W (NVIDIA);
- Ryzen 9 9950X: 16 cores, 170 W, $649; EPYC 9654: 96 cores, 360 W, $11,805; EPYC 9684X: 96 cores (AMD);
- 990 PRO: 7.45 GB/s; CM7: 14 GB/s of reading, 25 W (Samsung, Kioxia);
- prices of H100 ($30,000) and B200 ($40,000) as of August 2026.
"""

import pytest

from ftbuild.bom import bill
from ftbuild.catalog import load_catalog
from tests.presets.reports import build_of, report_of

GIB = 2**30
VOCABULARY = 128_256


def dense(layers, hidden, intermediate):
    """Parameters of a Llama 3.1: embedding and head, attention with 8 KV heads of 128, gated MLP, norms."""
    attention = 2 * hidden * hidden + 2 * hidden * 1024
    mlp = 3 * hidden * intermediate
    return 2 * VOCABULARY * hidden + layers * (attention + mlp + 2 * hidden) + hidden


def lora(layers, hidden, intermediate, rank=16):
    """Adapters on q, k, v, o, gate, up and down."""
    ends = 2 * (hidden + hidden) + 2 * (hidden + 1024) + 3 * (hidden + intermediate)
    return rank * layers * ends


# fmt: off
EXACT = (
    # 8,030,261,248 of the base and 41,943,040 of the adapters.
    ("solo-founder", "vram.params", dense(32, 4096, 14336) + lora(32, 4096, 14336)),
    ("solo-founder", "vram.trainable", 16 * 32 * 81_920),
    # Two cards of 24 GB: 128 / 48.
    ("solo-founder", "ram.ratio", 128 / (2 * 24)),
    ("solo-founder", "cpu.cores", 16),
    # One supply, none to spare.
    ("solo-founder", "power.psu_capacity", 1600),
    # 2 x 1,599 + 649; six parts have no known price and are left out.
    ("solo-founder", "bill", 2 * 1599 + 649),

    # 70,553,706,496 of the base and 207,093,760 of the adapters.
    ("mid-size-team", "vram.params", dense(80, 8192, 28672) + lora(80, 8192, 28672)),
    ("mid-size-team", "vram.trainable", 16 * 80 * 161_792),
    # 1024 / (4 x 80).
    ("mid-size-team", "ram.ratio", 1024 / (4 * 80)),
    # Two sockets of 96: cores, where the guide counts 192 threads.
    ("mid-size-team", "cpu.cores", 2 * 96),
    # Two of 3000 W, of which one may fail.
    ("mid-size-team", "power.psu_capacity", 3000),
    # Adapters in fp32 with two fp32 states: 12 bytes each; the frozen base is left out.
    ("mid-size-team", "checkpoint.size", 12 * lora(80, 8192, 28672)),
    # 4 x 30,000 + 2 x 11,805.
    ("mid-size-team", "bill", 4 * 30_000 + 2 * 11_805),

    # 405,853,388,800 of the base and 623,443,968 of the adapters.
    ("enterprise", "vram.params", dense(126, 16384, 53248) + lora(126, 16384, 53248)),
    ("enterprise", "vram.trainable", 16 * 126 * 309_248),
    # 4 TB against 8 x 192 GB in a node.
    ("enterprise", "ram.ratio", 4096 / (8 * 192)),
    # The 9684 that is a 9684X: 2 x 96 in a node, where the guide counts 256.
    ("enterprise", "cpu.cores", 2 * 96),
    # 16 x 40,000; the processor has no price under the name that the guide gives it.
    ("enterprise", "bill", 16 * 40_000),
)
# fmt: on


def value_of(preset, name):
    if name == "bill":
        return bill(build_of(preset), load_catalog()).total
    return report_of(preset).value(name)


@pytest.mark.parametrize(("preset", "name", "value"), EXACT)
def test_a_figure_is_what_the_arithmetic_gives(preset, name, value):
    assert value_of(preset, name) == pytest.approx(value, rel=1e-6)


def test_the_base_models_have_the_published_number_of_parameters():
    assert dense(32, 4096, 14336) == 8_030_261_248
    assert dense(80, 8192, 28672) == 70_553_706_496
    assert dense(126, 16384, 53248) == 405_853_388_800


def test_at_rest_the_solo_founders_card_holds_the_base_in_nf4_and_the_adapters():
    # NF4 with double quantisation: 4 bit + 8 bit / 64 + 32 bit / (64 x 256) a parameter (arXiv 2305.14314)
    # on the linear layers; embedding, head and norms stay at 2 bytes.
    whole = 2 * VOCABULARY * 4096 + (2 * 32 + 1) * 4096
    linear = dense(32, 4096, 14336) - whole
    weights = linear * (4 + 8 / 64 + 32 / (64 * 256)) / 8 + 2 * whole
    # Adapters in fp32 and two fp32 states of AdamW: 12 bytes each.
    adapters = 12 * lora(32, 4096, 14336)
    # k-bit preparation of the base keeps what is not quantised in fp32, up to 2 bytes more of each.
    at_rest = report_of("solo-founder").value("vram.at_rest")
    assert weights + adapters <= at_rest <= (weights + 2 * whole + adapters) * 1.02


def test_at_rest_a_quarter_of_70b_in_bf16_and_of_its_adapters_lies_on_each_card():
    # Sharded over four ranks: 2 bytes of the base, 12 of each adapter parameter.
    quarter = (2 * dense(80, 8192, 28672) + 12 * lora(80, 8192, 28672)) / 4
    assert report_of("mid-size-team").value("vram.at_rest") == pytest.approx(quarter, rel=0.02)


def test_at_rest_a_sixteenth_of_405b_lies_on_each_b200():
    sixteenth = (2 * dense(126, 16384, 53248) + 12 * lora(126, 16384, 53248)) / 16
    assert report_of("enterprise").value("vram.at_rest") == pytest.approx(sixteenth, rel=0.02)


def test_full_fine_tuning_of_405b_needs_more_than_sixteen_b200_have():
    # bf16 weights and gradients, fp32 master weights and two fp32 states: 16 bytes a parameter, 6.49 TB,
    # against 16 x 180 GB; with bf16 states 8 bytes, 3.25 TB: still more.
    assert 16 * dense(126, 16384, 53248) > 16 * 192 * GIB
    assert 8 * dense(126, 16384, 53248) > 16 * 180e9
    report = report_of("enterprise", workload__method="full")
    assert report.value("vram.per_gpu") > report.value("vram.usable")


def test_one_drive_reads_what_its_four_lanes_let_through():
    # 990 PRO: 7.45 GB/s; four lanes of PCIe 4: 4 x 16 GT/s x 128/130 / 8 = 7.88 GB/s, less packet heads.
    assert 0.9 * 7.45e9 <= report_of("solo-founder").value("storage.read") <= 7.45e9


def test_four_drives_of_14_gb_s_read_twice_what_the_guide_says():
    # RAID 0 of four: at most 4 x 14 = 56 GB/s; arrays reach nine tenths of it. The guide's 28 is half.
    read = report_of("mid-size-team").value("storage.read")
    assert 0.85 * 56e9 <= read <= 56e9


def test_the_mid_size_node_draws_what_its_parts_draw():
    # GPUs 4 x 700, processors 2 x 360, 24 modules of 10 W, 6 drives of 25 W, 2 cards of 25 W: 4.0 kW; a
    # tray, a mainboard and fans on top, which take a fifth to a third of a node on air (published maximum of
    # a DGX H100: 8 x 700 + 2 x 350 = 6.3 kW of 10.2 kW).
    parts = 4 * 700 + 2 * 360 + 24 * 10 + 6 * 25 + 2 * 25
    draw = report_of("mid-size-team").value("power.dc")
    assert parts * 1.2 <= draw <= parts * 1.5
    assert draw > report_of("mid-size-team").value("power.psu_capacity")


def test_the_solo_founders_machine_stays_below_its_supply():
    # 2 x 450 + 170 + modules and a drive: 1.09 kW of 1.6 kW.
    draw = report_of("solo-founder").value("power.dc")
    assert 2 * 450 + 170 < draw < 0.85 * 1600


def test_two_b200_nodes_draw_under_the_dgx_maximum_each():
    # A DGX B200, on air, is rated 14.3 kW at most (NVIDIA); cold plates save most of the fans.
    parts = 8 * 1000 + 2 * 400
    node = report_of("enterprise").value("power.node")
    assert parts < node < 14_300
    assert report_of("enterprise").value("power.rack") == pytest.approx(2 * node)


def test_heat_is_the_draw_in_british_units():
    for preset in ("solo-founder", "mid-size-team", "enterprise"):
        report = report_of(preset)
        nodes = build_of(preset).hardware.nodes
        # 1 W = 3.412 BTU/h.
        assert report.value("heat.btu_per_h") == pytest.approx(
            nodes * report.value("power.node") * 3.412142, rel=1e-3
        )


MODELS = {
    "solo-founder": (32, 4096, 14336),
    "mid-size-team": (80, 8192, 28672),
    "enterprise": (126, 16384, 53248),
}


@pytest.mark.parametrize("preset", MODELS)
def test_a_token_costs_three_passes_of_two_operations_a_weight(preset):
    # Forward, recomputed forward (full checkpointing), and the gradient of the activations; the frozen base
    # has no weight gradients. 2 operations a weight each, the embedding is a look-up. Attention adds a bit.
    layers, hidden, intermediate = MODELS[preset]
    weights = dense(layers, hidden, intermediate) - VOCABULARY * hidden
    flops = report_of(preset).value("time.flops_per_token")
    assert 6 * weights <= flops <= 6 * weights * 1.1


@pytest.mark.parametrize(("preset", "ranks"), [("mid-size-team", 4), ("enterprise", 16)])
def test_full_sharding_gathers_the_frozen_base_twice_a_micro_batch(preset, ranks):
    # Each rank receives what the others hold, (n - 1) / n of 2 bytes a weight, for the forward and again for
    # the backward pass (FSDP, arXiv 2304.11277), eight micro-batches a step. Adapters add less than 2 %.
    gathered = 8 * 2 * 2 * dense(*MODELS[preset]) * (ranks - 1) / ranks
    assert report_of(preset).value("network.volume") == pytest.approx(gathered, rel=0.02)


@pytest.mark.parametrize("preset", MODELS)
def test_a_run_lasts_its_tokens_over_the_rate(preset):
    work = build_of(preset).workload
    report = report_of(preset)
    seconds = work.epochs * work.dataset_tokens / report.value("time.tokens_per_s")
    # Checkpoints add little.
    assert seconds <= report.value("time.total") <= seconds * 1.05


@pytest.mark.parametrize("preset", MODELS)
def test_a_step_takes_its_operations_at_a_credible_share_of_the_peak(preset):
    # Dense bf16 peaks (NVIDIA): 165 TFLOPS of the 4090 with fp32 accumulation, 989 of the H100, 2250 of the
    # B200. Published runs of this kind reach between a tenth and 60 % of it.
    peak = {"solo-founder": 2 * 165e12, "mid-size-team": 4 * 989e12, "enterprise": 16 * 2250e12}[preset]
    report = report_of(preset)
    reached = report.value("time.flops_per_token") * report.value("time.tokens_per_s") / peak
    assert 0.1 <= reached <= 0.6


def test_the_enterprise_checkpoint_holds_the_adapters_and_their_states():
    size = report_of("enterprise").value("checkpoint.size")
    assert size == pytest.approx(12 * lora(*MODELS["enterprise"]), rel=1e-6)


def test_power_and_cooling_cost_three_years_of_use_at_the_wall():
    # 100 hours a week: 3 x 365.25 / 7 x 100 = 15,654 h, at 0.15 USD a kWh and a PUE of 1.4; what the machine
    # draws idle in the other hours may add to it.
    hours = 3 * 365.25 / 7 * 100
    for preset in MODELS:
        report = report_of(preset)
        watts = build_of(preset).hardware.nodes * report.value("power.node_mean")
        used = watts / 1000 * hours * 1.4 * 0.15
        assert 0.95 * used <= report.value("cost.power_cooling") <= 1.6 * used


def test_the_guides_break_even_is_one_year_not_two():
    # $30,000 / 3.42 = 8,772 h, a year at all hours; at $1.89 an hour it is 15,873 h before power.
    assert round(30_000 / 3.42) == 8_772
    assert round(30_000 / 1.89) == 15_873
    # The rented H100 of the preset, at $3.99: 7,519 h before power, resale and the rest of a machine.
    hours = report_of("rented-h100").value("cost.rent_break_even_hours")
    assert 30_000 / 3.99 <= hours <= 1.3 * 30_000 / 3.99
