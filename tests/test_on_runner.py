"""The composite form: the gate in an environment of its own, beside the toolchain of the runner."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.support.commands import ROOT, a_project, edit, environment
from tests.support.on_runner import OnRunner, inputs
from tests.support.runner import docker, image
from tests.support.step import TOKEN

pytestmark = pytest.mark.timeout(300)

SHADOWS = ("sitecustomize.py", "usercustomize.py", "httpx.py", "gate/__init__.py", "src/__init__.py")
SHADOW = 'raise SystemExit("the repository shadows the gate")\n'
TOOLCHAIN = ("PATH", "VIRTUAL_ENV", "PYTHONPATH")
PROBE = f"""
import json, os
open("seen.json", "w").write(json.dumps({{name: os.environ.get(name) for name in {TOOLCHAIN}}}))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A weather agent in a repository that is in the gate's way wherever it can be."""
    folder = a_project(tmp_path / "workspace")
    for name in SHADOWS:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(SHADOW, encoding="utf-8")
    edit(folder / "agent-gate.yml", "[python3, agent.py", "[python3, -I, agent.py")
    return folder


@pytest.fixture
def runner(project: Path, tmp_path: Path) -> OnRunner:
    return OnRunner(project, tmp_path / "runner")


@pytest.fixture(scope="module")
def gate_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `prepare` makes, once: it takes as long as PyPI does."""
    folder = tmp_path_factory.mktemp("prepared")
    prepared = OnRunner(folder, folder / "runner")
    done = prepared.prepare()
    assert done.code == 0, done.log
    return prepared.gate_folder


@pytest.fixture
def prepared(runner: OnRunner, gate_folder: str) -> OnRunner:
    runner.gate_folder = gate_folder
    return runner


def a_python(folder: Path, body: str) -> Path:
    """A program `python3` in the folder."""
    program = folder / "python3"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def errors(log: str) -> list[str]:
    return [line for line in log.splitlines() if line.startswith("::error ")]


def test_the_agent_has_the_toolchain_and_the_gate_has_its_own(prepared: OnRunner, project: Path) -> None:
    agent = (project / "agent.py").read_text(encoding="utf-8")
    (project / "probe.py").write_text(PROBE + agent, encoding="utf-8")
    edit(project / "agent-gate.yml", "agent.py", "probe.py")
    edit(project / "agent-gate.yml", "    env:", "    pass_env: [VIRTUAL_ENV, PYTHONPATH]\n    env:")
    given = {
        "PATH": environment()["PATH"] + os.pathsep + str(project),
        "VIRTUAL_ENV": "/venv",
        "PYTHONPATH": str(project),
    }
    done = prepared.gate(env=given)
    assert done.code == 0, done.log
    assert done.outputs["verdict"] == "pass"
    assert (project / done.outputs["junit"]).is_file()
    assert done.summary.startswith("### Agent Gate: pass")
    assert TOKEN not in done.log.replace(f"::add-mask::{TOKEN}", "")
    found = json.loads((project / "seen.json").read_text(encoding="utf-8"))
    assert found == given


def test_a_broken_agent_is_red(prepared: OnRunner, project: Path) -> None:
    edit(project / "agent-gate.yml", 'WEATHER_BREAK: ""', "WEATHER_BREAK: skips-tool")
    done = prepared.gate(output_directory="elsewhere")
    assert done.code == 1, done.log
    assert done.outputs["verdict"] == "regression"
    assert done.outputs["run"] == "elsewhere/run.json"


def test_a_cancelled_job_reaches_the_gate(prepared: OnRunner, project: Path) -> None:
    edit(project / "agent-gate.yml", 'WEATHER_BREAK: ""', "WEATHER_BREAK: hangs")
    edit(project / "agent-gate.yml", "trial_timeout: 5s", "trial_timeout: 100s")
    process, files = prepared.start("gate", inputs({}))
    assert process.stdout is not None
    seen = until(process.stdout, "remembers_units")
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=100)
    done = files.finished(process.returncode, seen + rest)
    assert done.code == 130, done.log
    assert done.outputs["verdict"] == "undecided"


def until(log: IO[str], text: str) -> str:
    """Read the log until a line has the text; what was read."""
    seen = ""
    for line in log:
        seen += line
        if text in line:
            return seen
    raise AssertionError(f"{text!r} never came:\n{seen}")


def test_nothing_is_left_of_it_and_a_second_one_is_not_in_its_way(runner: OnRunner) -> None:
    done = runner.prepare()
    assert done.code == 0, done.log
    other = runner.gate_folder
    assert runner.gate(config="absent.yml").code == 2
    assert Path(other).is_dir()
    done = runner.tidy()
    assert done.code == 0, done.log
    assert not list(runner.temp.iterdir())


def test_tidying_up_before_anything_was_made_is_no_error(runner: OnRunner) -> None:
    assert runner.tidy().code == 0


def test_without_a_python_the_step_says_what_to_paste(runner: OnRunner, tmp_path: Path) -> None:
    old = a_python(tmp_path / "old", "exit 1")
    path = f"{old.parent}:{some_tools(tmp_path / 'tools')}"
    done = runner.prepare(PATH=path, RUNNER_TOOL_CACHE=str(tmp_path))
    assert done.code == 1
    (told,) = errors(done.log)
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert "No Python 3.11 or newer" in told
    assert "%0A- uses: actions/setup-python@" in told
    assert told.partition("uses: ")[2].partition("%0A")[0] in workflow
    assert "update-environment: false" in told


def test_the_agents_old_python_is_passed_over_for_one_of_the_tool_cache(tmp_path: Path) -> None:
    a_python(tmp_path / "old", "exit 1")
    place = tmp_path / "tools" / "Python" / "3.13.1" / "x64" / "bin"
    cached = a_python(place, f'exec {sys.executable} "$@"')
    assert chosen(tmp_path, path=str(tmp_path / "old"), cache=tmp_path / "tools") == str(cached)


def test_a_python_of_the_repository_is_not_the_gates(tmp_path: Path) -> None:
    a_python(tmp_path / "bin", "exit 0")
    assert chosen(tmp_path, path="bin", cache=tmp_path / "none") == ""
    assert chosen(tmp_path, path=str(tmp_path / "bin"), cache=tmp_path / "none") != ""


def chosen(cwd: Path, *, path: str, cache: Path) -> str:
    """The Python that `prepare` would choose where PATH has no other than of this place."""
    text = (ROOT / "on-runner" / "step.sh").read_text(encoding="utf-8")
    script = text.replace('\n"$1"\n', "\nnewest_enough\n")
    tools = cwd / "sh-needs"
    if not tools.exists():
        some_tools(tools)
    done = subprocess.run(
        ["/bin/sh", "-c", script, str(ROOT / "on-runner" / "step.sh")],
        cwd=cwd,
        env={"PATH": f"{path}:{tools}", "RUNNER_TOOL_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def some_tools(folder: Path) -> Path:
    """A folder of PATH with what the step's sh needs, and neither Python nor Docker."""
    folder.mkdir(parents=True)
    for name in ("sh", "awk", "chmod", "dirname", "grep", "mkdir", "mktemp"):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    return folder


def test_a_package_index_out_of_reach_is_told_with_what_helps(runner: OnRunner) -> None:
    done = runner.prepare(PIP_NO_INDEX="1", PIP_FIND_LINKS="", PIP_CONFIG_FILE=os.devnull)
    assert done.code == 1
    (told,) = errors(done.log)
    assert "PIP_INDEX_URL" in told
    assert "`image`" in told


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"AGENT_GATE_IMAGE": "--privileged"}, "names no image"),
        ({"AGENT_GATE_IMAGE": "gate", "GITHUB_WORKSPACE": "/__w/a/a"}, "`container:`"),
        ({"AGENT_GATE_IMAGE": "gate", "PATH": ""}, "needs Docker"),
    ],
    ids=["an option", "a job in a container", "no docker"],
)
def test_an_image_that_cannot_be_run_is_refused_with_its_reason(
    runner: OnRunner, env: dict[str, str], said: str, tmp_path: Path
) -> None:
    if "PATH" in env:
        env = {**env, "PATH": str(some_tools(tmp_path / "tools"))}
    done = runner.prepare(**env)
    assert done.code == 1
    (told,) = errors(done.log)
    assert said in told


@pytest.fixture
def in_image(runner: OnRunner) -> Iterator[OnRunner]:
    registry, _, name = f"{image()}:latest".rpartition("/")
    runner.env = {"AGENT_GATE_IMAGE": name, "AGENT_GATE_REGISTRY": registry}
    runner.prepare()
    yield runner
    assert not docker("ps", "--all", "--quiet", "--filter", f"volume={runner.gate_folder}")


@pytest.mark.requires("docker")
def test_the_image_gates_with_the_steps_variables(in_image: OnRunner, project: Path) -> None:
    edit(project / "agent-gate.yml", "    env:", "    pass_env: [MODEL_KEY]\n    env:")
    done = in_image.gate(env={"MODEL_KEY": "canary-of-the-step"}, output_directory="in/out")
    assert done.code == 0, done.log
    assert done.outputs["verdict"] == "pass"
    assert done.outputs["run"] == "in/out/run.json"
    assert done.summary.startswith("### Agent Gate: pass")
    assert (project / "in/out/run.json").stat().st_uid == project.stat().st_uid
    assert "canary-of-the-step" not in done.log.replace("::add-mask::canary-of-the-step", "")
    done = in_image.tidy()
    assert done.code == 0, done.log
    assert not list(in_image.temp.iterdir())


@pytest.mark.requires("docker")
@pytest.mark.parametrize("has_image", [False, True], ids=["on Python", "in the image"])
def test_what_a_killed_gate_left_is_removed(
    runner: OnRunner, project: Path, *, has_image: bool, request: pytest.FixtureRequest
) -> None:
    used = request.getfixturevalue("in_image") if has_image else runner
    if not has_image:
        assert used.prepare().code == 0
    edit(project / "agent-gate.yml", 'WEATHER_BREAK: ""', "WEATHER_BREAK: hangs")
    edit(project / "agent-gate.yml", "trial_timeout: 5s", "trial_timeout: 100s")
    process, _ = used.start("gate", inputs({}))
    assert process.stdout is not None
    until(process.stdout, "remembers_units")
    process.kill()
    process.communicate(timeout=100)
    assert bool(homes_in(used.gate_folder)) is not has_image
    boot = (Path(used.gate_folder) / "state").read_text(encoding="utf-8").splitlines()[1]
    label = f"agent-gate.boot={boot}"
    docker("run", "--detach", "--label", label, "python:3.13-slim", "sleep", "60")
    done = used.tidy()
    assert done.code == 0, done.log
    assert not docker("ps", "--all", "--quiet", "--filter", f"label={label}"), done.log
    assert not list(used.temp.iterdir())
    assert not homes_in(used.gate_folder)


def homes_in(folder: str) -> list[Path]:
    """The processes that have their home in the folder."""
    return [path for path in Path("/proc").glob("[0-9]*/environ") if is_in(path, folder)]


def is_in(environ: Path, folder: str) -> bool:
    try:
        return f"HOME={folder}/" in environ.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


@pytest.mark.requires("docker")
def test_an_image_that_cannot_be_pulled_is_told_with_what_helps(runner: OnRunner) -> None:
    done = runner.prepare(AGENT_GATE_IMAGE="agent-gate:1", AGENT_GATE_REGISTRY="127.0.0.1:9/mirror/")
    assert done.code == 1
    (told,) = errors(done.log)
    assert "127.0.0.1:9/mirror/agent-gate:1 could not be pulled" in told
    assert "docker/login-action" in told
