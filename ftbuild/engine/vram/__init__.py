"""GPU memory of one rank: named parts at each moment of a training step, the largest of which decides."""

from ftbuild.engine.vram.compose import figures, work_of

__all__ = ["figures", "work_of"]
