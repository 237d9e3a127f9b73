"""The step's comment: what stands in its way is a warning, and the verdict stands."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import a_project, edit
from tests.support.github.server import serve
from tests.support.github.state import JOB_TOKEN
from tests.support.pulls import Proposed, propose
from tests.support.step import Finished, Step

pytestmark = pytest.mark.requires("node")


class GitHub:
    """A fake GitHub and a step that talks to it."""

    def __init__(self, step: Step, state: Path, url: str, proposed: Proposed) -> None:
        self._step = step
        self._state = state
        self._event = proposed.event
        self._env = {"GITHUB_API_URL": url, "GITHUB_GRAPHQL_URL": f"{url}/graphql", **proposed.env}

    def run(self, *, env: Mapping[str, str] | None = None, **given: str) -> Finished:
        env = {**self._env, **(env or {})}
        return self._step.run(event=self._event, env=env, github_token=JOB_TOKEN, **given)

    @property
    def known(self) -> Any:
        state = json.loads(self._state.read_text(encoding="utf-8"))
        assert state["violations"] == []
        return state


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "workspace")


@pytest.fixture
def github(project: Path, tmp_path: Path) -> Iterator[Callable[..., GitHub]]:
    """Start a fake GitHub that knows these fields of its state."""
    with ExitStack() as stack:

        def start(**fields: object) -> GitHub:
            state = tmp_path / "github.json"
            proposed = propose(project)
            state.write_text(json.dumps({**proposed.known(), **fields}), encoding="utf-8")
            server = stack.enter_context(serve(0, state))
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            url = f"http://127.0.0.1:{server.server_port}"
            return GitHub(Step(project, tmp_path / "runner"), state, url, proposed)

        yield start


def test_bad_input_is_told_in_the_comment(github: Callable[..., GitHub], project: Path) -> None:
    edit(project / "golden" / "weather.yaml", "{contains: 77 °F}", "{contain: 77 °F}")
    fake = github()
    done = fake.run()
    assert done.code == 2
    (comment,) = fake.known["comments"]
    assert "### Agent Gate: not run — 1 finding in the config or the cases" in comment["body"]
    assert "'contain' is not a key" in comment["body"]
    assert "actions/runs/4711/attempts/1" in comment["body"]
    assert done.outputs["comment-url"]


def test_where_nothing_changed_no_comment_is_begun_if_changes_alone_are_wanted(
    github: Callable[..., GitHub],
) -> None:
    fake = github()
    done = fake.run(comment="changes")
    assert done.code == 0, done.log
    assert fake.known["comments"] == []
    assert done.outputs["comment-url"] == ""


def test_a_missing_permission_warns_with_what_to_add_and_the_verdict_stands(
    github: Callable[..., GitHub], project: Path
) -> None:
    edit(project / "golden" / "weather.yaml", "{contains: 77 °F}", "{contains: 78 °F}")
    fake = github(
        tokens={JOB_TOKEN: {"login": "github-actions[bot]", "permissions": {"pull_requests": "read"}}}
    )
    done = fake.run()
    assert done.code == 1, done.log
    assert done.outputs["verdict"] == "regression"
    (warning,) = [data for name, data in done.obeyed if name == "warning"]
    assert "pull-requests: write" in warning
    assert fake.known["comments"] == []


def test_without_a_pull_request_there_is_no_comment_and_no_warning(
    github: Callable[..., GitHub],
) -> None:
    fake = github(pulls={})
    done = fake.run(env={"GITHUB_EVENT_NAME": "workflow_dispatch"})
    assert done.code == 0, done.log
    assert "Comment: no pull request" in done.log
    assert not [data for name, data in done.obeyed if name == "warning"]
