"""What can go wrong with a catalog: a row that cannot be read, a part that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

PATH = "; a path must name the model's config.json"
"""What is said beside a model that reads like a path."""


class CatalogError(Exception):
    """A row or file that cannot be accepted: where it stands, what was found, what would be accepted."""

    def __init__(self, file: str, row: str, key: str, found: str, expected: str) -> None:
        self.file, self.row, self.key, self.found, self.expected = file, row, key, found, expected
        place = ": ".join(part for part in (file, row, key) if part)
        super().__init__(f"{place}: found {found}; expected {expected}")


class UnknownPart(Exception):  # noqa: N818 - named for what it says; it is an answer more than a fault
    """No part, or more than one, answers to a text."""

    def __init__(self, kind: str, found: str, suggestions: Sequence[str], *, several: bool = False) -> None:
        self.kind, self.found, self.suggestions, self.several = kind, found, tuple(suggestions), several
        names = _listed(self.suggestions)
        if several:
            message = f"'{found}' could be more than one {kind}: {names}; write one of these"
        else:
            message = f"no {kind} '{found}' in the catalog" + (f"; did you mean {names}?" if names else "")
            message += PATH if kind == "model" and "/" in found else ""
        super().__init__(message)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " or " + names[-1] if len(names) > 1 else "".join(names)
