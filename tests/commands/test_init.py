"""`agent-gate init` in projects of several shapes: what it finds, and what it writes for them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.commands import ROOT, gate, git
from tests.support.shapes import ADK, DOCKERFILE, SHAPES, a_shape

EXAMPLE = ROOT / "examples" / "workflows" / "baseline.yml"


def written(folder: Path) -> Mapping[str, Any]:
    """The workflows by their names."""
    found = sorted((folder / ".github" / "workflows").glob("*.yml"))
    return {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in found}


def steps(workflow: Any) -> list[Any]:
    (job,) = workflow["jobs"].values()
    found: list[Any] = job["steps"]
    return found


def the_gate(workflow: Any) -> Any:
    return next(step for step in steps(workflow) if "/agent-gate" in step.get("uses", ""))


@pytest.mark.parametrize("shape", SHAPES)
def test_what_it_writes_passes_the_check_as_far_as_a_fresh_project_can(tmp_path: Path, shape: str) -> None:
    folder = a_shape(tmp_path, shape)
    done = gate("init", str(folder), cwd=tmp_path)
    assert done.code == 0, done.err
    checked = gate("check", cwd=folder)
    missing = "command-not-found" in checked.out
    assert checked.code == (2 if missing else 0), checked.out
    assert checked.out.count("  error  ") == missing


def test_a_dockerfile_is_built_and_gated_by_the_docker_action(tmp_path: Path) -> None:
    (tmp_path / "card_agent").mkdir()
    (tmp_path / "card_agent" / "agent.py").write_text(ADK, encoding="utf-8")
    (tmp_path / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    done = gate("init", cwd=tmp_path)
    assert "Found an ADK agent in card_agent/ (root_agent, 3 tools) and a Dockerfile." in done.out
    boot = yaml.safe_load((tmp_path / "agent-gate.yml").read_text(encoding="utf-8"))["agent"]["boot"]
    assert (boot["build"], boot["port"]) == (".", 8000)
    workflows = written(tmp_path)
    assert list(workflows) == ["agent-gate-baseline.yml", "agent-gate.yml"]
    for workflow in workflows.values():
        assert the_gate(workflow)["uses"].startswith("OWNER/agent-gate@")
        assert not [step for step in steps(workflow) if "run" in step]


def test_a_langgraph_project_is_started_by_its_own_server(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "langgraph.json").write_text('{"graphs": {"a b": "./a.py:g", "b": "./b.py:g"}}')
    (tmp_path / "requirements.txt").write_text("langgraph\n", encoding="utf-8")
    done = gate("init", cwd=tmp_path)
    assert "Found LangGraph's api/langgraph.json (2 graphs)." in done.out
    agent = yaml.safe_load((tmp_path / "agent-gate.yml").read_text(encoding="utf-8"))["agent"]
    assert (agent["protocol"], agent["app"], agent["boot"]["cwd"]) == ("langgraph", "a b", "api")
    assert agent["boot"]["command"][:3] == ["langgraph", "dev", "--no-browser"]
    assert agent["boot"]["env"]["LANGSMITH_TRACING"] == "false"
    (check, _) = written(tmp_path).values()
    runs = [step["run"] for step in steps(check) if "run" in step]
    assert runs == ["pip install -r requirements.txt", 'pip install "langgraph-cli[inmem]"']
    (tmp_path / "requirements.txt").write_text("langgraph-cli[inmem]\n", encoding="utf-8")
    gate("init", "--force", cwd=tmp_path)
    (check, _) = written(tmp_path).values()
    assert [step["run"] for step in steps(check) if "run" in step] == ["pip install -r requirements.txt"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"graphs": 3}', '{"graphs": {}}', "{" * 100_000, '"\ud800"']
)
def test_what_is_no_langgraph_project_is_not_taken_for_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "langgraph.json").write_text(text, encoding="utf-8", errors="surrogatepass")
    done = gate("init", cwd=tmp_path)
    assert (done.code, "Found no agent framework" in done.out) == (0, True), done.err


def test_graphs_in_javascript_are_served_by_langgraph_js(tmp_path: Path) -> None:
    (tmp_path / "langgraph.json").write_text(
        '{"graphs": {"agent": "./src/graph.ts:graph"}}', encoding="utf-8"
    )
    (tmp_path / "package-lock.json").touch()
    gate("init", cwd=tmp_path)
    agent = yaml.safe_load((tmp_path / "agent-gate.yml").read_text(encoding="utf-8"))["agent"]
    assert agent["boot"]["command"][:3] == ["npx", "@langchain/langgraph-cli", "dev"]
    (check, _) = written(tmp_path).values()
    assert [step["run"] for step in steps(check) if "run" in step] == ["npm ci"]


def test_each_file_is_shown_with_what_it_is_for(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    git(tmp_path, "init", "-q", "-b", "main")
    shown = [line.split("  ") for line in gate("init", cwd=tmp_path).out.splitlines()]
    told = {
        row[0].removeprefix("Wrote").strip() or row[1].strip(): row[-1].strip() for row in map(_cells, shown)
    }
    assert told["golden/first.yaml"] == "2 cases to edit"
    assert told[".github/workflows/agent-gate.yml"] == "the check on pull requests"
    fresh = told[".github/workflows/agent-gate-baseline.yml"]
    assert fresh == "refreshes the baseline on main, by pull request"


def _cells(row: list[str]) -> list[str]:
    return [cell for cell in row if cell.strip()] or [""]


def test_what_needs_the_runners_toolchain_is_set_up_there(tmp_path: Path) -> None:
    (tmp_path / "server.py").touch()
    (tmp_path / "requirements.txt").touch()
    gate("init", cwd=tmp_path)
    for workflow in written(tmp_path).values():
        assert the_gate(workflow)["uses"].startswith("OWNER/agent-gate/on-runner@")
        assert [step["run"] for step in steps(workflow) if "run" in step] == [
            "pip install -r requirements.txt"
        ]


def test_below_the_repositorys_top_the_workflows_are_still_the_repositorys(tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "support bot"
    folder.mkdir(parents=True)
    (folder / "requirements.txt").touch()
    git(tmp_path, "init", "-q", "-b", "trunk")
    done = gate("init", cwd=folder)
    assert "../../.github/workflows/agent-gate-agents-support-bot.yml" in done.out
    assert not (folder / ".github").exists()
    workflows = written(tmp_path)
    check, fresh = (
        workflows["agent-gate-agents-support-bot.yml"],
        workflows["agent-gate-baseline-agents-support-bot.yml"],
    )
    for workflow in (check, fresh):
        assert the_gate(workflow)["with"]["working-directory"] == "agents/support bot"
        assert steps(workflow)[2]["working-directory"] == "agents/support bot"
        assert steps(workflow)[-1]["with"]["path"] == "agents/support bot/out/"
    assert the_gate(check)["with"]["comment-id"] == "agents-support-bot"
    assert fresh[True]["push"] == {
        "branches": ["trunk"],
        "paths": ["agents/support bot/**", "!agents/support bot/golden/baseline.jsonl"],
    }


def test_what_to_do_next_begins_in_the_folder_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "support bot").mkdir()
    assert "Next:  cd 'support bot'\n       agent-gate check" in gate("init", "support bot", cwd=tmp_path).out
    assert "Next:  agent-gate check" in gate("init", "--force", cwd=tmp_path / "support bot").out


def test_two_agents_of_one_repository_do_not_share_a_workflow(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        assert gate("init", name, cwd=tmp_path).code == 0
    assert len(written(tmp_path)) == 4


def test_the_merge_of_a_baseline_starts_no_measurement_of_its_own(tmp_path: Path) -> None:
    gate("init", cwd=tmp_path)
    on = written(tmp_path)["agent-gate-baseline.yml"][True]
    assert on["push"]["paths-ignore"] == ["golden/baseline.jsonl"]


@pytest.mark.parametrize(
    ("commands", "branch"),
    [
        ([("init", "-q", "-b", "main")], "main"),
        ([("init", "-q", "-b", "master"), ("commit", "--allow-empty", "-qm", "x")], "master"),
        (
            [
                ("init", "-q", "-b", "main"),
                ("commit", "--allow-empty", "-qm", "x"),
                ("checkout", "-qb", "topic"),
            ],
            "main",
        ),
        (
            [
                ("init", "-q", "-b", "main"),
                ("commit", "--allow-empty", "-qm", "x"),
                ("update-ref", "refs/remotes/origin/develop", "HEAD"),
                ("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"),
            ],
            "develop",
        ),
        ([], "main"),
    ],
)
def test_the_default_branch_is_found(tmp_path: Path, commands: list[tuple[str, ...]], branch: str) -> None:
    for arguments in commands:
        git(tmp_path, *arguments)
    gate("init", cwd=tmp_path)
    assert written(tmp_path)["agent-gate-baseline.yml"][True]["push"]["branches"] == [branch]


def test_a_workflow_that_is_there_is_not_overwritten_unless_forced(tmp_path: Path) -> None:
    there = tmp_path / ".github" / "workflows" / "agent-gate.yml"
    there.parent.mkdir(parents=True)
    there.write_text("mine", encoding="utf-8")
    done = gate("init", cwd=tmp_path)
    assert done.code == 2
    assert ".github/workflows/agent-gate.yml exists already" in done.err
    assert there.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "agent-gate.yml").exists()
    assert gate("init", "--force", cwd=tmp_path).code == 0
    assert there.read_text(encoding="utf-8") != "mine"


def test_the_example_is_what_it_writes(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(DOCKERFILE, encoding="utf-8")
    gate("init", cwd=tmp_path)
    made = (tmp_path / ".github" / "workflows" / "agent-gate-baseline.yml").read_text(encoding="utf-8")
    assert made == EXAMPLE.read_text(encoding="utf-8")
