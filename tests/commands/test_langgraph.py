"""The command line on a LangGraph project: init, then run against the server that init's config starts."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.support.commands import Done, gate
from tests.support.langgraph_server import GRAPHS, OFFLINE, langgraph_command

# The first test makes the server's environment.
pytestmark = pytest.mark.timeout(600)
GOLDEN = """\
cases:
  - id: approval
    turns:
      - user: approval
        expect: {nodes: [router, approval], pauses: approval, calls: none}
      - answer: {approval: {input: {sure: true}}}
        expect: {pauses: approval}
      - answer: {approval: approve}
        expect: {contains: ["first {'sure': True}, second 'approve'"], pauses: none}
  - id: both
    turns:
      - user: both
        expect: {nodes: [router, both], pauses: [one, two]}
      - answer: {one: a, two: b}
        expect: {nodes: [{parallel: [one, two]}, joined], state: {log: [router, both, "one 'a'", "two 'b'"]}}
  - id: review
    turns:
      - user: delete
        expect: {calls: [{name: delete_file, args: {path: /a}}], pauses: delete_file}
      - answer: {delete_file: reject}
        expect: {nodes: [tools, done], contains: [Done]}
  - id: weather
    start_state: {city: Rome}
    user: weather
    expect:
      calls: [{name: look_up, args: {city: Paris, days: 2}}, {name: look_up, args: {city: Oslo, days: 2}}]
      nodes: [router, weather, tools, done]
      state: {city: Rome}
"""


def path() -> Mapping[str, str]:
    """Where `langgraph` is found, as in a project's own environment."""
    return {"PATH": os.pathsep.join((os.environ["PATH"], str(Path(langgraph_command()).parent)))}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    shutil.copytree(GRAPHS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def run(project: Path, *flags: str, **options: object) -> Done:
    """Run the suite with what init wrote; `options` are the block of the protocol."""
    assert gate("init", "--force", cwd=project).code == 0
    (project / "golden" / "first.yaml").write_text(GOLDEN, encoding="utf-8")
    file = project / "agent-gate.yml"
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    config["agent"]["boot"]["env"] |= OFFLINE
    config["agent"]["langgraph"] = options
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    return gate("run", *flags, cwd=project, env=path())


def test_a_graph_is_gated_by_the_config_that_init_writes(project: Path) -> None:
    done = run(project, "--strict")
    assert done.code == 0, done.out + done.err


def test_a_graph_that_looks_up_another_city_is_red(project: Path) -> None:
    graph = project / "graph.py"
    text = graph.read_text(encoding="utf-8")
    assert '{"city": "Oslo", "days": 2}' in text
    graph.write_text(
        text.replace('{"city": "Oslo", "days": 2}', '{"city": "Rome", "days": 2}'), encoding="utf-8"
    )
    done = run(project)
    assert done.code == 1, done.out + done.err
    assert "weather" in done.out + done.err


def test_a_run_that_is_waited_for_measures_all_but_nodes(project: Path) -> None:
    done = run(project, streaming=False)
    assert done.code == 3, done.out + done.err
    assert "the protocol does not expose graph nodes" in done.out + done.err


def test_an_unknown_graph_is_undecided_with_those_that_are_there(project: Path) -> None:
    config = project / "langgraph.json"
    config.write_text(config.read_text(encoding="utf-8").replace('"agent"', '"assistant"'), encoding="utf-8")
    assert gate("init", cwd=project).code == 0
    file = project / "agent-gate.yml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("app: assistant", "app: agent"), encoding="utf-8"
    )
    done = gate("run", cwd=project, env=path())
    assert done.code == 3, done.out + done.err
    assert "no graph 'agent'; it has: answers, assistant" in done.out + done.err
