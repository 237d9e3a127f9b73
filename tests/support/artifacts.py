"""Artifacts of runs: what a job uploads, with any report in it."""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from gate.model.agent import AgentFacts, AgentPart
from gate.model.bar import Acceptance, Bar, BarChange
from gate.model.baseline import BaselineFacts
from gate.model.case import Quarantine
from gate.model.config import Amount
from gate.model.finding import Place
from gate.model.judge import AnchorReading, Disagreement
from gate.model.run import Commit
from gate.model.verdict import ByBase, Coverage, Reason, Report
from gate.results import RUN_FILE, Results
from tests.support.github.state import HEAD
from tests.support.reports import (
    LONDON,
    TEST_BROKE,
    TESTS_RULE,
    TRACK,
    a_case_verdict,
    a_health,
    a_meta,
    a_reading,
    a_regression,
    a_report,
    a_rule,
    a_rule_verdict,
    a_summary,
    a_test,
    case_rules,
)
from tests.support.runs import a_metric

PLACE = Place(file="golden/a.yaml", line=3, column=1)


def an_artifact(folder: Path, report: Report | None = None, *, head: str = HEAD) -> Path:
    """A folder as `actions/download-artifact` leaves it; without a report, of a regression."""
    found = report or a_regression()
    with Results(folder) as results:
        results.write_run(replace(found, meta=replace(found.meta, head=head)), ())
    return folder


def as_json(folder: Path) -> Any:
    return json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))


def full_reports() -> dict[str, Report]:
    """Reports of three verdicts; together every field that may hold text holds some."""
    case: dict[str, Any] = {
        "quarantine": Quarantine(owner="ann", reason="flaky", until=date(2027, 1, 31)),
        "by_base": ByBase(
            passed=0, measured=3, planned=3, reasons=(Reason(metric="m", where="w", text="t"),)
        ),
        "changed": ("calls",),
        "calls": ("search {}",),
        "unscored": {"tokens": "not exposed"},
        "metrics": {"calls": 0.5},
        "outcomes": {"completed": 1, "throttled": 2},
        "reasons": LONDON.reasons,
        "answer": "It is 14 degrees.",
    }
    change = BarChange(
        subject="rule",
        kind="loosened",
        name="rules.calls",
        before="0.1",
        after="0.2",
        note="why",
        needs_acceptance=True,
        place=PLACE,
    )
    bar = Bar(
        base="ba5e" * 10,
        branch="main",
        behind=2,
        side="base",
        changes=(change,),
        accepted=Acceptance(by="ann", how="label", at="2026-11-30T06:00:00Z", head=HEAD),
        not_accepted="too early",
    )
    rule = a_rule("calls", max_drop=Amount(value=0.1), by="category", counts={"regressed": 0}, place=PLACE)
    known: dict[str, Any] = {
        "reason": "calls",
        "cause": "throttled",
        "bar": bar,
        "rules": (
            *case_rules(2),
            a_rule_verdict(TESTS_RULE, "regression", scope="regressed", value=1.0),
            a_rule_verdict(
                rule,
                "undecided",
                scope="category",
                cause="coverage",
                reason="r",
                value=0.5,
                baseline=0.9,
                coverage=Coverage(cases=2, measured=1, trials=6, unscored={"throttled": 3}),
            ),
            a_rule_verdict(replace(rule, level="warn"), "regression", reason="r", value=0.5, baseline=0.9),
        ),
        "metrics": (a_summary("calls", 0.9, 0.5, unscored={"throttled": 3}),),
        "metrics_used": (a_metric("calls", unit="x"),),
        "undecided": {"throttled": "warn"},
        "cases": (
            *(
                a_case_verdict(f"case_{klass}", klass, passed=passed, failing=not passed, **case)
                for klass, passed in (
                    *(("regressed", 0), ("new", 0), ("new", 1), ("fixed", 1), ("removed", 0), ("changed", 1)),
                    *(("changed", 0), ("unchanged", 1), ("undecided", 0), ("quarantined", 0)),
                )
            ),
            a_test("TestSave", "regressed", **TEST_BROKE),
            a_test("TestGone", "removed"),
        ),
        "judges": (
            a_health("changed", "it judged 5 of 20 anchors otherwise"),
            a_health("unknown", metric="tone"),
        ),
        "disagreements": (Disagreement(case="case_new", metric="answer", says="no", trials=3, measured=3),),
        "readings": (a_reading(reported=("m-1",), anchors=(AnchorReading(anchor="a", key="k", label=1.0),)),),
        "baseline": BaselineFacts(
            state="compared",
            path="golden/baseline.jsonl",
            runs=2,
            commit="a1b2c3d",
            branch="main",
            date="2026-11-28T06:00:00Z",
            problem="none",
        ),
        "meta": a_meta(
            head=HEAD,
            env=("A=b",),
            selection=("--case a",),
            hint="look",
            retries=2,
            tracks=(TRACK,),
            agent=AgentFacts(
                name="cards",
                server="adk-python 2.13.0",
                agents=(AgentPart(name="cards", description="d", instruction="i", tools=("save",)),),
            ),
            commit=Commit(sha="e4f5a6b7", branch="topic", date="2026-11-30T06:50:00Z", dirty=True),
        ),
    }
    down = {**known, "cause": "agent_down"}
    down["meta"] = replace(known["meta"], agent_down="it exited", log_tail="Traceback", measured_trials=0)
    unread = replace(known["baseline"], state="unreadable")
    return {
        "regression": a_report("regression", **known),
        "pass": a_report("pass", **known),
        "undecided": a_report("undecided", **known),
        "unreadable": a_report("undecided", **{**known, "cause": "baseline_unreadable", "baseline": unread}),
        "not_comparable": a_report("undecided", **{**known, "cause": "not_comparable", "cases": ()}),
        "agent_down": a_report("undecided", **down),
    }


def text_fields(record: type) -> Iterator[tuple[str, str]]:
    """Every field below a record that may hold free text, by the name of its class."""
    for name, hint in get_type_hints(record).items():
        for kind in _kinds(hint):
            if kind is str:
                yield record.__name__, name
            elif is_dataclass(kind):
                yield from text_fields(kind)  # type: ignore[arg-type]  # a class, not an instance


def _kinds(hint: Any) -> Iterator[Any]:
    if get_args(hint) and "Literal" not in str(get_origin(hint)):
        for part in get_args(hint):
            yield from _kinds(part)
    else:
        yield hint


def filled(value: Any) -> Iterator[tuple[str, str]]:
    """The fields of a record, and of all below it, that hold something."""
    if is_dataclass(value):
        for field in fields(value):
            held = getattr(value, field.name)
            if held:
                yield type(value).__name__, field.name
            yield from filled(held)
    elif isinstance(value, tuple):
        for item in value:
            yield from filled(item)


Spot = tuple[str | int, ...]


def spots(value: Any, kind: type | tuple[type, ...], at: Spot = ()) -> Iterator[Spot]:
    """Where a JSON value holds one of a kind; of a mapping's keys too, marked by a last "key"."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from spots(item, kind, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from spots(item, kind, (*at, index))
    elif isinstance(value, kind) and not isinstance(value, bool):
        yield at


def keys_of_mappings(value: Any, at: Spot = ()) -> Iterator[Spot]:
    """The keys of those objects that are mappings of names, as spots."""
    free = ("counts", "metrics", "outcomes", "unscored", "undecided")
    if isinstance(value, dict):
        for key, item in value.items():
            if at and at[-1] in free:
                yield (*at, key)
            yield from keys_of_mappings(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from keys_of_mappings(item, (*at, index))


def changed(value: Any, spot: Spot, new: Any, *, key: bool = False) -> Any:
    """A copy in which the value at a spot (or the key itself) is another."""
    if not spot:
        return new
    first, rest = spot[0], spot[1:]
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if key and not rest:
        copy[new] = copy.pop(first)
    else:
        copy[first] = changed(value[first], rest, new, key=key)
    return copy
