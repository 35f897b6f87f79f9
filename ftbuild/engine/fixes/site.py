"""Where moves start: the build as it stands, its report, and the parts there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ftbuild import build as builds
from ftbuild import units
from ftbuild.build import FIELDS, Build
from ftbuild.catalog import Catalog
from ftbuild.catalog.parts import Cpu, Gpu, Part
from ftbuild.engine.core import Report
from ftbuild.engine.inputs import find
from ftbuild.schema import Number

P = TypeVar("P", bound=Part)


@dataclass(frozen=True, slots=True)
class Site:
    """A build that something is wrong with."""

    build: Build
    catalog: Catalog
    parts: Catalog
    """The same with the build's own parts over it."""
    report: Report
    folder: Path | None = None

    def get(self, key: str) -> Any:
        """Return what the build says at a key."""
        return builds.get(self.build, key)

    def part(self, kind: type[P], key: str) -> P | None:
        """Return the part named at a key, None where none is."""
        text = self.get(key)
        return None if text is None else find(self.parts, kind, str(text), key, self.folder)

    @property
    def gpu(self) -> Gpu:
        """The GPU of the build."""
        return find(self.parts, Gpu, self.build.hardware.gpu, "hardware.gpu", self.folder)

    @property
    def cpu(self) -> Cpu | None:
        """The processor of the build, where one is stated."""
        return self.part(Cpu, "hardware.cpu")

    @property
    def ranks(self) -> int:
        """GPUs of all nodes."""
        return self.build.hardware.nodes * self.build.hardware.gpus_per_node


def typed(key: str, value: float) -> str:
    """Write a number as a person would type it at a key."""
    described = FIELDS[key].described
    return str(units.write(value, described.kind)) if isinstance(described, Number) else str(value)
