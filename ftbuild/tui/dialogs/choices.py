"""What a field's list offers: the names of a choice, or the whole catalog with the facts that matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ftbuild import units
from ftbuild.build import FIELDS
from ftbuild.catalog import CatalogError, UnknownPart
from ftbuild.catalog.parts import Part as CatalogPart
from ftbuild.catalog.parts import Psu
from ftbuild.problems import plain
from ftbuild.schema import Choice, Part, Words
from ftbuild.tui.dialogs.picker import Option, Picker
from ftbuild.tui.editor import Editor
from ftbuild.tui.session import PART_KINDS, Session, kind_of
from ftbuild.units import Kind


def picker_for(key: str, editor: Editor, session: Session, typed: str) -> Picker:
    """Return the list of a field, with what was typed to begin with."""
    spec = FIELDS[key]
    described = spec.described
    if isinstance(described, (Choice, Words)) and not isinstance(described, Part):
        names = described.choices
        own = "names of modules" if isinstance(described, Words) else ""
        return Picker(
            described.label,
            lambda text: [Option(name, name) for name in names if text.casefold() in name],
            typed=typed,
            current=editor.text(key),
            accepts_text=own,
        )
    current = _current(key, editor, session)
    return Picker(
        described.label,
        _parts(key, editor, session),
        typed=typed,
        current=current,
        accepts_text=described.accepts(),
    )


def _current(key: str, editor: Editor, session: Session) -> str:
    kind = PART_KINDS[kind_of(key)]
    try:
        return session.parts(editor.build).find(kind, editor.text(key)).id
    except (UnknownPart, CatalogError):
        return editor.text(key)  # a rating, or a name of the user's own


def _parts(key: str, editor: Editor, session: Session) -> Callable[[str], Sequence[Option]]:
    kind = PART_KINDS[kind_of(key)]
    catalog = session.parts(editor.build)

    def choose(text: str) -> list[Option]:
        found = list(catalog.search(kind, text))
        if not text:
            recent = list(session.recent.choices(kind.kind))
            found.sort(key=lambda part: recent.index(part.id) if part.id in recent else len(recent))
        return _ratings(found) if kind is Psu else [_option(part) for part in found]

    return choose


def _option(part: CatalogPart) -> Option:
    from ftbuild.text.parts import facts

    return Option(part.id, plain(part.name), facts(part))


def _ratings(parts: Sequence[CatalogPart]) -> list[Option]:
    """Return supplies by their rating, which is what a build states."""
    by_rating: dict[str, Option] = {}
    for part in parts:
        if isinstance(part, Psu):
            text = str(units.write(part.rating, Kind.POWER))
            by_rating.setdefault(text, Option(text, plain(part.name), _option(part).facts))
    return list(by_rating.values())
