"""The steps of on-runner/action.yml as the runner starts them: sh, variables, command files."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support.commands import ROOT, environment
from tests.support.step import TOKEN, Files, Finished

STEP = ROOT / "on-runner" / "step.sh"


class OnRunner:
    """One use of the action in a job; `folder` holds the runner's own files."""

    def __init__(self, workspace: Path, folder: Path) -> None:
        self.workspace = workspace
        self.temp = folder / "temp"
        self.temp.mkdir(parents=True)
        self.event: Mapping[str, object] = {}
        self.env: dict[str, str] = {}
        self.gate_folder = ""
        self._folder = folder
        self._steps = 0

    def prepare(self, **env: str) -> Finished:
        done = self._run("prepare", env)
        self.gate_folder = done.outputs["folder"]
        return done

    def gate(self, *, env: Mapping[str, str] | None = None, **given: str) -> Finished:
        return self._run("gate", {**inputs(given), **(env or {})})

    def tidy(self) -> Finished:
        return self._run("tidy", {})

    def start(self, step: str, env: Mapping[str, str]) -> tuple[subprocess.Popen[str], Files]:
        """Start `sh -e SCRIPT`, which is what `shell: sh` means."""
        self._steps += 1
        files = Files(self._folder / f"step{self._steps}")
        script = files.folder / "script"
        script.write_text(f'exec sh "$GITHUB_ACTION_PATH/step.sh" {step}\n', encoding="utf-8")
        own = {"GITHUB_ACTION_PATH": str(STEP.parent), "RUNNER_TEMP": str(self.temp)}
        if self.gate_folder:
            own["AGENT_GATE_FOLDER"] = self.gate_folder
        variables = files.variables(self.event, GITHUB_WORKSPACE=str(self.workspace), **own)
        process = subprocess.Popen(
            ["sh", "-e", script],
            cwd=self.workspace,
            env=environment(**{**variables, **self.env, **env}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return process, files

    def _run(self, step: str, env: Mapping[str, str]) -> Finished:
        process, files = self.start(step, env)
        log, _ = process.communicate(timeout=100)
        return files.finished(process.returncode, log)


def inputs(given: Mapping[str, str]) -> dict[str, str]:
    """INPUT_* as the action names them; a job without a token of its own comments nowhere."""
    all_given = {"github_token": TOKEN, "comment": "off", **given}
    return {f"INPUT_{name.upper()}": value for name, value in all_given.items()}
