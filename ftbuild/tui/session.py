"""What outlives one document: the catalog, the engine, the journal, what was opened last."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ftbuild import build as builds
from ftbuild import files
from ftbuild.build import FIELDS, Build
from ftbuild.catalog import Catalog, CatalogError, UnknownPart, load_catalog
from ftbuild.catalog.parts import KINDS
from ftbuild.journal import Entry, Journal
from ftbuild.problems import BuildError, Problem, plain
from ftbuild.schema import Number, Part
from ftbuild.tui.editor import Editor, recovered
from ftbuild.tui.recent import Recent
from ftbuild.tui.terminal import crash

if TYPE_CHECKING:
    from ftbuild.engine.core import Report

NEW_BUILD = {
    "name": "New build",
    "workload": {"model": "meta-llama/Llama-3.1-8B"},
    "hardware": {"gpu": "rtx-4090-24gb"},
}
"""What a new build states: the model and the card that a build cannot be without."""

PART_KINDS = {kind.kind: kind for kind in KINDS}


class Session:
    """One run of the program."""

    def __init__(self, state: Path | None = None) -> None:
        """Open the user's things; `state` is a folder of a test's own."""
        self.notices: list[str] = []
        self.journal = Journal(state / "recovery" if state else None)
        self.recent = Recent(state / "recent.json" if state else None)
        self.catalog = self._catalog()
        self._faults: dict[str, str] = {}
        self.ready = False
        """Whether the engine is loaded."""

    def load_engine(self) -> None:
        """Import the engine and what words its results; takes a moment, so after the first picture."""
        import ftbuild.engine.evaluate
        import ftbuild.text
        import ftbuild.tui.reading  # noqa: F401 - imported for later

        self.ready = True

    def judge(self, build: Build, folder: Path | None) -> Report:
        """Return the report of a build; raises `BuildError`."""
        from ftbuild.engine.evaluate import evaluate

        try:
            return evaluate(build, self.catalog, folder)
        except CatalogError as error:
            raise files.catalog_problem(error) from None
        except BuildError:
            raise
        except Exception as error:  # a fault of ours must not lock a user out of the build that shows it
            raise BuildError([self._fault(error)]) from error

    def _fault(self, error: Exception) -> Problem:
        """Return an error nobody expected as a problem; its details go to a log, once for each."""
        line = self._faults.setdefault(crash.reason(error), "") or crash.report(error)
        self._faults[crash.reason(error)] = line
        return Problem("", "", "", line.replace("ended the screen", "stopped the engine"))

    def editor(self, path: Path) -> Editor:
        """Open a file; raises `BuildError`."""
        loaded = files.load(path)
        self.recent.opened(path)
        return Editor(loaded, self.judge if self.ready else None, self.journal)

    def editor_from(self, preset: Path) -> Editor:
        """Open a preset as a build that has no file yet; raises `BuildError`."""
        loaded = files.load(preset)
        fresh = files.Loaded(loaded.build, loaded.document, loaded.unknown)
        return Editor(fresh, self.judge if self.ready else None, self.journal, preset.parent)

    def new(self) -> Editor:
        """Return a build that states no more than it must, and has no file yet."""
        return Editor(files.Loaded(builds.read(NEW_BUILD)), self.judge if self.ready else None, self.journal)

    def recover(self, entry: Entry) -> Editor:
        """Open what the journal kept; raises `BuildError`."""
        return recovered(entry, self.judge if self.ready else None, self.journal)

    def part_name(self, build: Build, key: str, text: str) -> str:
        """Return the catalog's name of a part, or the text as it is."""
        described = FIELDS[key].described
        if not isinstance(described, Part) or not text:
            return text
        try:
            return plain(self.parts(build).find(PART_KINDS[described.part], text).name)
        except (UnknownPart, CatalogError):
            return text

    def parts(self, build: Build) -> Catalog:
        """Return the catalog with a build's own parts over it; raises `CatalogError`."""
        return self.catalog.with_parts(build.catalog) if build.catalog else self.catalog

    def _catalog(self) -> Catalog:
        try:
            return files.user_catalog()
        except BuildError as error:
            self.notices.append(f"Your own parts are left out: {plain(error, 200)}")
            return load_catalog()


def kind_of(key: str) -> str:
    """Return the kind of part that a field names or takes its rating from, or nothing."""
    spec = FIELDS.get(key)
    return spec.described.part if spec and isinstance(spec.described, (Part, Number)) else ""
