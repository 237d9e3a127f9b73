"""Docker as GitHub's runner uses it for an action (ContainerActionHandler.cs): arguments, mounts, folders."""

import json
import os
import subprocess
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_network
from pathlib import Path

from tests.support.commands import ROOT
from tests.support.step import Files, Finished, inputs

IMAGE = "agent-gate-test"
RUNNERS_USER = 1001
GITHUB = "/github"
LABEL = f"agent-gate-test-step-{os.getpid()}"  # tests of others may use the same engine


@cache
def image() -> str:
    """The Action's image, built as the runner builds it; layers that are there are taken again."""
    subprocess.run(
        ["docker", "build", "--quiet", "--tag", IMAGE, "."], cwd=ROOT, check=True, capture_output=True
    )
    return IMAGE


def docker(*arguments: str) -> str:
    return subprocess.run(["docker", *arguments], check=True, capture_output=True, text=True).stdout.strip()


def gateway() -> str:
    """The host's address on the default bridge; an engine may name but its subnet."""
    told = docker("network", "inspect", "bridge", "--format", "{{json (index .IPAM.Config 0)}}")
    config = json.loads(told)
    return str(config.get("Gateway") or next(ip_network(config["Subnet"]).hosts()))


class Runner:
    """One job on a runner; each `run` is a step in a new container, as the job's user owns the workspace."""

    def __init__(self, folder: Path, workspace: Path, *, network: str = "") -> None:
        self.folder = folder
        self.workspace = workspace
        self.network = network
        self.event: Mapping[str, object] = {}
        self._steps = 0
        for name in ("temp", "home"):
            (folder / name).mkdir(parents=True)
        if os.geteuid() == 0:
            for path in (workspace, *workspace.rglob("*"), *folder.rglob("*")):
                os.chown(path, RUNNERS_USER, RUNNERS_USER, follow_symlinks=False)

    def start(self, *, env: Mapping[str, str] | None = None, entrypoint: str = "", **given: str) -> "Started":
        self._steps += 1
        places = {"file_commands": f"{GITHUB}/file_commands", "workflow": f"{GITHUB}/workflow"}
        files = Files(self.folder / f"step{self._steps}", places)
        named = {name.replace("_", "-"): value for name, value in given.items()}
        variables = {
            **files.variables(self.event, GITHUB_WORKSPACE=f"{GITHUB}/workspace", HOME=f"{GITHUB}/home"),
            **inputs(named),
            **(env or {}),
        }
        process = subprocess.Popen(
            self._command(files, variables, entrypoint),
            env={**os.environ, **variables, "HOME": os.environ.get("HOME", "/")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Started(process, files)

    def run(self, *, env: Mapping[str, str] | None = None, **given: str) -> Finished:
        """Run the step to its end."""
        return self.start(env=env, **given).end()

    def post(self, main: Finished) -> Finished:
        """Run the post step, which knows of the main one what it saved."""
        state = {f"STATE_{name}": value for name, value in main.state.items()}
        return self.start(env=state, entrypoint="/opt/agent-gate/post.py").end()

    def _command(self, files: Files, variables: Mapping[str, str], entrypoint: str) -> list[str]:
        mounts = {
            "/var/run/docker.sock": "/var/run/docker.sock",
            str(self.folder / "temp"): f"{GITHUB}/runner_temp",
            str(self.folder / "home"): f"{GITHUB}/home",
            str(files.folder / "workflow"): f"{GITHUB}/workflow",
            str(files.folder / "file_commands"): f"{GITHUB}/file_commands",
            str(self.workspace): f"{GITHUB}/workspace",
        }
        valued = {"HOME", "GITHUB_ACTIONS", "CI"}  # the runner hands the others on by name
        return [
            *("docker", "run", "--label", LABEL, "--workdir", f"{GITHUB}/workspace", "--rm"),
            *(word for name in variables if name not in valued for word in ("-e", name)),
            *(word for name in sorted(valued) for word in ("-e", f"{name}={variables[name]}")),
            *(("--network", self.network) if self.network else ()),
            *(word for host, inside in mounts.items() for word in ("-v", f"{host}:{inside}")),
            *(("--entrypoint", entrypoint) if entrypoint else ()),
            image(),
        ]


class Started:
    """A step that runs."""

    def __init__(self, process: subprocess.Popen[str], files: Files) -> None:
        self.process = process
        self._files = files
        self._seen = ""

    def until(self, text: str) -> None:
        """Read the log until a line has the text."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._seen += line
            if text in line:
                return
        raise AssertionError(f"{text!r} never came:\n{self._seen}")

    def end(self) -> Finished:
        """Wait for the end."""
        rest, _ = self.process.communicate(timeout=100)
        return self._files.finished(self.process.returncode, self._seen + rest)
