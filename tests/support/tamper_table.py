"""A row of the tamper table: what a pull request edits, what is told of it, and what it would hide."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.support.tampering import Judge, Project, accepted, changes_of, told, verdict, with_baseline

Edit = Callable[[Project], None]
WAITS = "undecided needs_acceptance 3"
PASSES = "pass 0"
RED = "regression 1"


@dataclass(frozen=True, slots=True)
class Row:
    """`listed` is one change as `told` says it, `!` at its end where it needs acceptance.

    `hides` names how the agent may be broken so that the head alone would be green; `base` prepares the base.
    """

    does: str
    edit: Edit
    listed: str
    hides: str = ""
    base: Edit | None = None


def both(*edits: Edit) -> Edit:
    def edit(project: Project) -> None:
        for each in edits:
            each(project)

    return edit


def config(old: str, new: str) -> Edit:
    return lambda project: project.edit("agent-gate.yml", old, new)


def golden(file: str, old: str, new: str) -> Edit:
    return lambda project: project.edit(f"golden/{file}", old, new)


def rule(text: str) -> Edit:
    return config("rules:\n", f"rules:\n  {text}\n")


def parametrized(rows: tuple[Row, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=[row.does.replace(" ", "_") for row in rows])


async def on_two_sides(row: Row, project: Project) -> Project:
    """The project with the row's edits, on the base, of which the evidence is made anew, and on the head."""
    if row.base:
        row.base(project)
        await with_baseline(project)
        project.commit()
    row.edit(project)
    return project


async def check_good(row: Row, project: Project) -> None:
    """The agent is as it was: what is loosened waits, all else passes; either way it is told."""
    report = await Judge(await on_two_sides(row, project)).run()
    assert row.listed in list(map(told, changes_of(report)))
    assert verdict(report) == (WAITS if row.listed.endswith("!") else PASSES), report.comparison.reason


async def check_broken(row: Row, project: Project) -> None:
    """The agent is broken in the way that the head would hide: it is not green."""
    judge = Judge(await on_two_sides(row, project))
    hidden = await judge.run(row.hides, accepted)
    assert hidden.comparison.exit_code == 0, "the row hides nothing"
    report = await judge.run(row.hides)
    assert verdict(report) in {WAITS, RED}, report.comparison.reason
    assert row.listed in list(map(told, changes_of(report)))


async def check_accepted(row: Row, project: Project) -> None:
    """Once it is accepted the same pull request is green, by its own bar."""
    report = await Judge(await on_two_sides(row, project)).run(ask=accepted)
    assert verdict(report) == PASSES, report.comparison.reason
    bar = report.comparison.bar
    assert bar
    assert (bar.side, bar.accepted is not None) == ("head", True)
    assert row.listed in list(map(told, bar.changes))


async def check_waits(
    project: Project, listed: str, *, broken: str = "", config: str = "agent-gate.yml"
) -> None:
    """It waits, with this change told; and once accepted it is green."""
    judge = Judge(project, config)
    report = await judge.run(broken)
    assert listed in list(map(told, changes_of(report)))
    assert report.comparison.exit_code in {1, 3}
    assert report.comparison.cause in {None, "needs_acceptance", "baseline_unreadable"}
    assert (await judge.run(ask=accepted)).comparison.exit_code == 0
