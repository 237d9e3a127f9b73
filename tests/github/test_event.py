"""The run's context: from payloads that follow GitHub's own description, and from files that do not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import UsageError
from gate.github.event import RunContext, read_context
from tests.support.github.openapi import description
from tests.support.github.state import BASE, HEAD, REPOSITORY

MERGE = "feed" + "0" * 36
ZEROS = "0" * 40
Write = Callable[..., dict[str, str]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """The variables of a job whose event's file holds `event` (a text is written as it is)."""

    def write(name: str, event: Any, **variables: str) -> dict[str, str]:
        path = tmp_path / "event.json"
        path.write_text(event if isinstance(event, str) else json.dumps(event), encoding="utf-8")
        return {**environ(name, path), **variables}

    return write


def environ(name: str, path: Path) -> dict[str, str]:
    return {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_RUN_ID": "4711",
        "GITHUB_RUN_ATTEMPT": "2",
        "GITHUB_JOB": "gate",
        "GITHUB_WORKFLOW": "Agent gate",
        "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/agent-gate.yml@refs/pull/7/merge",
        "GITHUB_SHA": MERGE,
        "GITHUB_REF_NAME": "7/merge",
        "GITHUB_HEAD_REF": "feature",
        "GITHUB_ACTOR": "ann",
    }


def pull_request(name: str = "pull-request-opened", **head: Any) -> Any:
    """A payload that GitHub's description accepts, about pull request 7."""
    api = description("api.github.com")
    event = api.event(name)
    event["repository"] |= {"full_name": REPOSITORY, "default_branch": "main"}
    pull = event["pull_request"]
    repo = {**api.component("repository"), "full_name": REPOSITORY}
    pull |= {"number": 7}
    pull["head"] |= {"sha": HEAD, "ref": "feature", "repo": repo} | head
    pull["base"] |= {"sha": BASE, "ref": "main", "repo": repo}
    return event


@pytest.mark.requires("node")
@pytest.mark.parametrize(
    "name",
    ["pull-request-opened", "pull-request-synchronize", "pull-request-labeled", "pull-request-reopened"],
)
def test_a_pull_request_names_head_base_and_number(name: str, write: Write) -> None:
    context = read_context(write("pull_request", pull_request(name)))
    assert context == RunContext(
        event="pull_request",
        repository=REPOSITORY,
        workflow=".github/workflows/agent-gate.yml",
        job="gate",
        run_id=4711,
        attempt=2,
        sha=MERGE,
        head_sha=HEAD,
        head_ref="feature",
        head_repository=REPOSITORY,
        base_ref="main",
        base_sha=BASE,
        default_branch="main",
        pull=7,
        is_fork=False,
        actor="ann",
    )
    assert context.run_url == "https://github.com/acme/agent/actions/runs/4711/attempts/2"


@pytest.mark.requires("node")
@pytest.mark.parametrize(
    ("repo", "fork"),
    [
        ({"full_name": "mallory/agent"}, True),
        ({"full_name": "ACME/Agent"}, False),
        (None, True),
        ({}, True),
        ("x", True),
    ],
)
def test_a_head_in_another_repository_is_a_fork_and_so_is_one_that_is_gone(
    repo: Any, fork: bool, write: Write
) -> None:
    assert read_context(write("pull_request_target", pull_request(repo=repo))).is_fork is fork


def test_a_merge_queue_names_its_pull_request_in_its_branch(write: Write) -> None:
    group = {
        "head_ref": f"refs/heads/gh-readonly-queue/release/1.x/pr-123-{BASE}",
        "head_sha": HEAD,
        "base_ref": "refs/heads/release/1.x",
        "base_sha": BASE,
    }
    context = read_context(write("merge_group", {"merge_group": group}))
    assert (context.pull, context.head_sha, context.base_sha) == (123, HEAD, BASE)
    assert context.base_ref == "release/1.x"
    odd = read_context(write("merge_group", {"merge_group": {**group, "head_ref": "refs/heads/x"}}))
    assert odd.pull is None


@pytest.mark.parametrize(("before", "base"), [(BASE, BASE), (ZEROS, "")])
def test_a_push_has_the_commit_before_it_unless_the_branch_is_new(
    before: str, base: str, write: Write
) -> None:
    context = read_context(write("push", {"before": before}, GITHUB_HEAD_REF="", GITHUB_REF_NAME="main"))
    assert (context.head_sha, context.base_sha, context.pull) == (MERGE, base, None)
    assert context.head_ref == "main"


@pytest.mark.requires("node")
def test_a_run_that_publishes_speaks_of_the_run_that_measured(write: Write) -> None:
    event = description("api.github.com").event("workflow-run-completed")
    event["repository"]["full_name"] = REPOSITORY
    event["workflow_run"] |= {
        "id": 4000,
        "run_attempt": 3,
        "head_sha": HEAD,
        "head_branch": "patch-1",
        "path": ".github/workflows/agent-gate.yml@main",
    }
    event["workflow_run"]["head_repository"] |= {"full_name": "mallory/agent"}
    context = read_context(write("workflow_run", event))
    assert (context.run_id, context.attempt, context.head_sha) == (4000, 3, HEAD)
    assert context.workflow == ".github/workflows/agent-gate.yml"
    assert (context.head_repository, context.head_ref, context.is_fork) == ("mallory/agent", "patch-1", True)


def test_any_other_event_is_a_run_of_a_commit(write: Write) -> None:
    for name in ("workflow_dispatch", "schedule", "repository_dispatch"):
        context = read_context(write(name, {"repository": {"default_branch": "trunk"}}))
        assert (context.pull, context.head_sha, context.default_branch) == (None, MERGE, "trunk")


@pytest.mark.parametrize(
    ("api", "graphql"),
    [
        ("https://ghes.example/api/v3", "https://ghes.example/api/graphql"),
        ("https://ghes.example/api/v3/", "https://ghes.example/api/graphql"),
        ("https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
        ("", "https://api.github.com/graphql"),
    ],
)
def test_the_addresses_are_those_of_the_server_that_runs_us(api: str, graphql: str, write: Write) -> None:
    context = read_context(write("schedule", {}, GITHUB_API_URL=api))
    assert context.api_url == (api.rstrip("/") or "https://api.github.com")
    assert context.graphql_url == graphql
    named = {"GITHUB_GRAPHQL_URL": "https://x.example/g", "GITHUB_SERVER_URL": "https://x.example/"}
    context = read_context(write("schedule", {}, **named))
    assert (context.graphql_url, context.server_url) == ("https://x.example/g", "https://x.example")


def test_the_workflow_is_its_file_and_else_its_name(write: Write) -> None:
    assert read_context(write("schedule", {}, GITHUB_WORKFLOW_REF="")).workflow == "Agent gate"


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"GITHUB_EVENT_NAME": ""}, "GITHUB_EVENT_NAME is not set"),
        ({"GITHUB_EVENT_PATH": ""}, "GITHUB_EVENT_PATH is not set"),
        (
            {"GITHUB_EVENT_PATH": "/nowhere/event.json"},
            "cannot read the event's file /nowhere/event.json: No such",
        ),
        ({"GITHUB_REPOSITORY": ""}, "GITHUB_REPOSITORY is not set"),
        ({"GITHUB_REPOSITORY": "a/b/../c"}, "not written owner/name"),
        ({"GITHUB_REPOSITORY": "../.."}, "not written owner/name"),
        ({"GITHUB_RUN_ID": ""}, "GITHUB_RUN_ID is not set"),
        ({"GITHUB_RUN_ID": "x"}, "GITHUB_RUN_ID is no positive number; found 'x'"),
        ({"GITHUB_RUN_ATTEMPT": "0"}, "GITHUB_RUN_ATTEMPT is no positive number"),
        ({"GITHUB_API_URL": "ftp://x"}, "GITHUB_API_URL is no http address"),
        ({"GITHUB_API_URL": "https://u:p@x"}, "GITHUB_API_URL is no http address"),
    ],
)
def test_a_variable_that_is_missing_or_odd_is_named(
    variables: dict[str, str], words: str, write: Write
) -> None:
    with pytest.raises(UsageError, match=words):
        read_context(write("schedule", {}, **variables))


@pytest.mark.parametrize(
    ("name", "event", "words"),
    [
        ("schedule", "", "is not JSON"),
        ("schedule", "[" * 100_000, "is not JSON"),
        ("schedule", "[]", "holds no object"),
        ("pull_request", {}, "pull_request has no positive number at 'number'; found None"),
        ("pull_request", {"pull_request": []}, "no positive number"),
        ("pull_request", {"pull_request": {"number": True}}, "found True"),
        ("pull_request", {"pull_request": {"number": 7}}, "head has no commit at 'sha'; found None"),
        ("pull_request", {"pull_request": {"number": 7, "head": {"sha": "$(x)"}}}, "no commit at 'sha'"),
        ("merge_group", {}, "merge_group has no commit at 'head_sha'"),
        ("push", {"before": 1}, "the event has no commit at 'before'; found 1"),
        ("workflow_run", {"workflow_run": {"id": "x"}}, "workflow_run has no positive number at 'id'"),
    ],
)
def test_an_event_that_is_odd_is_an_error_that_names_the_field(
    name: str, event: Any, words: str, write: Write
) -> None:
    with pytest.raises(UsageError, match=words):
        read_context(write(name, event))


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["pull_request", "merge_group", "head", "base", "repo", "sha", "number", "id", "workflow_run"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
EVENTS = ("pull_request", "pull_request_target", "merge_group", "push", "workflow_run", "schedule")


@given(st.sampled_from(EVENTS), JSONS)
def test_any_event_is_a_context_or_a_usage_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, event: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "any_event.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    try:
        context = read_context(environ(name, path))
    except UsageError:
        return
    assert context.run_id
