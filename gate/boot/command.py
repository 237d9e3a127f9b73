"""An agent that the gate starts by a command."""

import asyncio
import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from gate.boot import launch, ready
from gate.boot.booting import Scene
from gate.boot.headers import filled
from gate.boot.hidden import closed
from gate.boot.log import AgentLog
from gate.boot.process import Child
from gate.errors import AgentDown
from gate.model.agent import Agent, Death
from gate.model.config import CommandBoot
from gate.work import identity, procfs
from gate.work.words import telling_line

_SHELL_SIGNALLED = 128

_logger = logging.getLogger(__name__)


@asynccontextmanager
async def running(config: CommandBoot, scene: Scene) -> AsyncIterator[Agent]:
    """The agent of the config's command, once it is ready; stopped with all that it started."""
    identity.hide_environment()
    config = replace(config, headers=filled(config.headers, config.pass_env))
    log = AgentLog(scene.log, scene.redact)
    agent = CommandAgent(config, scene, log)
    try:
        await agent.start()
        yield agent
    finally:
        try:
            await agent.stop()
        finally:
            log.close()


class CommandAgent:
    """A started agent: on a free port of 127.0.0.1, with a HOME and a `{tmp}` of its own that end with it."""

    def __init__(self, config: CommandBoot, scene: Scene, log: AgentLog) -> None:
        self.url = ""
        self.headers: Mapping[str, str] = config.headers
        self.can_restart = True
        self._config = config
        self._scene = scene
        self._log = log
        self._name = launch.shown(config.command)
        self._who = identity.Identity()
        self._folder: Path | None = None
        self._child: Child | None = None
        self._closed = ExitStack()
        self._port = 0
        self._started = 0.0

    async def start(self) -> None:
        """Start it and wait until it is ready; raises AgentDown. `stop` must follow in any case."""
        self._port = launch.free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._started = time.monotonic()
        self._child = self._spawned()
        await self._up(self._child)

    async def stop(self) -> None:
        """Stop it with everything that it started, and remove its folders."""
        try:
            if self._child is not None:
                await self._child.stop(self._config.stop_grace_s)
        finally:
            self._child = None
            self._closed.close()
            if self._folder is not None:
                _remove(self._folder)
            self._folder = None

    async def restart(self) -> None:
        await self.stop()
        self._log.fresh("restarted by the gate")
        await self.start()

    def death(self) -> Death | None:
        child = self._child
        status = None if child is None else child.status()
        if child is None or status is None:
            return None
        child.drain()
        tail = self._log.tail()
        return Death(reason=told(f"`{self._name}` {how(status)}", tail), log_tail=tail)

    def _spawned(self) -> Child:
        folder = self._folder = self._new_folder()
        home, tmp = folder / "home", folder / "tmp"
        what = launch.prepare(self._config, self._scene.root, self._port, home, tmp)
        self._who = self._identity(what, folder)
        self._who.own(folder, home, tmp)
        if self._who.group is not None:
            self._closed.enter_context(closed(self._config.hidden, self._scene, self._who.group))
        try:
            return Child.start(what, self._who, self._log)
        except OSError as error:
            search = what.env.get("PATH", "")
            raise launch.not_started(error, self._config.command, what.argv, search) from error
        except ValueError as error:
            # Such as a NUL in a word of the command, or "=" in the name of a variable.
            hint = "Correct `agent.boot.command` and `agent.boot.env`."
            raise AgentDown(f"`{self._name}` cannot start: {error}", hint=hint) from error

    def _new_folder(self) -> Path:
        try:
            folder = Path(tempfile.mkdtemp(prefix="agent-gate-"))
            for name in ("home", "tmp"):
                (folder / name).mkdir(mode=0o700)
        except OSError as error:
            hint = "Make room there, or set TMPDIR to another folder."
            where = f"{tempfile.gettempdir()}: {error.strerror}"
            raise AgentDown(f"cannot make a folder for `{self._name}` in {where}", hint=hint) from error
        return folder

    def _identity(self, what: launch.Launch, folder: Path) -> identity.Identity:
        who = identity.choose(what.cwd, what.argv, what.env.get("PATH", ""), folder.parent)
        # Set in the image: there the command is a pull request's, and what root can read is not its to read.
        if who.warning and os.environ.get("AGENT_GATE_NEVER_ROOT"):
            raise AgentDown(f"`{self._name}` is not started: it would run as root", hint=who.warning)
        if who.warning and who != self._who:
            _logger.warning("warning: %s", who.warning)
        return who

    async def _up(self, child: Child) -> None:
        within_s = self._config.ready.within_s
        async with ready.client(self.headers, within_s) as client:
            ask = ready.probe(self.url, self._config.ready, client)
            up = asyncio.ensure_future(ready.until_up(lambda: self._asked(child, ask), within_s))
            gone = asyncio.ensure_future(child.exited())
            try:
                await asyncio.wait({up, gone}, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    raise self._exited(child, gone.result())
                if said := up.result():
                    raise self._late(child, said)
            finally:
                await _cancelled(up, gone)

    async def _asked(self, child: Child, ask: ready.Probe) -> str:
        """An answer counts only where it comes from the command: a stale server may have taken the port."""
        if said := await ask():
            return said
        stranger = procfs.stranger(self._port, child.family())
        return (
            f"port {self._port} is answered by {stranger}, which the command did not start"
            if stranger
            else ""
        )

    def _exited(self, child: Child, status: int) -> AgentDown:
        child.drain()
        tail = self._log.tail()
        hint = self._hint(tail)
        if status == 0:
            hint = f"The command must stay in the foreground for as long as the agent serves. {hint}".strip()
        ending = f"`{self._name}` {how(status)} after {time.monotonic() - self._started:.1f} s"
        return AgentDown(told(ending, tail), hint=hint, log_tail=tail)

    def _late(self, child: Child, said: str) -> AgentDown:
        child.drain()
        tail = self._log.tail()
        config = self._config
        message = (
            f"`{self._name}` did not answer {ready.asked(config.ready)} within {config.ready.within_s:g} s:"
            f" {self._scene.redact.text(said)}"
        )
        hints = (ready.hint(said), self._elsewhere(child), self._hint(tail))
        return AgentDown(message, hint=" ".join(hint for hint in hints if hint), log_tail=tail)

    def _elsewhere(self, child: Child) -> str:
        """The mistake that is made most: the command listens on a port of its own choice."""
        ports = procfs.ports(child.family())
        if not ports or self._port in ports:
            return ""
        where = ", ".join(str(port) for port in ports)
        return (
            f"It listens on port {where}, not on {self._port}: pass it `{{port}}` in the command or in `env`."
        )

    def _hint(self, tail: str) -> str:
        hints = []
        if missing := launch.unset(self._config):
            hints.append(f"Not set here, although `pass_env` names it: {', '.join(missing)}.")
        if self._who.user is not None and ("denied" in tail.lower() or "readonly" in tail.lower()):
            hints.append(
                f"The agent runs as user {self._who.user} because the gate is root: it may write to"
                " `{tmp}` and HOME only."
            )
        return " ".join(hints)


def how(status: int) -> str:
    """`exited with 1`, or `was killed by SIGKILL (out of memory?)`; `status` is negative for a signal."""
    if status < 0:
        return f"was killed by {_signal(-status)}"
    if status > _SHELL_SIGNALLED and (name := _signal(status - _SHELL_SIGNALLED)).startswith("SIG"):
        return f"exited with {status} (what it ran was killed by {name})"
    return f"exited with {status}"


def told(ending: str, tail: str) -> str:
    """How it ended, with the line of its log that most likely says why."""
    line = telling_line(tail)
    return f"{ending}: `{line}`" if line else f"{ending} and printed nothing"


def _signal(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{name} (out of memory?)" if number == signal.SIGKILL else name


async def _cancelled(*tasks: asyncio.Task[str] | asyncio.Task[int]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _remove(folder: Path) -> None:
    """Remove what the agent left, folders that it closed to itself included (module caches do that)."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                with suppress(OSError):
                    path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
