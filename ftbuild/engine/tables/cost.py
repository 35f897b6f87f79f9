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

INTERRUPTION = 6 * 3600.0
"""Mean time between interruptions of a spot instance, s; from 2 h on a bad day to 24 h (AWS Spot advisor,
May 2025: 5-20 % a month for A100 and H100, which is longer; neo-clouds do not say)."""
RESTART = 600.0
"""From interruption to training again, s: a new instance, loading, the data set."""
CHECKPOINT = 60.0
LEAST_CHECKPOINT = 1.0
"""Seconds of a checkpoint, where nothing tells, and at least."""
MOST_WASTE = 0.95

QUERY_TOKENS = 8192.0
QUERY_UTILISATION = 0.5
"""The guide's query of 8K tokens; share of the 16-bit peak that a prefill reaches (half of the fp8 peak was
taken for the comparison with its figures)."""
GUIDE_QUERY = (0.0008, 0.00003)
"""USD for a query that the guide states: by API and on one's own card."""
