"""One agent, and one base of which each test gets a copy."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tampering import Agent, Project, a_project, with_baseline


@pytest.fixture(scope="package")
def agent() -> Iterator[Agent]:
    with Agent().running() as running:
        yield running


@pytest.fixture(scope="package")
def other() -> Iterator[Agent]:
    """An agent that is not the one under test, and never broken."""
    with Agent().running() as running:
        yield running


@pytest.fixture(scope="package")
def template(agent: Agent, other: Agent, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tamper") / "base"
    project = a_project(folder, agent, other)
    asyncio.run(with_baseline(project))
    project.commit("evidence")
    return folder


@pytest.fixture
def project(template: Path, agent: Agent, other: Agent, tmp_path: Path) -> Project:
    """The template at its own commit; the work tree is free to be edited."""
    shutil.copytree(template, tmp_path / "project", symlinks=True)
    agent.broken = other.broken = ""
    return Project(tmp_path / "project", agent, other)
