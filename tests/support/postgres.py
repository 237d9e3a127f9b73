"""A real PostgreSQL on loopback, in a folder of its own, run by somebody who is not root."""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

USER = "owner"
_USERS = ("postgres", "nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where it listens, and the password of its one user."""

    port: int
    password: str

    def url(self, database: str = "postgres", *, scheme: str = "postgresql", password: bool = True) -> str:
        login = f"{USER}:{self.password}" if password else USER
        return f"{scheme}://{login}@127.0.0.1:{self.port}/{database}"

    def make(self, database: str) -> str:
        """A new database's URL."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}"'.encode())
        return self.url(database)

    def run(self, database: str, *statements: tuple[str, tuple[Any, ...]]) -> None:
        with psycopg.connect(self.url(database)) as connection:
            for statement, values in statements:
                connection.execute(statement.encode(), values)


def binaries() -> Path | None:
    """The folder of `initdb` and `postgres`, which Debian keeps off PATH."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return folders[-1].parent if folders else None


@contextmanager
def running() -> Iterator[Server]:
    """Start a server, and stop it."""
    bins = binaries()
    assert bins
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    owner = _somebody(folder)
    password = f"pw-{secrets.token_urlsafe(12)}"
    try:
        (folder / "pw").write_text(password, encoding="ascii")
        _owned(folder / "pw", owner)
        data = str(folder / "data")
        made = [
            "-D",
            data,
            "-U",
            USER,
            "-A",
            "scram-sha-256",
            f"--pwfile={folder / 'pw'}",
            "-E",
            "UTF8",
            "-N",
        ]
        subprocess.run([bins / "initdb", *made], check=True, capture_output=True, cwd=folder, **_as(owner))
        port = _free_port()
        listen = ["-p", str(port), "-h", "127.0.0.1", "-k", str(folder), "-F"]
        log = (folder / "log").open("wb")
        with (
            log,
            subprocess.Popen(
                [bins / "postgres", "-D", data, *listen], stdout=log, stderr=log, cwd=folder, **_as(owner)
            ) as process,
        ):
            try:
                server = Server(port=port, password=password)
                _wait(server, process, folder / "log")
                yield server
            finally:
                process.send_signal(signal.SIGINT)  # a fast shutdown
                process.wait(timeout=60)
    finally:
        shutil.rmtree(folder)


def _somebody(folder: Path) -> str:
    """Whom the server runs as: PostgreSQL refuses to be root."""
    if os.geteuid() != 0:
        return ""
    names = {user.pw_name for user in pwd.getpwall()}
    owner = next(name for name in _USERS if name in names)
    _owned(folder, owner)
    return owner


def _owned(path: Path, owner: str) -> None:
    if owner:
        shutil.chown(path, owner)


def _as(owner: str) -> dict[str, Any]:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    group = pwd.getpwnam(owner).pw_gid if owner else None
    who: dict[str, Any] = {"user": owner, "group": group, "extra_groups": []} if owner else {}
    return {"env": environment, **who}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _wait(server: Server, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(server.url(), connect_timeout=5).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                raise AssertionError(log.read_text(encoding="utf-8", errors="replace")) from None
            time.sleep(0.1)
        else:
            return
