"""The words of the pull request that brings evidence."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.baseline import Baseline, BaselineLine, BaselineRun
from gate.model.config import AcceptPolicy
from gate.publish.baseline import Step, body, message, title
from tests.support.goldens import Golden
from tests.support.hostile import in_code, skeleton
from tests.support.reports import situations
from tests.support.runs import samples

PASSED = situations()["pass"]
URL = "https://github.com/acme/agent/actions/runs/4711/attempts/1"


def a_run(number: int, name: str = "") -> BaselineRun:
    return BaselineRun(
        run=name or f"run{number}",
        commit=f"{number}a1b2c3d4e5f6a7b8",
        date=f"2026-11-{number:02}T06:00:00+00:00",
    )


def a_baseline(*runs: BaselineRun, calls: float = 1.0, metric: str = "calls") -> Baseline:
    lines = {
        ("a", name): BaselineLine(
            case="a", metric=name, key="k", runs={run.run: samples([number]) for run in runs}
        )
        for name, number in {metric: calls, "latency_ms": 2100.0}.items()
    }
    return Baseline(runs=runs, lines=lines)


def a_step(name: str = "") -> Step:
    before = a_baseline(a_run(1), a_run(2))
    return Step(
        before=before,
        after=a_baseline(a_run(1), a_run(2), a_run(3, name), calls=0.9),
        path="golden/baseline.jsonl",
    )


def test_it_says_which_runs_what_moves_and_what_to_do(golden: Golden) -> None:
    text = f"{title(a_step())}\n\n{body(PASSED, a_step(), URL)}"
    golden("baseline/pull_request.md", text)


def test_a_first_baseline_moves_nothing(golden: Golden) -> None:
    step = Step(before=None, after=a_baseline(a_run(1)), path="golden/baseline.jsonl")
    golden("baseline/first.md", f"{title(step)}\n\n{body(situations()['pass_first'], step, URL)}")


def test_it_says_who_accepts_it_as_the_config_has_it() -> None:
    step = replace(a_step(), accept=AcceptPolicy(label="ok | <b>"))
    assert "takes the label `ok | <b>`, set by somebody with write access" in body(PASSED, step, URL)
    reviewed = replace(a_step(), accept=AcceptPolicy(by="review"))
    assert "takes an approving review of the last commit" in body(PASSED, reviewed, URL)


def test_a_commit_says_which_run_it_is_of() -> None:
    text = message(PASSED, URL)
    assert text.startswith("Baseline: run 4711-1 of e4f5a6b7c8d9\n\nVerdict: pass; ")
    assert text.endswith(f"{URL}\n")


@pytest.mark.parametrize(
    "name", ["@octocat", "a | b", "<img src=x>", "[x](https://e.example)", "`", "a\n\n# b"]
)
def test_what_a_baseline_holds_stays_in_code(name: str) -> None:
    tame = body(PASSED, a_step("tame"), URL)
    assert skeleton(body(PASSED, a_step(name), URL)) == skeleton(tame)


@given(st.text(min_size=1, max_size=40))
def test_no_text_of_a_baseline_changes_the_shape(name: str) -> None:
    found = body(PASSED, a_step(f"x{name}"), URL)
    assert skeleton(found) == skeleton(body(PASSED, a_step("tame"), URL))
    assert in_code(found)
