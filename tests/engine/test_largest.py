"""The largest that fits does fit, and the next one does not."""

import pytest

from ftbuild import build as builds
from ftbuild import files, library
from ftbuild.build import BuildError
from ftbuild.catalog import load_catalog
from ftbuild.catalog.parts import Model
from ftbuild.engine import shape
from ftbuild.engine.evaluate import evaluate
from ftbuild.engine.largest import largest

CATALOG = load_catalog()
PRESETS = {path.stem: files.load(path).build for path in sorted(library.folder().glob("*.toml"))}


def fits(build, changes):
    report = evaluate(builds.changed(build, changes), CATALOG)
    return report.value("vram.per_gpu") <= report.value("vram.usable")


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize(
    ("name", "step"), [("micro_batch", 1), ("sequence_length", 256), ("rank", 1)]
)  # fmt: skip
def test_the_largest_fits_and_the_next_does_not(preset, name, step):
    build = PRESETS[preset]
    found = getattr(largest(build, CATALOG), name)
    if found is None:
        assert name == "rank"
        assert build.workload.method == "full"
        return
    assert found > 0
    assert fits(build, {f"workload.{name}": found})
    top = CATALOG.find(Model, build.workload.model).context if name == "sequence_length" else 4096
    if found + step <= top:
        assert not fits(build, {f"workload.{name}": found + step})


@pytest.mark.parametrize("preset", ["workstation-24gb", "denver-rack"])
def test_no_larger_model_of_the_catalog_fits(preset):
    build = PRESETS[preset]
    found = largest(build, CATALOG)
    assert fits(build, {"workload.model": found.model})
    sizes = {row.id: shape.shape(row).total for row in CATALOG.rows(Model)}
    assert found.model is not None and found.parameters == sizes[found.model]
    larger = [name for name, size in sizes.items() if size > found.parameters]
    assert larger
    assert not any(fits(build, {"workload.model": name}) for name in larger)


def test_where_nothing_fits_the_largest_is_nothing():
    build = builds.read(
        {"workload": {"model": "llama-3.1-405b", "method": "full"}, "hardware": {"gpu": "t4-16gb"}}
    )
    found = largest(build, CATALOG)
    assert (found.micro_batch, found.sequence_length, found.rank) == (0, 0, None)


def test_a_sequence_is_no_longer_than_the_model_s_context():
    build = builds.read(
        {"workload": {"model": "tinyllama", "method": "qlora"}, "hardware": {"gpu": "h100-sxm-80gb"}}
    )
    assert largest(build, CATALOG).sequence_length == CATALOG.find(Model, "tinyllama").context


def test_a_card_whose_memory_is_unknown_has_no_largest():
    build = builds.changed(PRESETS["workstation-24gb"], {"hardware.gpu": "gb10-unified-128gb"})
    found = largest(build, CATALOG)
    assert (found.micro_batch, found.sequence_length, found.rank, found.model) == (None,) * 4


def test_an_unknown_part_is_named():
    build = builds.changed(PRESETS["workstation-24gb"], {"hardware.gpu": "no such card"})
    with pytest.raises(BuildError, match=r"hardware\.gpu"):
        largest(build, CATALOG)
