"""A step of a workflow as the runner gives it to an action: inputs, variables and command files."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.commands import ROOT, environment

_OUTPUT = re.compile(
    r"(?P<name>[^\n<=]+)(?:=(?P<short>[^\n]*)|<<(?P<end>[^\n]+)\n(?P<value>.*?)\n?(?P=end))\n", re.DOTALL
)
_COMMAND = re.compile(r"\s*::(?P<name>[^\s:]+)[^:]*::(?P<data>.*)")
_OLD_COMMAND = re.compile(r"##\[(?P<name>[^\]\s]+)")
RUN_ID = "4711"
TOKEN = "canary-token-of-the-job+of/no=known-shape"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A step that has ended: its exit code, its log as one stream, and what it left in the command files."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str
    state: Mapping[str, str]

    @property
    def obeyed(self) -> list[tuple[str, str]]:
        """The commands that the runner obeys, as ActionCommandManager.cs reads a log: name and data."""
        found: list[tuple[str, str]] = []
        stopped = ""
        for line in self.log.splitlines():
            command = _COMMAND.match(line)
            old = _OLD_COMMAND.search(line)
            name = command["name"] if command else old["name"] if old else ""
            if stopped:
                stopped = "" if name == stopped else stopped
            elif name == "stop-commands" and command:
                stopped = command["data"]
            elif name:
                found.append((name, command["data"] if command else line))
        return found

    @property
    def text(self) -> str:
        """The log without the lines that stop and resume commands."""
        return "\n".join(line for line in self.log.splitlines() if not line.startswith("::"))


class Files:
    """The command files and the event of one step; `seen_as` is where the step itself finds a folder."""

    def __init__(self, folder: Path, seen_as: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._seen_as = seen_as or {}
        for name in ("file_commands", "workflow"):
            (folder / name).mkdir(parents=True)
        for name in ("output", "summary", "env", "path", "state"):
            (folder / "file_commands" / name).touch()

    def variables(self, event: Mapping[str, object], **changes: str) -> dict[str, str]:
        """The runner's variables of a pull request's run, or without an event of one that was started."""
        commands, workflow = self._place("file_commands"), self._place("workflow")
        (self.folder / "workflow" / "event.json").write_text(json.dumps(event), encoding="utf-8")
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTOR": "octocat",
            "GITHUB_API_URL": "http://127.0.0.1:9",
            "GITHUB_ENV": f"{commands}/env",
            "GITHUB_EVENT_NAME": "pull_request" if event else "workflow_dispatch",
            "GITHUB_EVENT_PATH": f"{workflow}/event.json",
            "GITHUB_HEAD_REF": "topic",
            "GITHUB_JOB": "gate",
            "GITHUB_OUTPUT": f"{commands}/output",
            "GITHUB_PATH": f"{commands}/path",
            "GITHUB_REF_NAME": "7/merge",
            "GITHUB_REPOSITORY": "acme/agent",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": RUN_ID,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_SHA": "c" * 40,
            "GITHUB_STATE": f"{commands}/state",
            "GITHUB_STEP_SUMMARY": f"{commands}/summary",
            "GITHUB_WORKFLOW": "agent-gate",
            "RUNNER_OS": "Linux",
            "ACTIONS_RUNTIME_TOKEN": "canary-runtime-token-of-the-job",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "canary-id-token-of-the-job",
            **changes,
        }

    def finished(self, code: int, log: str) -> Finished:
        """What the step left."""
        commands = self.folder / "file_commands"
        return Finished(
            code=code,
            log=log,
            outputs=entries(commands / "output"),
            state=entries(commands / "state"),
            summary=(commands / "summary").read_text(encoding="utf-8"),
        )

    def _place(self, name: str) -> str:
        return self._seen_as.get(name, str(self.folder / name))


def entries(file: Path) -> dict[str, str]:
    """The names and values of a command file, which must hold nothing else."""
    text = file.read_bytes().decode()
    found = list(_OUTPUT.finditer(text))
    assert "".join(match[0] for match in found) == text
    return {match["name"]: match["value"] or match["short"] or "" for match in found}


def inputs(given: Mapping[str, str]) -> dict[str, str]:
    """INPUT_* as the runner names them: upper-case, hyphens kept."""
    return {f"INPUT_{name.upper()}": value for name, value in given.items()}


class Step:
    """One step in a workspace, run by this interpreter; without an event it is about no pull request."""

    def __init__(self, workspace: Path, folder: Path) -> None:
        self.workspace = workspace
        self.files = Files(folder)

    def start(
        self, *, env: Mapping[str, str] | None = None, event: Mapping[str, object] | None = None, **given: str
    ) -> subprocess.Popen[str]:
        variables = self.files.variables(event or {}, GITHUB_WORKSPACE=str(self.workspace))
        if event is None:
            del variables["GITHUB_EVENT_PATH"]
        named = {name.replace("_", "-"): value for name, value in given.items()}
        return subprocess.Popen(
            [sys.executable, str(ROOT / "entrypoint.py")],
            cwd=self.files.folder,
            env=environment(**{**variables, **inputs({"github-token": TOKEN, **named}), **(env or {})}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(
        self, *, env: Mapping[str, str] | None = None, event: Mapping[str, object] | None = None, **given: str
    ) -> Finished:
        """Run the step to its end."""
        process = self.start(env=env, event=event, **given)
        log, _ = process.communicate(timeout=60)
        return self.files.finished(process.returncode, log)
