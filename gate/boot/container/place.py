"""Where the gate runs decides how it reaches a container: by name, by address or by a published port."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from gate.boot.container.engine import NOT_FOUND, Engine, EngineError
from gate.errors import AgentDown
from gate.frozen import frozen

ALIAS: Final = "agent"
_ID: Final = re.compile(r"[0-9a-f]{64}")
_OWN_FILE: Final = re.compile(r"/([0-9a-f]{64})/(?:userdata/)?host(?:name|s) /etc/host(?:name|s) ")
_SHORT_ID: Final = re.compile(r"[0-9a-f]{12}")
_DEEPEST = 5
_BRIDGES: Final = Path("/sys/class/net")


@frozen
class Road:
    """The run's network, and how an agent in it is reached.

    `alias` is its name where the gate is in the network, `direct` whether its address can be reached from
    here, `internal` whether the network leads nowhere else. Neither name nor address: by a published port.
    """

    network: str
    alias: str = ""
    direct: bool = False
    internal: bool = False

    @property
    def published(self) -> bool:
        return not self.alias and not self.direct


async def built(engine: Engine, name: str, labels: dict[str, str], *, closed: bool) -> Road:
    """Make the run's network, join it where the gate is in a container; `closed` where it shall lead nowhere.

    Where a closed network could not be reached from here (an engine in another machine) it is open after all:
    the caller says so.
    """
    own = await _own_container(engine)
    network = await _network(engine, name, labels, internal=closed)
    if own:
        alias = name if _is_taken(ALIAS) else ALIAS
        await _joined(engine, network, own)
        return Road(network=network, alias=alias, internal=closed)
    if closed and (_BRIDGES / f"br-{network[:12]}").exists():
        return Road(network=network, direct=True, internal=True)
    if closed:
        await engine.ask(lambda api: api.remove_network(network))
        network = await _network(engine, name, labels, internal=False)
    return Road(network=network)


async def _network(engine: Engine, name: str, labels: dict[str, str], *, internal: bool) -> str:
    made: dict[str, Any] = await engine.ask(
        lambda api: api.create_network(name, driver="bridge", internal=internal, labels=labels)
    )
    return str(made["Id"])


async def _joined(engine: Engine, network: str, own: str) -> None:
    try:
        await engine.ask(lambda api: api.connect_container_to_network(own, network))
    except EngineError as error:
        raise AgentDown(
            f"the gate's own container cannot join the agent's network: {error.reason}",
            hint="Run the gate with a network (not `--network none`), or with the host's.",
        ) from error


async def _own_container(engine: Engine) -> str:
    """The container whose network the gate is in; "" on the host, and in a container of another engine."""
    for candidate in dict.fromkeys(_candidates()):
        found = await _inspected(engine, candidate)
        for _ in range(_DEEPEST):
            shared = _mode(found).partition("container:")[2]
            if not shared:
                break
            found = await _inspected(engine, shared)
        if found:
            return "" if _mode(found) == "host" else str(found["Id"])
    return ""


def _mode(found: dict[str, Any] | None) -> str:
    return str(found["HostConfig"]["NetworkMode"]) if found else ""


async def _inspected(engine: Engine, container: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = await engine.ask(lambda api: api.inspect_container(container))
    except EngineError as error:
        if error.status == NOT_FOUND:
            return None
        raise
    return found


def _candidates() -> Iterator[str]:
    """What may be our container's id: the engine mounts files of its folder, and names the host by it."""
    for source, pattern in (("mountinfo", _OWN_FILE), ("cgroup", _ID)):
        yield from pattern.findall(_read(Path("/proc/self") / source))
    if _SHORT_ID.fullmatch(name := socket.gethostname()):
        yield name


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _is_taken(name: str) -> bool:
    """Whether a service of the job has the name already: it must not be taken for the agent."""
    try:
        socket.getaddrinfo(name, None)
    except OSError:
        return False
    return True
