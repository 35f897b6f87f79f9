"""Rules on power, circuits, racks and cooling. Supplies and breakers are judged on nameplate draw."""

from __future__ import annotations

from typing import Any

from ftbuild.engine.core import Figures, Rule, Severity
from ftbuild.engine.guide import GUIDE
from ftbuild.engine.inputs import Columns
from ftbuild.engine.tables import power as table

_DRAW = ("power.gpu_power_limit", "hardware.gpus_per_node", "hardware.gpu", "hardware.cpu")
_SUPPLY = ("power.psus_per_node", "power.redundancy", "power.psu", *_DRAW)
_RACK = ("power.racks", "power.rack_limit", "power.gpu_power_limit", "hardware.nodes", "hardware.gpu")
_CIRCUIT = ("power.circuit", "power.voltage", "power.racks", "power.feeds", "power.gpu_power_limit")


def _over(done: Figures, figure: str, limit: str) -> Any:
    return done[figure].value > done[limit].value


def _carried(_: Columns, done: Figures) -> Any:
    return done["power.dc"].value <= done["power.psu_capacity"].value


def _stated(c: Columns, _: Figures) -> Any:
    return c.stated("power.psu") > 0


def _two_feeds(c: Columns, _: Figures) -> Any:
    return (
        (c.stated("power.psu") > 0)
        & (c.number("power.feeds") > 1)
        & (c.is_in("power.redundancy", "none") == 0)
    )


def _desktop(c: Columns) -> Any:
    """Return where a single desktop supply has to ride out the spikes: no redundancy, no tray."""
    alone = (c.is_in("power.redundancy", "none") > 0) & (c.stated("power.psu") > 0)
    return alone & (c.gpu.transient != TRAY_TRANSIENT)


def _atx3(c: Columns, _: Figures) -> Any:
    return _desktop(c) & (c.number("power.atx") >= 3)


def _atx2(c: Columns, _: Figures) -> Any:
    return _desktop(c) & (c.number("power.atx") < 3)


def _racks_known(_: Columns, done: Figures) -> Any:
    return done["power.racks_needed"].value > 0


def _branch(c: Columns, _: Figures) -> Any:
    return (c.number("power.circuit") <= 20) & (c.number("power.phases") == 1)


def _three_phase(c: Columns, _: Figures) -> Any:
    return (c.number("power.phases") > 1) & (c.stated("power.psu") > 0)


def _measured_fits(_: Columns, done: Figures) -> Any:
    return _over(done, "power.rack", "power.rack_capacity") & ~_over(
        done, "power.rack_typical", "power.rack_capacity"
    )


def _cooled(_: Columns, done: Figures) -> Any:
    return ~_over(done, "power.rack_heat", "power.cooling_most")


def _by_air(c: Columns, _: Figures) -> Any:
    return c.is_in("power.cooling", "air", "liquid-loop") > 0


def _capped(c: Columns, _: Figures) -> Any:
    return c.number("power.gpu_power_limit") < 1


def _does_not_fit(_: Columns, done: Figures) -> Any:
    missed = (
        _over(done, "power.rack", "power.rack_capacity")
        | _over(done, "power.circuit", "power.circuit_capacity")
        | _over(done, "power.dc", "power.psu_capacity")
    )
    return missed & (done["power.limit_fit"].value >= table.LEAST_LIMIT)


def _listed(_: Columns, done: Figures) -> Any:
    published = done["power.published"].value
    return published == published


def _warm(c: Columns, _: Figures) -> Any:
    return c.number("power.ambient") > 25


TRAY_TRANSIENT = 1.26
"""Of modules on a tray, which takes their spikes; the catalog's value for them."""

POWER: tuple[Rule, ...] = (
    Rule(
        id="power.psu", title="Power supplies", severity=Severity.VIOLATION,
        figure="power.dc", limit="power.psu_capacity", fields=_SUPPLY,
        message="the node draws {value}; the supplies that are left carry {limit}: {margin} short",
        ok="{value} on supplies that carry {limit} after the failures they allow",
        source="arithmetic; DGX H100 user guide: six supplies, 4+2, full power on four",
        doc="Supplies that may fail are taken off; what is left must carry the node's nameplate draw.",
    ),
    Rule(
        id="power.psu_headroom", title="Head room of supplies", severity=Severity.WARNING,
        figure="power.psu_load", limit="power.psu_load_wanted", when=_carried, fields=_SUPPLY,
        message="the supplies that are left run at {value} of their rating; {limit} leaves room for spikes",
        ok="at most {value} of their rating", source="habit; Puget Systems on four RTX 3090 and 1,600 W",
        doc="Continuous load beside a supply's limit leaves nothing for transients and ageing.",
    ),
    Rule(
        id="power.feed_loss", title="Loss of a feed", severity=Severity.WARNING,
        figure="power.dc", limit="power.psu_one_feed", when=_two_feeds, fields=_SUPPLY,
        message="with one feed lost, the supplies on the others carry {limit} of {value}",
        ok="the supplies on one feed carry the node",
        source="arithmetic: supplies dealt evenly to the feeds",
        doc="Redundant feeds help only where the supplies on one of them carry the whole node.",
    ),
    Rule(
        id="power.low_line", title="Supply on a low line", severity=Severity.VIOLATION,
        figure="power.psu_low_line", limit=table.LOW_LINE_MOST, when=_stated,
        fields=("power.voltage", "power.psu"),
        message="supplies of {value} reach their label at 200-240 V only; at 100-127 V about 1 to 1.6 kW",
        ok="the supply's rating holds at this voltage",
        source="data sheets of 2 kW and larger supplies (recalled); a 15 A inlet at 120 V passes 1.8 kW",
        doc="Large supplies are derated on 100-127 V.",
    ),
    Rule(
        id="power.spike", title="Transients", severity=Severity.VIOLATION,
        figure="power.spike", limit="power.spike_capacity", when=_atx3, fields=("power.psu", *_DRAW),
        message="for a millisecond the node may take {value}; an ATX 3 supply rides out {limit}",
        ok="{value} for a millisecond, of {limit} that an ATX 3 supply rides out",
        source="Intel ATX 3.0 design guide; Igor's Lab on RTX 5090",
        doc="Cards of one training step peak together, above their board power.",
    ),
    Rule(
        id="power.spike_atx2", title="Transients, older supply", severity=Severity.WARNING,
        figure="power.spike", limit="power.spike_capacity", when=_atx2,
        fields=("power.atx", "power.psu", *_DRAW),
        message="for a millisecond the node may take {value}; a supply before ATX 3 may trip at {limit}",
        ok="{value} for a millisecond, below the trip of an older supply",
        source="over-current trips lie at 110 to 130 % (recalled)",
        doc="Supplies before ATX 3 promise nothing above their rating.",
    ),
    Rule(
        id="power.cord", title="Cord of a supply", severity=Severity.VIOLATION,
        figure="power.cord", limit="power.cord_capacity", when=_carried,
        fields=("power.psus_per_node", "power.voltage", "power.psu"),
        message="{value} in each cord of the supplies that are left; its inlet takes {limit}",
        ok="{value} of {limit} in each cord", source="IEC 60320: C14 10 A, C20 16 A",
        doc="Each supply's inlet and cord have a current limit of their own.",
    ),
    Rule(
        id="power.efficiency", title="Supplies at low load", severity=Severity.NOTICE,
        figure="power.psu_typical_load", sense="at_least", limit=0.2, when=_stated,
        fields=("power.psu",),
        message="typical load is {value} of the supplies' rating, where they lose more",
        ok="typical load {value} of the rating", source="80 PLUS certification tables",
        doc="Efficiency is best at 40 to 60 % of the rating and falls below 20 %.",
    ),
    Rule(
        id="power.circuit", title="Circuit", severity=Severity.VIOLATION,
        figure="power.circuit", limit="power.circuit_capacity", warn=0.9, fields=_CIRCUIT,
        message="one feed has to carry {value}; continuous load on its breaker may be {limit}",
        ok="{value} of {limit} on one feed", source="NEC 210.20 and 215.3: 80 % for continuous load",
        doc="Training runs for days: continuous load. Redundant feeds each carry everything.",
    ),
    Rule(
        id="power.circuit_shared", title="Shared branch circuit", severity=Severity.NOTICE,
        figure="power.circuit_load", limit=0.5, when=_branch, fields=_CIRCUIT,
        message="takes {value} of the branch circuit: put nothing else on it",
        ok="{value} of the branch circuit", source="habit",
        doc="A 15 or 20 A branch feeds several outlets.",
    ),
    Rule(
        id="power.phase_balance", title="Phase balance", severity=Severity.NOTICE,
        figure="power.phase_skew", limit=1.05, when=_three_phase,
        fields=("power.psus_per_node", "hardware.nodes"),
        message="the most loaded line carries {value} a balanced line's current",
        ok="lines are balanced within 5 %", source="three-phase arithmetic",
        doc="Limits hold per line; supplies in multiples of three load them alike.",
    ),
    Rule(
        id="power.rack", title="Rack", severity=Severity.VIOLATION,
        figure="power.rack", limit="power.rack_capacity", warn=0.95, fields=_RACK,
        message="the fullest rack draws {value} of {limit}",
        ok="{value} of {limit} in the fullest rack", source=GUIDE + ", its Denver case",
        doc="Nameplate is reached for seconds, by ordinary training: all of it must fit the rack.",
    ),
    Rule(
        id="power.rack_measured", title="Rack, measured plan", severity=Severity.WARNING,
        figure="power.rack", limit="power.rack_capacity", when=_measured_fits, fields=_RACK,
        message="typical draw with a tenth on top fits the rack: it runs, and trips now and then",
        source="node power logs of MLPerf Training v4.1: eight nodes' sum peaks 1.10 above typical",
        doc="A plan on measured draw fits where nameplate does not; a metered limit makes it safe.",
    ),
    Rule(
        id="power.rack_count", title="Racks", severity=Severity.NOTICE,
        figure="power.racks_needed", limit="power.racks", when=_racks_known, fields=("power.racks",),
        message="{value} racks are needed for these nodes; {limit} stated",
        ok="{value} of {limit} racks needed", source="arithmetic: floor and ceiling",
        doc="Nodes a rack are whole; what is left of a rack's power stays unused.",
    ),
    Rule(
        id="power.cooling", title="Cooling", severity=Severity.VIOLATION,
        figure="power.rack_heat", limit="power.cooling_most", fields=("power.cooling", *_RACK),
        message="{value} of heat in a rack; hardly any room with this cooling takes more than {limit} away",
        ok="{value} in a rack", source="bands of vendors; Uptime Institute survey 2025",
        doc="All power becomes heat; each kind of cooling has an end.",
    ),
    Rule(
        id="power.cooling_usual", title="Cooling of the room", severity=Severity.WARNING,
        figure="power.rack_heat", limit="power.cooling_usual", when=_cooled,
        fields=("power.cooling", *_RACK),
        message="{value} of heat in a rack; such rooms usually take {limit} away: ask for theirs",
        ok="{value} in a rack, of {limit} that such rooms usually take away",
        source="bands of vendors; Uptime Institute survey 2025",
        doc="Most rooms have racks under 30 kW.",
    ),
    Rule(
        id="power.liquid_only", title="Liquid-cooled modules", severity=Severity.VIOLATION,
        figure="power.gpu", limit=table.AIR_MOST, when=_by_air, fields=("power.cooling", "hardware.gpu"),
        message="modules of {value} are sold liquid-cooled only",
        ok="modules of {value} are sold air-cooled", source="NVIDIA: GB200 and GB300 NVL72 are liquid-cooled",
        doc="Beyond about 1.1 kW a module, no air-cooled system is sold.",
    ),
    Rule(
        id="power.inlet", title="Inlet temperature", severity=Severity.VIOLATION,
        figure="power.inlet", limit=35.0, fields=("power.ambient", "power.altitude"),
        message="{value} at the inlet; class A2 equipment allows {limit}",
        ok="{value} at the inlet", source="ASHRAE TC 9.9, class A2: 10 to 35 C",
        doc="Warmer inlets void the promise of most servers; thin air counts as warmer.",
    ),
    Rule(
        id="power.inlet_recommended", title="Recommended inlet", severity=Severity.WARNING,
        figure="power.inlet", limit=27.0, fields=("power.ambient", "power.altitude"),
        message="{value} at the inlet; {limit} is recommended: fans take more, GPUs throttle sooner",
        ok="{value} at the inlet, of {limit} recommended", source="ASHRAE TC 9.9: 18 to 27 C",
        doc="The recommended range keeps fans slow and clocks up.",
    ),
    Rule(
        id="power.inlet_life", title="Life at this temperature", severity=Severity.NOTICE,
        figure="power.inlet", limit=25.0, when=_warm, fields=("power.ambient",),
        message="the guide takes 10 % of GPU life for each degree above {limit}; laboratory models give 7 to "
        "10 % of junction temperature, field studies below 50 C found little or none",
        source="Arrhenius, 0.7 to 0.9 eV; El-Sayed et al. 2012 on Toronto's field data; " + GUIDE,
        doc="The guide's statement, which field data do not support.",
    ),
    Rule(
        id="power.limit", title="GPU power limit", severity=Severity.WARNING,
        figure="power.limit", sense="at_least", limit=0.6, fields=("power.gpu_power_limit",),
        message="a limit of {value} costs much speed for little power (explain power.limit_speed)",
        ok="board power limited to {value}", source="sweeps of power limits (explain power.limit_speed)",
        doc="Below 60 % of board power, speed falls faster than power.",
    ),
    Rule(
        id="power.limit_speed", title="Speed at the limit", severity=Severity.NOTICE,
        figure="power.limit_speed", sense="at_least", limit=1.0, when=_capped,
        fields=("power.gpu_power_limit",),
        message="the power limit leaves {value} of the speed",
        source="sweeps of power limits; the guide reports 75 % at 0.6",
        doc="What a power limit costs compute-bound training.",
    ),
    Rule(
        id="power.limit_fit", title="A limit that fits", severity=Severity.NOTICE,
        figure="power.limit_fit", sense="at_least", limit="power.limit", when=_does_not_fit,
        fields=("power.gpu_power_limit",),
        message="a GPU power limit of {value} would fit supplies, circuit and rack",
        source="arithmetic on power.node",
        doc="The mildest limit at which the nameplate fits; what it costs is power.limit_fit_speed.",
    ),
    Rule(
        id="power.published", title="Beside the sold node", severity=Severity.NOTICE,
        figure="power.published", limit=1.1, when=_listed, fields=("hardware.cpu", "storage.data_drives"),
        message="draws {value} what the maker states for a node with these GPUs",
        ok="{value} the maker's maximum for a node with these GPUs", source="makers' user guides",
        doc="A check of the model against the node as it is sold.",
    ),
)  # fmt: skip
