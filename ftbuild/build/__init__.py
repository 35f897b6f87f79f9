"""A build: what a user describes, read from documents, changed one field at a time."""

from __future__ import annotations

from ftbuild.build.choices import QUANTIZED_METHODS
from ftbuild.build.document import changed, document_of, get, read
from ftbuild.build.models import (
    ALIASES,
    FIELDS,
    SCHEMA_VERSION,
    TABLES,
    Build,
    Hardware,
    Limit,
    Price,
    Section,
    Workload,
)
from ftbuild.problems import BuildError, Problem

__all__ = [
    "ALIASES",
    "FIELDS",
    "QUANTIZED_METHODS",
    "SCHEMA_VERSION",
    "TABLES",
    "Build",
    "BuildError",
    "Hardware",
    "Limit",
    "Price",
    "Problem",
    "Section",
    "Workload",
    "changed",
    "document_of",
    "get",
    "read",
]
