"""Choosing a training stack fills the fields that it decides; each can be changed afterwards."""

from __future__ import annotations

from functools import cache
from typing import cast

from ftbuild import build as builds
from ftbuild.build import Build
from ftbuild.engine.tables import CHOICES
from ftbuild.engine.tables.stacks import Stack
from ftbuild.tui.editor import Editor
from ftbuild.tui.values import label_of, text_of

STACK = "workload.framework"


@cache
def fills(name: str) -> dict[str, str]:
    """Return what a stack sets, by key; nothing for a name that is no stack."""
    rows = cast("tuple[Stack, ...]", CHOICES[STACK])
    found = next((row for row in rows if row.id == name), None)
    return {} if found is None else {f"workload.{field}": value for field, value in found.fills.items()}


def with_stack(build: Build, name: str) -> Build:
    """Return the build under another stack, with the fields that the stack decides set as it sets them."""
    return builds.changed(build, {STACK: name, **fills(name)})


def choose(editor: Editor, name: str) -> str:
    """Put a stack in force in one step of undo; return what it changed beside itself, in words."""
    before = editor.build
    after = with_stack(before, name)
    editor.replace(after, f"{label_of(STACK).lower()} {text_of(before, STACK)} -> {text_of(after, STACK)}")
    changed = [key for key in fills(name) if text_of(before, key) != text_of(after, key)]
    if not changed:
        return ""
    words = ", ".join(f"{label_of(key).lower()} {text_of(after, key)}" for key in changed)
    return f"{name} sets {words}; each can be changed"
