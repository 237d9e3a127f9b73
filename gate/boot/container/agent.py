"""The agent's container: made for one start, watched, and removed with all that was made for it."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from gate.boot import ready
from gate.boot.booting import Scene
from gate.boot.command import how, told
from gate.boot.container import place
from gate.boot.container.engine import Engine, EngineError, connect
from gate.boot.container.image import Shop
from gate.boot.container.labels import BOOT, labels, own_removed, swept
from gate.boot.container.late import why_late
from gate.boot.container.reach import proxied, unhealthy
from gate.boot.container.spec import spec
from gate.boot.container.words import NOT_STARTED, OPEN_AFTER_ALL, hints
from gate.boot.headers import filled
from gate.boot.launch import shown
from gate.boot.log import AgentLog
from gate.errors import AgentDown
from gate.frozen import frozen
from gate.http import Client
from gate.model.agent import Agent, Death
from gate.model.config import ContainerBoot, Image

_NO_PROGRAM: Final = 127
"""What the engine's init, as a shell, exits with where it finds no such program."""
_logger = logging.getLogger(__name__)


@asynccontextmanager
async def running(config: ContainerBoot, scene: Scene) -> AsyncIterator[Agent]:
    """The agent of the config's container, once it is ready; everything made for it is removed."""
    config = replace(config, headers=filled(config.headers, config.pass_env))
    engine = await asyncio.to_thread(connect)
    log = AgentLog(scene.log, scene.redact)
    agent = ContainerAgent(config, scene, engine, log)
    try:
        await agent.boot()
        yield agent
    finally:
        try:
            await agent.remove()
        finally:
            log.close()
            engine.close()


@frozen(kw_only=False)
class Ending:
    """How a container ended: its exit status, and whether it took more memory than it may."""

    status: int
    out_of_memory: bool = False


class ContainerAgent:
    """A started agent in a container of its own; a restart makes a fresh one from the same image."""

    def __init__(self, config: ContainerBoot, scene: Scene, engine: Engine, log: AgentLog) -> None:
        self.url = ""
        self.headers: Mapping[str, str] = config.headers
        self.can_restart = True
        self._config = config
        self._scene = scene
        self._engine = engine
        self._log = log
        self._labels = labels()
        self._shop = Shop(engine, config, scene, log, self._labels)
        self._image: dict[str, Any] = {}
        self._road: place.Road | None = None
        self._container = ""
        self._ending: asyncio.Future[Ending] | None = None
        self._heard: asyncio.Future[None] | None = None
        self._started = 0.0

    async def boot(self) -> None:
        """Make image, network and container, and wait until the agent is ready; raises AgentDown."""
        try:
            await swept(self._engine)
            self._image = await self._shop.image()
            self._refuse_without_healthcheck()
            closed = self._config.confinement.egress == "none"
            name = f"agent-gate-{self._labels[BOOT]}"
            self._road = await place.built(self._engine, name, self._labels, closed=closed)
            if closed and not self._road.internal:
                _logger.warning("warning: %s", OPEN_AFTER_ALL)
            await self._start(self._road)
        except EngineError as error:
            raise AgentDown(
                f"the Docker engine refused: {error.reason}", log_tail=self._log.tail()
            ) from error

    async def restart(self) -> None:
        if self._road is None:
            raise AgentDown("the agent was never started")
        await self._stop()
        self._log.fresh("restarted by the gate")
        try:
            await self._start(self._road)
        except EngineError as error:
            raise AgentDown(f"the Docker engine refused: {error.reason}") from error

    async def remove(self) -> None:
        """Stop the agent and remove whatever carries this boot's label, however far it came."""
        try:
            await self._stop()
        finally:
            try:
                await own_removed(self._engine, self._labels[BOOT])
            finally:
                await self._shop.cleared()

    def death(self) -> Death | None:
        if self._ending is None or not self._ending.done():
            return None
        tail = self._log.tail()
        return Death(reason=told(self._how(self._ending.result()), tail), log_tail=tail)

    async def _start(self, road: place.Road) -> None:
        self._ending = None
        wanted = spec(self._config, self._image, road, self._labels, local=self._engine.is_local)
        made = await self._engine.ask(lambda api: api.create_container_from_config(wanted))
        self._container = container = str(made["Id"])
        self._heard = await self._engine.listen(container, self._log.feed)
        self._started = time.monotonic()
        try:
            await self._engine.ask(lambda api: api.start(container))
        except EngineError as error:
            raise AgentDown(f"the container cannot start: {error.reason}", hint=NOT_STARTED) from error
        self._ending = self._engine.begin(lambda api: _ended(api, container))
        self.url = await self._address(road)
        await self._up(road)

    async def _stop(self) -> None:
        """TERM (or the image's STOPSIGNAL), the grace, KILL; then the container goes, with its volumes."""
        container, self._container = self._container, ""
        if container:
            grace = math.ceil(self._config.stop_grace_s)
            await self._engine.ask(lambda api: _gone(api, container, grace))
        if self._heard is not None:
            await asyncio.wait([self._heard], timeout=5)
        self._heard = self._ending = None

    def _refuse_without_healthcheck(self) -> None:
        test = ((self._image["Config"] or {}).get("Healthcheck") or {}).get("Test") or ["NONE"]
        if self._config.ready.healthcheck and test == ["NONE"]:
            raise AgentDown(
                f"`ready: {{healthcheck: true}}` waits for ever: {self._name()} has no HEALTHCHECK",
                hint="Give the image one, or write `ready: {path: /health}`.",
            )

    async def _address(self, road: place.Road) -> str:
        port = self._config.port
        if road.alias:
            return f"http://{road.alias}:{port}"
        found = await self._engine.ask(lambda api: api.inspect_container(self._container))
        network = found["NetworkSettings"]
        if road.direct:
            address = next(iter(network["Networks"].values()))["IPAddress"]
            return f"http://{address or '127.0.0.1'}:{port}"
        bound = (network["Ports"].get(f"{port}/tcp") or [{"HostPort": "0"}])[0]["HostPort"]
        return f"http://{self._engine.host}:{bound}"

    async def _up(self, road: place.Road) -> None:
        within_s = self._config.ready.within_s
        ending = self._ending
        assert ending is not None  # noqa: S101 - _start sets it just before
        async with ready.client(self.headers, within_s) as client:
            up = asyncio.ensure_future(ready.until_up(self._probe(road, client), within_s))
            racing: list[asyncio.Future[Any]] = [up, ending]
            try:
                await asyncio.wait(racing, return_when=asyncio.FIRST_COMPLETED)
                if ending.done():
                    raise await self._exited(ending.result())
                if said := up.result():
                    raise await self._late(said)
            finally:
                up.cancel()
                await asyncio.gather(up, return_exceptions=True)

    def _probe(self, road: place.Road, client: Client) -> ready.Probe:
        if self._config.ready.healthcheck:
            return lambda: unhealthy(self._engine, self._container)
        if self._config.ready.path is None and road.published:
            return lambda: proxied(self.url)
        return ready.probe(self.url, self._config.ready, client)

    async def _exited(self, ending: Ending) -> AgentDown:
        if self._heard is not None:
            await asyncio.wait([self._heard], timeout=2)
        tail = self._log.tail()
        after = f"{self._how(ending)} after {time.monotonic() - self._started:.1f} s"
        hint = NOT_STARTED if ending.status == _NO_PROGRAM else self._hint(tail, ending)
        return AgentDown(told(after, tail), hint=hint, log_tail=tail)

    async def _late(self, said: str) -> AgentDown:
        config = self._config
        asked = "with a healthy HEALTHCHECK" if config.ready.healthcheck else ready.asked(config.ready)
        message = (
            f"{self._name()} did not answer {asked} within {config.ready.within_s:g} s:"
            f" {self._scene.redact.text(said)}"
        )
        where = await why_late(self._engine, self._container, config.port)
        tail = self._log.tail()
        hints = (ready.hint(said), where, self._hint(tail, None))
        return AgentDown(message, hint=" ".join(hint for hint in hints if hint), log_tail=tail)

    def _how(self, ending: Ending) -> str:
        if ending.out_of_memory:
            most = self._config.confinement.memory_bytes / 1024**2
            return f"{self._name()} was killed: it took more than its {most:g} MiB of memory"
        return f"{self._name()} {how(ending.status)}"

    def _name(self) -> str:
        source = self._config.source
        if self._config.command:
            return f"`{shown(self._config.command)}`"
        of = source.name if isinstance(source, Image) else f"{source.context}/{source.dockerfile}"
        return f"the container of `{of}`"

    def _hint(self, tail: str, ending: Ending | None) -> str:
        found = hints(tail, internal=self._road is not None and self._road.internal)
        if ending is not None and ending.out_of_memory:
            found.append("Give it more: `memory: 4g`.")
        elif ending is not None and ending.status == 0:
            found.append("The command must stay in the foreground for as long as the agent serves.")
        return " ".join(found)


def _ended(api: Any, container: str) -> Ending:  # noqa: ANN401 - the SDK's client
    """Wait for a container's end, however long that takes."""
    from docker.errors import APIError

    status = int(api.wait(container, timeout=None)["StatusCode"])
    try:
        return Ending(status, bool(api.inspect_container(container)["State"]["OOMKilled"]))
    except APIError:  # removed meanwhile
        return Ending(status)


def _gone(api: Any, container: str, grace: int) -> None:  # noqa: ANN401 - the SDK's client
    from docker.errors import APIError

    try:
        api.stop(container, timeout=grace)
    except APIError:  # it never started, or is being removed
        pass
    finally:
        api.remove_container(container, v=True, force=True)
