"""The step's comment: what stands in its way is a warning, and the verdict stands."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.canary import CANARY, holds_nothing
from tests.support.commands import a_project, commit, edit, git
from tests.support.github.server import serve
from tests.support.github.state import JOB_TOKEN
from tests.support.parrot_agent import FORMS
from tests.support.parrots import a_parrot
from tests.support.pulls import Proposed, propose
from tests.support.step import Finished, Step

pytestmark = pytest.mark.requires("node")


READS = {JOB_TOKEN: {"login": "github-actions[bot]", "permissions": {"pull_requests": "read"}}}


class GitHub:
    """A fake GitHub and a step that talks to it."""

    def __init__(self, step: Step, state: Path, url: str, proposed: Proposed) -> None:
        self._step = step
        self._state = state
        self._event = proposed.event
        self._env = {"GITHUB_API_URL": url, "GITHUB_GRAPHQL_URL": f"{url}/graphql", **proposed.env}

    def run(
        self, *, env: Mapping[str, str] | None = None, head: str = "acme/agent", **given: str
    ) -> Finished:
        """Run the step on the pull request, whose branch is in the repository `head`."""
        env = {**self._env, **(env or {})}
        event = json.loads(json.dumps(self._event))
        event["pull_request"]["head"]["repo"]["full_name"] = head
        event["before"] = event["pull_request"]["base"]["sha"]
        return self._step.run(event=event, env=env, github_token=JOB_TOKEN, **given)

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
    fake = github(tokens=READS)
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


@pytest.mark.parametrize(
    ("strict", "expected", "tokens", "code"),
    [
        ("true", "77 °F", READS, 4),
        ("false", "77 °F", READS, 0),
        ("true", "78 °F", READS, 1),
        ("true", "77 °F", None, 0),
    ],
    ids=["strict", "not strict", "red already", "written"],
)
def test_strict_publish_makes_a_4_of_a_pass_whose_comment_could_not_be_written(
    github: Callable[..., GitHub], project: Path, strict: str, expected: str, tokens: object, code: int
) -> None:
    on_the_base(project, f"strict_publish: {strict}", expected)
    done = github(**({"tokens": tokens} if tokens else {})).run()
    assert done.code == code, done.log
    assert done.outputs["exit-code"] == str(code)
    assert done.outputs["verdict"] == ("regression" if code == 1 else "pass")
    assert ("agent-gate exited with 4: a surface could not be published" in done.log) == (code == 4)


def test_strict_publish_has_nothing_to_say_where_no_comment_is_wanted(
    github: Callable[..., GitHub], project: Path
) -> None:
    on_the_base(project, "strict_publish: true", "77 °F")
    assert github(tokens=READS).run(comment="off").code == 0


def on_the_base(project: Path, line: str, expected: str) -> None:
    config = project / "agent-gate.yml"
    config.write_text(f"{config.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    edit(project / "golden" / "weather.yaml", "{contains: 77 °F}", f"{{contains: {expected}}}")
    commit(project, "on the base's side")


@pytest.mark.parametrize(
    ("head", "env", "code", "said"),
    [
        ("mallory/agent", {}, 3, "the variable MY_KEY is not set: a fork's run has no secrets"),
        ("mallory/agent", {"MY_KEY": ""}, 3, "the variable MY_KEY is empty: a fork's run has no secrets"),
        ("acme/agent", {"GITHUB_ACTOR": "dependabot[bot]"}, 3, "no secrets but Dependabot's own"),
        ("acme/agent", {}, 2, "the variable MY_KEY is not set"),
        ("mallory/agent", {"GITHUB_EVENT_NAME": "pull_request_target"}, 2, "the variable MY_KEY is not set"),
        ("mallory/agent", {"GITHUB_EVENT_NAME": "push"}, 2, "the variable MY_KEY is not set"),
    ],
    ids=["fork", "empty", "dependabot", "own branch", "of the base", "push"],
)
def test_a_run_that_github_gives_no_secrets_is_undecided_and_says_so(
    github: Callable[..., GitHub], project: Path, head: str, env: dict[str, str], code: int, said: str
) -> None:
    edit(project / "agent-gate.yml", 'env: {WEATHER_BREAK: ""}', "pass_env: [MY_KEY]")
    commit(project, "on the base's side")
    done = github(tokens=READS).run(head=head, env=env)
    assert done.code == code, done.log
    assert said in done.log
    assert said in done.summary
    assert done.outputs.get("verdict", "") == ("undecided" if code == 3 else "")
    headline = "undecided — " if code == 3 else "not run — 1 finding"
    assert done.summary.startswith(f"### Agent Gate: {headline}")
    assert done.outputs["exit-code"] == str(code)


def test_other_findings_beside_a_missing_secret_are_still_bad_input(
    github: Callable[..., GitHub], project: Path
) -> None:
    edit(project / "agent-gate.yml", 'env: {WEATHER_BREAK: ""}', "pass_env: [MY_KEY, ACTIONS_CACHE]")
    commit(project, "on the base's side")
    done = github(tokens=READS).run(head="mallory/agent", env={"ACTIONS_CACHE": "x"})
    assert done.code == 2
    assert "a fork's run has no secrets" in done.log
    assert "the variable ACTIONS_CACHE is the runner's" in done.log


def test_what_one_job_measures_another_one_publishes(github: Callable[..., GitHub], project: Path) -> None:
    edit(project / "golden" / "weather.yaml", "{contains: 77 °F}", "{contains: 78 °F}")
    fake = github()
    measured = fake.run(comment="off")
    assert measured.code == 1, measured.log
    assert fake.known["comments"] == []
    published = fake.run(publish="out")
    assert published.code == 0, published.log
    (comment,) = fake.known["comments"]
    assert "### Agent Gate: regression" in comment["body"]


@pytest.mark.timeout(180)
def test_a_secret_that_the_agent_says_is_in_nothing_that_github_gets(
    github: Callable[..., GitHub], project: Path
) -> None:
    shutil.rmtree(project)
    a_parrot(project, "http", FORMS, "pass_env: [API_TOKEN]")
    (project / ".gitignore").write_text("out/\n", encoding="utf-8")
    git(project, "init", "-q", "-b", "main")
    commit(project, "an agent that says whatever it is asked to")
    fake = github()
    done = fake.run(env={"API_TOKEN": CANARY})
    assert done.code == 1, done.log
    (comment,) = fake.known["comments"]
    log = "\n".join(line for line in done.log.splitlines() if not line.startswith("::add-mask::"))
    surfaces = {
        "log": log,
        "summary": done.summary,
        "outputs": repr(done.outputs),
        "comment": comment["body"],
    }
    for name, text in surfaces.items():
        holds_nothing(name, text)
