"""The step that keeps the baseline fresh: what a good run of the default branch leaves at GitHub."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from gate.baselines import baseline_of
from gate.model.baseline import Baseline
from tests.support.commands import a_project, commit, edit
from tests.support.github.server import serve
from tests.support.github.state import JOB_TOKEN, a_git
from tests.support.step import Finished, Step

pytestmark = pytest.mark.requires("node")

EVENT = {"before": "b" * 40, "repository": {"default_branch": "main", "full_name": "acme/agent"}}
ON_MAIN = {
    "GITHUB_EVENT_NAME": "push",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_REF_NAME": "main",
    "GITHUB_HEAD_REF": "",
}
WRITER = {"login": "github-actions[bot]", "permissions": {"contents": "write", "pull_requests": "write"}}
PATH = "golden/baseline.jsonl"
BRANCH = "agent-gate/baseline"


class GitHub:
    """A fake GitHub and steps that talk to it."""

    def __init__(self, folder: Path, state: Path, url: str) -> None:
        self._folder = folder
        self._state = state
        self._env = {"GITHUB_API_URL": url, "GITHUB_GRAPHQL_URL": f"{url}/graphql"}
        self._runs = 0

    def run(self, project: Path, env: dict[str, str] | None = None, **given: str) -> Finished:
        self._runs += 1
        step = Step(project, self._folder / f"runner{self._runs}")
        variables = {**self._env, **ON_MAIN, **(env or {})}
        return step.run(event=EVENT, env=variables, github_token=JOB_TOKEN, **given)

    @property
    def known(self) -> Any:
        state = json.loads(self._state.read_text(encoding="utf-8"))
        assert state["violations"] == []
        return state

    def file(self, branch: str, path: str = PATH) -> str:
        git = self.known["git"]
        text: str = git["blobs"][git["commits"][git["refs"][branch]]["files"][path]]
        return text

    def baseline(self, branch: str, path: str = PATH) -> Baseline:
        baseline, _, findings = baseline_of(self.file(branch, path).encode(), path)
        assert baseline, findings
        return baseline


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "workspace")


@pytest.fixture
def github(tmp_path: Path) -> Iterator[Callable[..., GitHub]]:
    with ExitStack() as stack:

        def start(**fields: object) -> GitHub:
            state = tmp_path / "github.json"
            known = {"tokens": {JOB_TOKEN: WRITER}, "pulls": {}, "git": a_git({"agent.py": "x"})}
            state.write_text(json.dumps(known | fields), encoding="utf-8")
            server = stack.enter_context(serve(0, state))
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            return GitHub(tmp_path, state, f"http://127.0.0.1:{server.server_port}")

        yield start


def own_branch(project: Path) -> None:
    edit(project / "agent-gate.yml", f"baseline: {PATH}", f"baseline: {{branch: {BRANCH}}}")
    commit(project, "a branch of its own")


def test_a_good_run_opens_one_pull_request_and_the_next_adds_to_it(
    github: Callable[..., GitHub], project: Path
) -> None:
    fake = github()
    done = fake.run(project, baseline="pull-request")
    assert done.code == 0, done.log
    assert done.outputs["baseline-url"] == "https://github.example/acme/agent/pull/1"
    assert "Baseline: a pull request: opened https://" in done.log
    assert done.summary.startswith("### Agent Gate: pass")
    assert "[a pull request](https://github.example/acme/agent/pull/1) opened" in done.summary
    again = fake.run(project, baseline="pull-request")
    assert again.code == 0, again.log
    (pull,) = fake.known["pulls"].values()
    assert pull["title"] == f"Agent Gate: 2 runs for the baseline {PATH}"
    assert "**Approve workflows to run**" in pull["body"]
    assert "| `calls` |  | 1.00 |  |" in pull["body"]
    baseline = fake.baseline(pull["head_ref"])
    assert len(baseline.runs) == 2
    assert {run.branch for run in baseline.runs} == {"main"}
    assert fake.file(pull["head_ref"], "agent.py") == "x"
    assert not (project / PATH).exists()


def test_a_branch_of_its_own_gets_a_commit_a_run(github: Callable[..., GitHub], project: Path) -> None:
    own_branch(project)
    fake = github()
    fake.run(project, baseline="branch")
    assert len(fake.baseline(BRANCH).runs) == 1
    done = fake.run(project, baseline="branch", env={"GITHUB_EVENT_NAME": "schedule"})
    assert done.code == 0, done.log
    assert len(fake.baseline(BRANCH).runs) == 2
    tip = fake.known["git"]["refs"][BRANCH]
    assert done.outputs["baseline-url"] == f"https://github.com/acme/agent/commit/{tip}"
    assert "Verdict: pass" in fake.known["git"]["commits"][tip]["message"]
    assert fake.known["pulls"] == {}


def test_a_config_below_the_top_has_its_file_below_the_top(
    github: Callable[..., GitHub], project: Path, tmp_path: Path
) -> None:
    project.rename(tmp_path / "agents")
    monorepo = a_project(tmp_path / "workspace")
    (tmp_path / "agents").rename(monorepo / "agents")
    fake = github()
    done = fake.run(monorepo, baseline="pull-request", working_directory="agents")
    assert done.code == 0, done.log
    (pull,) = fake.known["pulls"].values()
    assert len(fake.baseline(pull["head_ref"], f"agents/{PATH}").runs) == 1


def test_a_red_run_writes_nothing_and_says_so(github: Callable[..., GitHub], project: Path) -> None:
    edit(project / "golden" / "weather.yaml", "{contains: 77 °F}", "{contains: 78 °F}")
    commit(project, "broken")
    fake = github()
    done = fake.run(project, baseline="pull-request")
    assert done.code == 1, done.log
    assert "baseline-url" not in done.outputs
    (warning,) = [data for name, data in done.obeyed if name == "warning"]
    assert "No evidence was offered to the baseline: it is red" in warning
    assert fake.known["pulls"] == {}
    assert not [asked for asked in fake.known["requests"] if "/git/" in asked]


@pytest.mark.parametrize(
    ("env", "said"),
    [
        (
            {"GITHUB_EVENT_NAME": "workflow_dispatch", "GITHUB_REF": "refs/heads/topic"},
            "this run is of refs/heads/topic",
        ),
        ({"GITHUB_REF": "refs/tags/main"}, "this run is of refs/tags/main"),
        ({"GITHUB_EVENT_NAME": "repository_dispatch"}, "the event repository_dispatch must not do"),
    ],
)
def test_what_is_not_the_default_branch_is_refused_before_anything_is_spent(
    github: Callable[..., GitHub], project: Path, env: dict[str, str], said: str
) -> None:
    done = github().run(project, env, baseline="pull-request")
    assert done.code == 2
    assert said in done.log
    assert not (project / "out").exists()


def test_a_pull_request_must_not_write_its_own_bar(
    github: Callable[..., GitHub], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = {"repo": {"full_name": "acme/agent"}}
    side = {"sha": "c" * 40, "ref": "main", **repo}
    monkeypatch.setitem(EVENT, "pull_request", {"number": 7, "head": side, "base": side})
    done = github().run(project, {"GITHUB_EVENT_NAME": "pull_request"}, baseline="pull-request")
    assert done.code == 2
    assert "writes the baseline, which the event pull_request must not do" in done.log


def test_the_input_and_the_config_must_name_the_same_form(
    github: Callable[..., GitHub], project: Path
) -> None:
    fake = github()
    done = fake.run(project, baseline="branch")
    assert done.code == 2
    assert f"Write `baseline: {{branch: {BRANCH}}}` into it" in done.log
    own_branch(project)
    done = fake.run(project, baseline="pull-request")
    assert done.code == 2
    assert "Set the input to `branch`." in done.log
    done = fake.run(project, baseline="always")
    assert "it can be compare, pull-request, branch" in done.log


def test_an_offer_that_fails_is_exit_4_and_the_verdict_stands(
    github: Callable[..., GitHub], project: Path
) -> None:
    reader = WRITER | {"permissions": {"contents": "read", "pull_requests": "write"}}
    done = github(tokens={JOB_TOKEN: reader}).run(project, baseline="pull-request")
    assert done.code == 4, done.log
    assert (done.outputs["verdict"], done.outputs["exit-code"]) == ("pass", "4")
    (warning,) = [data for name, data in done.obeyed if name == "warning"]
    assert "Add `contents: write` to the `permissions` of the job" in warning


def test_a_baseline_that_cannot_be_read_is_not_written_over(
    github: Callable[..., GitHub], project: Path
) -> None:
    fake = github(git=a_git({PATH: "{}\n"}))
    done = fake.run(project, baseline="pull-request")
    assert done.code == 4
    assert "expected the header" in done.log
    assert fake.known["pulls"] == {}


def test_without_the_input_nothing_is_offered(github: Callable[..., GitHub], project: Path) -> None:
    fake = github()
    done = fake.run(project)
    assert done.code == 0, done.log
    assert fake.known["pulls"] == {}
    assert "Baseline:" not in done.log
