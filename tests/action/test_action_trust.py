"""The step judges a pull request from its base, and a person's acceptance lets its own bar decide."""

import json
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import a_project, commit, edit, gate, git
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

    def propose(self) -> Proposed:
        proposed = propose(self.project)
        self.know(proposed.known())
        return proposed

    def know(self, state: dict[str, Any]) -> None:
        self.state.write_text(json.dumps(state), encoding="utf-8")

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
    shutil.rmtree(project / "out")
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


def test_a_base_that_is_not_in_the_checkout_is_undecided_with_what_to_do(pull: Gate, tmp_path: Path) -> None:
    proposed = pull.propose()
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", "--no-local", f"file://{pull.project}", str(shallow))
    pull.project = shallow
    done = pull.run(proposed)
    assert done.code == 3, done.log
    assert done.outputs["verdict"] == "undecided"
    assert "fetch-depth: 0" in done.summary


def test_without_git_nothing_is_green(pull: Gate, tmp_path: Path) -> None:
    proposed = pull.propose()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    done = pull.run(proposed, PATH=str(tmp_path / "bin"))
    assert done.code == 3, done.log
    assert "cannot be read" in done.summary


def test_a_label_of_somebody_who_may_write_lets_the_pull_requests_own_bar_decide(pull: Gate) -> None:
    add(pull.project / "agent-gate.yml", LOOSER)
    proposed = pull.propose()
    pull.know(proposed.accepted(by="ann"))
    done = pull.run(proposed)
    assert done.code == 0, done.log
    assert "`ann`" in pull.comments[0]
    assert "rules.cases" in pull.comments[0]


def test_a_label_of_somebody_who_may_not_write_accepts_nothing_and_says_so(pull: Gate) -> None:
    add(pull.project / "agent-gate.yml", LOOSER)
    proposed = pull.propose()
    pull.know({**proposed.accepted(by="mallory"), "collaborators": {"mallory": "triage"}})
    done = pull.run(proposed)
    assert done.code == 3, done.log
    assert "mallory" in pull.comments[0]


def test_what_is_accepted_still_has_to_hold(pull: Gate) -> None:
    """A new text of a case is accepted, and the agent does not meet it."""
    edit(pull.project / "golden" / "weather.yaml", "contains: [14 °C, cloudy]", "contains: [99 °C, cloudy]")
    proposed = pull.propose()
    pull.know(proposed.accepted())
    done = pull.run(proposed)
    assert done.code == 1, done.log


def test_an_agent_that_changed_with_its_case_is_merged_by_a_label(pull: Gate) -> None:
    edit(pull.project / "agent.py", "get_weather", "look_up_weather")
    golden = pull.project / "golden" / "weather.yaml"
    golden.write_text(golden.read_text(encoding="utf-8").replace("get_weather", "look_up_weather"), "utf-8")
    proposed = pull.propose()
    done = pull.run(proposed)
    assert done.code == 3, done.log
    assert "needs acceptance" in pull.comments[0]
    pull.know({**proposed.accepted(), "comments": json.loads(pull.state.read_text("utf-8"))["comments"]})
    done = pull.run(proposed, GITHUB_RUN_ATTEMPT="2")
    assert done.code == 0, done.log
    (comment,) = pull.comments
    assert "`ann`" in comment


def test_an_irrelevant_pull_request_passes_at_once_without_a_comment(pull: Gate) -> None:
    git(pull.project, "switch", "-q", "main")
    add(pull.project / "agent-gate.yml", 'when: {changed: ["*.py", "prompts/**"]}\n')
    commit(pull.project, "when")
    add(pull.project / "README.md", "words\n")
    done = pull.run(pull.propose())
    assert done.code == 0, done.log
    assert done.outputs["verdict"] == "pass"
    assert "when.changed" in done.summary
    assert pull.comments == []
    assert not (pull.project / "out" / "run.json").exists()


def test_what_the_check_is_about_is_never_irrelevant(pull: Gate) -> None:
    add(pull.project / "agent-gate.yml", 'when: {changed: ["prompts/**"]}\n')
    commit(pull.project, "when")
    edit(pull.project / "golden" / "weather.yaml", "contains: [14 °C, cloudy]", "contains: [14 °C]")
    done = pull.run(pull.propose())
    assert done.code == 3, done.log
