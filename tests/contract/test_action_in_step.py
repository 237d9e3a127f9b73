"""action.yml, the README, the examples, the Dockerfile and the code say the same."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.action import OUTPUTS
from gate.documents import parse, validate
from gate.github.inputs import COMMENT_MODES, INPUTS
from tests.support.commands import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
EXAMPLES = {
    path.name: path.read_text(encoding="utf-8") for path in (ROOT / "examples/workflows").glob("*.yml")
}
IMAGE_NEEDS = ("gate/__init__.py", "schemas/config.schema.json", "entrypoint.py", "requirements/runtime.txt")


@pytest.fixture(scope="module")
def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def table(head: str) -> list[list[str]]:
    """The rows of the README's table under this first column."""
    body = README.partition(f"\n| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in body]


def test_the_code_reads_the_inputs_of_action_yml(action: Any) -> None:
    declared = {name: entry["default"] for name, entry in action["inputs"].items()}
    assert declared.pop("github-token") == "${{ github.token }}"
    assert declared == {name: default for name, default in INPUTS.items() if name != "github-token"}


def test_names_are_kebab_case_and_every_one_is_described(action: Any) -> None:
    named = {**action["inputs"], **action["outputs"]}
    assert not [name for name in named if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name)]
    assert not [name for name, entry in named.items() if not entry["description"].endswith(".")]
    assert not [name for name, entry in action["inputs"].items() if entry.get("required")]


def test_the_code_sets_the_outputs_of_action_yml(action: Any) -> None:
    assert tuple(action["outputs"]) == OUTPUTS


def test_the_readme_lists_every_input_and_output(action: Any) -> None:
    inputs = [[f"`{n}`", f"`{e['default']}`", e["description"]] for n, e in action["inputs"].items()]
    assert table("input") == inputs
    assert table("output") == [[f"`{n}`", e["description"]] for n, e in action["outputs"].items()]


def test_the_modes_of_the_comment_are_described(action: Any) -> None:
    assert re.findall(r"`(\w+)`", action["inputs"]["comment"]["description"]) == list(COMMENT_MODES)


def test_the_readme_shows_workflows_that_are_examples() -> None:
    shown = [block for block in BLOCKS if "\njobs:" in block]
    assert shown
    assert not [block for block in shown if not any(text.endswith(block) for text in EXAMPLES.values())]


def test_the_examples_use_inputs_and_outputs_that_are_there(action: Any) -> None:
    for name, text in EXAMPLES.items():
        for job in yaml.safe_load(text)["jobs"].values():
            for step in job["steps"]:
                if "/agent-gate@" in step.get("uses", ""):
                    assert set(step.get("with", {})) <= set(action["inputs"]), name


@pytest.mark.parametrize("block", [block for block in BLOCKS if "\njobs:" not in block])
def test_a_yaml_block_of_the_readme_is_what_the_gate_reads(block: str) -> None:
    document = parse(block, "README.md")
    findings = list(document.findings)
    value = document.value
    assert isinstance(value, dict)
    if "version" in value or "cases" in value:
        findings += validate(document, "config" if "version" in value else "dataset")
    assert not findings


def test_hadolint_finds_nothing() -> None:
    tool = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([tool, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dockerfile_builds_without_buildkit_as_root_and_installs_by_hash() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    words = set(re.findall(r"^[A-Z]+(?= )", text, re.MULTILINE))
    assert words <= {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENTRYPOINT"}
    assert not re.search(r"--mount|<<|--chmod|--link|# syntax", text)
    assert text.count("pip --python") == text.count("--require-hashes") + text.count("--no-deps --no-index")
    assert '"-I"' in text.rpartition("ENTRYPOINT")[2]


def test_the_build_context_is_what_the_image_needs() -> None:
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = [rule[1:] for rule in rules if rule.startswith("!")]
    assert "*" in rules
    assert not [path for path in IMAGE_NEEDS if not any(path.startswith(rule) for rule in allowed)]
    assert not [rule for rule in allowed if not (ROOT / rule).exists()]


def test_the_entry_points_are_a_few_lines(action: Any) -> None:
    for name in ("entrypoint.py", "post.py"):
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) < 12
    assert action["runs"]["post-entrypoint"] == "/opt/agent-gate/post.py"
    assert (ROOT / "post.py").stat().st_mode & 0o111 == 0o111
