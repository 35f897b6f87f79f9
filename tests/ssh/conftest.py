"""A real SSH server on the loopback interface, with throw-away keys, as the user who runs the tests."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pty.terminal import ROOT, environment

HOST = "127.0.0.1"
PRIVILEGE_SEPARATION = Path("/run/sshd")
START_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Server:
    """A running sshd and what a client needs to reach it."""

    port: int
    folder: Path

    def command(self, remote: Sequence[str], env: Mapping[str, str], folder: Path = ROOT) -> list[str]:
        """Return the local command that runs `remote` in `folder`, on a terminal of the server's side."""
        assignments = [f"{name}={value}" for name, value in env.items() if name not in ("TERM",)]
        options = {
            "IdentityFile": self.folder / "user_key",
            "IdentitiesOnly": "yes",
            "UserKnownHostsFile": self.folder / "known_hosts",
            "StrictHostKeyChecking": "yes",
            "LogLevel": "ERROR",
        }
        flags = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        line = f"cd {shlex.quote(str(folder))} && exec {shlex.join(['env', *assignments, *remote])}"
        return ["ssh", "-F", "none", "-tt", "-p", str(self.port), *flags, f"{getpass.getuser()}@{HOST}", line]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    sshd = shutil.which("sshd", path=f"{os.defpath}:/usr/sbin:/usr/local/sbin:{os.environ.get('PATH', '')}")
    if sshd is None or shutil.which("ssh") is None:
        pytest.skip("no sshd here: install openssh-server and openssh-client to run the tests over SSH")
    folder = tmp_path_factory.mktemp("sshd")
    port = _free_port()
    _make_keys(folder, port)
    (folder / "sshd_config").write_text(_configuration(folder, port))
    if os.geteuid() == 0:
        PRIVILEGE_SEPARATION.mkdir(mode=0o755, exist_ok=True)
    log = folder / "sshd.log"
    process = subprocess.Popen([sshd, "-D", "-f", str(folder / "sshd_config"), "-E", str(log)])
    try:
        _wait_until_it_listens(port, process, log)
        yield Server(port, folder)
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def remote_environment(tmp_path: Path) -> dict[str, str]:
    """The environment of the program on the server's side."""
    return environment(tmp_path)


def _make_keys(folder: Path, port: int) -> None:
    for name in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    host_key = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text(f"[{HOST}]:{port} {host_key}")
    (folder / "authorized_keys").write_text((folder / "user_key.pub").read_text())


def _configuration(folder: Path, port: int) -> str:
    settings = {
        "Port": port,
        "ListenAddress": HOST,
        "HostKey": folder / "host_key",
        "AuthorizedKeysFile": folder / "authorized_keys",
        "PidFile": "none",
        "UsePAM": "no",
        "StrictModes": "no",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
        "PrintMotd": "no",
        "PrintLastLog": "no",
    }
    return "".join(f"{name} {value}\n" for name, value in settings.items())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait_until_it_listens(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
            return
        except OSError:
            said = log.read_text() if log.exists() else ""
            assert process.poll() is None, f"sshd ended: {said}"
            assert time.monotonic() < until, f"sshd does not listen: {said}"
            time.sleep(0.02)
