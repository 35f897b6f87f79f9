"""The document: a build that is being edited. Nothing here knows of a screen.

What is in force is always a whole, valid build. Text that is not a value stays beside it, by key, with what
is wrong with it, and is tried again when another field changes: two fields that depend on each other may be
typed one after the other. One visit of a field is one step of undo, however many keys it took.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ftbuild import build as builds
from ftbuild import files
from ftbuild.build import FIELDS, Build
from ftbuild.files import FileError, Loaded
from ftbuild.journal import Entry, Journal
from ftbuild.problems import BuildError, Problem
from ftbuild.tui.history import History, Pending, State, Step
from ftbuild.tui.values import LIMITS, PRICES, label_of, text_of, typed

if TYPE_CHECKING:
    from ftbuild.engine.core import Report

Judge = Callable[[Build, Path | None], "Report"]
Observer = Callable[["Editor"], None]


@dataclass(slots=True)
class _Visit:
    """Typing into one field that is not finished."""

    key: str
    before: State


class Editor:
    """A build, what was done to it, what it was when it was last saved, and what the engine says of it."""

    def __init__(
        self,
        loaded: Loaded,
        judge: Judge | None = None,
        journal: Journal | None = None,
        folder: Path | None = None,
    ) -> None:
        self.loaded = loaded
        self.saved = loaded.build
        self.state = State(loaded.build)
        self.history = History()
        self.report: Report | None = None
        self.trouble: tuple[Problem, ...] = ()
        """Why there is no report of the build in force."""
        self.folder = loaded.folder or folder
        """Where relative paths in the build start."""
        self._judge = judge
        self._journal = journal
        self._visit: _Visit | None = None
        self._unfiled = False
        """The build came from the journal and has never had a file."""
        self._observers: list[Observer] = []
        self._recording = threading.Lock()
        self._use(self.state)

    # What stands

    @property
    def build(self) -> Build:
        """The build in force."""
        return self.state.build

    @property
    def pending(self) -> Mapping[str, Pending]:
        """Texts that are not in force, by key."""
        return self.state.pending

    @property
    def path(self) -> Path | None:
        """The file of the build, if it has one."""
        return self.loaded.path

    @property
    def dirty(self) -> bool:
        """Whether the build differs from the one that was saved."""
        return self._unfiled or self.build != self.saved

    @property
    def unsaved(self) -> bool:
        """Whether leaving would lose something: edits, or text that is not in force."""
        return self.dirty or bool(self.pending)

    @property
    def editing(self) -> str | None:
        """The key of the field that is being typed into."""
        return self._visit.key if self._visit else None

    def text(self, key: str) -> str:
        """Return what a field shows: the text that is not in force, else its value."""
        waiting = self.pending.get(key)
        return waiting.text if waiting else text_of(self.build, key)

    def problem(self, key: str) -> Problem | None:
        """Return what is wrong with a field's text, or with its value in the eyes of the engine."""
        waiting = self.pending.get(key)
        if waiting:
            return waiting.problem
        return next((problem for problem in self.trouble if problem.key == key), None)

    def changes(self) -> list[tuple[str, str, str]]:
        """List what differs from the saved build: label, old text, new text."""
        old, new = self.saved, self.build
        keys = [
            *FIELDS,
            *(PRICES + name for name in {**old.cost.price, **new.cost.price}),
            *(LIMITS + name for name in {**old.limits, **new.limits}),
        ]
        found = [(label_of(key), text_of(old, key), text_of(new, key)) for key in keys]
        return [change for change in found if change[1] != change[2]]

    # What happens

    def watch(self, observer: Observer) -> None:
        """Call `observer` after every change."""
        self._observers.append(observer)

    def attach(self, judge: Judge) -> None:
        """Judge the build from now on; the engine is loaded after the first picture."""
        self._judge = judge
        self._use(self._retried(self.state))
        self._announce()

    def type(self, key: str, text: str) -> None:
        """Take what stands in a field while it is typed; the visit ends with `commit` or `revert`."""
        if self._visit is None or self._visit.key != key:
            self.commit()
            self._visit = _Visit(key, self.state)
        if text == self._text_in(self._visit.before, key):
            self._use(self._visit.before)
        else:
            self._use(self._with(key, text))
        self._announce()

    def commit(self, label: str = "") -> None:
        """End the visit of a field: one step of undo, if anything changed."""
        visit, self._visit = self._visit, None
        if visit is None:
            return
        if visit.before != self.state:
            old, new = (self._text_in(state, visit.key) or "nothing" for state in (visit.before, self.state))
            words = label or f"{label_of(visit.key).lower()} {old} -> {new}"
            self.history.add(Step(words, visit.before, self.state))
        self._announce()

    def revert(self) -> None:
        """End the visit of a field as if it had not been."""
        if self._visit is not None:
            before, self._visit = self._visit.before, None
            self._use(before)
            self._announce()

    def set(self, key: str, text: str, label: str = "") -> None:
        """Change one field in one step."""
        self.commit()
        self.type(key, text)
        self.commit(label)

    def replace(self, build: Build, label: str) -> None:
        """Put another build in force in one step, as a fix or a preset does."""
        self.commit()
        before = self.state
        self._use(State(build))
        self.history.add(Step(label, before, self.state))
        self._announce()

    def undo(self) -> str:
        """Go back one step; return what was undone, or nothing."""
        self.commit()
        return self._go(self.history.undo(), back=True)

    def redo(self) -> str:
        """Take a step again; return which, or nothing."""
        self.commit()
        return self._go(self.history.redo(), back=False)

    # Files

    def save(self, path: Path | None = None, *, force: bool = False) -> None:
        """Write the build to its file or another; raises `FileError` with everything as before."""
        self.commit()
        target = path or self.path
        if target is None:
            raise ValueError("a build that has no file needs a path")
        before = self.path
        self.loaded = files.save(target, self.build, self.loaded, force=force)
        self.folder = self.loaded.folder
        self.saved, self._unfiled = self.build, False
        if self._journal is not None and before != self.path:
            with self._recording:
                self._journal.discard(before)
        with suppress(FileError):  # the file is written; text that is not in force can wait for the next edit
            self.record()
        self._announce()

    def record(self) -> None:
        """Keep what is unsaved in the journal, or drop it from there when all is saved.

        May run in a thread, also while somebody types: it reads one immutable state. Raises `FileError`.
        """
        with self._recording:
            if self._journal is None:
                return
            state, loaded = self.state, self.loaded
            if not (self._unfiled or state.pending or state.build != self.saved):
                self._journal.discard(loaded.path)
            else:
                text = files.dumps(state.build, loaded.document)
                waiting = {key: entry.text for key, entry in state.pending.items()}
                self._journal.record(text, loaded.path, loaded.fingerprint, waiting)

    def abandon(self, last: Callable[[], None] | None = None) -> None:
        """Keep the edits although nobody looks any more: the terminal has gone, or the screen has failed.

        `last` may still type what was not told.
        """
        self._observers.clear()
        if last is not None:
            last()
        self.commit()
        self.record()

    def forget(self) -> None:
        """Drop the journal's entry: the edits are given up on purpose."""
        if self._journal is not None:
            with self._recording:
                self._journal.discard(self.path)
                self._journal = None

    def take_up(self, build: Build, texts: Mapping[str, str]) -> None:
        """Put what the journal kept in force in one step; the texts come back into their fields."""
        before = self.state
        waiting = {
            key: Pending(text, Problem(key, text, "", "it was not in force when it was kept"))
            for key, text in texts.items()
            if key in FIELDS or key.startswith((PRICES, LIMITS))
        }
        state = State(build, waiting)
        self._use(state if self._judge is None else self._retried(state))
        self.history.add(Step("recover unsaved edits", before, self.state))
        self._announce()

    # Inside

    def _with(self, key: str, text: str) -> State:
        """Return the state after typing `text`: with as many of the waiting texts as now hold."""
        waiting = {name: entry.text for name, entry in self.pending.items() if name != key}
        rest = {name: entry for name, entry in self.pending.items() if name != key}
        for changes in ({**waiting, key: text}, {key: text}) if waiting else ({key: text},):
            try:
                build = self._tried(self.build, changes)
            except BuildError as error:
                problem = _about(error, key)
                continue
            if len(changes) > 1:
                return State(build)
            return self._retried(State(build, rest))
        return State(self.build, {**rest, key: Pending(text, problem)})

    def _retried(self, state: State) -> State:
        """Try each waiting text again on its own."""
        for name, entry in state.pending.items():
            rest = {other: kept for other, kept in state.pending.items() if other != name}
            try:
                state = State(self._tried(state.build, {name: entry.text}), rest)
            except BuildError as error:
                again = Pending(entry.text, _about(error, name))
                state = replace(state, pending={**state.pending, name: again})
        return state

    def _tried(self, build: Build, changes: Mapping[str, str]) -> Build:
        """Return the changed build; raises `BuildError` where a change is at fault, the engine's view too."""
        new = builds.changed(build, {key: typed(key, text) for key, text in changes.items()})
        if any(_named(key) or key.startswith(LIMITS) for key in changes):
            _report, trouble = self._judged(new)
            blamed = [problem for problem in trouble if problem.key in changes]
            if blamed:
                raise BuildError(blamed)
        return new

    def _use(self, state: State) -> None:
        if self.report is None or state.build != self.state.build or self.trouble:
            self.report, self.trouble = self._judged(state.build)
        self.state = state

    def _judged(self, build: Build) -> tuple[Report | None, tuple[Problem, ...]]:
        if self._judge is None:
            return None, ()
        try:
            return self._judge(build, self.folder), ()
        except BuildError as error:
            return None, error.problems

    def _go(self, step: Step | None, back: bool) -> str:
        if step is None:
            return ""
        self._use(step.before if back else step.after)
        self._announce()
        return step.label

    def _text_in(self, state: State, key: str) -> str:
        waiting = state.pending.get(key)
        return waiting.text if waiting else text_of(state.build, key)

    def _announce(self) -> None:
        for observer in self._observers:
            observer(self)


def recovered(entry: Entry, judge: Judge | None, journal: Journal | None) -> Editor:
    """Return an editor of a journal's entry: its file as it is now, with the kept build as an edit of it.

    Where the file is no longer the one that the edits were made on, saving says that it has changed.
    Raises `BuildError` where the entry does not hold a build.
    """
    kept = files.loads(entry.text, "the kept edits")
    path = Path(entry.file) if entry.file else None
    try:
        base = replace(files.load(path), fingerprint=entry.fingerprint) if path else kept
    except BuildError:
        base = replace(kept, path=path, fingerprint=entry.fingerprint)
    editor = Editor(base, judge, journal)
    editor._unfiled = path is None
    if path is not None or entry.pending:
        editor.take_up(kept.build, entry.pending)
    return editor


def _named(key: str) -> bool:
    """Whether only the engine knows if a value exists: names of parts and module lists."""
    spec = FIELDS.get(key)
    return spec is not None and type(spec.described).__name__ in ("Part", "Words")


def _about(error: BuildError, key: str) -> Problem:
    """Return what an error says of `key`, else its first problem."""
    return next((problem for problem in error.problems if problem.key == key), error.problems[0])
