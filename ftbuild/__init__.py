"""Plan and check hardware for fine-tuning language models, in a terminal."""

__version__ = "0.1.0"
