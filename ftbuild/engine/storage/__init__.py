"""Data drives, checkpoints and shared file systems."""

from ftbuild.engine.storage.compose import figures

__all__ = ["figures"]
