from dataclasses import replace
from typing import Literal

import pytest

from gate.model.baseline import BaselineFacts
from gate.model.config import AcceptPolicy
from gate.model.run import Commit
from gate.publish.advice import advice
from tests.support.reports import LONDON, LOOSENED, a_bar, a_meta, a_report, needs_acceptance


def quoted(text: str) -> str:
    return f"<{text}>"


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (
            AcceptPolicy(),
            "someone with write access sets the label <agent-gate: accept> on this pull request",
        ),
        (AcceptPolicy(label="ok"), "someone with write access sets the label <ok> on this pull request"),
        (AcceptPolicy(by="review"), "someone with write access approves this pull request in a review"),
        (
            AcceptPolicy(by="review", not_author=True),
            "someone with write access, other than its author, approves this pull request in a review",
        ),
    ],
)
def test_how_to_accept_is_what_the_config_says(policy: AcceptPolicy, words: str) -> None:
    report = needs_acceptance(LOOSENED, bar=a_bar(LOOSENED, accept=policy))
    assert advice(report, quoted) == (
        f"What to do: if this is meant, {words}; a new push asks again. If not, take these changes back."
    )


def test_an_old_report_without_a_bar_names_the_usual_label() -> None:
    assert "<agent-gate: accept>" in advice(a_report("undecided", cause="needs_acceptance"), quoted)


@pytest.mark.parametrize(("verdict", "cause"), [("regression", None), ("undecided", "throttled")])
def test_what_is_first_to_be_done_is_said_first(verdict: str, cause: str | None) -> None:
    plain = advice(a_report(verdict, cause=cause), quoted)
    told = advice(a_report(verdict, cause=cause, bar=a_bar(LOOSENED)), quoted)
    assert told.startswith(plain + " For the changes that need acceptance: if this is meant, someone")


def test_a_pass_asks_for_nothing() -> None:
    assert advice(a_report(bar=a_bar(LOOSENED)), quoted) == ""


def test_a_first_baseline_of_uncommitted_changes_begins_with_a_commit() -> None:
    none = BaselineFacts(state="none", path="golden/baseline.jsonl")
    clean, dirty = (
        advice(a_report(baseline=none, meta=a_meta(commit=Commit(sha="e4f5a6b", dirty=dirty))), quoted)
        for dirty in (False, True)
    )
    assert "commit what changed, run again" not in clean
    assert dirty.startswith("To make the first one: commit what changed, run again, then `agent-gate")


@pytest.mark.parametrize("baseline", ["none", "compared"])
def test_an_agent_that_only_crashed_is_to_be_fixed(
    baseline: Literal["none", "compared"],
) -> None:
    dead = replace(LONDON, outcomes={"crashed": LONDON.measured})
    alive = replace(LONDON, id="alive", outcomes={"crashed": 1, "completed": LONDON.measured - 1})
    facts = BaselineFacts(state=baseline, path="golden/baseline.jsonl")
    crashed, mixed = (
        advice(a_report("regression", cases=cases, baseline=facts), quoted)
        for cases in ((dead,), (dead, alive))
    )
    assert "`agent.log`" in crashed
    assert "case" not in crashed
    assert "what the case expects" in mixed or "edit the case" in mixed
    assert "agent.log" not in mixed
