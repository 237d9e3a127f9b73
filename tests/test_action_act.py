"""A workflow with `uses: ./` as a real runner of workflows (nektos/act) runs it."""

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import ROOT, edit, environment, git
from tests.support.commands import commit as committed
from tests.support.github.server import serve
from tests.support.github.state import JOB_TOKEN
from tests.support.pulls import Proposed, propose

pytestmark = [pytest.mark.requires("act", "docker", "node"), pytest.mark.timeout(300)]

ACTION = (
    "action.yml",
    "Dockerfile",
    ".dockerignore",
    "entrypoint.py",
    "post.py",
    "gate",
    "schemas",
    "requirements",
)
PACKAGE = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")
DOCKERFILE = """\
FROM python:3.13-slim
COPY agent.py /app/
CMD ["python3", "/app/agent.py", "--host", "0.0.0.0", "--port", "8080"]
"""
CONTAINERS = ("ps", "--all", "--quiet", "--filter", "name=^act-")


@dataclass(frozen=True, slots=True)
class Job:
    """A job that has ended, and the pull request's comments after it."""

    code: int
    log: str
    comments: list[Any]


class Repository:
    """The Action's own repository with an agent in it, and the fake GitHub that it is pushed to."""

    def __init__(self, folder: Path, url: str, state: Path, proposed: Proposed) -> None:
        self.folder = folder
        self._event = proposed.event
        self._url = url
        self._state = state
        self._runs = 4711

    def act(self) -> Job:
        self._runs += 1
        event = self.folder.parent / "event.json"
        event.write_text(json.dumps(self._event), encoding="utf-8")
        variables = {
            "GITHUB_API_URL": self._url,
            "GITHUB_GRAPHQL_URL": f"{self._url}/graphql",
            "GITHUB_REPOSITORY": "acme/agent",
            "GITHUB_RUN_ID": str(self._runs),
        }
        command = [
            *(str(Path(sys.executable).with_name("act")), "pull_request", "-e", str(event)),
            *(
                "-P",
                "ubuntu-latest=python:3.13-slim",
                "--pull=false",
                "--rm",
                "-s",
                f"GITHUB_TOKEN={JOB_TOKEN}",
            ),
            *(word for name, value in variables.items() for word in ("--env", f"{name}={value}")),
        ]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        known = json.loads(self._state.read_text(encoding="utf-8"))
        assert known["violations"] == []
        return Job(done.returncode, done.stdout + done.stderr, known["comments"])


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    folder = tmp_path / "acme"
    folder.mkdir()
    for name in (*ACTION, *PACKAGE):
        copy(ROOT / name, folder / name)
    shutil.copytree(
        ROOT / "examples" / "weather", folder / "agent", ignore=shutil.ignore_patterns("__pycache__")
    )
    (folder / "agent" / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    command = 'command: [python3, agent.py, --port, "{port}"]'
    edit(folder / "agent" / "agent-gate.yml", command, "build: .\n    port: 8080")
    workflow = folder / ".github" / "workflows" / "agent-gate.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(the_example(), encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    committed(folder, "the action and an agent")
    proposed, state = propose(folder), tmp_path / "github.json"
    state.write_text(json.dumps(proposed.known()), encoding="utf-8")
    with serve(0, state) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Repository(folder, f"http://127.0.0.1:{server.server_port}", state, proposed)
        server.shutdown()
        thread.join()


def copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    else:
        shutil.copy2(source, target)


def the_example() -> str:
    """examples/workflows/simple.yml for an agent in a folder, with the action of this very repository."""
    text = (ROOT / "examples" / "workflows" / "simple.yml").read_text(encoding="utf-8")
    lines = text.replace("path: out/", "path: agent/out/").splitlines()
    kept = [line for line in lines if "GOOGLE_API_KEY" not in line and line.strip() != "env:"]
    used = next(index for index, line in enumerate(kept) if "uses: OWNER/agent-gate@" in line)
    kept[used : used + 1] = ["        uses: ./", "        with: {working-directory: agent}"]
    upload = next(index for index, line in enumerate(kept) if "if: ${{ !cancelled() }}" in line)
    return "\n".join(kept[:upload]) + "\n"


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
