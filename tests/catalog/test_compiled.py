import shutil
from pathlib import Path

import pytest

from ftbuild.catalog import catalog, compiled
from ftbuild.catalog.catalog import DATA, read_shipped, sources_of
from ftbuild.catalog.parts import KINDS, Gpu, Part


@pytest.mark.parametrize("kind", KINDS)
def test_the_compiled_rows_are_those_of_the_toml(kind: type[Part]) -> None:
    assert compiled.load(kind, sources_of(kind)) == read_shipped(kind), "run: python -m ftbuild.catalog"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "data"
    shutil.copytree(DATA, copy)
    monkeypatch.setattr(catalog, "DATA", copy)
    return copy


def test_an_edited_file_is_read_although_its_compiled_form_is_old(data: Path) -> None:
    file = data / "gpu.toml"
    file.write_text(file.read_text().replace("power = 700", "power = 701"))
    assert compiled.load(Gpu, sources_of(Gpu)) is None
    assert 701 in {gpu.power for gpu in read_shipped(Gpu) if isinstance(gpu, Gpu)}


def test_an_edited_row_reads_as_such_once_compiled(data: Path) -> None:
    file = data / "gpu.toml"
    file.write_text(file.read_text().replace("power = 700", "power = 701"))
    compiled.store(Gpu, read_shipped(Gpu), sources_of(Gpu))
    assert compiled.load(Gpu, sources_of(Gpu)) == read_shipped(Gpu)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"check": 1}', '{"rows": [{"id": 1}]}'])
def test_a_broken_compiled_form_is_passed_over(data: Path, content: str) -> None:
    (data / "compiled" / "gpu.json").write_text(content)
    assert compiled.load(Gpu, sources_of(Gpu)) is None


def test_a_missing_compiled_form_is_passed_over(data: Path) -> None:
    (data / "compiled" / "gpu.json").unlink()
    assert compiled.load(Gpu, sources_of(Gpu)) is None
