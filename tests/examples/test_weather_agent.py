"""The weather example: as it is every case passes, and each switch breaks what it says and nothing else."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gate.model.case import Side
from gate.model.config import CommandBoot
from gate.model.run import TrialRecord
from gate.model.verdict import CaseVerdict, Report
from gate.pipeline import run
from gate.suite import Selection, Suite, prepare

HERE = Path(__file__).parents[2] / "examples" / "weather"

# What a switch turns red, and words of the reason.
RED: Mapping[str, tuple[str, str]] = {
    "skips-tool": ("weather_london", 'expected a call of `get_weather {"city": "London"}`'),
    "wrong-city": ("compare_two_cities", '"Lima"'),
    "loops": ("forecast_tokyo", "called beyond what is expected"),
    "forgets-state": ("and_tomorrow", "`last_city`"),
    "crashes": ("unknown_city", "500 Internal Server Error"),
    "exits": ("crosses_midnight", "exited with 3: `fatal: hour must be in 0..23`"),
    "hangs": ("weather_paris_fahrenheit", "did not end within"),
}
NOT_MEASURED: Mapping[str, set[str]] = {
    "throttled": {"and_tomorrow", "remembers_units"},
    "quota": {"greeting"},
}


class Silent:
    """Watches a run without a word."""

    def planned(self, suite: Suite) -> None:
        pass

    def measured(self, record: TrialRecord, side: Side) -> None:
        pass


async def gated(out: Path, switch: str) -> Report:
    suite = prepare(HERE / "agent-gate.yml", Selection())
    boot = suite.config.agent.boot
    assert isinstance(boot, CommandBoot)
    agent = replace(suite.config.agent, boot=replace(boot, env={"WEATHER_BREAK": switch}))
    limits = replace(suite.config.run, retries=0, trial_timeout_s=2.0 if switch == "hangs" else 30.0)
    suite = replace(suite, config=replace(suite.config, agent=agent, run=limits))
    report, _ = await run(suite, out, Silent())
    return report


def red(report: Report) -> dict[str, CaseVerdict]:
    return {case.id: case for case in report.comparison.cases if case.passed < case.measured}


def not_measured(report: Report) -> set[str]:
    return {case.id for case in report.comparison.cases if not case.measured}


async def test_ten_cases_pass_as_it_is(tmp_path: Path) -> None:
    report = await gated(tmp_path, "")
    assert len(report.comparison.cases) == 10
    assert (red(report), not_measured(report)) == ({}, set())


@pytest.mark.parametrize("switch", RED)
async def test_a_switch_turns_its_case_red_and_no_other(switch: str, tmp_path: Path) -> None:
    report = await gated(tmp_path, switch)
    case, words = RED[switch]
    assert set(red(report)) == {case}
    assert words in " ".join(reason.text for reason in red(report)[case].reasons)
    assert not_measured(report) == set()
    assert report.comparison.exit_code == 1


@pytest.mark.parametrize("switch", NOT_MEASURED)
async def test_a_provider_s_limit_turns_nothing_red(switch: str, tmp_path: Path) -> None:
    report = await gated(tmp_path, switch)
    assert (set(red(report)), not_measured(report)) == (set(), NOT_MEASURED[switch])
    assert report.comparison.exit_code == 3


def test_the_readme_names_every_switch_of_the_agent_with_its_cases() -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \|(.*)$", (HERE / "README.md").read_text(), re.MULTILINE))
    in_agent = set(re.findall(r'"([a-z-]+)" (?:not )?in BREAK', (HERE / "agent.py").read_text()))
    assert set(rows) == in_agent == {*RED, *NOT_MEASURED}
    for switch, (case, _) in RED.items():
        assert f"`{case}`" in rows[switch]
    for switch, cases in NOT_MEASURED.items():
        assert all(f"`{case}`" in rows[switch] for case in cases)
