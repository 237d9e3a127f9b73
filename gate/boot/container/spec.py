"""The agent's container as the engine's API has it (POST /containers/create)."""

from collections.abc import Mapping
from typing import Any, Final

from gate.boot.container.confine import TMP, confined, user
from gate.boot.container.files import WORKSPACE
from gate.boot.container.place import Road
from gate.boot.launch import environment_of
from gate.model.config import ContainerBoot, Image

_HEALTH_EVERY_NS: Final = 500_000_000
_NO_DNS: Final[Mapping[str, Any]] = {"Dns": ["127.0.0.1"], "DnsOptions": ["timeout:1", "attempts:1"]}
"""Nobody resolves, and soon: older engines ask the world's resolvers even for a closed network."""


def spec(
    config: ContainerBoot, image: Mapping[str, Any], road: Road, labels: Mapping[str, str], *, local: bool
) -> dict[str, Any]:
    """The container to make of an image; a port is published on loopback where the engine is `local`."""
    own: Mapping[str, Any] = image["Config"] or {}
    port = f"{config.port}/tcp"
    host = confined(config, own)
    host["NetworkMode"] = road.network
    if road.internal:
        host.update(_NO_DNS)
    if road.published:
        host["PortBindings"] = {port: [{"HostIp": "127.0.0.1" if local else "", "HostPort": ""}]}
    endpoint = {"Aliases": [road.alias]} if road.alias else {}
    return {
        "Image": image["Id"],
        **_program(config, own),
        "WorkingDir": _folder(config, own),
        "User": user(config, own.get("User") or ""),
        "Env": [f"{name}={value}" for name, value in _env(config, own).items()],
        "Labels": {**labels},
        "ExposedPorts": {port: {}},
        "Healthcheck": _healthcheck(config, own),
        "HostConfig": host,
        "NetworkingConfig": {"EndpointsConfig": {road.network: endpoint}},
    }


def _program(config: ContainerBoot, own: Mapping[str, Any]) -> dict[str, Any]:
    """The config's command stands for entrypoint and command: it is the whole command line."""
    if config.command:
        return {"Entrypoint": [filled(config, word) for word in config.command]}
    return {"Entrypoint": own.get("Entrypoint"), "Cmd": own.get("Cmd")}


def _folder(config: ContainerBoot, own: Mapping[str, Any]) -> str:
    cwd = filled(config, config.cwd)
    if cwd.startswith("/"):
        return cwd
    in_workspace = isinstance(config.source, Image) and config.command
    base = f"/{WORKSPACE}" if in_workspace else own.get("WorkingDir") or "/"
    return f"{base}/{cwd}" if cwd else base


def _env(config: ContainerBoot, own: Mapping[str, Any]) -> dict[str, str]:
    """Literals and what `pass_env` names; HOME is writable where the image's user is not kept."""
    kept = user(config, own.get("User") or "") == own.get("User")
    home = {} if kept else {"HOME": TMP}
    return {**home, "TMPDIR": TMP, **environment_of(config.pass_env), **filled_env(config)}


def _healthcheck(config: ContainerBoot, own: Mapping[str, Any]) -> dict[str, Any]:
    """The image's, asked often while we wait for it; none where nobody waits for it."""
    if not config.ready.healthcheck:
        return {"Test": ["NONE"]}
    return {**(own.get("Healthcheck") or {}), "Interval": _HEALTH_EVERY_NS}


def filled_env(config: ContainerBoot) -> dict[str, str]:
    """The literals of `env` with `{port}` and `{tmp}` filled in."""
    return {name: filled(config, value) for name, value in config.env.items()}


def filled(config: ContainerBoot, text: str) -> str:
    """A text with `{port}` and `{tmp}` filled in."""
    return text.replace("{port}", str(config.port)).replace("{tmp}", TMP)
