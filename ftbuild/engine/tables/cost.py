"""What money depends on beside prices."""

from __future__ import annotations

HOURS_PER_YEAR = 8760.0
WEEKS_PER_YEAR = 365 / 7
MONTHS_PER_YEAR = 12.0

GUIDE_SHARE = 0.20
GUIDE_YEARS = 3.0
"""The guide's rule: 20 % of the hardware's cost for power and cooling over three years."""

RENT_BAND = 0.3
"""How far rent may move either way in a year or so; it moved by a factor of four from 2023 to 2025."""

SPOT_WASTE = 0.10
"""Share of spot time lost to restarts: checkpoints of 60 s, restarts of 10 min, an interruption every 6 h, by
Young's interval w = C / t + (t / 2 + R) / M, t = sqrt(2 C M). With 10 s and 5 min it is 4.4 %, with an
interruption every 2 h 21 %."""

QUERY_TOKENS = 8192.0
QUERY_UTILISATION = 0.5
"""The guide's query of 8K tokens; share of the 16-bit peak that a prefill reaches (half of the fp8 peak was
taken for the comparison with its figures)."""
GUIDE_QUERY = (0.0008, 0.00003)
"""USD for a query that the guide states: by API and on one's own card."""
