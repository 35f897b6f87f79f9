"""The figures of GPU memory for a grid of builds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ftbuild.engine import links, shape, targets
from ftbuild.engine.core import Array, Figure, Figures, FigureSpec
from ftbuild.engine.light import choice, heavy
from ftbuild.engine.tables import CHOICES, families, reserve, spread
from ftbuild.engine.vram import specs
from ftbuild.engine.vram.phases import MOMENTS, NOTES, Memory, Work
from ftbuild.engine.vram.phases import memory as memory_of
from ftbuild.engine.vram.reserved import held_beside, spread_of

if TYPE_CHECKING:
    from ftbuild.engine.inputs import Columns

BY_ID = {key: {row.id: row for row in rows} for key, rows in CHOICES.items()}

CUBLAS_WORKSPACES = 2 * 8_519_680.0
"""Two handles (forward and backward thread) of 8.125 MiB: torch's default ``:4096:2:16:8``."""

NO_PARTS: Mapping[str, Array] = {}


def work_of(c: Columns) -> Work:
    """Return what the memory formulas read from the columns of a grid.

    What all builds share is passed as plain numbers, which NumPy broadcasts and computes faster.
    """
    tensor, pipeline = _number(c, "hardware.tensor_parallel"), _number(c, "hardware.pipeline_parallel")
    gpus = _number(c, "hardware.nodes") * _number(c, "hardware.gpus_per_node")
    model, targets = _model(c)
    stack = choice(c, BY_ID["workload.framework"], "workload.framework")
    return Work(
        model=as_in_stack(model, stack),
        targets=targets,
        method=choice(c, BY_ID["workload.method"], "workload.method"),
        quantization=choice(c, BY_ID["workload.quantization"], "workload.quantization"),
        precision=choice(c, BY_ID["workload.precision"], "workload.precision"),
        optimizer=choice(c, BY_ID["workload.optimizer"], "workload.optimizer"),
        checkpointing=choice(c, BY_ID["workload.checkpointing"], "workload.checkpointing"),
        attention=choice(c, BY_ID["workload.attention"], "workload.attention"),
        loss=choice(c, BY_ID["workload.loss"], "workload.loss"),
        stack=stack,
        objective=choice(c, BY_ID["workload.objective"], "workload.objective"),
        sharding=choice(c, BY_ID["hardware.sharding"], "hardware.sharding"),
        offload=choice(c, BY_ID["hardware.offload"], "hardware.offload"),
        rank=_number(c, "workload.rank"),
        adapter_bytes=_plain(2 + 2 * c.is_in("workload.adapter_precision", "fp32")),
        dropout=_number(c, "workload.adapter_dropout"),
        double_quant=_number(c, "workload.double_quant"),
        sequence=_number(c, "workload.sequence_length"),
        micro_batch=_number(c, "workload.micro_batch"),
        accumulation=_number(c, "workload.gradient_accumulation"),
        ranks=np.maximum(gpus / (tensor * pipeline), 1.0),
        unpacked=1 - _number(c, "workload.packing"),
        padded=(1 - _number(c, "workload.packing")) * (_number(c, "workload.micro_batch") > 1),
        library=CUBLAS_WORKSPACES,
        tensor=tensor,
        pipeline=pipeline,
        context=_number(c, "hardware.context_parallel"),
        expert=_number(c, "hardware.expert_parallel"),
    )


def as_in_stack(model: Any, stack: Any) -> Any:
    """Return the model as the stack's own classes have it: a head never tied, GELU in one kernel."""
    if not np.any(stack.untied):
        return model
    head = stack.untied * (model.head == 0) * model.vocab * model.hidden
    several = stack.fused_gelu * (model.gated == 0) * (model.activation_shared == 0)
    plain = families.ACTIVATIONS["plain"]
    facts = {name: getattr(model, name) for name in shape.SHAPE_FIELDS}
    own = {
        "head": model.head + head,
        "total": model.total + head,
        "activation_kept": model.activation_kept + several * (plain.kept - model.activation_kept),
        "activation_backward": model.activation_backward
        + several * (plain.backward - model.activation_backward),
    }
    return SimpleNamespace(**{**facts, **own})


def _plain(column: Any) -> Any:
    return column.item() if column.size == 1 else column


def _number(c: Columns, key: str) -> Any:
    return _plain(c.number(key))


def _model(c: Columns) -> tuple[Any, Any]:
    if "workload.model" in c.index or "workload.targets" in c.index:
        return c.model, c.targets
    architecture = shape.shape(c.parts("workload.model")[0])
    return architecture, targets.targets(c.build.workload.targets, architecture)


class Winning(Mapping[str, Array]):
    """The parts of each build's largest moment, made when they are asked for."""

    def __init__(self, mem: Memory, moments: range, more: Mapping[str, Array]) -> None:
        self._mem, self._range, self._more = mem, moments, more
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
            return heavy(part[self._range[int(moment.flat[0])]])
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


def figures(c: Columns, done: Figures) -> tuple[Figure, ...]:
    """Return the figures of GPU memory; `done` is not read."""
    del done
    work = work_of(c)
    mem = memory_of(work)
    usable = c.gpu.usable - c.number("hardware.vram_reserved")
    rollout = work.objective.rollout * c.gpu.usable
    forward = np.maximum.reduce(np.broadcast_arrays(*mem.totals[1:-1]))
    allocated = np.maximum(np.maximum(forward, mem.totals[-1]), mem.totals[0])
    peers, freed = peers_of(c, work), _freed(work, mem)
    least = held_beside(
        reserve.LOW, peers=peers, **{**freed, "logits": 0.0, "logits16": 0.0, "once": 0.0, "gathered": 0.0}
    )
    less = held_beside(reserve.LOW, peers=peers, **freed)
    likely = held_beside(reserve.EXPECTED, peers=peers, **freed)
    most = held_beside(reserve.HIGH, peers=peers, **freed)
    low, high = spread_of(work)
    below, above = (1 - low) * allocated - _shorter(work, mem), (1 + high) * allocated
    room = np.maximum(usable, allocated + rollout)
    comfortable = allocated + most + rollout
    whole = range(len(MOMENTS))
    note = _winner(mem)
    beside = {"context": heavy(least), "rollout": heavy(rollout)}
    return (
        _parameters(work, mem),
        _figure(specs.TRAINABLE, (1 - work.method.adapters) * work.model.total + mem.adapters),
        _figure(specs.AT_REST, mem.at_rest, parts=_at_rest(mem)),
        _figure(specs.FORWARD_BACKWARD, forward, parts=Winning(mem, whole[1:-1], {})),
        _figure(specs.ALLOCATED, allocated, below, above, Winning(mem, whole, {}), note),
        _figure(
            specs.RESERVED,
            np.fmin(allocated + likely + rollout, room),
            np.fmin(below + less + rollout, room),
            np.fmin(comfortable, room),
        ),
        _figure(
            specs.PER_GPU,
            allocated + least + rollout,
            below + least + rollout,
            comfortable,
            Winning(mem, whole, beside),
            note,
        ),
        _figure(specs.COMFORTABLE, comfortable),
        _usable(c, usable),
        *_measured(c),
    )


def _measured(c: Columns) -> Iterator[Figure]:
    """Yield a run's own figure beside the model's, where the build states one; nothing else changes."""
    run = c.build.measured
    if run.peak is None and run.nvidia_smi is None:
        return
    c = c.chunk(0, 1) if c.axes else c
    work = work_of(c)
    mem = memory_of(work)
    modelled, value = mem.peak, run.peak
    if value is None:
        value = run.nvidia_smi
        modelled = modelled + held_beside(reserve.EXPECTED, peers=peers_of(c, work), **_freed(work, mem))
    parts = {"modelled": heavy(modelled), "difference": heavy(value - modelled)}
    yield _figure(specs.MEASURED, float(value or 0.0), parts=parts)


def _shorter(work: Work, mem: Memory) -> Any:
    """Bytes that a run needs less whose samples are shorter than the longest that is let through."""
    grow = np.maximum(mem.parts["activations"][1] + mem.parts["logits"][1], mem.parts["activations"][3])
    return work.unpacked * spread.SHORTER.low * grow


def peers_of(c: Columns, work: Work) -> Any:
    """Return the share of buffers for peers that a process holds; 0 where it is alone."""
    linked = links.linked(c, _number(c, "hardware.gpus_per_node"))
    several = work.ranks * work.tensor * work.pipeline > 1
    return several * (reserve.UNLINKED + (1 - reserve.UNLINKED) * linked)


def _freed(work: Work, mem: Memory) -> dict[str, Any]:
    """Return what phases free on the way to the peak, by the names of `reserve.Reserve`."""
    stack, logits = work.stack, mem.parts["logits"][1]
    blocks16 = stack.blocks16 * (work.loss.fp32 == 0)
    return {
        "logits": (1 - blocks16) * (1 - stack.one_step) * logits,
        "logits16": blocks16 * logits,
        "once": (1 - blocks16) * stack.one_step * logits,
        "varying": work.unpacked * logits,
        "activations": mem.parts["activations"][3],
        "workspace": mem.parts["workspace"][3],
        "gathered": mem.parts["gathered"][3],
        "step": mem.parts["workspace"][-1],
    }


def _usable(c: Columns, usable: Any) -> Figure:
    unknown = bool(np.isnan(usable).all())
    note = f"the catalog does not know what {c.text('hardware.gpu')} offers a process" if unknown else ""
    return Figure(specs.USABLE, heavy(usable), note=note, missing=unknown)


def _figure(
    spec: FigureSpec, value: Any, low: Any = None, high: Any = None, parts: Mapping[str, Array] = NO_PARTS,
    note: str = "",
) -> Figure:  # fmt: skip
    below, above = (None, None) if low is None else (heavy(low), heavy(high))
    return Figure(spec, heavy(value), below, above, parts, note=note)


def _parameters(work: Work, mem: Memory) -> Figure:
    m = work.model
    named = m.embedding + m.head + m.norms + m.expert + m.router + m.beside
    parts = {
        "embedding": m.embedding, "head": m.head, "norms": m.norms, "experts": m.expert, "routers": m.router,
        "linear and biases": m.total - named, "beside": m.beside,
        "adapters": work.method.adapters * mem.adapters,
    }  # fmt: skip
    total = m.total + parts["adapters"]
    return Figure(specs.PARAMS, heavy(total), parts={name: heavy(part) for name, part in parts.items()})


def _at_rest(mem: Memory) -> Mapping[str, Array]:
    named = {name: mem.parts[name][1] for name in ("weights", "adapters", "optimizer")}
    rest = mem.at_rest - sum(named.values())
    return {name: heavy(part) for name, part in {**named, "workspace": rest}.items()}


def _winner(mem: Memory) -> str:
    first = [float(np.asarray(total).flat[0]) for total in mem.totals]
    return NOTES[MOMENTS[int(np.argmax(first))]]
