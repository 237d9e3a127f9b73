"""`agent-gate baseline`: what may become evidence, and what is shown of it."""

from pathlib import Path

import pytest

from gate.results import read_run
from tests.support.commands import commit, edit, gate


def accept(project: Path, *arguments: str) -> tuple[int, str]:
    done = gate("baseline", "accept", *arguments, cwd=project)
    return done.code, done.out + done.err


def test_a_green_run_is_accepted_and_pooled_with_the_ones_before(project: Path) -> None:
    for number in (1, 2):
        gate("run", cwd=project)
        code, said = accept(project)
        assert code == 0, said
        assert f"{number} run" in said
        commit(project, "baseline")
    shown = gate("baseline", "show", cwd=project)
    assert "golden/baseline.jsonl: 2 runs" in shown.out
    assert "weather_london" in shown.out
    assert "2 of 2" in shown.out


def test_without_a_baseline_show_says_how_to_make_one(project: Path) -> None:
    done = gate("baseline", "show", cwd=project)
    assert done.code == 0
    assert "agent-gate baseline accept" in done.out


def test_a_red_run_is_refused_until_there_is_a_reason_which_is_kept(project: Path) -> None:
    gate("run", "--env", "WEATHER_BREAK=skips-tool", cwd=project)
    code, said = accept(project)
    assert code == 2
    assert "it is red" in said
    assert "--env WEATHER_BREAK=skips-tool" in said
    assert not (project / "golden/baseline.jsonl").exists()
    code, _ = accept(project, "--because", "London moved")
    assert code == 0
    assert "London moved" in gate("baseline", "show", cwd=project).out


def test_the_files_of_a_run_that_somebody_committed_are_no_changes_of_the_agent(project: Path) -> None:
    (project / ".gitignore").unlink(missing_ok=True)
    gate("run", cwd=project)
    commit(project, "all of it, out/ too")
    gate("run", cwd=project)
    assert accept(project)[0] == 0


def test_another_file_in_the_folder_of_a_run_is_a_change(project: Path) -> None:
    (project / ".gitignore").unlink(missing_ok=True)
    (project / "out").mkdir(exist_ok=True)
    (project / "out" / "notes.txt").write_text("a", encoding="utf-8")
    commit(project, "notes")
    (project / "out" / "notes.txt").write_text("b", encoding="utf-8")
    gate("run", cwd=project)
    code, said = accept(project)
    assert code == 2
    assert "uncommitted changes" in said


def test_a_run_of_uncommitted_changes_is_refused(project: Path) -> None:
    edit(project / "agent.py", "import argparse", "import argparse  # changed")
    gate("run", cwd=project)
    code, said = accept(project)
    assert code == 2
    assert "uncommitted changes" in said
    assert "Commit them, and run again." in said


def test_the_same_run_counts_once(project: Path) -> None:
    gate("run", cwd=project)
    accept(project)
    before = (project / "golden/baseline.jsonl").read_text(encoding="utf-8")
    accept(project)
    assert (project / "golden/baseline.jsonl").read_text(encoding="utf-8") == before


@pytest.mark.parametrize("name", ["nowhere", "golden/weather.json"])
def test_what_is_no_run_cannot_be_accepted(project: Path, name: str) -> None:
    code, said = accept(project, name)
    assert code == 2
    assert name in said


def test_an_edited_case_is_changed_and_said_to_be_so(project: Path) -> None:
    gate("run", cwd=project)
    accept(project)
    commit(project, "baseline")
    edit(project / "golden/weather.yaml", "contains: [14 °C, cloudy]", "contains: [14 °C, cloudy, London]")
    done = gate("run", cwd=project)
    assert done.code == 0, done.out
    verdicts = {case.id: case.klass for case in read_run(project / "out").report.comparison.cases}
    assert verdicts["weather_london"] == "changed"
    assert verdicts["greeting"] == "unchanged"
    assert "changed" in done.out


def test_a_removed_case_is_listed(project: Path) -> None:
    gate("run", cwd=project)
    accept(project)
    commit(project, "baseline")
    edit(project / "golden/weather.yaml", "  - id: greeting", "  - id: hello")
    done = gate("run", cwd=project)
    verdicts = {case.id: case.klass for case in read_run(project / "out").report.comparison.cases}
    assert (verdicts["greeting"], verdicts["hello"]) == ("removed", "new")
    assert "greeting" in done.out
