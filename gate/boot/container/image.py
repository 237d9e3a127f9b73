"""The image that the agent starts from: pulled or built, with the workspace and what `setup` did in it."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from gate.boot.booting import Scene
from gate.boot.command import told
from gate.boot.container import files
from gate.boot.container.confine import limits
from gate.boot.container.dockerfile import RECIPE
from gate.boot.container.engine import CONFLICT, NOT_FOUND, Engine, EngineError
from gate.boot.container.spec import filled_env
from gate.boot.hidden import hidden
from gate.boot.log import AgentLog
from gate.errors import AgentDown
from gate.git import is_in_checkout
from gate.model.config import Build, ContainerBoot, Image

_WITHIN_S: Final = 30 * 60
_TRIES, _ASK_AGAIN_S = 30, 0.1
_OWN: Final = ("Cmd", "Entrypoint", "User", "WorkingDir", "Healthcheck")
"""What the agent keeps of the image's config; `setup` has its own."""
_LAYER: Final = re.compile(r"^ ---> ([0-9a-f]{12})$", re.MULTILINE)


@dataclass(slots=True)
class Shop:
    """Makes one boot's image; `layers` are the images that came into being on the way."""

    engine: Engine
    config: ContainerBoot
    scene: Scene
    log: AgentLog
    labels: dict[str, str]
    layers: list[str] = field(default_factory=list)

    async def image(self) -> dict[str, Any]:
        """The image as the engine describes it (Id, Config); raises AgentDown."""
        try:
            async with asyncio.timeout(_WITHIN_S):
                image = await self._made()
        except TimeoutError as error:
            raise AgentDown(
                f"the agent's image was not ready within {_WITHIN_S // 60} minutes",
                hint="Build it in a step before, and name it in `boot.image`.",
                log_tail=self.log.tail(),
            ) from error
        self.log.fresh("starts the agent")
        return image

    async def cleared(self) -> None:
        """Remove the layers that a build left, and that were not there before: newest first."""
        for layer in reversed(self.layers):
            await self._dropped(layer)

    async def _dropped(self, layer: str) -> None:
        """Remove a layer; the step of a build that was cut holds it for a moment."""
        for _ in range(_TRIES):
            if not await self.engine.ask(partial(_is_held, layer)):
                return
            await asyncio.sleep(_ASK_AGAIN_S)

    async def _made(self) -> dict[str, Any]:
        config, source = self.config, self.config.source
        if isinstance(source, Image):
            image = await self._found(source.name) or await self._pulled(source.name)
        else:
            image = await self._built(source)
        if not config.setup and not (config.command and isinstance(source, Image)):
            return image
        prepared = await self._inspected(await self._prepared(image))
        own = image["Config"] or {}
        return {**prepared, "Config": {**prepared["Config"], **{key: own.get(key) for key in _OWN}}}

    async def _found(self, name: str) -> dict[str, Any] | None:
        try:
            return await self._inspected(name)
        except EngineError as error:
            if error.status == NOT_FOUND:
                return None
            raise

    async def _inspected(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = await self.engine.ask(lambda api: api.inspect_image(name))
        return found

    async def _pulled(self, name: str) -> dict[str, Any]:
        from docker.utils import parse_repository_tag

        repository, tag = parse_repository_tag(name)
        problems: list[str] = []

        def each(said: Mapping[str, Any]) -> None:
            if "error" in said:
                problems.append(str(said["error"]))

        self.log.fresh(f"pulls {name}")
        try:
            await self.engine.follow(
                lambda api: api.pull(repository, tag=tag or "latest", stream=True, decode=True), each
            )
        except EngineError as error:
            problems.append(error.reason)
        image = None if problems else await self._found(name)
        if image is None:
            raise AgentDown(
                f"the image '{name}' is not at the engine, and cannot be pulled: {'; '.join(problems)}",
                hint=(
                    "Correct `boot.image`, log in before (docker/login-action), or build it in a step before;"
                    " buildx gives it to the engine with `load: true` only."
                ),
            )
        return image

    async def _built(self, build: Build) -> dict[str, Any]:
        folder = (self.scene.root / build.context).resolve()
        dockerfile = folder / build.dockerfile
        for path, is_there in ((folder, folder.is_dir()), (dockerfile, dockerfile.is_file())):
            if not is_there:
                raise AgentDown(
                    f"the agent cannot be built: there is no {path}", hint="Correct `boot.build`."
                )
            if not is_in_checkout(self.scene.root, path):
                raise AgentDown(
                    f"the agent cannot be built: {path} is outside of the checkout",
                    hint="Correct `boot.build`: a context and its Dockerfile are of this repository.",
                )
        unseen = hidden(self.config.hidden, self.scene)
        tar, name = await asyncio.to_thread(files.context, folder, dockerfile, unseen)
        self.log.fresh(f"builds {build.context}")
        with tar:
            image = await self._build(build, tar, name)
        return await self._inspected(image)

    async def _build(self, build: Build, tar: Any, dockerfile: str) -> str:  # noqa: ANN401 - as the SDK has it
        before = {
            image[7:19] for image in await self.engine.ask(lambda api: api.images(quiet=True, all=True))
        }
        made: list[str] = []

        def each(said: Mapping[str, Any]) -> None:
            text = str(said.get("stream") or said.get("error") or "")
            self.log.feed(text.encode() + (b"\n" if "error" in said else b""))
            self.layers += (layer for layer in _LAYER.findall(text) if layer not in before)
            made.extend(filter(None, [(said.get("aux") or {}).get("ID")]))
            if "error" in said:
                raise EngineError(text.strip())

        try:
            await self.engine.follow(
                lambda api: api.build(
                    fileobj=tar,
                    custom_context=True,
                    dockerfile=dockerfile,
                    target=build.target or None,
                    buildargs=dict(build.args),
                    labels=self.labels,
                    rm=True,
                    forcerm=True,
                    decode=True,
                ),
                each,
            )
        except EngineError as error:
            raise self._unbuilt(build, error.reason) from error
        if not made:
            raise self._unbuilt(build, "the engine named no image")
        return made[-1]

    def _unbuilt(self, build: Build, reason: str) -> AgentDown:
        hint = RECIPE if "buildkit" in reason.lower() else ""
        where = f"{build.context}/{build.dockerfile}"
        return AgentDown(
            f"building {where} failed: {self.scene.redact.text(reason)}", hint=hint, log_tail=self.log.tail()
        )

    async def _prepared(self, image: Mapping[str, Any]) -> str:
        """An image with the workspace in it, after `setup` ran there as root, with the network."""
        script = "\n".join(self.config.setup)
        wanted = {
            "Image": image["Id"],
            "Entrypoint": ["/bin/sh", "-exc", script],
            "Labels": self.labels,
            "Env": [f"{name}={value}" for name, value in filled_env(self.config).items()],
            "User": "0:0",
            "Healthcheck": {"Test": ["NONE"]} if script else {},
            "HostConfig": limits(self.config),
        }
        if isinstance(self.config.source, Image):
            wanted["WorkingDir"] = f"/{files.WORKSPACE}"
        made = await self.engine.ask(lambda api: api.create_container_from_config(wanted))
        container = str(made["Id"])
        if isinstance(self.config.source, Image):
            unseen = hidden(self.config.hidden, self.scene)
            tar = await asyncio.to_thread(files.workspace, self.scene.root, unseen)
            with tar:
                await self.engine.ask(lambda api: api.put_archive(container, "/", tar))
        if script:
            await self._set_up(container)
        changes = [f"LABEL {name}={value}" for name, value in self.labels.items()]
        return await self._committed(container, changes)

    async def _committed(self, container: str, changes: Iterable[str]) -> str:
        made = await self.engine.ask(lambda api: api.commit(container, changes=[*changes]))
        await self.engine.ask(lambda api: api.remove_container(container, v=True, force=True))
        return str(made["Id"])

    async def _set_up(self, container: str) -> None:
        self.log.fresh("setup")
        heard = await self.engine.listen(container, self.log.feed)
        try:
            await self.engine.ask(lambda api: api.start(container))
            ended = await self.engine.begin(lambda api: api.wait(container, timeout=None))
            await heard
        except EngineError as error:
            raise AgentDown(
                f"setup cannot start: {error.reason}",
                hint="`setup` needs /bin/sh in the image. Do its work in a Dockerfile, and use `boot.build`.",
            ) from error
        if ended["StatusCode"]:
            tail = self.log.tail()
            raise AgentDown(told(f"setup exited with {ended['StatusCode']}", tail), log_tail=tail)


def _is_held(image: str, api: Any) -> bool:  # noqa: ANN401 - the SDK's client
    """Try to remove an image; whether a container that is being removed keeps it."""
    from docker.errors import APIError

    try:
        api.remove_image(image, noprune=True)
    except APIError as error:
        return error.status_code == CONFLICT and "container" in str(error.explanation)
    return False
