"""A model's architecture from its Hugging Face ``config.json``.

`FAMILIES` has one row a ``model_type``: what every model of the family has, and which keys of the
configuration say the rest. Field names and defaults are those of the configuration classes of
transformers 5.24; counts made from them are held against its modules in `tests/catalog`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ftbuild.catalog.errors import CatalogError
from ftbuild.catalog.parts import Model
from ftbuild.catalog.rows import read_row
from ftbuild.problems import did_you_mean, plain

Config = Mapping[str, Any]
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

NEEDED = ("layers", "hidden", "heads", "vocab")
CONTEXT_UNSTATED = 2048
"""Context of a configuration without one (BLOOM, Falcon: positions without a limit), as their cards say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What a ``model_type`` fixes; a text where a yes or no could stand names the key that decides."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `Model` that are the same for all of the family."""
    tied: bool = False
    """Output head tied where the configuration does not say."""
    flags: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    """Fields of `Model` that a key of the configuration decides, with the key's default."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Values of keys that a configuration may leave out."""
    more: Callable[[Config], dict[str, Any]] | None = None
    """What takes more than one key."""


def _flag_all(key: str, default: bool, *names: str) -> dict[str, tuple[str, bool]]:
    return dict.fromkeys(names, (key, default))


ATTENTION_BIAS = _flag_all("attention_bias", False, "qkv_bias", "o_bias")


def _window(config: Config) -> dict[str, Any]:
    """Sliding window on every layer, where one is set (Mistral, Phi-3, StarCoder2)."""
    window = config.get("sliding_window")
    return {"window": window, "window_share": 1.0} if window else {}


def _qwen_window(config: Config) -> dict[str, Any]:
    if not config.get("use_sliding_window") or not config.get("sliding_window"):
        return {}
    slid = _int(config, "num_hidden_layers") - _int(config, "max_window_layers", 28)
    return _by_layer_types(config, max(0, slid))


def _by_layer_types(config: Config, slid: int) -> dict[str, Any]:
    """Share of layers with the window: as ``layer_types`` lists them, else `slid` of them."""
    kinds, layers = config.get("layer_types"), _int(config, "num_hidden_layers", 1)
    if isinstance(kinds, list) and kinds:
        slid, layers = sum(kind in ("sliding_attention", "chunked_attention") for kind in kinds), len(kinds)
    share = slid / layers if layers > 0 else 0.0
    return {"window": config["sliding_window"], "window_share": share} if share else {}


def _alternating(config: Config) -> dict[str, Any]:
    """Every second layer slides, the first one first (Gemma 2, gpt-oss)."""
    slid = (_int(config, "num_hidden_layers", 1) + 1) // 2
    return _by_layer_types({"sliding_window": 4096, **config}, slid)


def _gemma2(config: Config) -> dict[str, Any]:
    return {**_alternating(config), "logit_softcap": bool(config.get("final_logit_softcapping", 30.0))}


def _gemma3(config: Config) -> dict[str, Any]:
    """All but every sixth layer slide."""
    layers, every = _int(config, "num_hidden_layers", 26), _int(config, "sliding_window_pattern", 6)
    slid = layers - layers // every if every > 0 else 0
    capped = bool(config.get("final_logit_softcapping"))
    return {**_by_layer_types({"sliding_window": 4096, **config}, slid), "logit_softcap": capped}


def _mixtral(config: Config) -> dict[str, Any]:
    """Experts of the MLP's width on every layer (Mixtral, OLMoE, Granite MoE)."""
    return {"expert_intermediate": config.get("intermediate_size", 0), **_window(config)}


def _gpt_oss(config: Config) -> dict[str, Any]:
    return {"expert_intermediate": config.get("intermediate_size", 0), **_alternating(config)}


def _olmo3(config: Config) -> dict[str, Any]:
    """All but every fourth layer slide."""
    slid = _int(config, "num_hidden_layers") * 3 // 4
    return _by_layer_types({"sliding_window": 4096, **config}, slid)


def _stablelm(config: Config) -> dict[str, Any]:
    return {**_qk_layernorm(config), "norms_per_layer": 1 if config.get("use_parallel_residual") else 2}


def _qwen_moe(config: Config) -> dict[str, Any]:
    step, layers = _int(config, "decoder_sparse_step", 1), _int(config, "num_hidden_layers")
    only = set(config.get("mlp_only_layers") or ())
    dense = sum(place in only or (place + 1) % max(step, 1) != 0 for place in range(min(layers, 10_000)))
    shared = config.get("shared_expert_intermediate_size", 0)
    return {"expert_intermediate": config.get("moe_intermediate_size", 0), "dense_layers": dense,
            "shared_experts": int(bool(shared)), "shared_intermediate": shared, "shared_gate": bool(shared),
            **_qwen_window(config)}  # fmt: skip


def _deepseek(config: Config) -> dict[str, Any]:
    width, shared = _int(config, "moe_intermediate_size", 0), _int(config, "n_shared_experts", 0)
    return {"expert_intermediate": width, "shared_experts": shared, "shared_intermediate": width * shared,
            "dense_layers": _int(config, "first_k_dense_replace", 0)}  # fmt: skip


def _glm_moe(config: Config) -> dict[str, Any]:
    return {**_deepseek(config), "qk_norm": "head" if config.get("use_qk_norm") else "none"}


def _llama4(config: Config) -> dict[str, Any]:
    layers, step = _int(config, "num_hidden_layers"), _int(config, "interleave_moe_layer_step", 1)
    listed = config.get("moe_layers")
    sparse = len(listed) if isinstance(listed, list) else layers // max(step, 1)
    width = _int(config, "intermediate_size")
    return {"intermediate": config.get("intermediate_size_mlp", 0), "expert_intermediate": width,
            "shared_experts": 1, "shared_intermediate": width, "dense_layers": layers - sparse,
            **_by_layer_types({"sliding_window": config.get("attention_chunk_size", 8192), **config},
                              layers - layers // 4)}  # fmt: skip


def _falcon(config: Config) -> dict[str, Any]:
    new, heads = bool(config.get("new_decoder_architecture")), _int(config, "num_attention_heads", 71)
    grouped = _int(config, "num_kv_heads", heads)
    norms = config.get("num_ln_in_parallel_attn") or (2 if new else 1)
    return {"kv_heads": grouped if new else 1 if config.get("multi_query", True) else heads,
            "norms_per_layer": norms if new or config.get("parallel_attn", True) else 2}  # fmt: skip


def _opt(config: Config) -> dict[str, Any]:
    hidden = config.get("hidden_size")
    if config.get("word_embed_proj_dim", hidden) != hidden:
        raise CatalogError("", "", "word_embed_proj_dim", plain(config["word_embed_proj_dim"]), "hidden_size")
    return {"positions": _int(config, "max_position_embeddings", 2048) + 2}


def _gpt_bigcode(config: Config) -> dict[str, Any]:
    one = bool(config.get("multi_query", True))
    return {"kv_heads": 1 if one else config.get("n_head"), "positions": config.get("n_positions", 1024)}


def _gpt2(config: Config) -> dict[str, Any]:
    return {"positions": config.get("n_positions", 1024)}


def _qk_layernorm(config: Config) -> dict[str, Any]:
    if config.get("qk_layernorm") or config.get("use_qk_norm"):
        raise CatalogError("", "", "qk_layernorm", "true", "false: norms of this kind are not supported")
    return {}


_LAYER = {"norm": "layer", "mlp": "plain"}
_OFFSET = {"norm": "rms_offset"}
_HEAD_NORM = {"qk_norm": "head"}
_FOUR_NORMS = {"norms_per_layer": 4}
_WIDE_HEADS = {"head_dim": 256}
_BIASED = {"qkv_bias": True, "o_bias": True, "mlp_bias": True}
_MIXTURE = {"fused_experts": True}
_ALL_BIAS = _flag_all("use_bias", True, "qkv_bias", "o_bias", "mlp_bias")
_O_BIAS = _flag_all("attention_bias", False, "o_bias")
_LLAMA_BIAS = {**ATTENTION_BIAS, "mlp_bias": ("mlp_bias", False)}

FAMILIES: Mapping[str, Family] = {
    "llama": Family(flags=_LLAMA_BIAS),
    "mistral": Family(more=_window),
    "ministral": Family(more=_window),
    "mixtral": Family(fixed=_MIXTURE, more=_mixtral),
    "qwen2": Family(fixed={"qkv_bias": True}, more=_qwen_window),
    "qwen2_moe": Family(fixed=_MIXTURE, flags={"qkv_bias": ("qkv_bias", True)}, more=_qwen_moe),
    "qwen3": Family(fixed=_HEAD_NORM, flags=ATTENTION_BIAS, defaults={"head_dim": 128}, more=_qwen_window),
    "qwen3_moe": Family(fixed={**_HEAD_NORM, **_MIXTURE}, flags=ATTENTION_BIAS, more=_qwen_moe),
    "gemma": Family(fixed=_OFFSET, tied=True, flags=ATTENTION_BIAS, defaults=_WIDE_HEADS),
    "gemma2": Family(fixed={**_OFFSET, **_FOUR_NORMS}, tied=True, flags=ATTENTION_BIAS, defaults=_WIDE_HEADS,
                     more=_gemma2),
    "gemma3_text": Family(fixed={**_OFFSET, **_FOUR_NORMS, **_HEAD_NORM}, tied=True, flags=ATTENTION_BIAS,
                          defaults={**_WIDE_HEADS, "num_attention_heads": 8, "num_key_value_heads": 4,
                                    "vocab_size": 262208, "max_position_embeddings": 131072}, more=_gemma3),
    "phi": Family(fixed={**_LAYER, **_BIASED, "head_bias": True, "norms_per_layer": 1}, more=_qk_layernorm),
    "phi3": Family(fixed={"fused_qkv": True, "fused_gate_up": True}, more=_window),
    "deepseek_v2": Family(fixed=_MIXTURE, flags=_O_BIAS, more=_deepseek),
    "deepseek_v3": Family(fixed=_MIXTURE, flags=_O_BIAS, more=_deepseek),
    "kimi_k2": Family(fixed=_MIXTURE, flags=_O_BIAS, more=_deepseek),
    "gpt_oss": Family(fixed={"sinks": True, "router_bias": True, "expert_bias": True, **_MIXTURE},
                      flags=_flag_all("attention_bias", True, "qkv_bias", "o_bias"),
                      defaults={"head_dim": 64, "sliding_window": 128}, more=_gpt_oss),
    "glm4_moe": Family(fixed=_MIXTURE, flags={"qkv_bias": ("attention_bias", False)}, more=_glm_moe),
    "glm4": Family(fixed={"fused_gate_up": True, **_FOUR_NORMS}, flags={"qkv_bias": ("attention_bias", False)}),
    "glm": Family(fixed={"fused_gate_up": True}, flags={"qkv_bias": ("attention_bias", True)}),
    "olmo2": Family(fixed={"qk_norm": "full"}, flags=ATTENTION_BIAS),
    "olmo3": Family(fixed={"qk_norm": "full"}, flags=ATTENTION_BIAS, more=_olmo3),
    "olmoe": Family(fixed={"qk_norm": "full", **_MIXTURE}, flags=ATTENTION_BIAS, more=_mixtral),
    "granite": Family(flags=_LLAMA_BIAS),
    "granitemoe": Family(fixed=_MIXTURE, flags=ATTENTION_BIAS, more=_mixtral),
    "smollm3": Family(tied=True, flags=_LLAMA_BIAS, more=_qwen_window),
    "stablelm": Family(fixed={"norm": "layer"}, flags={"qkv_bias": ("use_qkv_bias", False)}, more=_stablelm),
    "starcoder2": Family(fixed=_LAYER, tied=True, flags=_ALL_BIAS, more=_window),
    "cohere": Family(fixed={"norm": "layer_nobias", "norms_per_layer": 1}, tied=True, flags=ATTENTION_BIAS,
                     more=_qk_layernorm),
    "falcon": Family(fixed={**_LAYER, "fused_qkv": True}, tied=True,
                     flags=_flag_all("bias", False, "qkv_bias", "o_bias", "mlp_bias"), more=_falcon),
    "gpt_neox": Family(fixed={**_LAYER, "mlp_bias": True, "fused_qkv": True},
                       flags=_flag_all("attention_bias", True, "qkv_bias", "o_bias")),
    "gpt_bigcode": Family(fixed={**_LAYER, **_BIASED, "fused_qkv": True}, tied=True, more=_gpt_bigcode),
    "gpt2": Family(fixed={**_LAYER, **_BIASED, "fused_qkv": True}, tied=True, more=_gpt2),
    "opt": Family(fixed={**_LAYER, **_BIASED}, tied=True, more=_opt),
    "bloom": Family(fixed={**_LAYER, **_BIASED, "fused_qkv": True, "embedding_norm": True}, tied=True),
    "llama4_text": Family(fixed=_MIXTURE, flags=ATTENTION_BIAS, more=_llama4),
}  # fmt: skip

WRAPPERS = ("gemma3", "llama4", "mistral3", "llava", "qwen2_5_vl", "qwen3_vl")
"""Types that wrap a language model, described under ``text_config``; what is around it is not counted."""


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
    return read_row(Model, values, file, kind)


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
    except (ValueError, RecursionError):
        raise CatalogError(name, "", "", "text that is not JSON", expected) from None
    folder = re.sub(r"[^A-Za-z0-9._-]", "-", path.parent.name).lstrip("._-")[:120]
    return model_from_config(config, folder or "model", name)


def _values(family: Family, config: Config) -> dict[str, Any]:
    """Return the fields of `Model` that a configuration, with its family's defaults, gives."""
    values: dict[str, Any] = dict(family.fixed)
    for name, keys in KEYS.items():
        found = next((config[key] for key in keys if config.get(key) is not None), None)
        if found is not None:
            values[name] = found
    for name in NEEDED:
        if not isinstance(values.get(name), int) or values[name] < 1:
            raise CatalogError(
                "", "", KEYS[name][0], plain(values.get(name, "nothing")), "a whole number above 0"
            )
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


def _int(config: Config, key: str, default: int = 0) -> int:
    value = config.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 40:
        raise CatalogError("", "", key, plain(value), "a whole number")
    return value
