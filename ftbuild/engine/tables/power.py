"""Coefficients of power and cooling: what parts draw by state, supplies, rooms, power limits."""

from __future__ import annotations

from dataclasses import dataclass

from ftbuild.engine.tables.base import Choice

ML_POWER = (
    "node power logs of MLPerf Training v4.0 to v5.0 (8x H100 air and immersion, 8x B200 water, LoRA runs) "
    "and the published maxima of DGX A100, H100 and B200; fitted together"
)
SHEETS = "order of magnitude of data sheets"

INF = float("inf")

STATES = ("max", "typical", "idle")
"""Nameplate, a training step, and powered on doing nothing."""

CPU_SHARE = (1.0, 0.5, 0.2)
"""Of a processor's TDP by state; ML_POWER."""

LIMIT_SHARE = (1.0, 0.98, 1.0)
"""Of a power limit that a card reaches by state: training that presses on the limit runs just below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tray(Choice):
    """What goes with a GPU of one form and size."""

    forms: tuple[str, ...]
    up_to: float
    """Largest board power of the row, W."""
    beside: float
    """What belongs to the tray beside the module, W a GPU: switches, retimers, regulators."""
    typical: float
    """Share of board power in a tuned training step."""
    idle: float
    fans: tuple[float, float, float]
    """Share of the node's DC power that fans take by state, air-cooled; 0: as the chassis has it."""
    host: float = 1.0
    """0 where the GPU's power is that of the whole machine."""


TRAYS = (
    Tray(id="module-400", forms=("sxm",), up_to=450, beside=44, typical=0.92, idle=0.17,
         fans=(0.18, 0.12, 0.08), source=ML_POWER),
    Tray(id="module-700", forms=("sxm",), up_to=800, beside=56, typical=0.92, idle=0.17,
         fans=(0.20, 0.12, 0.08), source=ML_POWER),
    Tray(id="module-1000", forms=("sxm",), up_to=INF, beside=75, typical=0.92, idle=0.17,
         fans=(0.23, 0.12, 0.08), source=ML_POWER),
    Tray(id="oam", forms=("oam", "module"), up_to=INF, beside=50, typical=0.92, idle=0.17,
         fans=(0.18, 0.12, 0.08), source="taken as an SXM tray of its power; no measurement found"),
    Tray(id="card", forms=("pcie",), up_to=INF, beside=0, typical=0.87, idle=0.06, fans=(0, 0, 0),
         source="Answer.AI FSDP-QLoRA runs: 390 W of a 450 W RTX 4090; idle of cards recalled"),
    Tray(id="unified", forms=("unified",), up_to=INF, beside=0, typical=0.8, idle=0.1, fans=(0, 0, 0), host=0,
         source="maker's maximum of the whole machine; shares recalled"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Chassis(Choice):
    """What a board of its kind draws by state, W."""

    board: float
    """Chipset, management, regulators of the processors."""
    module: tuple[float, float, float]
    """One memory module."""
    fans: tuple[float, float, float]
    """Share of the node's DC power, with cards in it, air-cooled."""


SERVER = Chassis(id="server", board=225, module=(10, 6, 4), fans=(0.06, 0.04, 0.03),
                 source=ML_POWER + "; fans with cards between those of towers and of trays")  # fmt: skip
TOWER = Chassis(id="tower", board=100, module=(6, 4, 2), fans=(0.04, 0.03, 0.02), source=SHEETS)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveDraw(Choice):
    """What one drive draws by state, W, where its data sheet does not say."""

    watts: tuple[float, float, float]


DRIVES = (
    DriveDraw(id="M.2", watts=(8, 5, 1), source=SHEETS),
    DriveDraw(id="sata", watts=(5, 3, 1), source=SHEETS),
    DriveDraw(id="nvme", watts=(20, 8, 5), source=SHEETS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NicDraw(Choice):
    """What one network port of a rate draws, W, where the catalog has no card for it."""

    up_to: float
    """bit/s."""
    watts: float


NICS = (
    NicDraw(id="25g", up_to=3e10, watts=12, source=SHEETS),
    NicDraw(id="100g", up_to=1.2e11, watts=20, source=SHEETS),
    NicDraw(id="200g", up_to=2.2e11, watts=25, source=SHEETS),
    NicDraw(id="400g", up_to=INF, watts=30, source=SHEETS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier(Choice):
    """An 80 PLUS tier; its curves are facts of the catalog."""

    index: float


TIERS = tuple(
    Tier(id=name, index=index, source="80 PLUS certification tables")
    for index, name in enumerate(("white", "bronze", "silver", "gold", "platinum", "titanium"))
)
INPUTS = ("115", "230", "230-eu")
LOADS = (0.02, 0.1, 0.2, 0.5, 1.0)
FIRST_LOAD = 0.8
"""Efficiency at 2 % of load over that at the first certified load; no standard covers it, an assumption."""
ASSUMED_LOAD = 0.5
"""Of supplies that the build does not state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy(Choice):
    """Supplies that may fail."""

    may_fail: float
    load: float = 0.9
    """Share of what is left that the nameplate draw should not pass."""


_FAIL = {"n+1": 1, "n+2": 2, "1+1": 1, "2+1": 1, "2+2": 2, "3+1": 1, "3+3": 3, "4+1": 1, "4+2": 2, "4+4": 4,
         "5+1": 1, "6+2": 2}  # fmt: skip
REDUNDANCY = (
    Redundancy(id="none", may_fail=0, load=0.8, source="Puget Systems: four RTX 3090 at 1,717 W of the wall "
               "on a 1,600 W supply called too close; 80 % is the habit"),
    *(Redundancy(id=name, may_fail=count, source="N+M: any M supplies may fail; a survivor at full load is "
                 "by design, 90 % leaves room for ageing") for name, count in _FAIL.items()),
)  # fmt: skip

LOW_LINE = 180.0
"""V below which a supply is on its low-line rating."""
LOW_LINE_MOST = 1600.0
"""W that supplies give at most at 100-127 V; larger labels hold at 200-240 V only (data sheets; a 15 A inlet
at 120 V passes 1.8 kW). Recalled."""
LINE_TO_LINE = 300.0
"""V from which supplies on three phases sit between a phase and neutral."""

ATX3_EXCURSION = 1.8
"""Of its rating that an ATX 3 supply rides out for 1 ms (Intel ATX 3.0 design guide, table of excursions)."""
ATX2_TRIP = 1.1
"""Of its rating at which older supplies may trip: over-current trips lie at 110 to 130 %. Recalled."""
TRANSIENT = 1.6
"""Of board power within 1 ms, for cards whose own figure is unknown: RTX 5090 901 of 575 W (Igor's Lab)."""

C14_MOST, C20_MOST = 10.0, 16.0
"""A of the two inlets (IEC 60320)."""
C14_RATING = 1250.0
"""W up to which supplies have the smaller inlet (rows of the catalog)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cooling(Choice):
    """How heat leaves a rack."""

    fans: float
    """Over an air-cooled node's fans."""
    air: float
    """Share of the heat that stays in the room's air."""
    usual: float
    """W a rack up to which a room of its kind usually copes."""
    most: float
    """W a rack that hardly any room of its kind takes away."""


_BANDS = "bands of vendors and operators by kind of cooling, which overlap; Uptime Institute survey 2025"
COOLING = (
    Cooling(id="air", fans=1, air=1, usual=20e3, most=40e3, source=_BANDS),
    Cooling(id="liquid-loop", fans=0.6, air=1, usual=20e3, most=40e3,
            source=_BANDS + "; a loop inside the case gives its heat to the room's air"),
    Cooling(id="dlc", fans=0.2, air=0.2, usual=80e3, most=140e3,
            source=_BANDS + "; NVL72 racks of 120 to 140 kW, a fifth of it to air; fans " + ML_POWER),
    Cooling(id="dlc+rdhx", fans=0.2, air=0.0, usual=80e3, most=140e3,
            source=_BANDS + "; the rear door takes what is left"),
    Cooling(id="immersion", fans=0, air=0, usual=100e3, most=200e3, source=_BANDS),
)  # fmt: skip
AIR_MOST = 1100.0
"""W of one module up to which air-cooled systems are sold (B300 SXM); GB200 and GB300 are liquid only."""

BTU = 3.412
"""BTU/h of one watt."""
TON = 12_000.0
"""BTU/h of a ton of refrigeration."""
AIR_DENSITY, AIR_HEAT = 1.2, 1005.0
"""kg/m3 at sea level and 20 C; J/kg/K."""
AIR_RISE = 15.0
"""C from front to back of a rack."""
THINNER = 0.036 / 300.0
"""More air by volume for each metre of altitude."""
DERATED_FROM, DERATED = 900.0, 1 / 300.0
"""Inlet limits fall by 1 C for each 300 m above 900 m (ASHRAE TC 9.9, class A2)."""

NAMEPLATE_SHARE = 1.10
"""Sum of nodes at their 99th percentile over their typical draw, eight nodes: peaks do not coincide."""
MEAN, P99 = 0.91, 1.18
"""Mean of a run, loading and evaluation included, and 99th percentile of one node, over typical; ML_POWER."""


CAPPED_LOW = (0.28, 0.58, 0.72, 0.82, 0.90, 0.95, 1.0)
CAPPED_HIGH = (0.56, 0.78, 0.88, 0.95, 0.98, 1.0, 1.0)
"""Band of the speed at `tables.runtime.POWER_LIMITS`; CAPPED_SOURCE."""
CAPPED_SOURCE = (
    "Puget Systems (4x RTX 3090 at 0.8: 0.95 or more), RTX 3090 sweeps (0.8: 0.95, 0.6: 0.80), MIT Lincoln "
    "Laboratory (V100 at 0.6: 7 % more time); no public sweep of LLM fine-tuning on H100 was found"
)
LEAST_LIMIT = 0.3
"""Share of board power below which drivers take no limit."""
