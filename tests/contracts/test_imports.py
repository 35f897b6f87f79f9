"""Which module may import which: the arrows of CONTRIBUTING.md, and what starting does not import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ftbuild

ROOT = Path(ftbuild.__file__).parent
ALLOWED = {
    "units": set(),
    "problems": set(),
    "locations": set(),
    "disk": {"problems"},
    "tomlguard": {"disk", "problems"},
    "library": {"disk", "locations", "problems"},
    "schema": {"problems", "units"},
    "build": {"problems", "schema", "units"},
    "catalog": {"problems", "units"},
    "jsonschema": {"build", "schema", "units"},
    "files": {"build", "catalog", "disk", "locations", "problems", "schema", "tomlguard"},
    "journal": {"disk", "locations"},
    "engine": {"build", "catalog", "problems", "schema", "units"},
    "bom": {"build", "catalog", "engine", "problems", "units"},
    "text": {"build", "catalog", "engine", "problems", "units"},
}
"""Module or package -> those of ftbuild it may import; `cli`, `tui` and `importers` stand above them all."""
OUTSIDE = {
    "units": set(),
    "problems": set(),
    "schema": {"pydantic", "pydantic_core"},
    "build": {"pydantic", "pydantic_core"},
    "catalog": set(),
    "engine": {"numpy"},
    "bom": {"numpy"},
    "text": {"numpy"},
    "files": {"tomli_w"},
}
"""Packages from outside the standard library that a part may import."""


def imports_of(path):
    """Yield the modules that a file imports anywhere, also only for types."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def files_of(part):
    folder = ROOT / part
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [ROOT / f"{part}.py"]


@pytest.mark.parametrize("part", ALLOWED)
def test_a_part_imports_only_what_lies_below_it(part):
    for path in files_of(part):
        for name in imports_of(path):
            words = name.split(".")
            if words[0] == "ftbuild" and len(words) > 1:
                assert words[1] == part or words[1] in ALLOWED[part], f"{path} imports {name}"


@pytest.mark.parametrize("part", OUTSIDE)
def test_a_part_needs_only_its_own_packages(part):
    for path in files_of(part):
        for name in imports_of(path):
            top = name.split(".")[0]
            known = top in sys.stdlib_module_names or top == "ftbuild"
            assert known or top in OUTSIDE[part], f"{path} imports {name}"


def loaded_by(code):
    run = f"import sys\nsys.argv = ['ftbuild']\n{code}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True, timeout=60)
    return {name.split(".")[0] for name in done.stderr.split()}


def test_help_imports_no_heavy_package():
    code = "from ftbuild.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not loaded_by(code) & {"numpy", "textual", "rich", "pydantic", "tomli_w", "platformdirs"}


def test_checking_a_build_imports_no_screen():
    path = ROOT.parent / "presets" / "solo-founder.toml"
    code = f"from ftbuild.cli import main\ntry: main(['check', {str(path)!r}])\nexcept SystemExit: pass"
    assert not loaded_by(code) & {"textual", "rich"}


def test_a_build_is_read_without_numpy():
    assert "numpy" not in loaded_by("import ftbuild.files, ftbuild.build, ftbuild.catalog")


def test_the_import_contracts_of_the_project_file_hold():
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
    ]
    done = subprocess.run(
        [*command, "--no-cache"], cwd=ROOT.parent, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
