"""A model's architecture from its Hugging Face ``config.json`` (see `families` for what each type has)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ftbuild.catalog.errors import CatalogError
from ftbuild.catalog.families import FAMILIES, Config, Family
from ftbuild.catalog.parts import Model
from ftbuild.catalog.rows import read_row
from ftbuild.problems import did_you_mean, plain, syntax_mistake

LARGEST_FILE = 4 << 20

KEYS: Mapping[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers"),
    "hidden": ("hidden_size", "n_embd", "d_model"),
    "heads": ("num_attention_heads", "n_head", "n_heads"),
    "vocab": ("vocab_size",),
    "context": ("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length", "max_seq_len"),
    "intermediate": ("intermediate_size", "ffn_hidden_size", "ffn_dim", "n_inner"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads"),
    "head_dim": ("head_dim",),
    "experts": ("num_local_experts", "n_routed_experts", "num_experts"),
    "experts_per_token": ("num_experts_per_tok", "moe_topk"),
    "q_lora": ("q_lora_rank",), "kv_lora": ("kv_lora_rank",), "qk_nope_dim": ("qk_nope_head_dim",),
    "qk_rope_dim": ("qk_rope_head_dim",), "v_head_dim": ("v_head_dim",),
}  # fmt: skip
"""Where a configuration keeps each plain number, by the names that families use."""

MADE_OF: Mapping[str, tuple[str, ...]] = {
    "expert_intermediate": ("moe_intermediate_size", "intermediate_size"),
    "shared_intermediate": ("shared_expert_intermediate_size", "moe_intermediate_size"),
    "shared_experts": ("n_shared_experts",),
    "dense_layers": ("first_k_dense_replace", "mlp_only_layers", "moe_layers"),
    "window": ("sliding_window", "attention_chunk_size"),
    "window_share": ("layer_types", "sliding_window"),
    "positions": ("max_position_embeddings", "n_positions"),
    "norms_per_layer": ("num_ln_in_parallel_attn",),
}
"""What facts that take more than one key are made of, for messages."""

NEEDED = ("layers", "hidden", "heads", "vocab")
CONTEXT_UNSTATED = 2048
"""Context of a configuration without one (BLOOM, Falcon: positions without a limit), as their cards say."""


def model_from_config(config: Config, id_: str, file: str = "config.json") -> Model:
    """Return the architecture that a Hugging Face configuration describes, or raise `CatalogError`."""
    if not isinstance(config, Mapping):
        raise CatalogError(file, "", "", plain(config), "a table of a model's configuration")
    notes, inner = "", config.get("text_config")
    if isinstance(inner, Mapping):
        notes = "what stands around the language model (vision tower, projector) is not counted"
        config = {"tie_word_embeddings": config.get("tie_word_embeddings"), **inner}
    kind = config.get("model_type")
    family = FAMILIES.get(kind) if isinstance(kind, str) else None
    if family is None or not isinstance(kind, str):
        shown = "nothing" if kind is None else plain(kind)
        raise CatalogError(file, "", "model_type", shown,
                           "one of " + " ".join(FAMILIES) + did_you_mean(shown, FAMILIES))  # fmt: skip
    try:
        values = _values(family, {**family.defaults, **{k: v for k, v in config.items() if v is not None}})
    except CatalogError as error:
        raise CatalogError(file, kind, error.key, error.found, error.expected) from None
    values |= {"id": id_, "name": id_.rsplit("/", 1)[-1] or id_, "family": kind, "source": file, "as_of": "",
               "confidence": "user", "notes": notes}  # fmt: skip
    try:
        return read_row(Model, values, file, kind)
    except CatalogError as error:
        raise _in_words_of(config, error) from None


def model_from_file(path: Path) -> Model:
    """Return the architecture that a ``config.json`` describes; the model is named after its folder."""
    name = plain(str(path), 200)
    expected = f"a config.json of at most {LARGEST_FILE >> 20} MB"
    try:
        if not path.is_file():  # opening a pipe would wait for a writer
            raise CatalogError(name, "", "", "no file" if not path.exists() else "not a plain file", expected)
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise CatalogError(name, "", "", "a larger file", expected)
        config = json.loads(data)
    except OSError as error:
        raise CatalogError(name, "", "", (error.strerror or "a fault").lower(), expected) from None
    except RecursionError:
        raise CatalogError(name, "", "", "tables nested too deeply", expected) from None
    except ValueError as error:
        raise CatalogError(name, "", "", syntax_mistake(error, "text that is not JSON"), expected) from None
    folder = re.sub(r"[^A-Za-z0-9._-]", "-", path.parent.name).lstrip("._-")[:120]
    return model_from_config(config, folder or "model", name)


def _key(config: Config, name: str) -> str:
    """Return the key under which a configuration states a fact, or would."""
    keys = KEYS.get(name) or MADE_OF.get(name) or (name,)
    return next((key for key in keys if config.get(key) is not None), keys[0])


def _in_words_of(config: Config, error: CatalogError) -> CatalogError:
    """Return an error about a model's facts in the keys of its configuration."""
    expected = re.sub(r"`(\w+)`", lambda match: f"`{_key(config, match[1])}`", error.expected)
    return CatalogError(error.file, error.row, _key(config, error.key), error.found, expected)


def _values(family: Family, config: Config) -> dict[str, Any]:
    """Return the fields of `Model` that a configuration, with its family's defaults, gives."""
    values: dict[str, Any] = dict(family.fixed)
    for name, keys in KEYS.items():
        found = next((config[key] for key in keys if config.get(key) is not None), None)
        if found is not None:
            values[name] = found
    for name in NEEDED:
        if not isinstance(values.get(name), int) or values[name] < 1:
            found = plain(values.get(name, "nothing"))
            raise CatalogError("", "", _key(config, name), found, "a whole number above 0")
    values.setdefault("kv_heads", values["heads"])
    values.setdefault("head_dim", values.get("v_head_dim") or values["hidden"] // values["heads"])
    values.setdefault("context", CONTEXT_UNSTATED)
    values.setdefault("intermediate", 4 * values["hidden"])
    for name, (key, default) in family.flags.items():
        values[name] = bool(config.get(key, default))
    values["tied"] = bool(config.get("tie_word_embeddings", family.tied))
    if family.more:
        values |= family.more(config)
    return values
