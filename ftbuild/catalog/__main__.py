"""``python -m ftbuild.catalog`` writes the compiled form of the shipped rows (see `compiled`)."""

from ftbuild.catalog.catalog import read_shipped, sources_of
from ftbuild.catalog.compiled import store
from ftbuild.catalog.parts import KINDS

for kind in KINDS:
    store(kind, read_shipped(kind), sources_of(kind))
