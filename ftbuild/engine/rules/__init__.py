"""The table of rules: one row a rule, one file an area.

A rule compares one figure with one limit; see `ftbuild.engine.core.Rule` for the columns. Rows that are the
computed need stand before the guide's rule that names them in `need`.
"""

from __future__ import annotations

from ftbuild.engine.core import Rule
from ftbuild.engine.rules.cost import COST
from ftbuild.engine.rules.host import HOST
from ftbuild.engine.rules.network import NETWORK
from ftbuild.engine.rules.power import POWER
from ftbuild.engine.rules.storage import STORAGE
from ftbuild.engine.rules.time import TIME
from ftbuild.engine.rules.vram import VRAM

RULES: tuple[Rule, ...] = (*VRAM, *HOST, *STORAGE, *NETWORK, *POWER, *TIME, *COST)

BY_ID = {rule.id: rule for rule in RULES}
