"""Projects that command tests run in."""

from pathlib import Path

import pytest

from tests.support.commands import a_project, commit, gate


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The weather agent in a repository of its own, with no baseline."""
    return a_project(tmp_path / "weather")


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The weather agent with one accepted run, committed; tests write elsewhere than into it."""
    folder = a_project(tmp_path_factory.mktemp("accepted") / "weather")
    assert gate("run", cwd=folder).code == 0
    assert gate("baseline", "accept", cwd=folder).code == 0
    commit(folder, "the baseline")
    return folder
