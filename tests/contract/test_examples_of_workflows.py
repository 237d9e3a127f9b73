"""What a team copies gives nobody more than needed, and runs no stranger's code with a token that writes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples" / "workflows").glob("*.yml"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FILES}
# YAML 1.1 reads the key `on` as true.
WORKFLOWS: dict[str, Any] = {name: yaml.safe_load(text) for name, text in TEXTS.items()}
JOBS = [(name, job) for name, workflow in WORKFLOWS.items() for job in workflow["jobs"]]
SIMPLE = ("simple.yml", "gate")
"""The one job that both runs the agent and comments."""


def steps(name: str, job: str, action: str) -> Iterator[dict[str, Any]]:
    for step in WORKFLOWS[name]["jobs"][job]["steps"]:
        if step.get("uses", "").startswith(action):
            yield step


def publishes(name: str, job: str) -> bool:
    return any("publish" in step.get("with", {}) for step in steps(name, job, "OWNER/agent-gate@"))


def test_there_are_the_three_forms() -> None:
    assert {"simple.yml", "two-jobs.yml", "forks.yml", "forks-publish.yml"} <= TEXTS.keys()


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_a_job_that_publishes_has_nothing_of_the_pull_request_and_runs_nothing_of_it(
    name: str, job: str
) -> None:
    if not publishes(name, job):
        assert list(steps(name, job, "actions/checkout@"))
        return
    assert not list(steps(name, job, "actions/checkout@"))
    assert "secrets." not in str(WORKFLOWS[name]["jobs"][job])
    given = [step["with"] for step in steps(name, job, "OWNER/agent-gate@")]
    fetched = [step["with"]["path"] for step in steps(name, job, "actions/download-artifact@")]
    assert given == [{"publish": path} for path in fetched]


PERMISSIONS = {
    SIMPLE: {"contents": "read", "pull-requests": "write"},
    ("two-jobs.yml", "gate"): {"contents": "read", "pull-requests": "read"},
    ("two-jobs.yml", "publish"): {"pull-requests": "write"},
    ("forks.yml", "gate"): {"contents": "read", "pull-requests": "read"},
    ("forks-publish.yml", "publish"): {"actions": "read", "pull-requests": "write"},
}


@pytest.mark.parametrize(("name", "job"), PERMISSIONS)
def test_a_job_may_what_it_needs_and_no_more(name: str, job: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {}
    assert WORKFLOWS[name]["jobs"][job]["permissions"] == PERMISSIONS[name, job]


@pytest.mark.parametrize("name", TEXTS)
def test_no_trigger_runs_a_head_with_the_rights_of_the_base(name: str) -> None:
    events = WORKFLOWS[name][True]
    assert "pull_request_target" not in events
    if "workflow_run" in events:
        assert all(publishes(name, job) for job in WORKFLOWS[name]["jobs"])


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_a_checkout_leaves_no_token_and_a_job_ends(name: str, job: str) -> None:
    for step in steps(name, job, "actions/checkout@"):
        assert step["with"]["persist-credentials"] is False
    assert WORKFLOWS[name]["jobs"][job]["timeout-minutes"] <= 60


def test_an_action_has_one_pin_everywhere() -> None:
    ours = [*TEXTS.values(), (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")]
    pins: dict[str, set[str]] = {}
    for action, pin in re.findall(r"uses: ([\w/-]+)@(.+)", "\n".join(ours)):
        pins.setdefault(action, set()).add(pin)
    assert {action: found for action, found in pins.items() if len(found) > 1} == {}


def test_the_second_workflow_waits_for_the_first_by_its_name() -> None:
    waited = WORKFLOWS["forks-publish.yml"][True]["workflow_run"]["workflows"]
    assert waited == [WORKFLOWS["forks.yml"]["name"]]


def test_forks_are_given_no_secret_and_the_run_writes_no_comment() -> None:
    assert "secrets." not in TEXTS["forks.yml"]
    for name in ("forks.yml", "two-jobs.yml"):
        (step,) = steps(name, "gate", "OWNER/agent-gate@")
        assert step["with"]["comment"] == "off"
