"""examples/workflows/forks-publish.yml as a real runner of workflows (nektos/act) runs it."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.artifact import OF_A_FORK
from tests.support.act import ACTION, PACKAGE, copy, run_act
from tests.support.artifacts import an_artifact
from tests.support.commands import ROOT, commit, git
from tests.support.github.server import serve
from tests.support.github.state import HEAD, JOB_TOKEN, a_pull

pytestmark = [pytest.mark.requires("act", "docker", "node"), pytest.mark.timeout(600)]

FORK = {"head_repository": "mallory/agent", "head_ref": "patch"}
RUN = {
    "id": 4242,
    "run_attempt": 1,
    "event": "pull_request",
    "conclusion": "failure",
    "path": ".github/workflows/forks.yml",
    "head_sha": HEAD,
    "head_branch": "patch",
    "head_repository": {"full_name": "mallory/agent"},
}


def the_example() -> str:
    """The workflow with the action of this very repository; what it would download is there already."""
    text = (ROOT / "examples" / "workflows" / "forks-publish.yml").read_text(encoding="utf-8")
    start, end = text.index("      - uses: actions/download-artifact@"), text.index("      - id: artifact")
    assert "path: artifact\n" in text[start:end]
    checkout = "      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1\n"
    used = "OWNER/agent-gate@0000000000000000000000000000000000000000"
    assert used in text
    return (text[:start] + checkout + text[end:]).replace(used, "./")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "acme"
    folder.mkdir()
    for name in (*ACTION, *PACKAGE):
        copy(ROOT / name, folder / name)
    workflow = folder / ".github" / "workflows" / "publish.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(the_example(), encoding="utf-8")
    an_artifact(folder / "artifact")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "the action, and what a fork's run has left")
    return folder


@pytest.fixture
def github(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "github.json").write_text(json.dumps({"pulls": {"7": a_pull(**FORK)}}), encoding="utf-8")
    with serve(0, tmp_path / "github.json") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def act(repository: Path, url: str, run: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    event = repository.parent / "event.json"
    about = {"full_name": "acme/agent", "default_branch": "main"}
    event.write_text(json.dumps({"workflow_run": run, "repository": about}), encoding="utf-8")
    variables = {
        "GITHUB_API_URL": url,
        "GITHUB_GRAPHQL_URL": f"{url}/graphql",
        "GITHUB_REPOSITORY": "acme/agent",
        "GITHUB_RUN_ID": "4243",
    }
    program = str(Path(sys.executable).with_name("act"))
    where = ("-P", "ubuntu-latest=python:3.13-slim", "--pull=false", "--rm")
    secret = ("-s", f"GITHUB_TOKEN={JOB_TOKEN}")
    told = [word for name, value in variables.items() for word in ("--env", f"{name}={value}")]
    return run_act([program, "workflow_run", "-e", str(event), *where, *secret, *told], repository)


def test_a_forks_red_run_is_commented_by_a_green_job_and_a_cancelled_one_by_none(
    repository: Path, github: str, tmp_path: Path
) -> None:
    done = act(repository, github, {**RUN, "conclusion": "cancelled"})
    known = json.loads((tmp_path / "github.json").read_text(encoding="utf-8"))
    assert (done.returncode, known["comments"]) == (0, []), done.stdout + done.stderr

    done = act(repository, github, RUN)
    assert done.returncode == 0, done.stdout + done.stderr
    known = json.loads((tmp_path / "github.json").read_text(encoding="utf-8"))
    assert known["violations"] == []
    (comment,) = known["comments"]
    assert comment["pull"] == 7
    assert "### Agent Gate: regression" in comment["body"]
    assert OF_A_FORK in comment["body"]
    assert "actions/runs/4242/attempts/1" in comment["body"]
