"""Start the agent, wait for it, watch it, stop it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gate.boot import command, container, nothing, url
from gate.boot.booting import Booting, Scene
from gate.errors import AgentDown
from gate.model.agent import Agent
from gate.model.config import BootConfig, CommandBoot, ContainerBoot, NoBoot, UrlBoot
from gate.redact import Redactor

BOOTS: Mapping[str, Booting[Any]] = {
    "url": Booting(UrlBoot, url.reached),
    "command": Booting(CommandBoot, command.running),
    "container": Booting(ContainerBoot, container.running),
    "none": Booting(NoBoot, nothing.recorded),
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
