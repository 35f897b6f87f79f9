"""What was done to a document, one step a visit of a field, and back again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ftbuild.build import Build
from ftbuild.problems import Problem


@dataclass(frozen=True, slots=True)
class Pending:
    """Text that is not in force, and why not."""

    text: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class State:
    """A document at one moment: the build in force, and by key the texts that are not."""

    build: Build
    pending: Mapping[str, Pending] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done, in words, with the states around it."""

    label: str
    before: State
    after: State


@dataclass(slots=True)
class History:
    """Steps that can be undone, and those that were."""

    done: list[Step] = field(default_factory=list)
    undone: list[Step] = field(default_factory=list)

    def add(self, step: Step) -> None:
        """Note a step; what was undone before can no longer be done again."""
        self.done.append(step)
        self.undone.clear()

    def undo(self) -> Step | None:
        """Return the step to go back over, if there is one."""
        if not self.done:
            return None
        self.undone.append(self.done.pop())
        return self.undone[-1]

    def redo(self) -> Step | None:
        """Return the step to take again, if there is one."""
        if not self.undone:
            return None
        self.done.append(self.undone.pop())
        return self.done[-1]
