"""Start the agent, wait for it, watch it, stop it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from gate.boot.booting import Booting, Scene
from gate.errors import AgentDown
from gate.model.agent import Agent
from gate.model.config import BootConfig, CommandBoot, ContainerBoot, NoBoot, UrlBoot
from gate.redact import Redactor


# A run boots in one way: the modules of the others would only make its first request later.
def _url(config: UrlBoot, scene: Scene) -> AbstractAsyncContextManager[Agent]:
    from gate.boot import url

    return url.reached(config, scene)


def _command(config: CommandBoot, scene: Scene) -> AbstractAsyncContextManager[Agent]:
    from gate.boot import command

    return command.running(config, scene)


def _container(config: ContainerBoot, scene: Scene) -> AbstractAsyncContextManager[Agent]:
    from gate.boot import container

    return container.running(config, scene)


def _nothing(config: NoBoot, scene: Scene) -> AbstractAsyncContextManager[Agent]:
    from gate.boot import nothing

    return nothing.recorded(config, scene)


BOOTS: Mapping[str, Booting[Any]] = {
    "url": Booting(UrlBoot, _url),
    "command": Booting(CommandBoot, _command),
    "container": Booting(ContainerBoot, _container),
    "none": Booting(NoBoot, _nothing),
}


@asynccontextmanager
async def boot(config: BootConfig, *, root: Path, log: Path, redact: Redactor) -> AsyncIterator[Agent]:
    """The agent inside this block answers, and is stopped after it; raises AgentDown, without secrets.

    `root` is the folder that the config's paths start from, `log` the file that gets the agent's output
    (redacted, at most 8 MiB).
    """
    way = next(way for way in BOOTS.values() if way.reads is type(config))
    try:
        async with way.start(config, Scene(root=root, log=log, redact=redact)) as agent:
            yield agent
    except AgentDown as down:
        texts = (down.message, down.hint, down.log_tail)
        message, hint, tail = map(redact.text, texts)
        if (message, hint, tail) == texts:
            raise
        raise AgentDown(message, hint=hint, log_tail=tail) from down
