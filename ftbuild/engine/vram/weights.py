"""Weights, adapters, gradients and optimizer states that one rank holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ftbuild.engine.vram import optimizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Bytes of one rank unless said otherwise."""

    total: Any
    """Parameters, elements, adapters included."""
    trainable: Any
    """Parameters that train, elements."""
    adapter_elements: Any
    """Elements of all adapters, over all ranks."""
    trained_local: Any
    """Of them, what this rank's optimizer steps over, elements."""
    trained_dtype: Any
    """Bytes of one trained element."""
    largest_trained: Any
    """Elements of the largest trained tensor on this rank."""
    weights: Any
    adapters: Any
    gradients: Any
    head_gradient: Any
    """Of the output head, the first gradient of a backward pass."""
    late_gradient: Any
    """Of what the backward pass has not reached in the middle of the last layer's MLP."""
    tied_gradient: Any
    """Of the embedding, made whole before it is added to the tied head's."""
    root_gradient: Any
    """This rank's share of the gradients of embedding and head."""
    layer_gradient: Any
    """This rank's share of the gradients of one layer."""
    mlp_down: Any
    """Elements of the last linear layers of a layer's MLP."""
    fp32_gradients: Any
    """Of this rank's share, made in the step of an engine with fp32 masters."""
    states: Any
    gradients_at_rest: Any
    layer: Any
    """A layer's weights in the dtype they compute in, elements times bytes, not sharded."""
    root: Any
    """Embedding and head, the same."""
    bits16: Any
    """Bytes of one element of a module that is not quantised."""


def quantized_bytes(packed: Any, constants: Any, constants_double: Any, double_quant: Any) -> Any:
    """Bytes of one quantised element, scales included (2305.14314)."""
    return packed + constants + double_quant * (constants_double - constants)


def upcast_bytes(norms: Any, embeddings: Any, kbit_norms: Any, kbit_embeddings: Any) -> Any:
    """Bytes that peft's k-bit preparation adds: fp32 instead of 16 bit for norms, embeddings and head."""
    return 2 * (kbit_norms * norms + kbit_embeddings * embeddings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A rank's share of the base before data-parallel sharding."""

    elements: Any
    few_bit: Any
    """Of them, elements in few bits."""
    per_few_bit: Any
    """Bytes of one of those, scales included."""
    bits16: Any
    """Bytes of one of the others."""
    bytes: Any


def base_of(work: Any) -> Base:
    """Return the base after tensor, pipeline and expert parallelism."""
    m, quant, method, stack = work.model, work.quantization, work.method, work.stack
    few_bits = method.quantized * quant.few_bits
    divide = work.tensor * work.pipeline
    experts = m.expert / work.expert
    elements = (m.total - m.beside - m.expert + experts) / divide + m.beside
    few_bit_experts = 1 - stack.fused_experts * (1 - stack.kbit_experts)
    few_bit = few_bits * (m.quantizable + few_bit_experts * experts) / divide
    per_few_bit = quantized_bytes(quant.packed, quant.constants, quant.constants_double, work.double_quant)
    bits16 = work.precision.weight + method.quantized * (2 - work.precision.weight)
    prepared = few_bits * (1 - work.sharding.parameters * (work.ranks > 1))
    upcast = upcast_bytes(m.norms, m.embedding + m.head, stack.kbit_norms, stack.kbit_embeddings)
    return Base(
        elements=elements,
        few_bit=few_bit,
        per_few_bit=per_few_bit,
        bits16=bits16,
        bytes=(elements - few_bit) * bits16 + few_bit * per_few_bit + prepared * upcast / divide,
    )


def adapter_elements(work: Any) -> Any:
    """Elements of all adapters on one rank's experts, over all tensor- and pipeline-parallel ranks."""
    t, method = work.targets, work.method
    per_rank = t.per_rank - t.expert_per_rank * (1 - 1 / work.expert)
    return method.adapters * (work.rank * per_rank + method.magnitude * t.magnitude)


def held(work: Any) -> Held:
    """Return what a rank holds."""
    m, full, shards, stack = work.model, 1 - work.method.adapters, work.sharding, work.stack
    base, adapters = base_of(work), adapter_elements(work)
    divide, share = work.tensor * work.pipeline, 1 - 1 / work.ranks
    sharded = shards.parameters * (work.ranks > 1)
    by_parameters = 1 - shards.parameters * share
    apart = stack.adapters_apart * work.method.quantized * work.quantization.few_bits * sharded
    own = share * (1 - apart)
    by_gradients, by_states = 1 - shards.gradients * own, 1 - shards.states * own
    adapter_bytes = work.adapter_bytes + apart * (2 - work.adapter_bytes)
    # Mixed precision under accelerate's FSDP makes trained 16-bit shards fp32; frozen bases stay as they are.
    upcast = shards.upcast * (1 - stack.shards_16bit) * stack.autocast * full * (4 - base.bits16)
    dtype = full * base.bits16 + upcast + work.method.adapters * adapter_bytes
    gradient_dtype = dtype + stack.fp32_gradients * (4 - dtype)
    master = 1 - (1 - shards.master) * (1 - stack.master)
    trainable = full * base.elements + adapters / divide
    trained = trainable * (1 + work.objective.value_model)
    on_gpu = 1 - work.offload.states
    gradient = gradient_dtype * by_gradients * (1 - work.offload.gradients)
    states = by_states * on_gpu * optimizer.state_bytes(
        parameters=trained, embedding=full * (m.embedding + m.head) / divide, dtype=dtype,
        states=work.optimizer.states, fixed=work.optimizer.state_bytes,
        embedding_32bit=work.optimizer.embedding_32bit, master=master,
    )  # fmt: skip
    layer, ends = m.largest_layer / work.tensor, (m.embedding + m.head) / work.tensor
    embedding, tied = m.embedding / work.tensor, (m.head == 0) * 1.0
    down = m.intermediate * (m.dense_layers > 0) + m.expert_intermediate * (m.experts / work.expert)
    down = down * m.hidden / work.tensor
    of_base = full * gradient
    return Held(
        total=base.elements + adapters / divide,
        trainable=trainable,
        adapter_elements=adapters,
        trained_local=trained * by_states,
        trained_dtype=dtype,
        largest_trained=full * m.largest_tensor,
        weights=_weights(work, base, upcast, by_parameters) * (1 - work.offload.parameters),
        adapters=adapters
        / divide
        * adapter_bytes
        * (1 - shards.parameters * own)
        * (1 - work.offload.parameters),
        gradients=trained * gradient,
        head_gradient=m.vocab * m.hidden / work.tensor * of_base * (1 - sharded * shards.root),
        root_gradient=ends * of_base * sharded * shards.root,
        layer_gradient=layer * of_base,
        mlp_down=down,
        late_gradient=(layer - down + (1 - tied) * embedding) * of_base,
        tied_gradient=tied * (1 + stack.functional_sums) * embedding * full * dtype,
        states=states,
        fp32_gradients=master * (gradient_dtype < 4) * 4 * trained * by_states * on_gpu,
        gradients_at_rest=trained * gradient * sharded * stack.fsdp1,
        layer=layer * base.bits16
        - base.few_bit * (base.bits16 - base.per_few_bit) / m.layers * work.pipeline,
        root=ends * base.bits16,
        bits16=base.bits16,
    )


def _weights(work: Any, base: Base, upcast: Any, by_parameters: Any) -> Any:
    """Return the bytes of the base and of the objective's other models, sharded.

    Scales of quantised weights are no parameters: every rank keeps them whole.
    """
    copies = 1 + work.objective.frozen_models + (1 - work.method.adapters) * work.objective.reference_model
    scales = base.few_bit * (base.per_few_bit - work.quantization.packed) * (1 - by_parameters)
    own = ((base.bytes + upcast * base.elements) * by_parameters + scales) * copies
    return own + work.objective.value_model * base.bytes * by_parameters
