"""How a field of a build is described: read, checked, labelled and explained, in one annotation.

Each class here goes into ``Annotated[type, ...]`` on a pydantic field. It reads what people type,
refuses what is out of range with a message that says what is accepted, and carries what the form,
``--set``, the JSON Schema and the documentation show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ftbuild import units
from ftbuild.problems import did_you_mean, hostile, plain
from ftbuild.units import Kind

LONGEST_TEXT = 400
LARGE = 1e6
"""From here on counts are written with suffixes."""
EXACT = 1e9
"""Whole numbers below are written with all their digits."""
_NOTHING = re.compile(r"(\.\d*[1-9])0+(?!\d)|\.0+(?!\d)")
"""Zeros after a point that say nothing."""


def refuse(found: object, expected: str) -> PydanticCustomError:
    """Return the error for a value that is not accepted."""
    shown = plain(found)
    return PydanticCustomError(
        "value",
        "{shown} is not accepted; expected {expected}",
        {"shown": repr(shown) if isinstance(found, str) else shown, "found": shown, "expected": expected},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What every kind of field has; `read` turns what was typed or loaded into the field's value."""

    label: str = field(kw_only=False)
    help: str = ""
    alias: str = ""
    """Another key that files may use."""

    def read(self, value: Any) -> Any:
        """Return the value of what was typed or loaded; raises `PydanticCustomError`."""
        return value

    def accepts(self) -> str:
        """Say what the field accepts."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        optional = type(None) in get_args(source)

        def read(value: Any) -> Any:
            return None if optional and value is None else self.read(value)

        return core_schema.no_info_before_validator_function(read, handler(source))


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Described):
    """A quantity within a range."""

    kind: Kind = field(kw_only=False)
    low: float = field(kw_only=False)
    high: float = field(kw_only=False)
    step: str = "1"
    """How a key steps it: an increment, or ``double`` for halving and doubling."""
    expects: str = ""
    """What a message says is accepted, where that is more than a range."""
    part: str = ""
    """Kind of part of the catalog whose ratings are offered, where there is one."""

    def read(self, value: Any) -> float | int:
        """Return the SI value; an integer where the kind counts things."""
        try:
            number = units.parse(value, self.kind)
        except units.UnitError as error:
            raise refuse(value, self.accepts()) from error
        if not self.low <= number <= self.high:
            raise refuse(value, self.accepts())
        return int(number) if number.is_integer() and abs(number) < 2**53 else number

    def accepts(self) -> str:
        """Say the range and how to write it."""
        if self.expects:
            return self.expects
        low, high = (bound(limit, self.kind) for limit in (self.low, self.high))
        few = self.kind is Kind.COUNT and self.high < LARGE  # no count needs a suffix
        return f"{low} to {high}" + ("" if few else f", such as {units.example(self.kind)}")


def bound(limit: float, kind: Kind) -> str:
    """Write an end of a range: whole numbers as they stand, no zeros that say nothing, much memory in PiB."""
    spec = units.SPECS[kind]
    if kind is Kind.MEMORY and limit >= spec.units["PiB"]:
        return f"{units.significant(limit / spec.units['PiB'], spec.digits)} PiB"
    if not spec.plain and spec.units[spec.shown[0]] == 1.0 and float(limit).is_integer() and limit < EXACT:
        suffix = spec.shown[0]
        return f"{limit:,.0f}{suffix}" if suffix in units.ATTACHED else f"{limit:,.0f} {suffix}"
    text = _NOTHING.sub(r"\1", units.show(limit, kind))
    return "1 byte" if text == "1 bytes" else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Described):
    """One of a few names."""

    choices: tuple[str, ...] = field(kw_only=False)

    def read(self, value: Any) -> str:
        """Return the name as the table spells it."""
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and len(value) <= LONGEST_TEXT:
            folded = value.strip().casefold()
            for choice in self.choices:
                if choice == folded:
                    return choice
            raise refuse(value, self.accepts() + did_you_mean(folded, self.choices))
        raise refuse(value, self.accepts())

    def accepts(self) -> str:
        """List the names."""
        return "one of " + ", ".join(self.choices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(Described):
    """Yes or no."""

    def read(self, value: Any) -> bool:
        """Return the truth of what was typed."""
        if isinstance(value, bool):
            return value
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        if isinstance(value, str) and value.strip().casefold() in words:
            return words[value.strip().casefold()]
        raise refuse(value, self.accepts())

    def accepts(self) -> str:
        """Say the two words."""
        return "true or false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Described):
    """Words of the user's own."""

    longest: int = field(kw_only=False)
    lines: bool = False

    def read(self, value: Any) -> str:
        """Return the text, refused when it is too long or could steer a terminal."""
        if not isinstance(value, str) or len(value) > self.longest:
            raise refuse(value, self.accepts())
        found = hostile(value, lines=self.lines)
        if found:
            raise refuse(f"{value} (holds {found})", self.accepts())
        return value

    def accepts(self) -> str:
        """Say the length."""
        return f"text of up to {self.longest:,} characters without control characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Described):
    """The name of a part in the catalog, or a number where `number` names its kind."""

    part: str
    number: Kind | None = None

    def read(self, value: Any) -> str | float:
        """Return the name as typed; whether the catalog has it is asked when the build is evaluated."""
        if self.number is not None:
            try:
                return _not_negative(units.parse(value, self.number), value, self.accepts())
            except units.UnitError:
                pass
        if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_TEXT or hostile(value):
            raise refuse(value, self.accepts())
        return value.strip()

    def accepts(self) -> str:
        """Say where names come from."""
        price = f", or a number such as {units.example(self.number)}" if self.number else ""
        return f"a name from `ftbuild catalog {self.part}`{price}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(Described):
    """One of a few names, or a list of names of the user's own."""

    choices: tuple[str, ...] = field(kw_only=False)

    def read(self, value: Any) -> str | tuple[str, ...]:
        """Return a known name, or a tuple of names."""
        if isinstance(value, str) and value.strip() in self.choices:
            return value.strip()
        items = (
            value.replace(",", " ").split()
            if isinstance(value, str) and len(value) <= LONGEST_TEXT
            else value
        )
        if not isinstance(items, (list, tuple)) or not 1 <= len(items) <= 64:
            raise refuse(value, self.accepts())
        for item in items:
            if (
                not isinstance(item, str)
                or not item.replace("_", "").replace(".", "").isalnum()
                or len(item) > 80
            ):
                raise refuse(item, self.accepts())
        return tuple(items)

    def accepts(self) -> str:
        """List the names."""
        return "one of " + ", ".join(self.choices) + ", or a list of module names such as q_proj, v_proj"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold(Described):
    """A rule's limit: a number, or text with a unit that the rule reads."""

    def read(self, value: Any) -> str | float:
        """Return the number, or the text as typed."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                return units.parse(value, Kind.RATIO)
            except units.UnitError as error:
                raise refuse(value, self.accepts()) from error
        if not isinstance(value, str) or not value.strip() or len(value) > 64 or hostile(value):
            raise refuse(value, self.accepts())
        return value.strip()

    def accepts(self) -> str:
        """Say what a limit may be."""
        return "a number in the rule's unit, or text such as 20kW"


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of a build, as the form, ``--set`` and the documentation see it."""

    key: str
    """Dotted: ``workload.micro_batch``."""
    section: str
    name: str
    described: Described
    default: Any
    required: bool
    optional: bool
    """None is a value of it: "not stated"."""
    integer: bool


def fields_of(model: type[BaseModel], prefix: str = "") -> Iterator[FieldSpec]:
    """Yield every described field of a model and of the models it holds, in order."""
    for name, info in model.model_fields.items():
        key = f"{prefix}{name}"
        annotation = info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from fields_of(annotation, f"{key}.")
            continue
        described = next((entry for entry in info.metadata if isinstance(entry, Described)), None)
        if described is not None:
            yield _spec(key, prefix.rstrip("."), name, info, described)


def _spec(key: str, section: str, name: str, info: FieldInfo, described: Described) -> FieldSpec:
    types = get_args(info.annotation) or (info.annotation,)
    return FieldSpec(
        key=key,
        section=section,
        name=name,
        described=described,
        default=None
        if info.is_required()
        else info.get_default(call_default_factory=True, validated_data={}),
        required=info.is_required(),
        optional=type(None) in types,
        integer=int in types and float not in types,
    )


def _not_negative(number: float, found: object, expected: str) -> float:
    if not 0 <= number <= 1e9:
        raise refuse(found, expected)
    return number
