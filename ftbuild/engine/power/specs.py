"""What the figures of power are, for explanations and reports."""

from __future__ import annotations

from ftbuild.engine.core import FigureSpec
from ftbuild.engine.tables.power import CAPPED_SOURCE, ML_POWER
from ftbuild.units import Kind

_NODE = (
    "(GPUs x board power x share + tray + CPUs x TDP x share + board + memory + drives + network)"
    " / (1 - fans) / efficiency"
)
_NEC = "NEC 210.20 and 215.3 on continuous loads"

NODE = FigureSpec(
    "power.node",
    "Node, nameplate",
    Kind.POWER,
    _NODE + ", all shares 1",
    ML_POWER,
    "boost above TDP, pumps, what hangs on the node outside it",
)
TYPICAL = FigureSpec(
    "power.node_typical",
    "Node, typical",
    Kind.POWER,
    _NODE + ", shares of a training step",
    ML_POWER,
    "untuned stacks draw less: GPUs at 0.75 to 0.9 of board power",
)
IDLE = FigureSpec("power.node_idle", "Node, idle", Kind.POWER, _NODE + ", shares of a node at rest", ML_POWER)
MEAN = FigureSpec(
    "power.node_mean",
    "Node, mean of a run",
    Kind.POWER,
    "0.91 x typical",
    ML_POWER + ": 7.24 over 7.96 kW",
    "runs that load or evaluate for most of their time",
)
P99 = FigureSpec(
    "power.node_p99",
    "Node, 99th percentile",
    Kind.POWER,
    "1.18 x typical, no more than nameplate",
    ML_POWER + ": 9.39 over 7.96 kW, one-second samples",
)
DC = FigureSpec(
    "power.dc", "DC draw", Kind.POWER, "nameplate x efficiency, before the supplies' losses", ML_POWER
)
EFFICIENCY = FigureSpec(
    "power.efficiency",
    "Supply efficiency",
    Kind.SHARE,
    "the tier's certified minimum at this load, linear between 10, 20, 50 and 100 %",
    "80 PLUS certification tables",
    "real units differ by one or two points",
)
PSU_CAPACITY = FigureSpec(
    "power.psu_capacity",
    "Supplies, one mode failed",
    Kind.POWER,
    "(supplies - may fail) x rating",
    "arithmetic; DGX H100 user guide: 4+2 runs on four",
    "current sharing that is not even",
)
PSU_LOAD = FigureSpec("power.psu_load", "Load of supplies", Kind.SHARE, "DC draw / capacity", "arithmetic")
PSU_LOAD_WANTED = FigureSpec(
    "power.psu_load_wanted",
    "Wanted load of supplies",
    Kind.SHARE,
    "0.8 without redundancy, 0.9 with",
    "habit; Puget Systems on four RTX 3090",
)
PSU_FEED = FigureSpec(
    "power.psu_one_feed",
    "Supplies left on one feed lost",
    Kind.POWER,
    "(supplies - those of the largest feed) x rating",
    "supplies dealt evenly to the feeds",
)
TYPICAL_LOAD = FigureSpec(
    "power.psu_typical_load",
    "Typical load of supplies",
    Kind.SHARE,
    "typical DC draw / (supplies x rating)",
    "arithmetic",
)
LOW_LINE = FigureSpec(
    "power.psu_low_line",
    "Rating on a low line",
    Kind.POWER,
    "rating of one supply on less than 180 V, else 0",
    "supplies' data sheets: above 1,600 W labels hold at 200-240 V only (recalled)",
)
SPIKE = FigureSpec(
    "power.spike",
    "Millisecond peak",
    Kind.POWER,
    "DC draw + GPUs x (peak - 1)",
    "Igor's Lab on RTX 5090: 901 of 575 W within 1 ms; Intel ATX 3.0 design guide",
    "what board capacitors take away",
)
SPIKE_CAPACITY = FigureSpec(
    "power.spike_capacity",
    "Supplies for a millisecond",
    Kind.POWER,
    "supplies x rating x (1.8 of ATX 3, 1.1 of older)",
    "Intel ATX 3.0 design guide; trips of older supplies recalled",
)
CORD = FigureSpec(
    "power.cord", "Cord", Kind.CURRENT, "nameplate / supplies that still work / V", "arithmetic"
)
CORD_CAPACITY = FigureSpec(
    "power.cord_capacity",
    "Cord capacity",
    Kind.CURRENT,
    "10 A of a C14 inlet, 16 A of a C20",
    "IEC 60320",
    "inlets with 20 A in North America",
)
CIRCUIT = FigureSpec(
    "power.circuit",
    "Circuit",
    Kind.POWER,
    "rack / feeds that carry it, one of several lost where supplies are redundant",
    "feeds A and B each carry all",
)
CIRCUIT_CAPACITY = FigureSpec(
    "power.circuit_capacity",
    "Circuit capacity",
    Kind.POWER,
    "share x V x A, x sqrt(3) on three phases",
    _NEC,
    "power factor, 0.98 and better",
)
CIRCUIT_LOAD = FigureSpec(
    "power.circuit_load", "Load of the circuit", Kind.SHARE, "circuit / capacity", "arithmetic"
)
SKEW = FigureSpec(
    "power.phase_skew",
    "Phase skew",
    Kind.RATIO,
    "current of the most loaded line over a balanced one, supplies dealt in turn",
    "three-phase arithmetic",
    "the plug map, where somebody keeps one",
)
RACK = FigureSpec(
    "power.rack",
    "Fullest rack",
    Kind.POWER,
    "nodes in it x nameplate",
    "arithmetic",
    "switches and other gear in the rack",
)
RACK_TYPICAL = FigureSpec(
    "power.rack_typical",
    "Fullest rack, measured plan",
    Kind.POWER,
    "nodes in it x typical x 1.10",
    ML_POWER + ": eight nodes' 99th percentile of the sum",
)
RACK_HEAT = FigureSpec(
    "power.rack_heat",
    "Fullest rack, heat",
    Kind.POWER,
    "nodes in it x 99th percentile of a node",
    ML_POWER + ": one-second samples; rooms store heat for longer than that",
)
RACK_CAPACITY = FigureSpec(
    "power.rack_capacity", "Rack limit", Kind.POWER, "as stated, taken as usable", "the build"
)
NODES_PER_RACK = FigureSpec(
    "power.nodes_per_rack",
    "Nodes a rack",
    Kind.COUNT,
    "floor(usable power / nameplate); the least of rack limit and circuits is usable",
    "arithmetic",
)
RACKS_NEEDED = FigureSpec(
    "power.racks_needed",
    "Racks needed",
    Kind.COUNT,
    "ceil(nodes / nodes a rack)",
    "arithmetic",
)
RACKS = FigureSpec("power.racks", "Racks", Kind.COUNT, "as stated", "the build")
HEAT = FigureSpec(
    "heat.btu_per_h",
    "Heat",
    Kind.HEAT,
    "3.412 x W of all nodes",
    "physics: all power is heat",
    "people, lights and losses of the room",
)
TONS = FigureSpec("heat.tons", "Cooling, tons", Kind.COUNT, "BTU/h / 12,000", "definition")
AIRFLOW = FigureSpec(
    "heat.airflow",
    "Airflow",
    Kind.AIRFLOW,
    "W to air / (density x heat x 15 C), 3.6 % more for each 300 m",
    "physics",
    "air that passes beside the nodes",
)
COOLING_USUAL = FigureSpec(
    "power.cooling_usual",
    "Cooling, usual",
    Kind.POWER,
    "W a rack that rooms with this cooling usually take away",
    "bands of vendors and operators; Uptime Institute survey 2025",
    "the room: ask for its own figure and state power.rack_limit",
)
COOLING_MOST = FigureSpec(
    "power.cooling_most",
    "Cooling, most",
    Kind.POWER,
    "W a rack that hardly any room with this cooling takes away",
    "bands of vendors and operators; Uptime Institute survey 2025",
)
MODULE = FigureSpec("power.gpu", "GPU board power", Kind.POWER, "board power", "the catalog")
INLET = FigureSpec(
    "power.inlet",
    "Inlet temperature",
    Kind.TEMPERATURE,
    "ambient + 1 C for each 300 m above 900 m",
    "ASHRAE TC 9.9, class A2",
)
LIMIT = FigureSpec("power.limit", "GPU power limit", Kind.SHARE, "share of board power", "the build")
LIMIT_SPEED = FigureSpec(
    "power.limit_speed",
    "Speed at the limit",
    Kind.SHARE,
    "speed / unlimited speed",
    CAPPED_SOURCE,
    "bandwidth-bound steps, which lose less; hot FP8 steps, which lose more",
)
LIMIT_SAVED = FigureSpec(
    "power.limit_saved",
    "Saved by the limit",
    Kind.POWER,
    "less drawn by GPUs / (1 - fan share) / efficiency, a node in a training step",
    ML_POWER,
    "supplies lose a point or two more at lower load",
)
LIMIT_FIT = FigureSpec(
    "power.limit_fit",
    "Limit that fits",
    Kind.SHARE,
    "(allowed DC x (1 - fan share) - other parts) / GPUs at full power, 0 to 1",
    "arithmetic on power.node",
)
LIMIT_FIT_SPEED = FigureSpec(
    "power.limit_fit_speed",
    "Speed at that limit",
    Kind.SHARE,
    "speed / unlimited speed at the limit that fits",
    CAPPED_SOURCE,
)
PUBLISHED = FigureSpec(
    "power.published",
    "Over the sold node",
    Kind.RATIO,
    "nameplate / published maximum of a node sold with these GPUs",
    "makers' user guides",
)
