"""A started command: in a session of its own, its output read, watched, stopped with all that it started."""

import asyncio
import logging
import os
import secrets
import signal
import subprocess
import time
from contextlib import suppress
from typing import Self

from gate.boot.launch import Launch
from gate.boot.log import AgentLog
from gate.work import procfs
from gate.work.identity import Identity

_MARKER = "AGENT_GATE_BOOT"
_CHUNK = 64 * 1024
_MOST_AT_ONCE = 64
_PAUSE_S = 0.005
_ROUNDS = 400
_REAP_WITHIN_S = 5.0

_logger = logging.getLogger(__name__)


class Child:
    """The process of a command; `start` must be called in a running event loop, and `stop` always after it.

    Its ended leader stays unreaped until `stop`: so the number of its group cannot become another's.
    """

    def __init__(self, process: subprocess.Popen[bytes], output: int, marker: str, log: AgentLog) -> None:
        self._process = process
        self._output = output
        self._marker = marker
        self._log = log
        self._ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._handle = _handle(process.pid)
        self._loop.add_reader(output, self._read)
        if self._handle is not None:
            self._loop.add_reader(self._handle, self._ended.set)

    @classmethod
    def start(cls, launch: Launch, identity: Identity, log: AgentLog) -> Self:
        """Start it, stdout and stderr into the log; raises the OSError of a program that will not run."""
        token = secrets.token_hex(8)
        ours, theirs = os.pipe()
        os.set_blocking(ours, False)
        try:
            process = subprocess.Popen(
                launch.argv,
                cwd=launch.cwd,
                env={**launch.env, _MARKER: token},
                stdin=subprocess.DEVNULL,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
                user=identity.user,
                group=identity.group,
                extra_groups=None if identity.user is None else [],
            )
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        return cls(process, ours, f"{_MARKER}={token}", log)

    def status(self) -> int | None:
        """The exit code, the negative number of the signal that ended it, or None while it lives."""
        if self._process.returncode is not None:
            return self._process.returncode
        if not hasattr(os, "waitid"):
            return self._process.poll()
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    async def exited(self) -> int:
        """Wait for its end; the status."""
        while (status := self.status()) is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(None if self._handle is not None else _PAUSE_S):
                    await self._ended.wait()
        return status

    def drain(self) -> None:
        """Take what it has printed up to now."""
        for _ in range(_MOST_AT_ONCE):
            if not self._read():
                return

    def family(self) -> set[procfs.Process]:
        """Its live processes, itself included."""
        return procfs.family(self._process.pid, self._marker)

    async def stop(self, grace_s: float) -> None:
        """TERM to all, `grace_s` seconds for them to end, KILL; KILL at once where this is cancelled."""
        try:
            self._signal(signal.SIGTERM)
            async with asyncio.timeout(grace_s):
                await self.exited()
                while self.family():  # noqa: ASYNC110 - nothing tells when a grandchild ends
                    await asyncio.sleep(_PAUSE_S)
        except TimeoutError:
            pass
        finally:
            self._finish()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
        for process in self.family():
            if process.group != self._process.pid:
                procfs.kill(process, number)

    def _finish(self) -> None:
        """Not a coroutine: nothing can interrupt it half-way but a signal handler."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        rounds = 0
        while (left := self.family()) and rounds < _ROUNDS:  # one may have forked between look and signal
            self._signal(signal.SIGKILL)
            time.sleep(_PAUSE_S)
            rounds += 1
        if left:
            _logger.warning("processes of the agent could not be stopped: %s", sorted(p.pid for p in left))
        self._close()

    def _close(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_WITHIN_S)
        self.drain()
        for descriptor in (self._output, self._handle):
            if descriptor is not None:
                self._loop.remove_reader(descriptor)
                os.close(descriptor)

    def _read(self) -> bool:
        """One chunk of output into the log; whether there may be more."""
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return False
        if not data:  # every writer is gone: a reader would be called for ever
            self._loop.remove_reader(self._output)
            return False
        self._log.feed(data)
        return True


def _handle(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
