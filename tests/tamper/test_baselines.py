"""The tamper table: the evidence that a pull request is compared with."""

import json

from tests.support.commands import git
from tests.support.tamper_table import (
    WAITS,
    Row,
    check_accepted,
    check_broken,
    check_good,
    check_waits,
    config,
    parametrized,
)
from tests.support.tampering import Judge, Project, changes_of, told, verdict

BASELINE = "golden/baseline.jsonl"


def replaced(project: Project) -> None:
    """Evidence of a bad agent: nothing can be worse."""
    lines = [json.loads(line) for line in project.text(BASELINE).splitlines()]
    for line in lines[1:]:
        line["runs"] = {run: [0.0 for _ in samples] for run, samples in line["runs"].items()}
    project.write(BASELINE, "".join(json.dumps(line) + "\n" for line in lines))


def pooled(project: Project) -> None:
    """Evidence of a bad agent beside the good one."""
    lines = [json.loads(line) for line in project.text(BASELINE).splitlines()]
    lines[0]["runs"].append({**lines[0]["runs"][0], "run": "bad"})
    for line in lines[1:]:
        line["runs"]["bad"] = [0.0] * 80
    project.write(BASELINE, "".join(json.dumps(line) + "\n" for line in lines))


def emptied(project: Project) -> None:
    """A run that is said to have been, and nothing of it."""
    project.write(BASELINE, project.text(BASELINE).splitlines()[0] + "\n")


def forgotten(project: Project) -> None:
    git(project.folder, "rm", "-q", BASELINE)


def lfs(project: Project) -> None:
    project.write(BASELINE, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    project.commit()


def relative(project: Project) -> None:
    """Only what is held against the baseline can be red."""
    text = project.text().partition("rules:\n")[0]
    project.write("agent-gate.yml", f"{text}rules:\n  cases: {{regressed: 0}}\n  calls: {{max_drop: 0.05}}\n")


BASELINES = (
    Row(
        "replaces the baseline",
        replaced,
        "baseline changed golden/baseline.jsonl !",
        "no_units",
        base=relative,
    ),
    Row(
        "pools a bad run into the baseline",
        pooled,
        "baseline changed golden/baseline.jsonl !",
        "no_units",
        base=relative,
    ),
    Row(
        "leaves a baseline without a line",
        emptied,
        "baseline changed golden/baseline.jsonl !",
        "no_units",
        base=relative,
    ),
    Row(
        "removes the baseline from git",
        forgotten,
        "baseline removed golden/baseline.jsonl !",
        "no_units",
        base=relative,
    ),
    Row(
        "reads the baseline elsewhere",
        config("version: 1\n", "version: 1\nbaseline: none.jsonl\n"),
        "baseline loosened baseline !",
        "no_units",
        base=relative,
    ),
)


@parametrized(BASELINES)
async def test_another_baseline_waits_and_is_told(row: Row, project: Project) -> None:
    await check_good(row, project)


@parametrized(BASELINES)
async def test_another_baseline_does_not_hide_a_broken_agent(row: Row, project: Project) -> None:
    await check_broken(row, project)


@parametrized(BASELINES)
async def test_another_baseline_is_merged_once_it_is_accepted(row: Row, project: Project) -> None:
    await check_accepted(row, project)


async def test_a_baseline_of_a_branch_that_is_not_there_waits(project: Project) -> None:
    project.edit("agent-gate.yml", "version: 1\n", "version: 1\nbaseline: {branch: mine}\n")
    report = await Judge(project).run()
    assert (verdict(report), "baseline loosened baseline !") == (WAITS, told(changes_of(report)[0]))


async def test_a_baseline_in_place_of_one_that_nobody_can_read_waits(project: Project) -> None:
    good = project.text(BASELINE)
    lfs(project)
    project.edit("agent-gate.yml", "{throttled: warn}", "{throttled: warn, baseline_unreadable: warn}")
    project.commit()
    project.write(BASELINE, good)
    await check_waits(project, "baseline changed golden/baseline.jsonl !")


async def test_a_deleted_baseline_is_told(project: Project) -> None:
    (project.folder / BASELINE).unlink()
    report = await Judge(project).run()
    assert (verdict(report), told(changes_of(report)[0])) == (
        WAITS,
        "baseline removed golden/baseline.jsonl !",
    )
