"""Which pull requests need not be measured."""

import json
from pathlib import Path

import pytest

from gate.git import head_of
from gate.model.bar import Revision
from gate.suite import Sides, passed_over
from tests.support.commands import a_project, commit, edit, git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = a_project(tmp_path / "project")
    edit(project / "agent-gate.yml", "version: 1\n", "version: 1\nwhen: {changed: [agent.py, prompts/**]}\n")
    (project / "notes").mkdir()
    (project / "notes/a.md").write_text("a", encoding="utf-8")
    commit(project, "measured for agent.py")
    return project


def why(project: Path, config: str = "agent-gate.yml") -> str:
    return passed_over(project / config, Sides(base=Revision(commit=head_of(project))))


def write(project: Path, name: str) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "# changed\n" + (path.read_text(encoding="utf-8") if path.exists() else ""), encoding="utf-8"
    )


@pytest.mark.parametrize("name", ["notes/a.md", "notes/new.md", "README.md", "other/agent.py"])
def test_what_matches_nothing_is_passed_over(name: str, project: Path) -> None:
    write(project, name)
    assert why(project) == "none of the 1 file that this pull request changes matches `when.changed`"


@pytest.mark.parametrize(
    "name", ["agent.py", "prompts/a/b.md", "golden/new.yaml", "golden/baseline.jsonl", "agent-gate.yml"]
)
def test_what_matches_is_measured_and_so_is_what_the_check_is_made_of(name: str, project: Path) -> None:
    write(project, name)
    assert why(project) == ""


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("agents/**", "agents/chat/.env"),
        ("agents/*", "agents/.env"),
        ("agents/**/*.md", "agents/.prompts/a.md"),
        ("agents", "agents/chat/agent.py"),
        ("agents/", "agents/chat/agent.py"),
        ("/agents/**", "agents/chat/agent.py"),
        ("./agents", "agents/.env"),
        (".", "notes/a.md"),
        ("**", ".env"),
    ],
)
def test_a_pattern_means_hidden_files_and_whole_folders_too(pattern: str, name: str, project: Path) -> None:
    edit(project / "agent-gate.yml", "[agent.py, prompts/**]", f'[{json.dumps(pattern)}, "agent.py"]')
    commit(project, "patterns")
    write(project, name)
    assert why(project) == ""


@pytest.mark.parametrize("pattern", ["agnets/**", "../agents/**", "AGENT.PY"])
def test_patterns_that_mean_no_file_at_all_are_a_mistake_so_everything_is_measured(
    pattern: str, project: Path
) -> None:
    edit(project / "agent-gate.yml", "[agent.py, prompts/**]", json.dumps([pattern]))
    commit(project, "patterns")
    write(project, "notes/a.md")
    assert why(project) == ""


def test_a_file_that_is_reached_through_a_link_counts(project: Path) -> None:
    edit(project / "agent-gate.yml", "[agent.py, prompts/**]", "[agent.py, agents/**]")
    write(project, "shared/tools.py")
    (project / "agents").mkdir()
    (project / "agents/shared").symlink_to("../shared")
    commit(project, "a link")
    write(project, "shared/tools.py")
    assert why(project) == ""
    git(project, "checkout", "-q", ".")
    base = head_of(project)
    write(project, "shared/new.py")
    commit(project, "one more behind the link")
    assert passed_over(project / "agent-gate.yml", Sides(base=Revision(commit=base))) == ""


def test_the_base_s_patterns_decide(project: Path) -> None:
    edit(project / "agent-gate.yml", "agent.py, prompts/**", "Dockerfile")
    commit(project, "less")
    edit(project / "agent-gate.yml", "Dockerfile", "agent.py")
    write(project, "notes/a.md")
    assert why(project) == ""


def test_a_file_that_was_moved_away_counts_by_its_old_name(project: Path) -> None:
    (project / "agent.py").rename(project / "notes/agent.txt")
    assert why(project) == ""


def test_without_patterns_everything_is_measured(tmp_path: Path) -> None:
    project = a_project(tmp_path / "project")
    write(project, "notes/a.md")
    assert why(project) == ""


def test_a_config_that_was_renamed_is_measured(project: Path) -> None:
    (project / "agent-gate.yml").rename(project / "gate.yml")
    assert why(project, "gate.yml") == ""


def test_golden_files_behind_a_link_count_by_their_own_name(project: Path) -> None:
    (project / "golden").rename(project / "cases")
    (project / "golden").symlink_to("cases")
    commit(project, "linked")
    write(project, "notes/a.md")
    assert why(project) != ""
    for name in sorted((project / "cases").glob("*.yaml")):
        write(project, f"cases/{name.name}")
        assert why(project) == ""
        git(project, "checkout", "-q", "--", "cases")
    write(project, "cases/new.yaml")
    assert why(project) == ""


@pytest.mark.parametrize("pattern", ["prompts/**", "prompts/inner/**", "prompts/inner/*.md"])
def test_a_submodule_that_moved_counts_though_its_own_settings_hide_it(pattern: str, project: Path) -> None:
    edit(project / "agent-gate.yml", "prompts/**", pattern)
    inner = project.parent / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    git(inner, "commit", "-q", "--allow-empty", "-m", "one")
    git(
        project,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(inner),
        "prompts/inner",
    )
    git(project, "config", "-f", ".gitmodules", "submodule.prompts/inner.ignore", "all")
    commit(project, "submodule")
    git(project / "prompts/inner", "commit", "-q", "--allow-empty", "-m", "two")
    assert why(project) == ""
