"""What every row of a table of choices carries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One value that a user can choose, with the coefficients that stand for it.

    Every field but `id`, `source` and `notes` is a number, so a column of rows can be gathered into arrays.
    """

    id: str
    source: str
    notes: str = ""
