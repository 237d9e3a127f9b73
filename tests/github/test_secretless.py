"""Which runs GitHub gives no secrets."""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.github.secretless import why_no_secrets, without_secrets
from gate.model.finding import Finding, Place
from tests.support.github.state import BASE, HEAD

PULL = {"number": 7, "head": {"sha": HEAD, "repo": {"full_name": "mallory/agent"}}}
ANOTHERS: dict[str, Any] = {
    "pull_request": {**PULL, "base": {"sha": BASE, "repo": {"full_name": "acme/agent"}}}
}
GONE = {"pull_request": {**ANOTHERS["pull_request"], "head": {"sha": HEAD, "repo": None}}}
OWN = {
    "pull_request": {**ANOTHERS["pull_request"], "head": {"sha": HEAD, "repo": {"full_name": "acme/Agent"}}}
}


@pytest.mark.parametrize(
    ("event", "about", "actor", "said"),
    [
        ("pull_request", ANOTHERS, "mallory", "a fork's run"),
        ("pull_request", GONE, "mallory", "a fork's run"),
        ("pull_request_review", ANOTHERS, "ann", "a fork's run"),
        ("pull_request", OWN, "dependabot[bot]", "Dependabot"),
        ("pull_request", OWN, "ann", ""),
        ("pull_request_target", ANOTHERS, "mallory", ""),
        ("workflow_dispatch", {}, "ann", ""),
        ("pull_request", {}, "ann", ""),
    ],
)
def test_a_fork_and_dependabot_get_none(
    tmp_path: Path, event: str, about: dict[str, Any], actor: str, said: str
) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps({**about, "repository": {"full_name": "acme/agent"}}), encoding="utf-8")
    environ = {
        "GITHUB_ACTOR": actor,
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_REPOSITORY": "acme/agent",
        "GITHUB_RUN_ID": "1",
    }
    why = why_no_secrets(environ)
    assert said in why
    assert bool(said) == bool(why)


def test_outside_of_a_workflow_nothing_is_known() -> None:
    assert why_no_secrets({}) == ""


def test_the_finding_keeps_its_place_and_says_that_nobody_is_to_blame() -> None:
    before = Finding.error(
        "unset-variable", Place(file="agent-gate.yml", line=9), "the variable K is not set"
    )
    after = without_secrets(before, "a fork's run has no secrets")
    assert after.what == "the variable K is not set: a fork's run has no secrets"
    assert (after.rule, after.level, after.place) == ("no-secrets", "error", before.place)
    assert "undecided" in after.why
