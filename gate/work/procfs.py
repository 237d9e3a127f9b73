"""Who belongs to a command, and who listens where, by Linux's /proc (proc(5)); elsewhere nothing is known."""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from gate.frozen import frozen

_PROC = Path("/proc")
_LISTEN = "0A"
_FORWARDERS = frozenset({"docker-proxy", "rootlesskit", "rootlessport", "slirp4netns", "pasta", "pasta.avx2"})
"""Programs that listen for a container: `docker run -p {port}:8000` is answered by one of them."""


@frozen(kw_only=False)
class Process:
    """A process that has not ended: parent and group by number, and when it began, in jiffies since boot."""

    pid: int
    name: str
    parent: int
    group: int
    born: int


def processes() -> list[Process]:
    """Every process that has not ended; empty where there is no /proc."""
    return [process for pid in _pids() if (process := _read(pid)) is not None]


def family(leader: int, marker: str) -> set[Process]:
    """The processes of a command: its descendants, its process group, and whoever carries `marker` on.

    `marker` is a `NAME=value` of the environment: a daemon that left session, group and parent still has it.
    """
    every = processes()
    found = {p.pid for p in every if leader in (p.pid, p.group) or _carries(p.pid, marker)}
    size = -1
    while size != len(found):
        size = len(found)
        found |= {p.pid for p in every if p.parent in found}
    return {p for p in every if p.pid in found and p.pid != os.getpid()}


def kill(process: Process, number: signal.Signals) -> None:
    """Signal this process, and none that got its number meanwhile."""
    with suppress(OSError):
        handle = os.pidfd_open(process.pid)
        try:
            now = _read(process.pid)
            if now is not None and now.born == process.born:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)


def ports(owners: Iterable[Process]) -> list[int]:
    """The TCP ports that the processes listen on, sorted."""
    held = {inode for owner in owners for inode in _sockets(owner.pid)}
    return sorted({port for port, inode in _listeners() if inode in held})


def stranger(port: int, relatives: Iterable[Process]) -> str:
    """Who else listens on the port, in words; "" where a relative does, or nobody can tell."""
    wanted = {inode for number, inode in _listeners() if number == port}
    if not wanted or any(wanted & _sockets(relative.pid) for relative in relatives):
        return ""
    for process in processes():
        if process.name not in _FORWARDERS and wanted & _sockets(process.pid):
            return f"process {process.pid} (`{process.name}`)"
    return ""


def _pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir(_PROC) if name.isdecimal()]  # noqa: PTH208 - twice as fast
    except OSError:
        return []


def _read(pid: int) -> Process | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, _, rest = stat.partition("(")[2].rpartition(")")
    fields = rest.split()
    if fields[0] in "ZX":
        return None
    return Process(pid, name, parent=int(fields[1]), group=int(fields[2]), born=int(fields[19]))


def _carries(pid: int, marker: str) -> bool:
    try:
        return marker.encode() in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _listeners() -> Iterator[tuple[int, str]]:
    """(port, inode) of every listening socket of this network namespace."""
    for table in ("tcp", "tcp6"):
        try:
            lines = (_PROC / "net" / table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == _LISTEN:
                yield int(fields[1].rpartition(":")[2], 16), fields[9]


def _sockets(pid: int) -> set[str]:
    folder = _PROC / str(pid) / "fd"
    inodes = set()
    with suppress(OSError):
        for entry in folder.iterdir():
            with suppress(OSError):
                target = str(entry.readlink())
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    return inodes
