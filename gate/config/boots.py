"""`agent.boot:` to the model: an address, a command, a container, or nothing to start."""

from gate.config.narrow import Map, map_of, text, text_map, texts
from gate.config.units import number, seconds, size
from gate.model import Json
from gate.model.config import (
    BootConfig,
    Build,
    CommandBoot,
    Confinement,
    ContainerBoot,
    Image,
    NoBoot,
    Ready,
    UrlBoot,
)


def boot_of(boot: Map, hidden: tuple[str, ...]) -> BootConfig:
    """The boot of a config that fits the schema; a command or container must not see the `hidden` files."""
    if "url" in boot:
        return UrlBoot(
            url=text(boot["url"]).rstrip("/"),
            headers=text_map(boot.get("headers")),
            ready=_ready(map_of(boot.get("ready"))),
            pass_env=texts(boot.get("pass_env", [])),
        )
    if "image" in boot or "build" in boot:
        return _container(boot, hidden)
    if "command" not in boot:
        return NoBoot()
    return CommandBoot(
        command=texts(boot["command"]),
        cwd=text(boot.get("cwd", ".")),
        ready=_ready(map_of(boot.get("ready"))),
        env=text_map(boot.get("env")),
        pass_env=texts(boot.get("pass_env", [])),
        headers=text_map(boot.get("headers")),
        stop_grace_s=seconds(boot.get("stop_grace", 5)),
        hidden=hidden,
    )


def _container(boot: Map, hidden: tuple[str, ...]) -> ContainerBoot:
    return ContainerBoot(
        source=Image(name=text(boot["image"])) if "image" in boot else _built(boot["build"]),
        command=texts(boot.get("command", [])),
        setup=texts(boot.get("setup", [])),
        cwd=text(boot.get("cwd")),
        port=int(number(boot.get("port", 8080))),
        ready=_ready(map_of(boot.get("ready"))),
        env=text_map(boot.get("env")),
        pass_env=texts(boot.get("pass_env", [])),
        headers=text_map(boot.get("headers")),
        stop_grace_s=seconds(boot.get("stop_grace", 5)),
        confinement=_confinement(boot),
        hidden=hidden,
    )


def _built(build: Json) -> Build:
    if isinstance(build, str):
        return Build(context=build)
    keys = map_of(build)
    return Build(
        context=text(keys["context"]),
        dockerfile=text(keys.get("dockerfile", "Dockerfile")),
        target=text(keys.get("target")),
        args=text_map(keys.get("args")),
    )


def _confinement(boot: Map) -> Confinement:
    return Confinement(
        user=text(boot.get("user")),
        capabilities=texts(boot.get("capabilities", [])),
        read_only=boot.get("read_only") is not False,
        memory_bytes=size(boot.get("memory", "2g")),
        pids=int(number(boot.get("pids", 512))),
        tmpfs={path: size(most) for path, most in map_of(boot.get("tmpfs")).items()},
        egress="open" if boot.get("egress") == "open" else "none",
    )


def _ready(ready: Map) -> Ready:
    return Ready(
        path=text(ready["path"]) if "path" in ready else None,
        within_s=seconds(ready.get("within", 60)),
        healthcheck=ready.get("healthcheck") is True,
    )
