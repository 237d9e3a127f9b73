"""`agent-gate publish` and the step with the input `publish`: one comment about what another job measured."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from gate.artifact import OF_A_FORK
from gate.commands.publish import said
from gate.github.comment import Action, CommentResult
from gate.github.inputs import COMMENT_MODES, INPUTS
from gate.verbs import parser
from tests.support.artifacts import an_artifact
from tests.support.commands import Done, gate
from tests.support.github.server import serve
from tests.support.github.state import HEAD, JOB_TOKEN, a_pull
from tests.support.reports import a_meta, a_regression, a_report
from tests.support.step import Files, Finished, Step

pytestmark = pytest.mark.requires("node")

REPO = {"full_name": "acme/agent", "default_branch": "main"}
FORK = {"head_repository": "mallory/agent", "head_ref": "patch"}
PULL = {
    "number": 7,
    "head": {"ref": "feature", "sha": HEAD, "repo": REPO},
    "base": {"ref": "main", "sha": "ba5e" + "0" * 36, "repo": REPO},
}
OF_PULL = {"pull_request": PULL, "repository": REPO}


def of_run(repository: str = "mallory/agent", **fields: Any) -> dict[str, object]:
    """A `workflow_run` event about a run of a fork's pull request; it names no pull request."""
    known = {
        "id": 4242,
        "run_attempt": 3,
        "path": ".github/workflows/agent-gate.yml@refs/heads/main",
        "head_sha": HEAD,
        "head_branch": "patch",
        "head_repository": {"full_name": repository},
        "pull_requests": [],
    }
    return {"workflow_run": known | fields, "repository": REPO}


class Desk:
    """A fake GitHub, an artifact, and both ways to publish it."""

    def __init__(self, folder: Path, url: str) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self._folder = folder
        self._state = folder / "github.json"
        self._urls = {"GITHUB_API_URL": url, "GITHUB_GRAPHQL_URL": f"{url}/graphql"}

    @property
    def artifact(self) -> Path:
        return self.workspace / "artifact"

    def command(self, event: Mapping[str, object], *arguments: str, **env: str) -> Done:
        about = "workflow_run" if "workflow_run" in event else "pull_request"
        files = Files(self._folder / "command")
        variables = files.variables(event, GITHUB_EVENT_NAME=about, GITHUB_TOKEN=JOB_TOKEN, **self._urls)
        return gate("publish", "artifact", *arguments, cwd=self.workspace, env={**variables, **env})

    def step(self, event: Mapping[str, object], **given: str) -> Finished:
        about = "workflow_run" if "workflow_run" in event else "pull_request"
        env = {"GITHUB_EVENT_NAME": about, **self._urls}
        step = Step(self.workspace, self._folder / "step")
        return step.run(event=event, env=env, **{"github_token": JOB_TOKEN, "publish": "artifact", **given})

    @property
    def known(self) -> Any:
        state = json.loads(self._state.read_text(encoding="utf-8"))
        assert state["violations"] == []
        return state

    @property
    def comment(self) -> str:
        (comment,) = self.known["comments"]
        return str(comment["body"])


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Start a fake GitHub that knows these fields of its state."""
    with ExitStack() as stack:

        def start(**fields: object) -> Desk:
            state = tmp_path / "github.json"
            state.write_text(json.dumps(fields), encoding="utf-8")
            server = stack.enter_context(serve(0, state))
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            return Desk(tmp_path, f"http://127.0.0.1:{server.server_port}")

        yield start


def test_a_forks_run_is_commented_from_the_artifact_and_the_pull_request_is_looked_up(
    begin: Callable[..., Desk],
) -> None:
    desk = begin(pulls={"5": a_pull(head="9" * 40), "7": a_pull(**FORK)})
    an_artifact(desk.artifact)
    done = desk.command(of_run())
    assert done.code == 0, done.err
    assert done.out.startswith("The comment was written: https://github.example/acme/agent/pull/7#")
    assert "run=4242 attempt=3" in desk.comment.partition("\n")[0]
    assert "workflow=.github%2Fworkflows%2Fagent-gate.yml" in desk.comment.partition("\n")[0]
    assert "### Agent Gate: regression" in desk.comment
    assert OF_A_FORK in desk.comment
    assert "(https://github.com/acme/agent/actions/runs/4242/attempts/3)" in desk.comment


def test_the_step_does_the_same_runs_nothing_and_a_red_run_does_not_make_it_red(
    begin: Callable[..., Desk],
) -> None:
    desk = begin(pulls={"7": a_pull(**FORK)})
    an_artifact(desk.artifact)
    done = desk.step(of_run())
    assert done.code == 0, done.log
    assert "### Agent Gate: regression" in desk.comment
    assert done.outputs["comment-url"].endswith("/pull/7#issuecomment-1001")
    assert done.outputs["exit-code"] == "0"
    assert "verdict" not in done.outputs
    assert sorted(path.name for path in desk.workspace.iterdir()) == ["artifact"]


def test_the_second_job_of_a_run_comments_on_the_events_pull_request(begin: Callable[..., Desk]) -> None:
    desk = begin()
    an_artifact(desk.artifact, a_report())
    done = desk.step(OF_PULL)
    assert done.code == 0, done.log
    assert "### Agent Gate: pass" in desk.comment
    assert OF_A_FORK not in desk.comment
    assert "actions/runs/4711/attempts/1" in desk.comment


def test_the_next_run_updates_the_comment_and_an_older_one_never_does(begin: Callable[..., Desk]) -> None:
    desk = begin(pulls={"7": a_pull(**FORK)})
    an_artifact(desk.artifact)
    assert desk.command(of_run()).code == 0
    an_artifact(desk.artifact, a_report())
    assert "The comment was updated: " in desk.step(of_run(run_attempt=4)).log
    assert "### Agent Gate: pass" in desk.comment


def test_a_run_that_is_overtaken_writes_nothing_and_is_no_failure(begin: Callable[..., Desk]) -> None:
    desk = begin(pulls={"7": a_pull(**FORK)})
    an_artifact(desk.artifact, a_report())
    assert desk.step(of_run(run_attempt=4)).code == 0
    an_artifact(desk.artifact)
    done = desk.command(of_run())
    assert (done.code, done.out.partition(":")[0]) == (0, "Nothing was written")
    assert "### Agent Gate: pass" in desk.comment


@pytest.mark.parametrize(
    ("pulls", "event", "said"),
    [
        ({"7": a_pull(head="9" * 40)}, OF_PULL, "the pull request's head has moved"),
        ({"7": a_pull(**FORK, head="9" * 40)}, of_run(), "no open pull request has this commit as its head"),
        ({"7": a_pull(**FORK, state="closed")}, of_run(), "no open pull request has this commit as its head"),
        ({"7": a_pull()}, of_run(), "no open pull request has this commit as its head"),
        ({"7": a_pull(head_repository="eve/agent")}, of_run(), "no open pull request has this commit"),
    ],
    ids=["moved", "fork moved", "closed", "another's commit", "another fork's commit"],
)
def test_a_pull_request_that_has_moved_on_or_is_anothers_gets_no_comment(
    begin: Callable[..., Desk], pulls: object, event: Mapping[str, object], said: str
) -> None:
    desk = begin(pulls=pulls)
    an_artifact(desk.artifact)
    done = desk.command(event)
    assert done.code == 0, done.err
    assert said in done.out
    assert desk.known["comments"] == []


def test_an_interrupted_run_is_not_published(begin: Callable[..., Desk]) -> None:
    desk = begin()
    an_artifact(desk.artifact, a_regression(meta=a_meta(interrupted=True, measured_trials=3)))
    done = desk.step(OF_PULL)
    assert (done.code, desk.known["comments"]) == (0, [])
    assert "the run was interrupted" in done.log


def no_run(folder: Path) -> None:
    (folder / "run.json").unlink()


def a_link(folder: Path) -> None:
    (folder / "junit.xml").symlink_to("/etc/passwd")


def hostile_key(folder: Path) -> None:
    (folder / "run.json").write_text(
        json.dumps({"version": 1, "report": {}, "cases": [], "trials": [], "\n::error::x ##[error]y": 1}),
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    ("spoil", "head", "said"),
    [
        (no_run, HEAD, "cannot read artifact/run.json: No such file or directory"),
        (a_link, HEAD, "'junit.xml' in it is a link, and no file"),
        (hostile_key, HEAD, "it has an unknown key"),
        (lambda _: None, "9" * 40, "the run is of commit 999999999999, and the event is about c0ffee000000"),
        (lambda _: None, "", "the run does not say of which commit of the pull request it is"),
        (lambda _: None, HEAD + "\n::error::x", "the run is of commit c0ffee000000"),
    ],
    ids=["no run", "a link", "a hostile key", "another commit", "no commit", "nearly the commit"],
)
def test_an_artifact_that_cannot_be_used_is_2_says_why_and_gets_no_comment(
    begin: Callable[..., Desk], spoil: Callable[[Path], object], head: str, said: str
) -> None:
    desk = begin()
    spoil(an_artifact(desk.artifact, head=head))
    done, command = desk.step(OF_PULL), desk.command(OF_PULL)
    assert (done.code, command.code) == (2, 2)
    assert said in command.err
    assert said in done.text
    assert said in done.summary
    ((name, told),) = [found for found in done.obeyed if found[0] != "add-mask"]
    assert name == "error"
    assert said in told
    assert "::error title=Agent Gate%3A not-published::" in done.log
    assert done.outputs == {"exit-code": "2", "comment-url": ""}
    known = desk.known
    assert known["comments"] == []
    assert known["requests"] == []


def test_where_github_refuses_publishing_has_failed(begin: Callable[..., Desk]) -> None:
    reads = {JOB_TOKEN: {"login": "github-actions[bot]", "permissions": {"pull_requests": "read"}}}
    desk = begin(tokens=reads)
    an_artifact(desk.artifact)
    done, command = desk.step(OF_PULL), desk.command(OF_PULL)
    assert (done.code, command.code) == (4, 4)
    assert "pull-requests: write" in command.err
    ((name, told),) = [found for found in done.obeyed if found[0] != "add-mask"]
    assert name == "warning"
    assert "pull-requests: write" in told


@pytest.mark.parametrize(("mode", "comments"), [("on", 1), ("changes", 0), ("off", 0)])
def test_the_comments_mode_and_id_are_as_in_a_run(
    begin: Callable[..., Desk], mode: str, comments: int
) -> None:
    desk = begin()
    an_artifact(desk.artifact, a_report())
    done = desk.step(OF_PULL, comment=mode, comment_id="cards")
    assert done.code == 0, done.log
    found = desk.known["comments"]
    assert len(found) == comments
    assert all(comment["body"].startswith("<!-- agent-gate:cards ") for comment in found)


def test_no_token_of_any_known_kind_is_published(begin: Callable[..., Desk]) -> None:
    desk = begin()
    told = replace(a_regression().comparison.cases[0], answer=f"it is {JOB_TOKEN} or ghp_{'a' * 36}")
    an_artifact(desk.artifact, a_regression(cases=(told,)))
    assert desk.step(OF_PULL).code == 0
    assert "it is *** or ***" in desk.comment


def test_without_a_token_the_command_says_what_to_set(begin: Callable[..., Desk]) -> None:
    desk = begin()
    done = desk.command(OF_PULL, GITHUB_TOKEN="")
    assert done.code == 2
    assert "GITHUB_TOKEN is not set" in done.err
    assert "pull-requests: write" in done.err


@pytest.mark.parametrize("given", ["..", "../elsewhere", "/etc", "artifact/../../x"])
def test_a_folder_outside_of_the_workspace_is_no_artifact(begin: Callable[..., Desk], given: str) -> None:
    desk = begin()
    done = desk.step(OF_PULL, publish=given)
    assert done.code == 2
    assert "the input `publish` leads out of the repository" in done.log


def test_an_artifact_that_is_a_link_is_refused(begin: Callable[..., Desk]) -> None:
    desk = begin()
    an_artifact(desk.workspace / "elsewhere")
    desk.artifact.symlink_to("elsewhere")
    assert desk.step(OF_PULL).code == 2
    assert desk.command(OF_PULL).code == 2


def test_the_commands_options_are_the_steps_inputs() -> None:
    options = parser().parse_args(["publish", "folder", "--comment-id", "x"])
    assert (options.run, options.comment, options.comment_id) == ("folder", INPUTS["comment"], "x")
    for mode in COMMENT_MODES:
        assert parser().parse_args(["publish", "--comment", mode]).comment == mode


def test_whatever_became_of_the_comment_there_is_a_sentence_for_it() -> None:
    told = {action: said(CommentResult(action=action)) for action in get_args(Action)}
    assert len(set(told.values())) == len(told)
