"""Everything that we make at the engine carries labels: whose it is, and until when it may be there."""

import os
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from gate.boot.container.engine import Engine, EngineError

Labels = Mapping[str, str]

BOOT_ID: Final = "AGENT_GATE_BOOT_ID"
"""The environment variable that names a boot, for who wants to clean up after a gate that was killed."""
BOOT: Final = "agent-gate.boot"
_DEADLINE: Final = "agent-gate.deadline"
_LIVES_S: Final = 6 * 3600
"""As long as a job of GitHub's runners may take: what is older is nobody's."""
_JOB: Final = {
    "agent-gate.run": "GITHUB_RUN_ID",
    "agent-gate.attempt": "GITHUB_RUN_ATTEMPT",
    "agent-gate.job": "GITHUB_JOB",
}


def labels(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The labels of one boot: run, attempt and job of the workflow where there is one, id and deadline."""
    boot = environ.get(BOOT_ID) or uuid.uuid4().hex[:12]
    return {
        **{label: environ.get(name) or "local" for label, name in _JOB.items()},
        BOOT: boot,
        _DEADLINE: str(int(time.time()) + _LIVES_S),
    }


async def swept(engine: Engine) -> None:
    """Remove what a killed gate left: everything of ours whose deadline has passed."""
    await _removed(engine, _DEADLINE, _is_late, prune=True)


async def left_overs_removed(boot: str) -> None:
    """Remove all that the boot of this id made, where an engine can be reached: the net after a SIGKILL."""
    with suppress(EngineError):
        engine = Engine()
        try:
            await own_removed(engine, boot, prune=True)
        finally:
            engine.close()


async def own_removed(engine: Engine, boot: str, *, prune: bool = False) -> None:
    """Remove all that the boot of this id made; `prune` takes the untagged layers below its images too."""
    await _removed(engine, f"{BOOT}={boot}", lambda _: True, prune=prune)


async def _removed(engine: Engine, label: str, chosen: Callable[[Labels], bool], *, prune: bool) -> None:
    """Containers first, for networks and images are held by them."""

    def remove(api: Any) -> None:  # noqa: ANN401 - the SDK's client
        wanted: dict[str, Any] = {"filters": {"label": label}}
        for container in _of(api.containers(all=True, **wanted), chosen):
            _quietly(api.remove_container, container, v=True, force=True)
        for network in _of(api.networks(**wanted), chosen):
            _network_removed(api, network)
        for image in _of(api.images(**wanted), chosen):
            _quietly(api.remove_image, image, noprune=not prune)

    await engine.ask(remove)


def _of(things: Iterable[Any], chosen: Callable[[Labels], bool]) -> list[str]:
    """The ids of what was chosen; ours have no tag, so that an image with one is somebody's."""
    ours = (thing for thing in things if chosen(thing.get("Labels") or {}))
    return [thing["Id"] for thing in ours if not set(thing.get("RepoTags") or ()) - {"<none>:<none>"}]


def _network_removed(api: Any, network: str) -> None:  # noqa: ANN401 - the SDK's client
    """Take out who is still in it, our own container for example, and remove it."""
    found = _quietly(api.inspect_network, network) or {}
    for member in found.get("Containers") or ():
        _quietly(api.disconnect_container_from_network, member, network, force=True)
    _quietly(api.remove_network, network)


def _quietly(work: Callable[..., Any], *what: str, **how: bool) -> Any:  # noqa: ANN401 - the SDK's answer
    """What is gone already, or is being removed by another, is no reason to stop removing."""
    from docker.errors import APIError

    with suppress(APIError):
        return work(*what, **how)


def _is_late(found: Labels) -> bool:
    deadline = found.get(_DEADLINE, "")
    return deadline.isdecimal() and int(deadline) < time.time()
