"""An agent that somebody else started: wait until it answers."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from gate.boot import ready
from gate.boot.booting import Scene
from gate.boot.headers import filled
from gate.errors import AgentDown
from gate.frozen import frozen
from gate.model.agent import Agent, Death
from gate.model.config import UrlBoot

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@frozen(kw_only=False)
class RemoteAgent:
    """An address that answered; its process is not ours to watch."""

    url: str
    headers: Mapping[str, str]
    can_restart: bool = False

    def death(self) -> Death | None:
        return None

    async def restart(self) -> None:
        raise AgentDown(f"{self.url} was not started by the gate, and cannot be restarted by it")


@asynccontextmanager
async def reached(config: UrlBoot, scene: Scene) -> AsyncIterator[Agent]:
    """The agent at the config's URL, once it is ready; raises AgentDown where it is not in time."""
    url = config.url.rstrip("/")
    headers = filled(config.headers, config.pass_env)
    async with ready.client(headers, config.ready.within_s) as client:
        said = await ready.until_up(ready.probe(url, config.ready, client), config.ready.within_s)
    if said:
        raise _down(config, url, scene.redact.text(said))
    yield RemoteAgent(url, headers)


def _down(config: UrlBoot, url: str, said: str) -> AgentDown:
    asked = f"{ready.asked(config.ready)} within {config.ready.within_s:g} s"
    message = f"the agent at {url} did not answer {asked}: {said}"
    return AgentDown(message, hint=ready.hint(said) or _likely(url))


def _likely(url: str) -> str:
    if urlsplit(url).hostname in _LOOPBACK:
        return (
            "Nothing is started by `boot.url`: start the agent in an earlier step. In a container (a Docker"
            " action) localhost is the container itself: use the host's address, or `boot.command`."
        )
    return "Is the agent up, and may this machine reach it? The gate uses no proxy for the agent."
