"""The step judges a pull request from its base, and a person's acceptance lets its own bar decide."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import a_project, commit, edit, gate
from tests.support.github.server import serve
from tests.support.github.state import JOB_TOKEN
from tests.support.pulls import Proposed, propose
from tests.support.step import Finished, Step

pytestmark = pytest.mark.requires("node")

LOOSER = "rules: {cases: {regressed: 9, new_failing: 9}}\n"


class Gate:
    """The step over what the work tree proposes, with a fake GitHub."""

    def __init__(self, project: Path, folder: Path, stack: ExitStack) -> None:
        self.project = project
        self._folder = folder
        self._stack = stack
        self._runs = 0
        self.state = folder / "github.json"

    def propose(self, **known: Any) -> Proposed:
        proposed = propose(self.project)
        self.state.write_text(json.dumps({**proposed.known(), **known}), encoding="utf-8")
        return proposed

    def run(self, proposed: Proposed, **changes: str) -> Finished:
        self._runs += 1
        with serve(0, self.state) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            url = f"http://127.0.0.1:{server.server_port}"
            env = {"GITHUB_API_URL": url, "GITHUB_GRAPHQL_URL": f"{url}/graphql", **proposed.env, **changes}
            step = Step(self.project, self._folder / f"runner{self._runs}")
            try:
                return step.run(event=proposed.event, env=env, github_token=JOB_TOKEN)
            finally:
                server.shutdown()
                thread.join()

    @property
    def comments(self) -> list[str]:
        state = json.loads(self.state.read_text(encoding="utf-8"))
        assert state["violations"] == []
        return [comment["body"] for comment in state["comments"]]


@pytest.fixture
def pull(tmp_path: Path) -> Iterator[Gate]:
    """A project whose main has a baseline, and the gate over what is proposed to it."""
    project = a_project(tmp_path / "workspace")
    assert gate("run", cwd=project).code == 0
    assert gate("baseline", "accept", cwd=project).code == 0
    commit(project, "the baseline")
    with ExitStack() as stack:
        yield Gate(project, tmp_path, stack)


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_a_change_that_leaves_the_bar_alone_passes_against_its_base(pull: Gate) -> None:
    add(pull.project / "README.md", "words\n")
    proposed = pull.propose()
    done = pull.run(proposed)
    assert done.code == 0, done.log
    report = json.loads((pull.project / "out" / "run.json").read_text(encoding="utf-8"))["report"]
    assert report["meta"]["head"] == proposed.head
    assert report["comparison"]["bar"] == {"base": proposed.base, "branch": "main"}


def test_a_loosened_rule_waits_for_acceptance_and_says_what_it_is(pull: Gate) -> None:
    add(pull.project / "agent-gate.yml", LOOSER)
    done = pull.run(pull.propose())
    assert done.code == 3, done.log
    assert done.outputs["verdict"] == "undecided"
    (comment,) = pull.comments
    assert "needs acceptance" in comment
    assert "rules.cases" in comment


def test_the_agent_cannot_be_broken_behind_a_loosened_rule(pull: Gate) -> None:
    add(pull.project / "agent-gate.yml", LOOSER)
    edit(pull.project / "agent-gate.yml", 'WEATHER_BREAK: ""', "WEATHER_BREAK: skips-tool")
    done = pull.run(pull.propose())
    assert done.code == 3, done.log
    assert "weather_london" in pull.comments[0]


def test_a_base_that_is_not_in_the_checkout_is_undecided_and_says_what_to_do(
    pull: Gate, tmp_path: Path
) -> None:
    proposed = pull.propose()
    shallow = tmp_path / "shallow"
    from tests.support.commands import git

    git(tmp_path, "clone", "-q", "--depth=1", "--no-local", f"file://{pull.project}", str(shallow))
    pull.project = shallow
    done = pull.run(proposed)
    assert done.code == 3, done.log
    assert done.outputs["verdict"] == "undecided"
    assert "fetch-depth: 0" in done.summary
