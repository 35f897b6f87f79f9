"""Reports of shipped presets, evaluated once."""

from functools import cache

from ftbuild import build as builds
from ftbuild import files, library
from ftbuild.catalog import load_catalog
from ftbuild.engine.evaluate import evaluate

NAMES = tuple(preset.id for preset in library.presets() if preset.shipped)


@cache
def build_of(name):
    return files.load(library.find(name).path).build


@cache
def report_of(name, **changes):
    build = build_of(name)
    keys = {key.replace("__", "."): value for key, value in changes.items()}
    return evaluate(builds.changed(build, keys) if keys else build, load_catalog())
