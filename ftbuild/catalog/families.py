"""Families of language models by the ``model_type`` of their Hugging Face configuration.

`FAMILIES` has one row a type: what every model of the family has, and which keys of the configuration say
the rest. Names and defaults are those of the configuration classes of transformers 5.24; counts made from
them are held against its modules in `tests/catalog`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ftbuild.catalog.errors import CatalogError
from ftbuild.problems import plain

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What a ``model_type`` fixes, and what its configuration decides."""

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


def whole(config: Config, key: str, default: int = 0) -> int:
    """Return a whole number of a configuration, or raise `CatalogError`."""
    value = config.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 40:
        raise CatalogError("", "", key, plain(value), "a whole number")
    return value


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
    slid = whole(config, "num_hidden_layers") - whole(config, "max_window_layers", 28)
    return _by_layer_types(config, max(0, slid))


def _by_layer_types(config: Config, slid: int) -> dict[str, Any]:
    """Share of layers with the window: as ``layer_types`` lists them, else `slid` of them."""
    kinds, layers = config.get("layer_types"), whole(config, "num_hidden_layers", 1)
    if isinstance(kinds, list) and kinds:
        slid, layers = sum(kind in ("sliding_attention", "chunked_attention") for kind in kinds), len(kinds)
    share = slid / layers if layers > 0 else 0.0
    return {"window": config["sliding_window"], "window_share": share} if share else {}


def _alternating(config: Config) -> dict[str, Any]:
    """Every second layer slides, the first one first (Gemma 2, gpt-oss)."""
    slid = (whole(config, "num_hidden_layers", 1) + 1) // 2
    return _by_layer_types({"sliding_window": 4096, **config}, slid)


def _gemma2(config: Config) -> dict[str, Any]:
    return {**_alternating(config), "logit_softcap": bool(config.get("final_logit_softcapping", 30.0))}


def _gemma3(config: Config) -> dict[str, Any]:
    """All but every sixth layer slide."""
    layers, every = whole(config, "num_hidden_layers", 26), whole(config, "sliding_window_pattern", 6)
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
    slid = whole(config, "num_hidden_layers") * 3 // 4
    return _by_layer_types({"sliding_window": 4096, **config}, slid)


def _stablelm(config: Config) -> dict[str, Any]:
    return {**_qk_layernorm(config), "norms_per_layer": 1 if config.get("use_parallel_residual") else 2}


def _qwen_moe(config: Config) -> dict[str, Any]:
    step, layers = whole(config, "decoder_sparse_step", 1), whole(config, "num_hidden_layers")
    only = config.get("mlp_only_layers")
    only = only if isinstance(only, list) else []
    dense = sum(place in only or (place + 1) % max(step, 1) != 0 for place in range(min(layers, 10_000)))
    shared = config.get("shared_expert_intermediate_size", 0)
    return {"expert_intermediate": config.get("moe_intermediate_size", 0), "dense_layers": dense,
            "shared_experts": int(bool(shared)), "shared_intermediate": shared, "shared_gate": bool(shared),
            **_qwen_window(config)}  # fmt: skip


def _latent(config: Config) -> dict[str, Any]:
    if config.get("attention_bias"):
        raise CatalogError(
            "", "", "attention_bias", "true", "false: latent attention has no known model with it"
        )
    return _shared_experts(config)


def _shared_experts(config: Config) -> dict[str, Any]:
    width, shared = whole(config, "moe_intermediate_size", 0), whole(config, "n_shared_experts", 0)
    return {"expert_intermediate": width, "shared_experts": shared, "shared_intermediate": width * shared,
            "dense_layers": whole(config, "first_k_dense_replace", 0)}  # fmt: skip


def _glm_moe(config: Config) -> dict[str, Any]:
    return {**_shared_experts(config), "qk_norm": "head" if config.get("use_qk_norm") else "none"}


def _llama4(config: Config) -> dict[str, Any]:
    layers, step = whole(config, "num_hidden_layers"), whole(config, "interleave_moe_layer_step", 1)
    listed = config.get("moe_layers")
    sparse = len(listed) if isinstance(listed, list) else layers // max(step, 1)
    width = whole(config, "intermediate_size")
    return {"intermediate": config.get("intermediate_size_mlp", 0), "expert_intermediate": width,
            "shared_experts": 1, "shared_intermediate": width, "dense_layers": layers - sparse,
            **_by_layer_types({"sliding_window": config.get("attention_chunk_size", 8192), **config},
                              layers - layers // 4)}  # fmt: skip


def _falcon(config: Config) -> dict[str, Any]:
    new, heads = bool(config.get("new_decoder_architecture")), whole(config, "num_attention_heads", 71)
    grouped = whole(config, "num_kv_heads", heads)
    norms = config.get("num_ln_in_parallel_attn") or (2 if new else 1)
    return {"kv_heads": grouped if new else 1 if config.get("multi_query", True) else heads,
            "norms_per_layer": norms if new or config.get("parallel_attn", True) else 2}  # fmt: skip


def _opt(config: Config) -> dict[str, Any]:
    hidden = config.get("hidden_size")
    if config.get("word_embed_proj_dim", hidden) != hidden:
        raise CatalogError("", "", "word_embed_proj_dim", plain(config["word_embed_proj_dim"]), "hidden_size")
    return {"positions": whole(config, "max_position_embeddings", 2048) + 2}


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
_LLAMA_BIAS = {**ATTENTION_BIAS, "mlp_bias": ("mlp_bias", False)}

FAMILIES: Mapping[str, Family] = {
    "llama": Family(flags=_LLAMA_BIAS),
    "mistral": Family(more=_window),
    "mixtral": Family(fixed=_MIXTURE, more=_mixtral),
    "qwen2": Family(fixed={"qkv_bias": True}, more=_qwen_window),
    "qwen2_5_vl_text": Family(fixed={"qkv_bias": True}, more=_qwen_window),
    "qwen2_moe": Family(fixed=_MIXTURE, flags={"qkv_bias": ("qkv_bias", True)}, more=_qwen_moe),
    "qwen3": Family(fixed=_HEAD_NORM, flags=ATTENTION_BIAS, defaults={"head_dim": 128}, more=_qwen_window),
    "qwen3_vl_text": Family(fixed=_HEAD_NORM, flags=ATTENTION_BIAS, defaults={"head_dim": 128}),
    "qwen3_moe": Family(fixed={**_HEAD_NORM, **_MIXTURE}, flags=ATTENTION_BIAS, more=_qwen_moe),
    "gemma": Family(fixed=_OFFSET, tied=True, flags=ATTENTION_BIAS, defaults=_WIDE_HEADS),
    "gemma2": Family(fixed={**_OFFSET, **_FOUR_NORMS}, tied=True, flags=ATTENTION_BIAS, defaults=_WIDE_HEADS,
                     more=_gemma2),
    "gemma3_text": Family(fixed={**_OFFSET, **_FOUR_NORMS, **_HEAD_NORM}, tied=True, flags=ATTENTION_BIAS,
                          defaults={**_WIDE_HEADS, "num_attention_heads": 8, "num_key_value_heads": 4,
                                    "vocab_size": 262208, "max_position_embeddings": 131072}, more=_gemma3),
    "phi": Family(fixed={**_LAYER, **_BIASED, "head_bias": True, "norms_per_layer": 1}, more=_qk_layernorm),
    "phi3": Family(fixed={"fused_qkv": True, "fused_gate_up": True}, more=_window),
    "deepseek_v2": Family(fixed=_MIXTURE, more=_latent),
    "deepseek_v3": Family(fixed=_MIXTURE, more=_latent),
    "kimi_k2": Family(fixed=_MIXTURE, more=_latent),
    "gpt_oss": Family(fixed={"sinks": True, "router_bias": True, "expert_bias": True, **_MIXTURE},
                      flags=_flag_all("attention_bias", True, "qkv_bias", "o_bias"),
                      defaults={"head_dim": 64, "sliding_window": 128}, more=_gpt_oss),
    "glm4_moe": Family(fixed=_MIXTURE, flags={"qkv_bias": ("attention_bias", False)}, more=_glm_moe),
    "glm4": Family(fixed={"fused_gate_up": True, **_FOUR_NORMS},
                   flags={"qkv_bias": ("attention_bias", False)}),
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
