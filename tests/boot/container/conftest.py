"""Boots served.py in containers of the real engine; what is left is looked for by the boot's own label."""

import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.boot import boot
from gate.model.config import Build, Confinement, ContainerBoot, Image, Ready
from gate.redact import Redactor

SERVED = Path(__file__).with_name("served.py")
BASE = "python:3.13-slim"
DOCKERFILE = f"""FROM {BASE}
WORKDIR /app
COPY served.py .
VOLUME /volume
HEALTHCHECK CMD ["python3", "/app/served.py", "healthy"]
CMD ["python3", "served.py", "serve"]
"""


def docker(*arguments: str) -> list[str]:
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.split()


def left_of(label: str) -> dict[str, list[str]]:
    """What the engine has with a label."""
    listings = {"containers": ("ps", "-aq"), "networks": ("network", "ls", "-q"), "images": ("images", "-aq")}
    wanted = ("--filter", f"label={label}")
    return {kind: found for kind, listing in listings.items() if (found := docker(*listing, *wanted))}


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An image whose own command serves, with a HEALTHCHECK and a VOLUME."""
    folder = tmp_path_factory.mktemp("image")
    shutil.copy(SERVED, folder)
    (folder / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    name = f"agent-of-tests:{uuid.uuid4().hex[:8]}"
    docker("build", "-q", "-t", name, str(folder))
    yield name
    docker("rmi", "-f", name)


@pytest.fixture
def boot_id(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The id of the boots of this test; nothing may be left of them."""
    name = f"t{uuid.uuid4().hex[:11]}"
    monkeypatch.setenv("AGENT_GATE_BOOT_ID", name)
    yield name
    assert not left_of(f"agent-gate.boot={name}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with an agent, golden files and a baseline."""
    root = tmp_path / "project"
    for name in (
        "golden/a.yaml",
        "golden/baseline.jsonl",
        "src/lib.py",
        "node_modules/x.js",
        ".env",
        "out/run.json",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("canary-answer\n", encoding="utf-8")
    shutil.copy(SERVED, root)
    (root / ".gitignore").write_text("node_modules/\n.env\nout/\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "."], check=True)
    return root


@pytest.fixture
def booted(image: str, boot_id: str, project: Path) -> Callable[..., Any]:  # noqa: ARG001 - it looks afterwards
    """The boot block of served.py in the test image; keywords replace fields of the config."""

    def build(mode: str = "", *, redact: Redactor | None = None, **fields: Any) -> Any:
        held = {name: fields.pop(name) for name in Confinement.__dataclass_fields__ if name in fields}
        command = ("python3", "/app/served.py", mode, "{port}") if mode else ()
        usual: dict[str, Any] = {
            "source": Image(name=image),
            "command": command,
            "ready": Ready(path="/health", within_s=30),
            "hidden": ("golden/*.yaml", "golden/baseline.jsonl"),
            "stop_grace_s": 0.1,
        }
        config = ContainerBoot(**{**usual, **fields}, confinement=Confinement(**held))
        return boot(config, root=project, log=project / "out" / "agent.log", redact=redact or Redactor())

    return build


def dockerfile(project: Path, text: str) -> Build:
    (project / "Dockerfile").write_text(text, encoding="utf-8")
    return Build(context=".")
