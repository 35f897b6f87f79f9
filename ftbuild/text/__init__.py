"""Reports, figures and findings as plain lines of text, and the report as a JSON document.

Nothing here knows of a screen: lines are text without markup or colour, for the command line, for exports and
for panes that paint them.
"""

from __future__ import annotations

from ftbuild.text.document import error_document, report_document
from ftbuild.text.explain import explain_lines
from ftbuild.text.lines import figure_lines, finding_lines, report_lines, summary, table
from ftbuild.text.wording import counted, figure_range, message, severity, verdict_words

__all__ = [
    "counted",
    "error_document",
    "explain_lines",
    "figure_lines",
    "figure_range",
    "finding_lines",
    "message",
    "report_document",
    "report_lines",
    "severity",
    "summary",
    "table",
    "verdict_words",
]
