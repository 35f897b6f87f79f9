"""Reading and writing whole files: bounded, atomic, and with errors that say what to do.

Writing goes to a new file beside the target, which is flushed to the disk and then takes the target's name,
so that a crash, a full disk or a pulled plug leaves either the old file or the new one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
from pathlib import Path

from ftbuild.problems import BuildError, Problem, plain

LARGEST = 1 << 20
"""Bytes of a build's file; the presets are under 10 kB."""

_WORDS = {
    errno.ENOENT: "no such file or folder",
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.EISDIR: "a folder",
    errno.ENOTDIR: "a path below something that is not a folder",
    errno.ENOSPC: "a full disk",
    errno.EDQUOT: "a used-up disk quota",
    errno.EFBIG: "a limit on the size of files",
    errno.EROFS: "a read-only file system",
    errno.ENAMETOOLONG: "a name that is too long",
    errno.ELOOP: "a link that leads back to itself",
}


class FileError(BuildError):
    """A file that cannot be read, written or understood as a whole."""

    def __init__(self, file: str, found: str, expected: str, message: str = "") -> None:
        text = message or f"found {found}; expected {expected}"
        super().__init__([Problem("", found, expected, text)], file)


class ChangedError(FileError):
    """The file on disk is not the one that was opened; writing would lose somebody's work."""


def fault(error: OSError) -> str:
    """Return what an error of the system means, in plain words."""
    return _WORDS.get(error.errno or 0) or plain(error.strerror or "a fault").lower()


def fingerprint(data: bytes) -> str:
    """Return a digest that changes when the content does."""
    return hashlib.sha256(data).hexdigest()


def too_large(file: str) -> FileError:
    """Return the error for a file over `LARGEST`."""
    return FileError(file, "a larger file", f"at most {LARGEST >> 20} MB")


def read(path: Path) -> bytes:
    """Return the bytes of a file; raises `FileError`, also for one over `LARGEST`, read no further."""
    file = str(path)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise FileError(file, "a folder", "a TOML file")
        if stat.S_ISFIFO(mode) and not file.startswith(("/dev/fd/", "/proc/self/fd/", "/dev/stdin")):
            raise FileError(file, "a pipe", "a TOML file, or - for standard input")
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise FileError(file, fault(error), "a file to read") from None
    except ValueError:
        raise FileError(file, "a name with a NUL in it", "the name of a file") from None
    if len(data) > LARGEST:
        raise too_large(file)
    return data


def write(path: Path, data: bytes, *, known: str = "", force: bool = False) -> None:
    """Write a file, whole or not at all, keeping its mode and following links.

    `known` is the fingerprint of what is expected there now. Raises `ChangedError` where something else
    is (or, without `known`, anything) unless `force`; `FileError` where it cannot be written.
    """
    file = str(path)
    try:
        target = Path(os.path.realpath(path))
        old = _stat(target)
        if old is not None and not stat.S_ISREG(old.st_mode):
            what = "a folder" if stat.S_ISDIR(old.st_mode) else "not a plain file"
            raise FileError(file, what, "the name of a file")
        if old is not None and not force:
            _check_unchanged(target, file, known)
        if old is not None:
            os.close(os.open(target, os.O_WRONLY))  # a rename would replace a read-only file, unasked
        _replace(target, data, old)
    except OSError as error:
        raise FileError(
            file, fault(error), "a place to write to", f"cannot be written: {fault(error)}"
        ) from None
    except ValueError:
        raise FileError(file, "a name with a NUL in it", "the name of a file") from None


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read, making its folder; raises `FileError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _replace(path, data, None, mode=0o600)
    except OSError as error:
        raise FileError(str(path), fault(error), "a place to write to") from None


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _check_unchanged(target: Path, file: str, known: str) -> None:
    if not known:
        raise ChangedError(file, "a file", "a new name", "there is a file of this name already")
    with target.open("rb") as stream:
        now = fingerprint(stream.read())
    if now != known:
        raise ChangedError(
            file,
            "other content",
            "the file as it was opened",
            "the file on disk has changed since it was opened",
        )


def _replace(target: Path, data: bytes, old: os.stat_result | None, mode: int = 0o666) -> None:
    # A name of its own in the same folder: a rename is atomic only within one file system.
    draft = target.with_name(f".{target.name[:80]}.{secrets.token_hex(6)}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            if old is not None:
                _keep_owner_and_mode(stream.fileno(), old)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    _flush_folder(target.parent)


def _keep_owner_and_mode(handle: int, old: os.stat_result) -> None:
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):  # only root may give a file away; the content matters more
            os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _flush_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every file system lets a folder be flushed
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
