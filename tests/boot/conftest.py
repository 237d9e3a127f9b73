"""Boots the misbehaving server of server.py."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from gate.boot import boot
from gate.model.config import CommandBoot, Ready
from gate.redact import Redactor
from tests.boot.agents import SERVER

Booted: TypeAlias = Callable[..., Any]


@pytest.fixture
def config() -> Callable[..., CommandBoot]:
    """A config that boots server.py in a mode; keywords replace its fields."""

    def build(mode: str, **fields: Any) -> CommandBoot:
        command = (sys.executable, str(SERVER), mode, "{port}")
        usual: dict[str, Any] = {"command": command, "ready": Ready(path="/health", within_s=20.0)}
        return CommandBoot(**usual | fields)

    return build


@pytest.fixture
def booted(config: Callable[..., CommandBoot], tmp_path: Path) -> Booted:
    """The boot block of server.py in a mode; its log is `agent.log` in tmp_path."""

    def build(mode: str, *, redact: Redactor | None = None, root: Path = tmp_path, **fields: Any) -> Any:
        log = tmp_path / "agent.log"
        return boot(config(mode, **fields), root=root, log=log, redact=redact or Redactor())

    return build
