"""A program of the user that answers line by line: asked, watched, bounded, ended with all it started.

What it prints is an answer where the line holds the nonce of the question; everything else is noise. The
agent's words, which a program may print, were said before the nonce was made.
"""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Self, TypeAlias

from gate.frozen import frozen
from gate.model import Json
from gate.work import procfs
from gate.work.identity import Identity

LONGEST_ANSWER: Final = 1 << 20
"""Bytes of one line of an answer."""
_TOO_LONG: Final = f"it printed a line of more than {LONGEST_ANSWER >> 20} MiB"
MOST_NOISE: Final = 16 << 20
"""Bytes that a program may print about one question."""
_TAIL: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_MARKER: Final = "AGENT_GATE_WORKER"
_GRACE_S, _PAUSE_S, _ROUNDS, _REAP_WITHIN_S = 1.0, 0.005, 400, 5.0


Reader: TypeAlias = Callable[[bytes], Mapping[str, Json] | None]
"""From a line with the nonce to an answer; None for a line that is none."""


class WorkerFailed(Exception):
    """The program gave no answer: it ended, took too long or said too much. It must be started anew."""


@frozen
class Program:
    """What is started: absolute program and folder, the whole environment, as whom, and with how much memory.

    `memory` is in bytes, of each process, where the system can bound it (Linux).
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    who: Identity = Identity()
    memory: int = 1 << 30


class Worker:
    """A started program; `start` needs a running event loop, and `stop` or `kill` must always follow it."""

    def __init__(self, process: subprocess.Popen[bytes], marker: str) -> None:
        self._process = process
        self._marker = marker
        self._loop = asyncio.get_running_loop()
        self._given, self._said, self._noise = _pipes(process)
        self._buffer = bytearray()
        self._searched = 0
        self._tail = bytearray()
        self._over = ""
        self._printed = 0
        self._nonce = b""
        self._waiting: asyncio.Future[Mapping[str, Json]] | None = None
        self._reader: Reader | None = None
        self._unsent = memoryview(b"")
        self._closed = False
        self._loop.add_reader(self._said, self._read)
        self._loop.add_reader(self._noise, self._read_noise)

    @classmethod
    def start(cls, program: Program) -> Self:
        """Start it; raises OSError, or ValueError for words that no command can have."""
        token = os.urandom(8).hex()
        who = program.who
        process = subprocess.Popen(
            program.argv,
            cwd=program.cwd,
            env={**program.env, _MARKER: token},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            user=who.user,
            group=who.group,
            extra_groups=None if who.user is None else [],
        )
        _bound(process.pid, program.memory)
        return cls(process, f"{_MARKER}={token}")

    async def ask(self, question: bytes, nonce: str, within_s: float, read: Reader) -> Mapping[str, Json]:
        """Send one line, and give the answer: of lines with the nonce the first that `read` takes for one.

        Raises WorkerFailed, and what `read` raises at a line that is an answer and cannot be read.
        """
        if self._over:
            raise WorkerFailed(self._over)
        self._nonce, self._printed, self._reader = nonce.encode(), 0, read
        self._tail.clear()
        waiting: asyncio.Future[Mapping[str, Json]] = self._loop.create_future()
        self._waiting = waiting
        timer = self._loop.call_later(within_s, self._fail, f"it did not answer within {within_s:g} s")
        try:
            self._unsent = memoryview(question)
            self._write()
            return await waiting
        finally:
            timer.cancel()
            self._waiting, self._nonce = None, b""

    def tail(self) -> str:
        """The last that it printed of this question besides an answer: neither redacted nor inert."""
        if not self._closed:
            self._read_noise()
        return self._tail[-_TAIL:].decode("utf-8", "replace")

    async def stop(self) -> None:
        """Close its input, give it a second to end, and end all that is left."""
        try:
            self._close_input()
            async with asyncio.timeout(_GRACE_S):
                while self._process.poll() is None:  # noqa: ASYNC110 - a second at the end of a run
                    await asyncio.sleep(_PAUSE_S)
        except TimeoutError:
            pass
        finally:
            self.kill()

    def kill(self) -> None:
        """End it and all that it started, at once. Not a coroutine: nothing can interrupt it half-way."""
        if self._closed:
            return
        for _ in range(_ROUNDS):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            left = procfs.family(self._process.pid, self._marker)
            for process in left:
                procfs.kill(process, signal.SIGKILL)
            if not left:
                break
            time.sleep(_PAUSE_S)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_WITHIN_S)
        self._read_noise()
        self._close()

    def _write(self) -> None:
        """Send what the pipe takes now, and the rest when it has room."""
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._given, self._unsent) :]
            self._loop.remove_writer(self._given)
        except BlockingIOError:
            self._loop.add_writer(self._given, self._write)
        except OSError:  # it has closed its input: why, its end or its silence tells
            self._unsent = memoryview(b"")
            self._loop.remove_writer(self._given)

    def _read(self) -> None:
        data = _chunk(self._said)
        if data is None:
            return
        if not data:
            self._loop.remove_reader(self._said)
            self._over = self._ended()
            self._fail(self._over)
            return
        self._printed += len(data)
        self._buffer += data
        while (end := self._buffer.find(b"\n", self._searched)) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._searched = 0
            if len(line) > LONGEST_ANSWER:
                self._fail(_TOO_LONG)
            self._take(line)
        self._searched = len(self._buffer)
        if len(self._buffer) > LONGEST_ANSWER:
            self._buffer.clear()
            self._searched = 0
            self._fail(_TOO_LONG)
        elif self._printed > MOST_NOISE:
            self._fail(f"it printed more than {MOST_NOISE >> 20} MiB")

    def _take(self, line: bytes) -> None:
        waiting = self._waiting
        if waiting and self._reader and not waiting.done() and self._nonce in line:
            try:
                if (answer := self._reader(line)) is not None:
                    waiting.set_result(answer)
                    return
            except ValueError as error:
                waiting.set_exception(error)
        self._keep(line + b"\n")

    def _read_noise(self) -> None:
        while data := _chunk(self._noise):
            self._keep(data)
            self._printed += len(data)
            if self._printed > MOST_NOISE:
                self._fail(f"it printed more than {MOST_NOISE >> 20} MiB")
                return
        if data == b"":
            self._loop.remove_reader(self._noise)

    def _keep(self, data: bytes) -> None:
        self._tail += data
        if len(self._tail) > 2 * _TAIL:
            del self._tail[:-_TAIL]

    def _ended(self) -> str:
        """How it ended, which is known a moment after its output is closed."""
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(_GRACE_S)
            if status >= 0:
                return f"it ended with exit code {status}"
            name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            return f"it was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
        return "it closed its output"

    def _fail(self, reason: str) -> None:
        if self._waiting and not self._waiting.done():
            self._waiting.set_exception(WorkerFailed(reason))

    def _close_input(self) -> None:
        if self._process.stdin and not self._process.stdin.closed:
            self._loop.remove_writer(self._given)
            self._process.stdin.close()

    def _close(self) -> None:
        self._closed = True
        self._close_input()
        for stream in (self._process.stdout, self._process.stderr):
            if stream and not stream.closed:
                self._loop.remove_reader(stream.fileno())
                stream.close()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[int, int, int]:
    """The descriptors of its input, output and errors, none of which waits."""
    streams = [stream.fileno() for stream in (process.stdin, process.stdout, process.stderr) if stream]
    for number in streams:
        os.set_blocking(number, False)
    given, said, noise = streams
    return given, said, noise


def _chunk(number: int) -> bytes | None:
    """What there is to read; None for nothing yet, b"" at the end."""
    try:
        return os.read(number, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _bound(pid: int, memory: int) -> None:
    """Bound the data of a process, and let it leave no core file, where the system can (Linux)."""
    import resource

    if not hasattr(resource, "prlimit"):
        return
    for limit, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):
            resource.prlimit(pid, limit, (most, most))
