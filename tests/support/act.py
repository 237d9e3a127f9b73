"""The Action's own repository, with an agent in it, as nektos/act runs its workflow against a fake GitHub."""

import fcntl
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.commands import ROOT, commit, environment, git
from tests.support.github.server import serve
from tests.support.github.state import JOB_TOKEN
from tests.support.pulls import propose

ACTION = (
    "action.yml",
    "on-runner",
    "Dockerfile",
    ".dockerignore",
    "entrypoint.py",
    "post.py",
    "gate",
    "schemas",
    "requirements",
)
PACKAGE = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")
WORKFLOW = Path(".github", "workflows", "agent-gate.yml")
IN_A_CONTAINER = "python:3.13-slim"
ON_THIS_MACHINE = "-self-hosted"


@dataclass(frozen=True, slots=True)
class Job:
    """A job that has ended, and the pull request's comments after it."""

    code: int
    log: str
    comments: list[Any]


class Repository:
    """The Action's own repository with an agent in `agent/`, and the fake GitHub that it is pushed to."""

    def __init__(self, folder: Path, url: str, state: Path, event: dict[str, Any]) -> None:
        self.folder = folder
        self._url = url
        self._state = state
        self._event = event
        self._runs = 4711

    def replace_workflow(self, text: str) -> None:
        """Another workflow, in the work tree only."""
        (self.folder / WORKFLOW).write_text(text, encoding="utf-8")

    def act(self, platform: str = IN_A_CONTAINER) -> Job:
        """Run the workflow for a pull request."""
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
            *(str(Path(sys.executable).with_name("act")), "pull_request", "-e", str(event), "--rm"),
            *("-P", f"ubuntu-latest={platform}", "--pull=false", "-s", f"GITHUB_TOKEN={JOB_TOKEN}"),
            *(word for name, value in variables.items() for word in ("--env", f"{name}={value}")),
        ]
        done = run_act(command, self.folder)
        known = json.loads(self._state.read_text(encoding="utf-8"))
        assert known["violations"] == []
        return Job(done.returncode, done.stdout + done.stderr, known["comments"])


def run_act(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run act to its end. It names containers by workflow and job: two at a time remove each other's."""
    with (Path(tempfile.gettempdir()) / "agent-gate-act.lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        return subprocess.run(
            command,
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )


@contextmanager
def repository(
    folder: Path,
    arrange: Callable[[Path], str],
    host: str = "127.0.0.1",
    *,
    change: Callable[[Path], None] = lambda _: None,
    accepted: bool = False,
) -> Iterator[Repository]:
    """The repository in an empty folder, and a pull request with a `change` that may be accepted.

    `arrange` changes what shall be different there and gives the workflow's text; `host` is where containers
    reach this machine.
    """
    place, state = folder / "acme", folder / "github.json"
    place.mkdir()
    for name in (*ACTION, *PACKAGE):
        copy(ROOT / name, place / name)
    copy(ROOT / "examples" / "weather", place / "agent")
    (place / WORKFLOW).parent.mkdir(parents=True)
    (place / WORKFLOW).write_text(arrange(place), encoding="utf-8")
    git(place, "init", "-q", "-b", "main")
    commit(place, "the action and an agent")
    change(place)
    proposed = propose(place)
    state.write_text(json.dumps(proposed.accepted() if accepted else proposed.known()), encoding="utf-8")
    with serve(0, state, host="127.0.0.1" if host == "127.0.0.1" else "0.0.0.0") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Repository(place, f"http://{host}:{server.server_port}", state, proposed.event)
        server.shutdown()
        thread.join()


def copy(source: Path, target: Path) -> None:
    """Copy a file or a folder, without what programs leave in it."""
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    else:
        shutil.copy2(source, target)


def the_example(*steps: str) -> str:
    """examples/workflows/simple.yml for an agent in a folder, with these lines as the gate's step."""
    text = (ROOT / "examples" / "workflows" / "simple.yml").read_text(encoding="utf-8")
    lines = text.splitlines()
    kept = [line for line in lines if "GOOGLE_API_KEY" not in line and line.strip() != "env:"]
    used = next(index for index, line in enumerate(kept) if "uses: OWNER/agent-gate@" in line)
    kept[used : used + 1] = [f"        {line}" for line in steps]
    upload = next(index for index, line in enumerate(kept) if "if: ${{ !cancelled() }}" in line)
    return "\n".join(kept[:upload]) + "\n"
