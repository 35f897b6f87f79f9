"""One field of a build on one line: label, state, value, unit, and a small editor of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.events import Blur, Click, Key, Paste
from textual.message import Message
from textual.widget import Widget

from ftbuild import build as builds
from ftbuild.build import FIELDS
from ftbuild.schema import Choice, Described, Flag, Number, Part, Words
from ftbuild.tui.editor import Editor
from ftbuild.tui.lineedit import KEYS, LineEdit, lines_of
from ftbuild.tui.values import stepped, text_of, unit_of

LABEL_WIDTH = 15
HELP_COLUMN = 44
"""Where the help of a field stands, on a pane that is wide enough to hold it beside the value."""
HELP_FROM = 66

MOVES: Mapping[str, int] = {
    "up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -1000, "end": 1000,
}  # fmt: skip
"""Key -> how many fields on; as far as the pane goes."""

Namer = Callable[[str, str], str]
"""From the key of a part and its text to the name that the catalog has for it."""


def field_id(key: str) -> str:
    """Return the widget id of a field."""
    return "field-" + key.replace(".", "-")


class Field(Widget, can_focus=True):
    """A field of a build. The document holds its value; this shows it and takes keys."""

    DEFAULT_CSS = "Field { height: 1; width: 1fr; }"

    class Asked(Message):
        """A list of values is wanted, perhaps with a beginning that was typed."""

        def __init__(self, field: Field, typed: str) -> None:
            super().__init__()
            self.field = field
            self.typed = typed

    class Told(Message):
        """Something about the field must be said."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Left(Message):
        """The field was finished; the one so many further on is meant next."""

        def __init__(self, field: Field, by: int) -> None:
            super().__init__()
            self.field = field
            self.by = by

    class Sideways(Message):
        """The pane to the left or right is wanted."""

        def __init__(self, field: Field, by: int) -> None:
            super().__init__()
            self.field = field
            self.by = by

    def __init__(self, key: str, editor: Editor, namer: Namer) -> None:
        super().__init__(id=field_id(key))
        self.key = key
        self.spec = FIELDS[key]
        self.editor = editor
        self.namer = namer
        self.edit: LineEdit | None = None
        self._replaces = False
        """The text is as it was found: the next character that is typed takes its place."""
        self._untold: str | None = None
        """Text that the document has not heard of yet: what was typed is painted first."""
        self._shown: tuple[str, str, str] | None = None

    @property
    def described(self) -> Described:
        """What the build says of the field."""
        return self.spec.described

    @property
    def listed(self) -> bool:
        """Whether its values are chosen from a list."""
        return isinstance(self.described, (Choice, Part, Words))

    # Showing

    def sync(self) -> None:
        """Repaint if what the document says of this field has changed."""
        now = self._facts()
        if now != self._shown:
            self._shown = now
            self.refresh()

    def _facts(self) -> tuple[str, str, str]:
        """Return the mark before the value, the value, and the unit behind it."""
        key = self.key
        if self.edit is not None:
            return (">" if self.editor.problem(key) is None else "x"), self.edit.text, ""
        text = self.editor.text(key)
        if self.editor.problem(key) is not None:
            return "x", text, ""
        mark = "*" if text != text_of(self.editor.saved, key) else " "
        shown = self.namer(key, text) if isinstance(self.described, Part) else text
        return mark, shown, unit_of(key, text)

    def render(self) -> Content:
        """Return the line."""
        width = self.size.width
        mark, text, unit = self._facts()
        room = max(width - LABEL_WIDTH - 1, 4)
        if width >= HELP_FROM:
            room = HELP_COLUMN - LABEL_WIDTH - 1
        label = set_cell_size(self.described.label, LABEL_WIDTH)
        marks = {"x": "$text-error bold", "*": "$text-accent bold", ">": "$text-accent bold"}
        value = self._edited(room) if self.edit is not None else self._value(text, unit, room, mark)
        line = Content.assemble((label, "$foreground 80%"), (mark, marks.get(mark, "")), value)
        if width >= HELP_FROM and self.described.help:
            gap = max(HELP_COLUMN - line.cell_length, 1)
            line = line.append(" " * gap).append(Content.styled(self.described.help, "$foreground 60%"))
        return line.truncate(width, ellipsis=True)

    def _value(self, text: str, unit: str, room: int, mark: str) -> Content:
        arrow = " v" if self.listed else ""
        rest = room - len(arrow)
        if not text:
            shown = Content.styled("-", "$foreground 60%")
        else:
            cut = text if cell_len(text) <= rest else set_cell_size(text, rest - 1) + "~"
            shown = Content.styled(cut, "$text-error" if mark == "x" else "bold")
        if unit and shown.cell_length + 1 + len(unit) <= rest:
            shown = shown.append(Content.styled(" " + unit, "$foreground 60%"))
        if arrow:
            shown = shown.append(" " * (rest - shown.cell_length)).append(
                Content.styled(arrow, "$foreground 60%")
            )
        return shown

    def _edited(self, room: int) -> Content:
        """Return the text with its caret, scrolled so that the caret shows."""
        assert self.edit is not None
        text, caret = self.edit.text, self.edit.caret
        start = 0
        while cell_len(text[start:caret]) > room - 1:
            start += 1
        shown = text[start:] + " "
        while cell_len(shown) > room:
            shown = shown[:-1]
        content = Content.styled(shown, "underline")
        if self._replaces:
            return content.stylize("reverse", 0, max(len(shown) - 1, 1))
        return content.stylize("reverse", caret - start, caret - start + 1)

    # Keys

    def on_key(self, event: Key) -> None:
        """Edit, or begin to; a field that was scrolled away comes back into view first."""
        if self.parent is not None and not self.screen.can_view_entire(self):
            self.scroll_visible(animate=False)
        taken = self._edit_key(event) if self.edit is not None else self._display_key(event)
        if taken:
            event.stop()
            event.prevent_default()

    def on_paste(self, event: Paste) -> None:
        """Put the first line of what was pasted in."""
        event.stop()
        if self.listed:
            self.post_message(self.Asked(self, LineEdit().insert(event.text).text))
            return
        edit = self.edit if self.edit is not None and not self._replaces else LineEdit()
        self._take(edit.insert(event.text))
        dropped = len(lines_of(event.text)) - 1
        if dropped > 0:
            words = f"the first line was taken; {dropped} more of what was pasted dropped"
            self.call_after_refresh(self.post_message, self.Told(words))

    def on_blur(self, _event: Blur) -> None:
        """Leaving a field finishes it."""
        self.finish()

    def on_click(self, event: Click) -> None:
        """Open the list or the editor on a double click."""
        if event.chain == 2:
            self.open()

    def open(self) -> None:
        """Begin to edit, or ask for the list; yes and no change places."""
        if isinstance(self.described, Flag):
            self.editor.set(self.key, "no" if builds.get(self.editor.build, self.key) else "yes")
        elif self.listed:
            self.post_message(self.Asked(self, ""))
        else:
            self._replaces = False
            self.edit = LineEdit.at_end(self.editor.text(self.key))
            self.sync()

    def finish(self) -> None:
        """End the visit: what was typed is one step of undo."""
        self.tell()
        self.edit = None
        if self.editor.editing == self.key:
            self.editor.commit()
        self.sync()

    def cancel(self) -> None:
        """End the visit as if nothing had been typed."""
        self.edit, self._untold = None, None
        self.editor.revert()
        self.sync()

    def _display_key(self, event: Key) -> bool:
        key, char = event.key, event.character
        if key in MOVES:
            self.post_message(self.Left(self, MOVES[key]))
        elif key in ("left", "right"):
            self.post_message(self.Sideways(self, -1 if key == "left" else 1))
        elif key == "enter" or (key == "space" and not isinstance(self.described, Number)):
            self.open()
        elif key == "space" and isinstance(self.described, Number) and self.described.part:
            self.post_message(self.Asked(self, ""))
        elif key in ("delete", "backspace"):
            self._clear()
        elif char in ("+", "-") and self._steps(char == "+"):
            pass
        elif event.is_printable and char is not None and char not in "/:?":
            self._begin(char)
        else:
            return False
        return True

    def _edit_key(self, event: Key) -> bool:
        key, edit = event.key, self.edit
        assert edit is not None
        if key == "enter":
            self.finish()
            self.post_message(self.Left(self, 1))
        elif key in ("escape", "ctrl+z"):
            self.cancel()
        elif key in ("pageup", "pagedown"):
            self.finish()
            self.post_message(self.Left(self, MOVES[key]))
        elif key in ("up", "down", "shift+up", "shift+down"):
            self._steps(key.endswith("up"), large=key.startswith("shift"))
        elif key in KEYS:
            self._replaces = False
            self._take(KEYS[key](edit))
        elif event.is_printable and event.character is not None:
            self._take((LineEdit() if self._replaces else edit).insert(event.character))
        else:
            return False
        return True

    def _begin(self, char: str) -> None:
        """Typing on a field replaces its value, as in a spreadsheet."""
        if isinstance(self.described, Flag):
            if char.casefold() in "yn":
                self.editor.set(self.key, "yes" if char.casefold() == "y" else "no")
        elif self.listed:
            self.post_message(self.Asked(self, char))
        else:
            self._take(LineEdit().insert(char))

    def _clear(self) -> None:
        if self.spec.optional:
            self.editor.set(self.key, "")
        elif not self.listed and not isinstance(self.described, Flag):
            self._take(LineEdit())
        else:
            self.post_message(self.Told(f"{self.described.label} cannot be cleared: it must have a value"))

    def _take(self, edit: LineEdit) -> None:
        """Take the edited line and tell the document."""
        changed = self.edit is None or edit.text != self.edit.text
        self.edit = edit
        self._replaces = False
        self.sync()
        self.refresh()
        if changed:
            self._untold = edit.text
            self.call_after_refresh(self.tell)

    def tell(self) -> None:
        """Tell the document what it has not heard of yet."""
        text, self._untold = self._untold, None
        if text is not None:
            self.editor.type(self.key, text)

    def _steps(self, up: bool, large: bool = False) -> bool:
        """Step to the next sensible value; say whether the field can."""
        self.tell()
        described = self.described
        if isinstance(described, Choice):
            now = described.choices.index(builds.get(self.editor.build, self.key))
            text: str | None = described.choices[(now + (1 if up else -1)) % len(described.choices)]
        else:
            value = builds.get(self.editor.build, self.key)
            start = described.low if isinstance(described, Number) and value is None else value
            text = stepped(self.key, start, up, large)
        if text is None:
            return False
        if self.edit is not None:
            self.edit = LineEdit.at_end(text)
            self._replaces = True
            self.refresh()
        self.editor.type(self.key, text)
        return True
