"""action.yml, the README, the examples, the Dockerfile and the code say the same."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gate.action import OUTPUTS
from gate.github.inputs import COMMENT_MODES, INPUTS
from tests.support.commands import ROOT
from tests.support.pages import GUIDE

TEXT = "\n".join(page.text for page in GUIDE)
BLOCKS = [block for page in GUIDE for block in page.blocks("yaml")]
EXAMPLES = {
    path.name: path.read_text(encoding="utf-8") for path in (ROOT / "examples/workflows").glob("*.yml")
}
IMAGE_NEEDS = ("gate/__init__.py", "schemas/config.schema.json", "entrypoint.py", "requirements/runtime.txt")


@pytest.fixture(scope="module")
def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def on_runner() -> Any:
    return yaml.safe_load((ROOT / "on-runner" / "action.yml").read_text(encoding="utf-8"))


def table(head: str) -> list[list[str]]:
    """The rows of the table under this first column, in the README or one of its pages."""
    body = TEXT.partition(f"\n| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
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
                if re.search(r"/agent-gate(/on-runner)?@", step.get("uses", "")):
                    assert set(step.get("with", {})) <= set(action["inputs"]), name


def test_hadolint_finds_nothing() -> None:
    tool = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([tool, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dockerfile_builds_without_buildkit_as_root_and_installs_by_hash() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    words = set(re.findall(r"^[A-Z]+(?= )", text, re.MULTILINE))
    assert words <= {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "ENTRYPOINT"}
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


def test_both_forms_have_the_same_inputs_and_outputs(action: Any, on_runner: Any) -> None:
    own = {name: on_runner["inputs"][name] for name in ("image", "registry")}
    assert on_runner["inputs"] == {**action["inputs"], **own}
    assert [entry["default"] for entry in own.values()] == ["", ""]
    assert described(on_runner["outputs"]) == described(action["outputs"])
    assert table("input of on-runner") == [[f"`{n}`", entry["description"]] for n, entry in own.items()]


def described(entries: Any) -> dict[str, str]:
    return {name: entry["description"] for name, entry in entries.items()}


def test_the_composite_hands_every_input_and_output_on(action: Any, on_runner: Any) -> None:
    values = {name: entry["value"] for name, entry in on_runner["outputs"].items()}
    assert values == {name: f"${{{{ steps.gate.outputs.{name} }}}}" for name in action["outputs"]}
    (gate,) = [step for step in on_runner["runs"]["steps"] if step.get("id") == "gate"]
    given = {name: value for name, value in gate["env"].items() if name.startswith("INPUT_")}
    assert given == {
        f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in action["inputs"]
    }


def test_only_the_gate_of_the_composite_sees_the_token_and_no_script_has_a_template(on_runner: Any) -> None:
    steps = on_runner["runs"]["steps"]
    assert [step.get("id") for step in steps if "INPUT_GITHUB_TOKEN" in step["env"]] == ["gate"]
    assert not [step for step in steps if "${{" in step["run"]]
    assert steps[-1]["if"] == "${{ always() }}"
    assert steps[-1]["run"].endswith(" tidy")
