"""A report as a JSON document, for other programs: plain SI numbers, null for what is not known."""

from __future__ import annotations

import math
from typing import Any

from ftbuild import units
from ftbuild.build import Build
from ftbuild.engine.core import Figure, Finding, Report
from ftbuild.problems import BuildError
from ftbuild.text.wording import UNKNOWN, message, one, severity, state

JSON_SCHEMA = 1
"""Of the document; a change that breaks readers raises it."""


def report_document(report: Report, build: Build, file: str) -> dict[str, Any]:
    """Return the document of one build."""
    return {
        "schema": JSON_SCHEMA,
        "file": unicode(file),
        "build": build.name,
        "verdict": report.verdict.word,
        "figures": {name: figure_document(figure) for name, figure in report.figures.items()},
        "findings": [finding_document(finding, report) for finding in report.findings],
    }


def error_document(error: BuildError, file: str) -> dict[str, Any]:
    """Return the document in place of a build that cannot be read or understood."""
    first = error.problems[0]
    return {
        "file": unicode(file),
        "error": {
            "key": first.key,
            "found": first.found,
            "expected": first.expected,
            "message": str(error),
        },
    }


def figure_document(figure: Figure) -> dict[str, Any]:
    """Return one figure."""
    return {
        "value": number(one(figure.value)),
        "unit": units.symbol(figure.spec.kind),
        "low": None if figure.low is None else number(one(figure.low)),
        "high": None if figure.high is None else number(one(figure.high)),
        "parts": {name: number(one(value)) for name, value in figure.parts.items()},
    }


def finding_document(finding: Finding, report: Report) -> dict[str, Any]:
    """Return one finding.

    One that cannot be judged has a key more, ``"unknown": true``, beside the severity of a notice and a value
    or limit of null.
    """
    document = {
        "rule": finding.rule.id,
        "severity": severity(finding).word,
        "value": number(finding.value),
        "limit": number(finding.limit),
        "unit": units.symbol(report.figures[finding.rule.figure].spec.kind),
        "message": message(finding, report),
        "source": finding.rule.source,
    }
    return {**document, "unknown": True} if state(finding) == UNKNOWN else document


def unicode(text: str) -> str:
    """Return text that every reader of JSON takes: bytes of a file's name that are not UTF-8 are replaced."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def number(value: float) -> float | int | None:
    """Return a number that JSON has: null for NaN and infinities, an integer where it is whole."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
