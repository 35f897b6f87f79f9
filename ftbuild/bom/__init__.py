"""A build's parts, priced: what to order, what it costs as far as prices are known, and what it draws.

``bill`` makes the list; each format it can be written in is one module and one row of `EXPORTERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ftbuild.bom.as_csv import to_csv
from ftbuild.bom.as_json import to_json
from ftbuild.bom.as_markdown import to_markdown
from ftbuild.bom.bill import Bill, Row, bill
from ftbuild.bom.words import total_lines

EXPORTERS: Mapping[str, Callable[[Bill], str]] = {"csv": to_csv, "md": to_markdown, "json": to_json}
"""Format, which is also the suffix of its files -> the function that writes a bill in it."""

__all__ = ["EXPORTERS", "Bill", "Row", "bill", "total_lines"]
