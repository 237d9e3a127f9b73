"""Which keys of the config ask less."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config import from_document
from gate.documents import parse
from gate.model.config import Config, Policy, RunConfig
from gate.trust.keys import key_changes, run_in_force, strictest

BASE = "version: 1\nagent: {protocol: replay}\ndataset: g.yaml\n"
policies = st.dictionaries(
    st.sampled_from(["throttled", "coverage"]), st.sampled_from(["fail", "warn", "pass"])
)
runs = st.builds(
    RunConfig,
    trials=st.integers(1, 3),
    trial_timeout_s=st.sampled_from([1.0, 2.0]),
    retries=st.integers(0, 2),
    concurrency=st.integers(1, 3),
)


def a_config(text: str = "") -> Config:
    loaded = from_document(parse(BASE + text, "agent-gate.yml"), Path())
    assert loaded.config, loaded.findings
    return loaded.config


def told(base: str, head: str) -> list[str]:
    document = from_document(parse(BASE + head, "agent-gate.yml"), Path()).document
    changes = key_changes(a_config(base), a_config(head), lambda *path: document.place(path, key=True))
    return [
        f"{c.kind} {c.name}{' !' if c.needs_acceptance else ''}: {c.before} -> {c.after}" for c in changes
    ]


LABEL = "{by: label, label: agent-gate: accept}"
LOOSER: dict[str, tuple[str, str, str]] = {
    "enforce": ("", "enforce: report", "loosened enforce !: block -> report"),
    "policy": ("", "undecided: {coverage: warn}", "loosened undecided.coverage !: fail -> warn"),
    "trials": ("run: {trials: 3}", "run: {trials: 1}", "loosened run.trials !: 3 -> 1"),
    "timeout": ("", "run: {trial_timeout: 3m}", "loosened run.trial_timeout !: 120s -> 180s"),
    "retries": ("", "run: {retries: 4}", "loosened run.retries !: 3 -> 4"),
    "when": ("", "when: {changed: [a]}", "loosened when.changed !:  -> [a]"),
    "strict_publish": ("strict_publish: true", "", "loosened strict_publish !: true -> false"),
    "not_author": (
        "accept: {not_author: true}",
        "",
        f"loosened accept !: {LABEL[:-1]}, not_author: true}} -> {LABEL}",
    ),
    "baseline": ("", "baseline: b.jsonl", "loosened baseline !: golden/baseline.jsonl -> b.jsonl"),
    "branch": (
        "",
        "baseline: {branch: b}",
        "loosened baseline !: golden/baseline.jsonl -> golden/baseline.jsonl of b",
    ),
}


@pytest.mark.parametrize(("base", "head", "expected"), LOOSER.values(), ids=LOOSER)
def test_what_asks_less_waits(base: str, head: str, expected: str) -> None:
    assert told(base, head) == [expected]


@pytest.mark.parametrize(
    "name", ["enforce", "policy", "trials", "timeout", "retries", "when", "strict_publish"]
)
def test_its_opposite_is_in_force_at_once(name: str) -> None:
    base, head, expected = LOOSER[name]
    (line,) = told(head, base)
    assert line.startswith(expected.replace("loosened", "tightened").partition(" !")[0] + ":")


@pytest.mark.parametrize(
    ("base", "head", "looser"),
    [
        (["a"], ["a", "b"], False),
        (["a", "b"], ["a"], True),
        (["a"], ["**"], True),
        ([], ["**"], False),
        (["a"], [], False),
    ],
)
def test_patterns_are_known_to_be_more_where_they_are_a_superset(
    base: list[str], head: list[str], looser: bool
) -> None:
    lines = [f"when: {{changed: {patterns}}}" if patterns else "" for patterns in (base, head)]
    assert [line.startswith("loosened") for line in told(*lines)] == [looser]


@given(policies, policies)
def test_of_two_policies_the_stricter_is_in_force(base: dict[Any, Policy], head: dict[Any, Policy]) -> None:
    order = ("pass", "warn", "fail")
    held = strictest(base, head)
    for cause in {*base, *head}:
        words = [order.index(side.get(cause, "fail")) for side in (base, head, held)]
        assert words[2] == max(words[:2])


@given(runs, runs)
def test_of_two_runs_the_more_thorough_is_in_force_at_the_head_s_pace(
    base: RunConfig, head: RunConfig
) -> None:
    held = run_in_force(base, head)
    assert held.trials == max(base.trials, head.trials)
    assert held.trial_timeout_s == min(base.trial_timeout_s, head.trial_timeout_s)
    assert held.retries == min(base.retries, head.retries)
    assert (
        replace(held, trials=head.trials, trial_timeout_s=head.trial_timeout_s, retries=head.retries) == head
    )
