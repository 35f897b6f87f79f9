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


def held(work: Any) -> Held:
    """Return what a rank holds."""
    m, quant, method = work.model, work.quantization, work.method
    full = 1 - method.adapters
    few_bits = method.quantized * quant.few_bits
    divide = work.tensor * work.pipeline
    experts = m.expert / work.expert
    elements = (m.total - m.beside - m.expert + experts) / divide + m.beside
    few_bit_experts = 1 - work.stack.fused_experts * (1 - work.stack.kbit_experts)
    small = few_bits * (m.quantizable + few_bit_experts * experts) / divide
    per_small = quantized_bytes(quant.packed, quant.constants, quant.constants_double, work.double_quant)
    sharded = work.sharding.parameters * (work.ranks > 1)
    prepared = 1 - sharded
    bits16 = work.precision.weight + method.quantized * (2 - work.precision.weight)
    base = (elements - small) * bits16 + small * per_small
    base = base + few_bits * prepared * upcast_bytes(
        m.norms / divide, (m.embedding + m.head) / divide, work.stack.kbit_norms, work.stack.kbit_embeddings
    )
    adapters = method.adapters * (
        work.rank * (work.targets.per_rank - work.targets.expert_per_rank * (1 - 1 / work.expert))
        + method.magnitude * work.targets.magnitude
    )
    trainable = full * elements + adapters / divide
    shards = work.sharding
    share = 1 / work.ranks
    by_parameters = 1 - shards.parameters * (1 - share)
    # Mixed precision under accelerate's FSDP makes trained 16-bit shards fp32; frozen bases stay as they are.
    upcast = shards.upcast * work.stack.autocast * full
    dtype = full * (bits16 + upcast * (4 - bits16)) + method.adapters * work.adapter_bytes
    copies = 1 + work.objective.frozen_models + full * work.objective.reference_model
    # Scales of quantised weights are no parameters: every rank keeps them whole.
    scales = small * (per_small - quant.packed) * (1 - by_parameters)
    weights = ((base + upcast * elements * (4 - bits16)) * by_parameters + scales) * copies
    weights += work.objective.value_model * base * by_parameters
    adapter_bytes = adapters / divide * work.adapter_bytes * by_parameters
    by_gradients = 1 - shards.gradients * (1 - share)
    by_states = 1 - shards.states * (1 - share)
    master = 1 - (1 - shards.master) * (1 - work.stack.master)
    trained = trainable * (1 + work.objective.value_model)
    gradient_dtype = dtype + work.stack.fp32_gradients * (4 - dtype)
    gradients = trained * gradient_dtype * by_gradients
    states = (
        optimizer.state_bytes(
            parameters=trained,
            embedding=full * (m.embedding + m.head) / divide,
            dtype=dtype,
            states=work.optimizer.states,
            fixed=work.optimizer.state_bytes,
            embedding_32bit=work.optimizer.embedding_32bit,
            master=master,
        )
        * by_states
    )
    on_gpu_states, on_gpu_gradients = 1 - work.offload.states, 1 - work.offload.gradients
    off = 1 - work.offload.parameters
    layers = m.layers
    layer_elements = m.largest_layer / work.tensor
    head = m.vocab * m.hidden / work.tensor
    untied = (m.head > 0) * 1.0
    grad = full * gradient_dtype * by_gradients * on_gpu_gradients
    mlp_down = (
        (m.intermediate * (m.dense_layers > 0) + m.expert_intermediate * (m.experts / work.expert))
        * m.hidden
        / work.tensor
    )
    embedding_gradient = m.embedding / work.tensor * full * dtype * on_gpu_gradients
    return Held(
        total=elements + adapters / divide,
        trainable=trainable,
        adapter_elements=adapters,
        trained_local=trained * by_states,
        trained_dtype=dtype,
        largest_trained=full * m.largest_tensor,
        weights=weights * off,
        adapters=adapter_bytes * off,
        gradients=gradients * on_gpu_gradients,
        head_gradient=head * grad * (1 - sharded * shards.root),
        root_gradient=(m.embedding + m.head) / work.tensor * grad * sharded * shards.root,
        layer_gradient=layer_elements * grad,
        mlp_down=mlp_down,
        late_gradient=(layer_elements - mlp_down + untied * m.embedding / work.tensor) * grad * (layers > 0),
        tied_gradient=(1 - untied) * (1 + work.stack.functional_sums) * embedding_gradient,
        states=states * on_gpu_states,
        fp32_gradients=master * (gradient_dtype < 4) * 4 * trained * by_states * on_gpu_states,
        gradients_at_rest=gradients * on_gpu_gradients * sharded * work.stack.fsdp1,
        layer=layer_elements * bits16 - small * (bits16 - per_small) / layers * work.pipeline,
        root=(m.embedding + m.head) / work.tensor * bits16,
        bits16=bits16,
    )
