"""The image under the arguments, mounts and environment of the real runner."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import ROOT, a_project, commit, edit
from tests.support.github.server import serve
from tests.support.github.state import JOB_TOKEN
from tests.support.pulls import Proposed, propose
from tests.support.runner import LABEL, Runner, docker, gateway, image

pytestmark = pytest.mark.requires("docker")

SHADOWS = ("sitecustomize.py", "usercustomize.py", "httpx.py", "gate/__init__.py", "src/__init__.py")
SHADOW = 'raise SystemExit("the repository shadows the gate")\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A weather agent with its baseline, in a repository that is in the gate's way wherever it can be."""
    folder = a_project(tmp_path / "workspace")
    baseline = ROOT / "examples" / "weather" / "golden" / "baseline.jsonl"
    (folder / "golden" / "baseline.jsonl").write_bytes(baseline.read_bytes())
    for name in SHADOWS:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(SHADOW, encoding="utf-8")
    edit(folder / "agent-gate.yml", "[python3, agent.py", "[python3, -I, agent.py")
    commit(folder, "what a repository may have")
    return folder


@pytest.fixture
def proposed(project: Path) -> Proposed:
    return propose(project)


@pytest.fixture
def runner(project: Path, proposed: Proposed, tmp_path: Path) -> Iterator[Runner]:  # noqa: ARG001  # committed
    yield Runner(tmp_path / "runner", project)
    assert not docker("ps", "--all", "--quiet", "--filter", f"label={LABEL}")


@pytest.fixture
def github(tmp_path: Path, proposed: Proposed) -> Iterator[tuple[str, Path]]:
    """The address of a fake GitHub that containers reach, and the file of its state."""
    state = tmp_path / "github.json"
    state.write_text(json.dumps(proposed.known()), encoding="utf-8")
    with serve(0, state, host="0.0.0.0") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://{gateway()}:{server.server_port}", state
        server.shutdown()
        thread.join()


def known(state: Path) -> Any:
    return json.loads(state.read_text(encoding="utf-8"))


def broken(project: Path, switches: str) -> None:
    edit(project / "agent-gate.yml", 'WEATHER_BREAK: ""', f"WEATHER_BREAK: '{switches}'")


@pytest.mark.requires("node")
def test_the_step_gates_an_agent_comments_once_and_turns_red_when_it_breaks(
    runner: Runner, project: Path, proposed: Proposed, github: tuple[str, Path]
) -> None:
    url, state = github
    runner.event = proposed.event
    env = {"GITHUB_API_URL": url, "GITHUB_GRAPHQL_URL": f"{url}/graphql", "PYTHONPATH": "/github/workspace"}
    env |= proposed.env
    given = {"github-token": JOB_TOKEN}

    done = runner.run(env=env, **given)
    assert done.code == 0, done.log
    assert done.outputs["verdict"] == "pass"
    assert done.outputs["run"] == "out/run.json"
    assert done.summary.startswith("### Agent Gate: pass — nothing got worse")
    meta = json.loads((project / "out" / "run.json").read_text(encoding="utf-8"))["report"]["meta"]
    assert len(meta["commit"]["sha"]) == 40
    (comment,) = known(state)["comments"]
    assert "Agent Gate: pass" in comment["body"]
    assert done.outputs["comment-url"].endswith(f"#issuecomment-{comment['id']}")

    broken(project, "skips-tool")
    done = runner.run(env={**env, "GITHUB_RUN_ATTEMPT": "2"}, **given)
    assert done.code == 1, done.log
    assert (done.outputs["verdict"], done.outputs["regressed"]) == ("regression", "1")
    (updated,) = known(state)["comments"]
    assert updated["id"] == comment["id"]
    assert "1 of 10 cases broke" in updated["body"]
    assert "file=golden/weather.yaml" in done.log
    assert known(state)["violations"] == []

    owner = project.stat().st_uid
    made = [path for path in project.rglob("*") if path.lstat().st_uid != owner]
    assert not made


PROBE = """
import json, os
def may(path):
    try:
        with open(path, "rb") as file:
            return file.read(1) is not None
    except OSError:
        return False
read = ("/proc/1/environ", f"/proc/{os.getppid()}/environ", f"/proc/{os.getppid()}/mem")
key = ("golden/weather.yaml", "golden/baseline.jsonl", ".git/HEAD", ".git/config", "out/traces.jsonl")
read = (*read, *(f"/github/workspace/{name}" for name in key))
write = ("workspace", "workspace/.git", "file_commands", "file_commands/output", "home", "runner_temp")
write = (*(f"/github/{name}" for name in write), "/opt/agent-gate/entrypoint.py", "/var/run/docker.sock")
print("PROBE", json.dumps({
    "names": sorted(os.environ),
    "read": [path for path in read if may(path)],
    "written": [path for path in write if not os.path.exists(path) or os.access(path, os.W_OK)],
    "user": os.getuid(),
}), flush=True)
"""


def test_the_agent_finds_no_token_no_socket_and_no_answer_key(runner: Runner, project: Path) -> None:
    agent = (project / "agent.py").read_text(encoding="utf-8")
    (project / "probe.py").write_text(PROBE + agent, encoding="utf-8")
    edit(project / "agent-gate.yml", "agent.py", "probe.py")
    done = runner.run(env={"GITHUB_TOKEN": JOB_TOKEN}, github_token=JOB_TOKEN, comment="off")
    assert done.code == 0, done.log
    log = (project / "out" / "agent.log").read_text(encoding="utf-8")
    found = json.loads(log.partition("PROBE ")[2].partition("\n")[0])
    assert found["user"] not in {0, project.stat().st_uid}
    assert found["read"] == []
    assert found["written"] == []
    assert not [name for name in found["names"] if name.startswith(("GITHUB", "ACTIONS", "INPUT", "RUNNER"))]


def test_a_cancelled_step_tells_what_it_had_and_leaves_nothing(runner: Runner, project: Path) -> None:
    broken(project, "hangs")
    edit(project / "agent-gate.yml", "trial_timeout: 5s", "trial_timeout: 100s")
    step = runner.start(comment="off")
    step.until("remembers_units")
    step.process.send_signal(signal.SIGINT)
    done = step.end()
    assert done.code == 130, done.log
    assert done.outputs["verdict"] == "undecided"
    assert "interrupted" in done.summary
    assert (project / "out" / "run.json").stat().st_uid == project.stat().st_uid


def test_the_post_step_removes_what_a_killed_step_left(runner: Runner) -> None:
    step = runner.start(comment="off")
    step.until("10 cases")
    docker("kill", docker("ps", "--quiet", "--filter", f"label={LABEL}"))
    killed = step.end()
    label = f"agent-gate.boot={killed.state['boot']}"
    docker("run", "--detach", "--label", label, "--label", LABEL, "python:3.13-slim", "sleep", "60")
    done = runner.post(killed)
    assert done.code == 0, done.log
    assert not docker("ps", "--all", "--quiet", "--filter", f"label={label}"), done.log


DOCKERFILE = """\
FROM python:3.13-slim
COPY agent.py /app/
CMD ["python3", "/app/agent.py", "--host", "0.0.0.0", "--port", "8080"]
"""


@pytest.mark.parametrize("has_services", [False, True], ids=["on the default bridge", "in the job's network"])
def test_the_agent_is_built_and_started_beside_the_step(
    project: Path, tmp_path: Path, *, has_services: bool
) -> None:
    (project / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    command = 'command: [python3, -I, agent.py, --port, "{port}"]'
    edit(project / "agent-gate.yml", command, "build: .\n    port: 8080")
    network = f"github_network_{os.getpid()}" if has_services else ""
    if network:
        docker("network", "create", "--label", LABEL, network)
    try:
        done = Runner(tmp_path / "runner", project, network=network).run(comment="off")
    finally:
        if network:
            docker("network", "rm", network)
    assert done.code == 0, done.log
    boot = f"label=agent-gate.boot={done.state['boot']}"
    for things in ("ps --all --quiet", "network ls --quiet", "images --all --quiet"):
        assert not docker(*things.split(), "--filter", boot)


def test_the_image_has_git_and_the_wheel_and_no_tools_to_build_with() -> None:
    taken = "/var/lib/dpkg/status.d/git"
    inside = f"set -e; git --version; ls /opt/agent-gate/lib/*/site-packages; test ! -e /build; cat {taken}"
    told = docker("run", "--rm", "--entrypoint", "sh", image(), "-c", inside)
    assert told.startswith("git version 2.")
    assert "agent_regression_gate-" in told
    assert "Package: git" in told
    assert not {"hatchling", "pip", "setuptools"} & set(told.split())


def test_the_image_is_also_the_command_line(project: Path) -> None:
    command = "/opt/agent-gate/bin/agent-gate"
    told = docker(
        "run", "--rm", "-v", f"{project}:/work:ro", "-w", "/work", "--entrypoint", command, image(), "check"
    )
    assert "10 cases" in told


@pytest.mark.parametrize("more", ["/etc/shadow", "/proc/1/environ", "/root"])
def test_no_command_makes_itself_root_by_what_it_names(project: Path, runner: Runner, more: str) -> None:
    old = '[python3, -I, agent.py, --port, "{port}"]'
    new = f'[sh, -c, "id -u; exec python3 -I agent.py --port $0", "{{port}}", {more}]'
    edit(project / "agent-gate.yml", old, new)
    done = runner.run()
    assert (done.code, done.outputs["verdict"]) == (3, "undecided"), done.log
    assert "it would run as root" in done.log
