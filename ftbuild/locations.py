"""Where ftbuild keeps a user's things: parts of their own, recent files, work to recover.

The folders follow the platform: on Linux the XDG variables, so ``XDG_STATE_HOME`` moves the journal.
Nothing here makes a folder; whoever writes does.
"""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_config_path, user_state_path

APP = "ftbuild"


def config_folder() -> Path:
    """Return the folder of what the user writes: parts, presets."""
    return Path(user_config_path(APP, appauthor=False))


def state_folder() -> Path:
    """Return the folder of what ftbuild remembers between runs."""
    return Path(user_state_path(APP, appauthor=False))


def parts_folder() -> Path:
    """Return the folder whose ``*.toml`` files lie over the shipped catalog."""
    return config_folder() / "catalog"


def presets_folder() -> Path:
    """Return the folder of the user's own presets."""
    return config_folder() / "presets"


def recovery_folder() -> Path:
    """Return the folder of builds that were being edited."""
    return state_folder() / "recovery"


def recent_file() -> Path:
    """Return the file that lists what was opened last."""
    return state_folder() / "recent.json"
