"""A workflow with `uses: ./` as a real runner of workflows (nektos/act) runs it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import act
from tests.support.act import Repository
from tests.support.commands import edit

pytestmark = [pytest.mark.requires("act", "docker", "node"), pytest.mark.timeout(600)]

DOCKERFILE = """\
FROM python:3.13-slim
COPY agent.py /app/
CMD ["python3", "/app/agent.py", "--host", "0.0.0.0", "--port", "8080"]
"""
CONTAINERS = ("ps", "--all", "--quiet", "--filter", "name=^act-")


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with act.repository(tmp_path, arranged) as made:
        yield made


def arranged(folder: Path) -> str:
    """The agent has a Dockerfile, and is built from it."""
    (folder / "agent" / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    command = 'command: [python3, agent.py, --port, "{port}"]'
    edit(folder / "agent" / "agent-gate.yml", command, "build: .\n    port: 8080")
    return act.the_example("uses: ./", "with: {working-directory: agent}")


def test_a_pull_request_gets_one_comment_and_turns_red_when_the_agent_breaks(repository: Repository) -> None:
    job = repository.act()
    assert job.code == 0, job.log
    (comment,) = job.comments
    assert "Agent Gate: pass" in comment["body"]

    edit(repository.folder / "agent" / "agent-gate.yml", 'WEATHER_BREAK: ""', "WEATHER_BREAK: skips-tool")
    job = repository.act()
    assert job.code == 1, job.log
    (updated,) = job.comments
    assert updated["id"] == comment["id"]
    assert "1 of 10 cases broke" in updated["body"]
    left = subprocess.run(["docker", *CONTAINERS], capture_output=True, text=True, check=True)
    assert not left.stdout


def another_tool(folder: Path) -> None:
    """The agent's tool has another name, and so do the calls that its cases expect."""
    for file in (folder / "agent" / "agent.py", folder / "agent" / "golden" / "weather.yaml"):
        file.write_text(file.read_text(encoding="utf-8").replace("get_weather", "look_up_weather"), "utf-8")


@pytest.mark.parametrize(("accepted", "code", "said"), [(False, 1, "needs acceptance"), (True, 0, "`ann`")])
def test_a_label_accepts_an_intended_change(tmp_path: Path, accepted: bool, code: int, said: str) -> None:
    with act.repository(tmp_path, arranged, change=another_tool, accepted=accepted) as made:
        job = made.act()
    assert job.code == code, job.log
    (comment,) = job.comments
    assert said in comment["body"]
