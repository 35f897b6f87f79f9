"""The JSON Schema of a build file, made from the fields' own descriptions.

Editors that know TOML schemas use it for completion and checks. A quantity is a number or text with a unit,
so ranges stand as numbers (in the unit of a bare number) and in words.
"""

from __future__ import annotations

from typing import Any

from ftbuild import units
from ftbuild.build import FIELDS, SCHEMA_VERSION, Build, Section
from ftbuild.schema import Choice, FieldSpec, Flag, Number, Part, Text, Words

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Return the schema; unknown keys are allowed, since files keep them."""
    return {
        "$schema": DIALECT,
        "title": f"ftbuild build, schema {SCHEMA_VERSION}",
        **_table(Build, ""),
    }


def key_lines() -> list[str]:
    """Return one line a key: key, default, what is accepted, help."""
    width = max(len(key) for key in FIELDS)
    return [f"{key:<{width}}  {_default(spec):<14} {_accepts(spec)}" for key, spec in FIELDS.items()]


def _default(spec: FieldSpec) -> str:
    if spec.required:
        return "(required)"
    if spec.default is None:
        return "-"
    written = _plain(spec)
    return str(written).lower() if isinstance(written, bool) else str(written)


def _accepts(spec: FieldSpec) -> str:
    about = f" ({spec.described.help})" if spec.described.help else ""
    return spec.described.accepts() + about


def _plain(spec: FieldSpec) -> Any:
    if isinstance(spec.described, Number):
        return units.write(spec.default, spec.described.kind)
    return list(spec.default) if isinstance(spec.default, tuple) else spec.default


def _table(model: type[Section], prefix: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    for name, info in model.model_fields.items():
        spec = FIELDS.get(prefix + name)
        if spec is not None:
            properties[name] = _property(spec)
            if spec.described.alias:
                properties[spec.described.alias] = _property(spec)
        elif isinstance(info.annotation, type) and issubclass(info.annotation, Section):
            properties[name] = _table(info.annotation, f"{prefix}{name}.")
        else:
            properties[name] = FREE[prefix + name]
        if info.is_required():
            required.append(name)
    about = " ".join((model.__doc__ or "").split())
    return {
        "type": "object",
        "description": about,
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _property(spec: FieldSpec) -> dict[str, Any]:
    described = spec.described
    about = f"{described.help}. " if described.help else ""
    entry: dict[str, Any] = {
        "title": described.label,
        "description": about + "Accepts " + described.accepts(),
    }
    if not spec.required and spec.default is not None:
        entry["default"] = _plain(spec)
    return entry | _types(described)


def _types(described: Any) -> dict[str, Any]:
    if isinstance(described, Number):
        spec = units.SPECS[described.kind]
        size = spec.units[spec.plain]
        number = {"type": "number", "minimum": described.low / size, "maximum": described.high / size}
        return {"anyOf": [number, {"type": "string"}]}
    if isinstance(described, Choice):
        return {"enum": list(described.choices)}
    if isinstance(described, Flag):
        return {"type": "boolean"}
    if isinstance(described, Words):
        names = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 64}
        return {"anyOf": [{"type": "string"}, names]}
    if isinstance(described, Part) and described.number is not None:
        return {"type": ["string", "number"]}
    if isinstance(described, Text):
        return {"type": "string", "maxLength": described.longest}
    return {"type": "string"}


FREE: dict[str, dict[str, Any]] = {
    "cost.price": {
        "type": "object",
        "description": "Your own quotes in USD, per unit, by the part's id; they win over the catalog",
        "additionalProperties": {"type": ["number", "string"]},
    },
    "limits": {
        "type": "object",
        "description": "Thresholds of rules, by rule id; profile is standard or guide",
        "additionalProperties": {"type": ["number", "string"]},
    },
    "catalog": {
        "type": "object",
        "description": "Parts that the catalog lacks, as arrays of tables by kind",
        "additionalProperties": {"type": "array", "items": {"type": "object"}},
    },
}
"""Tables whose keys are the user's own."""
