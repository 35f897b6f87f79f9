"""The figures of GPU memory for a grid of builds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine.core import Array, Figure, Figures
from ftbuild.engine.tables import memory, parallel, reserve, stacks, training
from ftbuild.engine.vram import specs
from ftbuild.engine.vram.phases import MOMENTS, NOTES, Memory, Work
from ftbuild.engine.vram.phases import memory as memory_of
from ftbuild.engine.vram.reserved import held_beside

if TYPE_CHECKING:
    from ftbuild.engine.inputs import Columns

CUBLAS_WORKSPACES = 2 * 8_519_680.0
"""Two handles (forward and backward thread) of 8.125 MiB: torch's default ``:4096:2:16:8``."""

SPREAD = (0.97, 1.04)
"""Allocated peak, low and high over modelled: the 5 and 95 % quantiles of published peaks."""


def work_of(c: Columns) -> Work:
    """Return what the memory formulas read from the columns of a grid."""
    tensor, pipeline = c.number("hardware.tensor_parallel"), c.number("hardware.pipeline_parallel")
    context = c.number("hardware.context_parallel")
    gpus = c.number("hardware.nodes") * c.number("hardware.gpus_per_node")
    return Work(
        model=c.model,
        targets=c.targets,
        method=c.rows(training.METHODS, "workload.method"),
        quantization=c.rows(training.QUANTIZATIONS, "workload.quantization"),
        precision=c.rows(training.PRECISIONS, "workload.precision"),
        optimizer=c.rows(memory.OPTIMIZERS, "workload.optimizer"),
        checkpointing=c.rows(memory.CHECKPOINTING, "workload.checkpointing"),
        attention=c.rows(memory.ATTENTION, "workload.attention"),
        loss=c.rows(memory.LOSSES, "workload.loss"),
        stack=c.rows(stacks.STACKS, "workload.framework"),
        objective=c.rows(training.OBJECTIVES, "workload.objective"),
        sharding=c.rows(parallel.SHARDING, "hardware.sharding"),
        offload=c.rows(parallel.OFFLOAD, "hardware.offload"),
        rank=c.number("workload.rank"),
        adapter_bytes=2 + 2 * c.is_in("workload.adapter_precision", "fp32"),
        dropout=c.number("workload.adapter_dropout"),
        double_quant=c.number("workload.double_quant"),
        sequence=c.number("workload.sequence_length"),
        micro_batch=c.number("workload.micro_batch"),
        accumulation=c.number("workload.gradient_accumulation"),
        ranks=np.maximum(gpus / (tensor * pipeline), 1.0),
        library=CUBLAS_WORKSPACES,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        expert=c.number("hardware.expert_parallel"),
    )


class Winning(Mapping[str, Array]):
    """The parts of each build's largest moment, made when they are asked for."""

    def __init__(self, mem: Memory, first: int, last: int, more: Mapping[str, Array]) -> None:
        self._mem, self._range, self._more = mem, range(first, last), more
        self._moment: Any = None

    def __getitem__(self, name: str) -> Array:
        """Return one part, of the moment that is largest."""
        if name in self._more:
            return self._more[name]
        part = self._mem.parts[name]
        if self._moment is None:
            totals = np.broadcast_arrays(*(self._mem.totals[index] for index in self._range))
            self._moment = np.argmax(totals, axis=0)
        moment = self._moment
        if moment.size == 1:
            return np.atleast_1d(np.asarray(part[self._range[int(moment.flat[0])]], dtype=np.float64))
        chosen: Array = np.zeros(moment.shape)
        for place, index in enumerate(self._range):
            chosen += (moment == place) * part[index]
        return chosen

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the parts."""
        yield from self._mem.parts
        yield from self._more

    def __len__(self) -> int:
        """Return how many parts there are."""
        return len(self._mem.parts) + len(self._more)


def figures(c: Columns, done: Figures) -> dict[str, Figure]:
    """Return the figures of GPU memory, by id; `done` is not read."""
    del done
    work = work_of(c)
    mem = memory_of(work)
    usable = c.gpu.usable - c.number("hardware.vram_reserved")
    rollout = work.objective.rollout * c.gpu.usable
    forward = np.maximum.reduce(np.broadcast_arrays(*mem.totals[1:-1]))
    allocated = np.maximum(forward, mem.totals[-1])
    peers = (work.ranks * work.tensor * work.pipeline > 1) * 1.0
    freed = {
        "logits": mem.parts["logits"][1], "activations": mem.parts["activations"][3],
        "workspace": mem.parts["workspace"][3], "gathered": mem.parts["gathered"][3],
        "step": mem.parts["workspace"][-1],
    }  # fmt: skip
    least = held_beside(reserve.LOW, peers=peers, **{**freed, "logits": 0.0, "gathered": 0.0})
    low = held_beside(reserve.LOW, peers=peers, **freed)
    likely = held_beside(reserve.EXPECTED, peers=peers, **freed)
    most = held_beside(reserve.HIGH, peers=peers, **freed)
    below, above = allocated * SPREAD[0], allocated * SPREAD[1]
    room = np.maximum(usable, allocated + rollout)
    comfortable = above + most + rollout
    found = (
        _parameters(work, mem),
        Figure(specs.TRAINABLE, _array((1 - work.method.adapters) * work.model.total + mem.adapters)),
        Figure(specs.AT_REST, _array(mem.at_rest), parts=_at_rest(mem)),
        Figure(specs.FORWARD_BACKWARD, forward, parts=Winning(mem, 1, len(MOMENTS) - 1, {})),
        Figure(
            specs.ALLOCATED, allocated, below, above, Winning(mem, 1, len(MOMENTS), {}),
            note=_winner(mem),
        ),
        Figure(
            specs.RESERVED, np.fmin(allocated + likely + rollout, room), np.fmin(below + low + rollout, room),
            np.fmin(comfortable, room),
            {"allocated": allocated, "beside": _array(likely), "rollout": _array(rollout)}, adds_up=False,
        ),
        Figure(
            specs.PER_GPU, allocated + least + rollout, below + least + rollout, comfortable,
            Winning(mem, 1, len(MOMENTS), {"context": _array(least), "rollout": _array(rollout)}),
            note=_winner(mem),
        ),
        Figure(specs.COMFORTABLE, comfortable),
        Figure(specs.USABLE, usable),
    )  # fmt: skip
    return {figure.spec.id: figure for figure in found}


def _array(value: Any) -> Array:
    return np.atleast_1d(np.asarray(value, dtype=np.float64))


def _parameters(work: Work, mem: Memory) -> Figure:
    m = work.model
    named = m.embedding + m.head + m.norms + m.expert + m.router + m.beside
    parts = {
        "embedding": m.embedding, "head": m.head, "norms": m.norms, "experts": m.expert, "routers": m.router,
        "linear and biases": m.total - named, "beside": m.beside,
        "adapters": work.method.adapters * mem.adapters,
    }  # fmt: skip
    total = m.total + parts["adapters"]
    return Figure(specs.PARAMS, _array(total), parts={name: _array(part) for name, part in parts.items()})


def _at_rest(mem: Memory) -> Mapping[str, Array]:
    named = {name: mem.parts[name][1] for name in ("weights", "adapters", "optimizer")}
    rest = mem.at_rest - sum(named.values())
    return {name: _array(part) for name, part in {**named, "workspace": rest}.items()}


def _winner(mem: Memory) -> str:
    first = [float(np.asarray(total).flat[0]) for total in mem.totals[1:]]
    return NOTES[MOMENTS[1 + int(np.argmax(first))]]
