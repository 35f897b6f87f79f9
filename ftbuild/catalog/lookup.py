"""Finding a part by what people and tools call it.

`Index.find` tries, in this order, and stops at the first step that gives exactly one part:

1. the id as it stands;
2. id, alias or name without regard to case, spaces, dashes, dots; also the id without its size
   (``rtx-4090`` of ``rtx-4090-24gb``) and a model's id without its publisher;
3. the same without words that only decorate (makers, ``(R)``, ``-Instruct``, ``bnb-4bit``);
4. parts with all the words of the text among theirs; if the others have all the words of one and more, it
   is that one, so ``4080`` is the 4080 and not the 4080 SUPER;
5. parts with the text as one piece of a name, cut between letters and digits (``h100sxm``).

When the best step leaves several parts, all of them are named: a planner that picks one of two cards
on its own is wrong half of the time. The plain word for a family (``H100``) is an alias of the part
that people mean by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from ftbuild.catalog.errors import UnknownPart
from ftbuild.catalog.parts import Model, Part
from ftbuild.problems import nearest, plain

T = TypeVar("T", bound=Part)

DECORATION = frozenset({
    "nvidia", "amd", "intel", "apple", "geforce", "instinct", "radeon", "tesla", "quadro", "r", "tm",
    "corporation", "processor", "cpu", "core", "gpu", "with", "graphics", "generation", "edition", "computer",
    "technology", "drive", "ssd", "nvme", "instruct", "chat", "it", "hf", "base", "bnb", "4bit", "gptq",
    "awq", "gguf", "fp8", "bf16", "unsloth", "meta",
})  # fmt: skip
"""Words that say who made, packed or tuned a part, not which part it is."""

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+[a-z]*)*")
_PIECE = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)*")
_SIZE = re.compile(r"-[0-9.]+(gb|tb)$")
_CLUTTER = re.compile(r"\((r|tm|c)\)|@.*$|\b\d+(st|nd|rd|th) gen\b|\b\d+-core\b")
LONGEST = 200
PATHS = ("./", "../", "/", "~")
"""What a path starts with, and no name."""


class Index(Generic[T]):
    """The parts of one kind, ready to be found."""

    def __init__(self, kind: str, parts: Sequence[T], hidden: Sequence[T] = ()) -> None:
        """Index `parts`; those of `hidden` (claimed ones) answer to steps 1 and 2 only."""
        self.kind, self.parts = kind, parts
        self.by_id: dict[str, T] = {part.id: part for part in (*hidden, *parts)}
        self._found: dict[str, T] = {}

    @cached_property
    def _names(self) -> dict[str, T]:
        return _squeezed_names(self.by_id.values(), self.parts)

    @cached_property
    def _bare(self) -> dict[str, T]:
        return _bare_names(self.parts)

    @cached_property
    def _words(self) -> list[tuple[T, list[set[str]]]]:
        return [(part, _words_of(part)) for part in self.parts]

    def find(self, text: str) -> T:
        """Return the one part that `text` means, or raise `UnknownPart`."""
        known = self.by_id.get(text) or self._found.get(text)
        if known is None:
            known = self._find(text)
            if len(self._found) < 1000:
                self._found[text] = known
        return known

    def search(self, text: str) -> list[T]:
        """Return the parts whose names hold every word of `text`, best first; all of them for no text."""
        wanted = _words(text[:LONGEST])
        ranked = []
        for place, (part, words) in enumerate(self._words):
            ranks = [_rank(word, words, part) for word in wanted]
            if None not in ranks:
                ranked.append((sum(rank or 0 for rank in ranks), place, part))
        exact = self._names.get(squeeze(text))
        best = [exact] if exact in self.parts and exact is not None else []
        return best + [part for _, _, part in sorted(ranked, key=lambda row: row[:2]) if part is not exact]

    def _find(self, text: str) -> T:
        shown = plain(text)
        if not 0 < len(text) <= LONGEST or text.startswith(PATHS):
            raise UnknownPart(self.kind, shown, ())
        exact = self._names.get(squeeze(text)) or self._bare.get(_bare(text))
        if exact is not None:
            return exact
        steps = (self._with_words(_words(text)), self._with_words(_bare_words(text)), self._with(text))
        for candidates in steps:
            if len(candidates) == 1:
                return candidates[0]
            if candidates:
                raise UnknownPart(self.kind, shown, [part.id for part in candidates[:5]], several=True)
        raise UnknownPart(self.kind, shown, self._suggestions(text))

    def _with_words(self, wanted: Sequence[str]) -> list[T]:
        """Return the parts with all words of `wanted`, or the one whose words all the others have too."""
        need = set(wanted)
        fits = []
        for part, names in self._words if need else ():
            holding = [name for name in names if need <= name]
            if holding:
                fits.append((min(holding, key=len), names[0] in holding, part))
        if any(own for _, own, _ in fits):  # by its own name rather than by one that it answers to as well
            fits = [fit for fit in fits if fit[1]]
        plainest = [part for words, _, part in fits if all(words <= other for other, _, _ in fits)]
        return plainest if len(plainest) == 1 else [part for _, _, part in fits]

    def _with(self, text: str) -> list[T]:
        """Return the parts with `text` as one piece of a name, cut between letters and digits."""
        wanted = _PIECE.findall(text.casefold())
        if not wanted:
            return []
        return [part for part in self.parts if any(_holds(name, wanted) for name in _names_of(part))]

    def _suggestions(self, text: str) -> list[str]:
        names = {name.casefold(): part.id for part in self.parts for name in (_short(part), *_names_of(part))}
        found = [names[name.casefold()] for name in nearest(text, names, 5)]
        found += [part.id for part in self.search(text)]
        return list(dict.fromkeys(found))[:3]


def squeeze(text: str) -> str:
    """Reduce a name to its letters and digits, lower-case; ``+`` stays as a word of its own."""
    return "".join(char for char in text.casefold().replace("+", "plus") if char.isalnum())


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("+", "plus"))


def _bare_words(text: str) -> list[str]:
    return [word for word in _words(_CLUTTER.sub(" ", text.casefold())) if word not in DECORATION]


def _bare(text: str) -> str:
    return "".join(squeeze(word) for word in _bare_words(text.rsplit("/", 1)[-1]))


def _short(part: Part) -> str:
    """Return a model's id without its publisher, any other part's without its size."""
    return part.id.rsplit("/", 1)[-1] if isinstance(part, Model) else _SIZE.sub("", part.id)


def _names_of(part: Part) -> tuple[str, ...]:
    return (part.id, part.name, *part.aliases)


def _words_of(part: Part) -> list[set[str]]:
    """Return the words of each name of a part, its id first, each with the maker's beside them."""
    maker = set(_words(getattr(part, "vendor", "")))
    return [set(_words(name)) | maker for name in _names_of(part)]


def _squeezed_names(every: Iterable[T], real: Iterable[T]) -> dict[str, T]:
    """Map every name to its part; ids come before aliases, aliases before names and derived ones.

    Where a claimed part and a real one share a name, the real one has it.
    """
    names: dict[str, T] = {}
    parts = tuple(dict.fromkeys((*real, *every)))
    for part in parts:
        names.setdefault(squeeze(part.id), part)
    for part in parts:
        for alias in part.aliases:
            names.setdefault(squeeze(alias), part)
    derived: dict[str, set[str]] = {}
    for part in parts:
        for name in (part.name, _short(part)):
            derived.setdefault(squeeze(name), set()).add(part.id)
    for part in parts:
        for name in (part.name, _short(part)):
            if len(derived[squeeze(name)]) == 1:
                names.setdefault(squeeze(name), part)
    return names


def _bare_names(parts: Iterable[T]) -> dict[str, T]:
    """Map each undecorated name to its part, where only one part has it."""
    owners: dict[str, dict[str, T]] = {}
    for part in parts:
        for name in (*_names_of(part), _short(part)):
            owners.setdefault(_bare(name), {})[part.id] = part
    return {name: next(iter(some.values())) for name, some in owners.items() if name and len(some) == 1}


def _holds(name: str, wanted: Sequence[str]) -> bool:
    pieces, size = _PIECE.findall(name.casefold()), len(wanted)
    return any(pieces[at : at + size] == wanted for at in range(len(pieces) - size + 1))


def _rank(word: str, names: Sequence[set[str]], part: Part) -> int | None:
    """Rank how well `word` fits: a word of a name, the start of one, or inside; None for not at all."""
    if any(word in name for name in names):
        return 0
    if any(other.startswith(word) for name in names for other in name):
        return 1
    return 2 if any(squeeze(word) in squeeze(name) for name in _names_of(part)) else None
