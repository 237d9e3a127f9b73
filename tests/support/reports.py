"""Reports as comparing makes them, one for every situation that a surface has to put into words."""

from dataclasses import replace
from datetime import date
from typing import Any

from gate.model.agent import AgentFacts, AgentPart
from gate.model.bar import Acceptance, Bar, BarChange
from gate.model.baseline import BaselineFacts
from gate.model.case import Quarantine
from gate.model.config import AcceptPolicy, Amount, Rule
from gate.model.finding import Place
from gate.model.judge import Agreement, Disagreement, JudgeHealth, JudgeReading, JudgeState
from gate.model.run import Commit, Meta, TrackFacts
from gate.model.verdict import (
    ByBase,
    CaseVerdict,
    Comparison,
    Coverage,
    MetricSummary,
    Reason,
    Report,
    RuleVerdict,
)
from tests.support.runs import LATENCY, a_metric

CONFIG = Place(file="agent-gate.yml", line=19, column=3)
QUARANTINE = Quarantine(owner="ann", reason="the weather API is rebuilt", until=date(2027, 1, 31))
COMPARED = BaselineFacts(
    state="compared",
    path="golden/baseline.jsonl",
    runs=10,
    commit="a1b2c3d4e5f6a7b8c9d0",
    date="2026-11-28T06:00:00Z",
)
CARDS = AgentFacts(
    name="router",
    server="adk-python 2.13.0",
    agents=(
        AgentPart(name="router", instruction="Route.", tools=("ingest", "search")),
        AgentPart(name="searcher", tools=("search", "google_search")),
    ),
)
NO_BASELINE = BaselineFacts(state="none", path="golden/baseline.jsonl")


def a_meta(**fields: Any) -> Meta:
    known: dict[str, Any] = {
        "run": "4711-1",
        "gate": "0.1.0",
        "started_at": "2026-11-30T07:00:00Z",
        "duration_s": 192.0,
        "config": "agent-gate.yml",
        "protocol": "adk",
        "commit": Commit(sha="e4f5a6b7c8d9e0f1", branch="feature", date="2026-11-30T06:50:00Z"),
        "planned_trials": 144,
        "measured_trials": 144,
        "tokens": 412_345,
    }
    return Meta(**(known | fields))


METRICS = (
    a_metric("completed"),
    a_metric("calls"),
    a_metric("says"),
    LATENCY,
    a_metric("tokens", unit="tokens", kind="measure", better="lower", pass_at=None, decisive=False),
)


def a_case_verdict(id_: str = "greeting", klass: str = "unchanged", **fields: Any) -> CaseVerdict:
    known: dict[str, Any] = {
        "id": id_,
        "klass": klass,
        "place": Place(file="golden/weather.yaml", line=12, column=5),
        "category": "routing",
        "passed": 3,
        "measured": 3,
        "planned": 3,
        "base_passed": 30,
        "base_measured": 30,
        "outcomes": {"completed": 3},
        "metrics": {"completed": 1.0, "calls": 1.0, "says": 1.0},
        "answer": "Hello! I can tell you the weather.",
        "duration_ms": 2345.6,
    }
    if klass == "new":
        known |= {"base_passed": 0, "base_measured": 0}
    if klass == "removed":
        known |= {
            "place": Place(file=""),
            "category": "",
            "passed": 0,
            "measured": 0,
            "planned": 0,
            "base_passed": 0,
            "base_measured": 0,
            "outcomes": {},
            "metrics": {},
            "answer": "",
            "duration_ms": 0.0,
        }
    return CaseVerdict(**(known | fields))


LONDON = a_case_verdict(
    "weather_london",
    "regressed",
    passed=0,
    failing=True,
    reasons=(
        Reason(
            metric="calls",
            where="turn 1",
            text='expected a call of get_weather {"city": "London"}; the agent called no tool',
        ),
    ),
    answer="It is 14 °C and cloudy in London.",
    metrics={"completed": 1.0, "calls": 0.0, "says": 1.0},
)
FOUR_PARTS = a_case_verdict(
    "four_parts",
    "regressed",
    place=Place(file="golden/coverage.yaml", line=40, column=5),
    category="coverage",
    passed=0,
    base_passed=28,
    failing=True,
    reasons=(
        Reason(
            metric="calls", where="turn 2", text="semantic_search was called for A, B and C but not for D"
        ),
        Reason(metric="completed", where="case", text='crashed: POST /run_sse answered 500 "KeyError"'),
    ),
    calls=("semantic_search A", "semantic_search B", "semantic_search C"),
    answer="",
    outcomes={"completed": 2, "crashed": 1},
    metrics={"completed": 0.667, "calls": 0.0},
)


def unchanged(number: int, **fields: Any) -> tuple[CaseVerdict, ...]:
    return tuple(a_case_verdict(f"steady_{i:02}", **fields) for i in range(1, number + 1))


def a_rule(metric: str = "calls", **fields: Any) -> Rule:
    known: dict[str, Any] = {"metric": metric, "place": CONFIG}
    return Rule(**(known | fields))


def a_rule_verdict(rule: Rule, verdict: str = "pass", **fields: Any) -> RuleVerdict:
    known: dict[str, Any] = {"rule": rule, "scope": "suite", "verdict": verdict, "reason": ""}
    known["compared"] = fields.get("value") if "baseline" in fields else None
    return RuleVerdict(**(known | fields))


CASES_RULE = a_rule("cases", counts={"regressed": 0, "new_failing": 0}, place=Place(file="agent-gate.yml"))
CALLS_RULE = a_rule("calls", min=0.9, max_drop=Amount(value=0.05))
LATENCY_RULE = a_rule("latency_ms", max_rise=Amount(value=25, percent=True), ignore_below=200, level="warn")


def case_rules(regressed: int = 0, failing: int = 0, *, compared: bool = True) -> tuple[RuleVerdict, ...]:
    def word(number: int) -> str:
        return "regression" if number else "pass"

    first: dict[str, Any] = {"verdict": word(regressed), "value": float(regressed)}
    if not compared:
        first = {"verdict": "not_judged", "value": 0.0, "reason": "no baseline yet"}
    return (
        a_rule_verdict(CASES_RULE, scope="regressed", **first),
        a_rule_verdict(CASES_RULE, word(failing), scope="new_failing", value=float(failing)),
    )


def a_summary(metric: str, baseline: float | None, value: float | None, **fields: Any) -> MetricSummary:
    known: dict[str, Any] = {"scope": "suite", "cases": 48, "trials": 144}
    known["compared"] = value if baseline is not None else None
    return MetricSummary(**({"metric": metric, "baseline": baseline, "value": value} | known | fields))


def a_report(verdict: str = "pass", **fields: Any) -> Report:
    """A report; what a Comparison has goes there, `meta`, `metrics_used` and `undecided` go to the report."""
    meta, readings = fields.pop("meta", a_meta()), fields.pop("readings", ())
    used, undecided = fields.pop("metrics_used", METRICS), fields.pop("undecided", {})
    codes = {"pass": 0, "regression": 1, "undecided": 3}
    known: dict[str, Any] = {
        "verdict": verdict,
        "reason": "nothing got worse" if verdict == "pass" else "cases (regressed)",
        "exit_code": codes[verdict] if fields.get("enforced", True) else 0,
        "enforced": True,
        "cause": None,
        "rules": case_rules(),
        "metrics": (),
        "cases": unchanged(48),
        "baseline": COMPARED,
    }
    comparison = Comparison(**(known | fields))
    rules = tuple(dict.fromkeys(id(v.rule) for v in comparison.rules))
    return Report(
        meta=meta,
        metrics=used,
        rules=tuple(next(v.rule for v in comparison.rules if id(v.rule) == rule) for rule in rules),
        undecided=undecided,
        comparison=comparison,
        judges=readings,
    )


def a_regression(**fields: Any) -> Report:
    known: dict[str, Any] = {
        "rules": (
            *case_rules(2),
            a_rule_verdict(CALLS_RULE, baseline=0.98, value=0.94, low=0.94, high=0.94),
            a_rule_verdict(LATENCY_RULE, baseline=2100.0, value=2400.0),
        ),
        "metrics": (
            a_summary("calls", 0.98, 0.94),
            a_summary("calls", 1.0, 0.5, scope="category:routing", cases=2, trials=6),
            a_summary("says", 1.0, 0.996, cases=40, trials=120),
            a_summary("latency_ms", 2100.0, 2400.0),
            a_summary("tokens", 2100.0, 2863.0, unscored={"not_exposed": 3}),
        ),
        "cases": (
            LONDON,
            FOUR_PARTS,
            a_case_verdict("paris", "fixed", base_passed=1),
            a_case_verdict("berlin", "new"),
            *unchanged(44),
        ),
    }
    return a_report("regression", **(known | fields))


def throttled_cases() -> tuple[CaseVerdict, ...]:
    some = {"outcomes": {"completed": 1, "throttled": 2}, "measured": 1, "passed": 0, "cause": "throttled"}
    none = {
        "outcomes": {"throttled": 3},
        "measured": 0,
        "passed": 0,
        "cause": "throttled",
        "answer": "",
        "metrics": {},
        "unscored": {"calls": "throttled", "completed": "throttled"},
    }
    return (
        a_case_verdict("weather_oslo", "undecided", **some),
        *(a_case_verdict(f"weather_{i}", "undecided", **none) for i in range(9)),
        *unchanged(38),
    )


def undecided_by(cause: str, reason: str, **fields: Any) -> Report:
    rules = (
        a_rule_verdict(
            CASES_RULE, "undecided", scope="regressed", cause=cause, reason=reason, value=0.0, high=10.0
        ),
    )
    return a_report(**({"verdict": "undecided", "cause": cause, "reason": reason, "rules": rules} | fields))


def a_throttled_run(**fields: Any) -> Report:
    known: dict[str, Any] = {
        "cases": throttled_cases(),
        "meta": a_meta(measured_trials=115, retries=12),
    }
    reason = "10 could not be decided: weather_oslo, weather_0, weather_1, weather_2, weather_3 and more"
    return undecided_by("throttled", reason, **(known | fields))


LOG = """INFO:     Started server process
Traceback (most recent call last):
  File "card_agent/agent.py", line 3, in <module>
ModuleNotFoundError: No module named 'card_agent.tools'
"""


def a_partial_run() -> Report:
    """Not everything was measured, and what was holds whatever the rest would have been."""
    lost = {"judge": 2, "crashed": 1}
    coverage = Coverage(cases=48, measured=46, trials=144, unscored=lost, quarantined=2)
    slow = a_rule("latency_ms", max=6000, aggregate="percentile", number=95)
    often = a_rule("calls", min=0.8, aggregate="pass_k", number=3, by="tag")
    rules = (
        a_rule_verdict(CALLS_RULE, baseline=0.98, value=0.97, low=0.94, high=0.98, coverage=coverage),
        a_rule_verdict(slow, value=4200.0, coverage=Coverage(cases=48, measured=48, trials=144)),
        a_rule_verdict(often, "regression", scope="billing", value=0.7, coverage=coverage),
    )
    summary = a_summary("calls", 0.98, 0.97, measured=46, quarantined=2, unscored=lost)
    return a_report(
        "regression", reason="pass^3 of calls (billing)", rules=(*case_rules(), *rules), metrics=(summary,)
    )


def _passed_over() -> Report:
    report = a_throttled_run(undecided={"throttled": "pass"})
    return replace(report, comparison=replace(report.comparison, verdict="pass", cause=None, exit_code=0))


def an_agent_down() -> Report:
    idle = {"passed": 0, "measured": 0, "outcomes": {}, "answer": "", "metrics": {}, "cause": "coverage"}
    return a_report(
        "undecided",
        cause="agent_down",
        reason="`adk api_server` exited with 1 after 2.1 s",
        rules=(),
        cases=unchanged(48, klass="undecided", **idle),
        meta=a_meta(
            agent_down="`adk api_server` exited with 1 after 2.1 s: ModuleNotFoundError: "
            "No module named 'card_agent.tools'",
            log_tail=LOG,
            measured_trials=0,
            duration_s=2.1,
            tokens=None,
        ),
    )


def a_first_run(failing: int = 0) -> Report:
    fails = {"passed": 0, "failing": True, "reasons": LONDON.reasons, "answer": LONDON.answer}
    broke = tuple(a_case_verdict(f"first_{i}", "new", **fails) for i in range(failing))
    good = tuple(a_case_verdict(f"good_{i:02}", "new") for i in range(12 - failing))
    return a_report(
        "regression" if failing else "pass",
        cases=broke + good,
        rules=(
            *case_rules(failing=failing, compared=False),
            a_rule_verdict(CALLS_RULE, "not_judged", value=1.0, reason="no baseline yet"),
        ),
        baseline=NO_BASELINE,
        meta=a_meta(planned_trials=36, measured_trials=36, duration_s=61.0),
    )


ACCEPTED = Acceptance(by="ann", how="label", at="2026-11-30T07:12:09Z", head="0f1e2d3c4b5a")


def a_change(name: str = "rules.calls.max_drop", kind: str = "loosened", **fields: Any) -> BarChange:
    known: dict[str, Any] = {
        "subject": "rule",
        "kind": kind,
        "name": name,
        "needs_acceptance": kind == "loosened",
        "place": CONFIG,
    }
    return BarChange(**(known | fields))


def a_bar(*changes: BarChange, **fields: Any) -> Bar:
    known: dict[str, Any] = {"base": "a1b2c3d4e5f6a7b8c9d0", "branch": "main", "changes": changes}
    return Bar(**(known | fields))


LOOSENED = a_change(before="0.05", after="0.50")
TIGHTENED = a_change("rules.says.min", "tightened", before="0.80", after="0.90")
REFUND = a_case_verdict(
    "refund_policy",
    "changed",
    place=Place(file="golden/refund.yaml", line=8, column=5),
    category="policy",
    by_base=ByBase(
        passed=0,
        measured=3,
        planned=3,
        reasons=(
            Reason(
                metric="says",
                where="turn 1",
                text='expected "30 days" in the answer; it has "14 days"',
            ),
        ),
    ),
)
REWRITTEN = a_change(
    "refund_policy",
    "changed",
    subject="case",
    needs_acceptance=True,
    place=Place(file="golden/refund.yaml", line=8, column=5),
)
DROPPED = a_change(
    "weather_rome",
    "removed",
    subject="case",
    needs_acceptance=True,
    place=Place(file="golden/weather.yaml"),
)


def needs_acceptance(*changes: BarChange, **fields: Any) -> Report:
    known: dict[str, Any] = {
        "cause": "needs_acceptance",
        "reason": f"{changes[0].name} needs acceptance",
        "bar": a_bar(*changes),
    }
    return a_report("undecided", **(known | fields))


def many_changes(number: int) -> Report:
    rules = (
        a_change(f"rules.metric_{n}.min", before="0.90", after="0.10", place=Place(file="gate.yml", line=n))
        for n in range(1, number + 1)
    )
    return needs_acceptance(*rules)


def bar_situations() -> dict[str, Report]:
    """Every situation that comes of a pull request having two sides."""
    replaced = a_change(
        "golden/baseline.jsonl",
        "changed",
        subject="baseline",
        before="10 runs up to a1b2c3d",
        after="1 run up to e4f5a6b",
        note="9 of 10 runs are gone",
        needs_acceptance=True,
        place=Place(file="golden/baseline.jsonl"),
    )
    quick = a_change("refund_new", "added", subject="case", place=Place(file="golden/refund.yaml", line=30))
    boot = a_change("agent.boot.command", "changed", subject="agent", before="[a]", after="[a, --fast]")
    flaky = a_change("weather_oslo", "added", subject="quarantine", needs_acceptance=True)
    passes_both = replace(REFUND, by_base=ByBase(passed=3, measured=3, planned=3))
    rome = a_case_verdict(
        "weather_rome", "removed", category="routing", by_base=ByBase(passed=3, measured=3, planned=3)
    )
    refused = "the label was set by mallory, who has no write access"
    agreed = a_bar(LOOSENED, REWRITTEN, TIGHTENED, side="head", accepted=ACCEPTED)
    review = replace(ACCEPTED, how="review")
    return {
        "bar_loosened": needs_acceptance(LOOSENED),
        "bar_changed_case": needs_acceptance(REWRITTEN, LOOSENED, cases=(REFUND, *unchanged(47))),
        "bar_removed_case": needs_acceptance(DROPPED, cases=(*unchanged(47), rome)),
        "bar_baseline": needs_acceptance(
            replaced,
            bar=a_bar(replaced, accept=AcceptPolicy(by="review", not_author=True), not_accepted=refused),
        ),
        "bar_quarantine": needs_acceptance(flaky, TIGHTENED, cases=unchanged(48)),
        "bar_let_through": needs_acceptance(LOOSENED, exit_code=0, undecided={"needs_acceptance": "warn"}),
        "bar_by_base": needs_acceptance(
            replace(REWRITTEN, needs_acceptance=False),
            LOOSENED,
            TIGHTENED,
            reason="by the base's bar it is a regression: cases (regressed); not in force yet: rules.calls",
            rules=case_rules(1),
            cases=(REFUND, replace(REFUND, id="other", klass="unchanged"), *unchanged(46)),
        ),
        "bar_driving": needs_acceptance(
            a_change("agent.boot.pass_env", after="[API_KEY]", subject="agent"),
            cases=(LONDON, *unchanged(47)),
        ),
        "bar_other_cause": a_throttled_run(bar=a_bar(LOOSENED)),
        "bar_accepted": a_report(bar=agreed, cases=(replace(REFUND, by_base=None), *unchanged(47))),
        "bar_accepted_regressed": a_regression(bar=a_bar(LOOSENED, side="head", accepted=review)),
        "bar_not_in_force": a_regression(bar=a_bar(LOOSENED, REWRITTEN)),
        "bar_tightened": a_report(
            bar=a_bar(TIGHTENED, quick, boot), cases=(a_case_verdict("refund_new", "new"), *unchanged(47))
        ),
        "bar_changed_passes": a_report(
            bar=a_bar(replace(REWRITTEN, needs_acceptance=False)),
            cases=(passes_both, *unchanged(47)),
        ),
        "bar_untouched": a_report(bar=a_bar(behind=3)),
        "bar_many": many_changes(1000),
    }


def filtered(report: Report, *selection: str) -> Report:
    cases = report.comparison.cases[:2]
    return replace(
        report,
        meta=replace(report.meta, selection=selection, planned_trials=6, measured_trials=6, duration_s=4.2),
        comparison=replace(report.comparison, cases=cases),
    )


def a_health(state: str, reason: str = "", **fields: Any) -> JudgeHealth:
    known: dict[str, Any] = {
        "metric": "answer",
        "judge": "main",
        "model": "gemini-3.5-flash",
        "state": state,
        "reason": reason,
        "reported": ("gemini-3.5-flash-001",),
        "anchors": 20,
        "now": Agreement(judged=20, agreed=19, kappa=0.9),
        "before": Agreement(judged=20, agreed=19, kappa=0.9),
        "paired": 20,
    }
    return JudgeHealth(**(known | fields))


def a_reading(metric: str = "answer", **fields: Any) -> JudgeReading:
    known: dict[str, Any] = {
        "metric": metric,
        "judge": "main",
        "model": "gemini-3.5-flash",
        "key": "0f0f0f0f0f0f0f0f",
        "at": 1.0,
        "calls": 161,
        "cached": 3,
        "tokens": 48_200,
    }
    return JudgeReading(**(known | fields))


def judge_situations() -> dict[str, Report]:
    """What comes of having a judge."""
    moved = "it judged 5 of 20 anchors otherwise than in the baseline"
    now = Agreement(judged=20, agreed=14, kappa=0.4)
    changed = a_health("changed", moved, now=now, flipped=5)
    unfit = a_health(
        "unfit", "it agrees with 14 of 20 anchors, and must with 90%", now=now, before=None, reported=()
    )
    down = a_health("down", "it judged 0 of 20 anchors", now=None)
    refused = Reason(metric="answer", where="turn 1", text="the judge says NO: it gives a dose")
    dosing = replace(LONDON, id="dosing", reasons=(refused,), answer="As a guideline, take 500 mg.")
    disagree = Disagreement(case="dosing", metric="answer", says="no", trials=3, measured=3)
    lost = a_case_verdict(
        "dosing",
        "undecided",
        passed=0,
        measured=0,
        cause="judge_down",
        unscored={"answer": "judge"},
        reasons=(
            Reason(metric="answer", where="case", text="judge 'main': it answered 503", measured=False),
        ),
    )
    return {
        "undecided_judge_changed": undecided_by("judge_changed", f"judge 'main': {moved}", judges=(changed,)),
        "undecided_judge_unfit": undecided_by("judge_changed", "judge 'main': unfit", judges=(unfit,)),
        "undecided_judge_down": undecided_by(
            "judge_down", "1 could not be decided: dosing", judges=(down,), cases=(lost, *unchanged(47))
        ),
        "regression_judged": a_report(
            "regression",
            rules=case_rules(1),
            cases=(dosing, *unchanged(47)),
            judges=(a_health("steady"),),
            readings=(a_reading(failed=1, samples=3, agreement=0.934, money=0.0123),),
            disagreements=(disagree,),
        ),
        "pass_unanchored": a_report(
            judges=(a_health("unknown", anchors=0, now=None, before=None),),
            readings=(a_reading(cached=0),),
        ),
    }


TESTS_RULE = a_rule("go-tests", counts={"regressed": 0, "new_failing": 0}, place=Place(file="agent-gate.yml"))
TRACK = TrackFacts(name="go-tests", files=("build/junit.xml",), tests=5, skipped=2)


def a_test(name: str, klass: str = "unchanged", **fields: Any) -> CaseVerdict:
    """A test of the project's own, run once."""
    known: dict[str, Any] = {
        "id": f"go-tests::card.{name}",
        "klass": klass,
        "place": Place(file="build/junit.xml", line=7),
        "track": "go-tests",
        "passed": 1,
        "measured": 1,
        "planned": 1,
        "base_passed": 10,
        "base_measured": 10,
        "outcomes": {"completed": 1},
        "metrics": {"go-tests": 1.0},
        "duration_ms": 12.0,
    }
    return CaseVerdict(**(known | fields))


def with_tests(*tests: CaseVerdict, broke: int = 0, fresh: int = 0) -> Report:
    """A pass of the agent beside the project's own tests, of which some broke."""
    found = (("regressed", broke), ("new_failing", fresh))
    rules = tuple(
        a_rule_verdict(TESTS_RULE, "regression" if number else "pass", scope=name, value=float(number))
        for name, number in found
    )
    return a_report(
        "regression" if broke or fresh else "pass",
        reason="go-tests (regressed)" if broke or fresh else "nothing got worse",
        cases=(*unchanged(48), *tests),
        rules=(*case_rules(), *rules),
        meta=a_meta(tracks=(TRACK,)),
        metrics_used=(*METRICS, a_metric("go-tests", type="junit")),
    )


TEST_BROKE = {
    "passed": 0,
    "failing": True,
    "reasons": (Reason(metric="go-tests", where="case", text="expected 2 cards, got 1 @ ::error::x"),),
    "metrics": {"go-tests": 0.0},
}


def situations() -> dict[str, Report]:
    """Every situation that the surfaces know, by the name of its golden files."""
    slower = (a_rule_verdict(LATENCY_RULE, "regression", baseline=2100.0, value=2900.0),)
    fell = (a_rule_verdict(CALLS_RULE, baseline=0.98, value=0.94, low=0.94, high=0.94),)
    low = (a_rule_verdict(CALLS_RULE, "regression", baseline=0.91, value=0.895, low=0.895, high=0.895),)
    quarantined = a_case_verdict("weather_rome", "quarantined", passed=0, failing=True, quarantine=QUARANTINE)
    over = replace(QUARANTINE, until=date(2026, 11, 1))
    return {
        "regression": a_regression(),
        "regression_by_rule": a_report("regression", rules=(*case_rules(), *low), reason="calls"),
        "regression_one_case": a_report("regression", rules=case_rules(1), cases=(LONDON, *unchanged(11))),
        "regression_reported": a_regression(enforced=False),
        "regression_no_baseline": a_first_run(failing=2),
        "regression_new_case": a_report(
            "regression",
            rules=case_rules(failing=1),
            cases=(
                a_case_verdict(
                    "oslo", "new", passed=0, failing=True, reasons=LONDON.reasons, calls=("a {}",)
                ),
                *unchanged(3),
            ),
            meta=a_meta(config="ci/agent-gate.yml", planned_trials=12, measured_trials=12),
        ),
        "regression_interrupted": a_regression(meta=a_meta(interrupted=True, measured_trials=40)),
        "pass": a_report(meta=a_meta(agent=CARDS)),
        "pass_first": a_first_run(),
        "tests_broke": with_tests(
            a_test("TestSave", "regressed", **TEST_BROKE),
            a_test("TestMerge", "new", base_passed=0, base_measured=0, **TEST_BROKE),
            a_test("TestOpen", "fixed", base_passed=0),
            a_test("TestClose"),
            a_test("TestList"),
            a_test("TestGone", "removed", passed=0, measured=0, planned=0, base_passed=0, base_measured=0),
            broke=1,
            fresh=1,
        ),
        "tests_pass": with_tests(*(a_test(f"Test{number}") for number in range(5))),
        "pass_moved": a_report(
            cases=(
                a_case_verdict("paris", "fixed", base_passed=1),
                a_case_verdict("berlin", "changed", changed=("calls",)),
                a_case_verdict("rome", "removed"),
                quarantined,
                a_case_verdict("weather_bern", quarantine=over),
                a_case_verdict("madrid", passed=0, base_passed=2, failing=True),
                a_case_verdict("vienna", passed=2),
                *unchanged(42),
            )
        ),
        "pass_fell": a_report(rules=(*case_rules(), *fell), metrics=(a_summary("calls", 0.98, 0.94),)),
        "regression_partial": a_partial_run(),
        "pass_warning": a_report(rules=(*case_rules(), *slower)),
        "pass_filtered": filtered(a_report(), "--case steady_01", "--case steady_02"),
        "undecided_throttled": a_throttled_run(),
        "undecided_let_through": a_throttled_run(exit_code=0, undecided={"throttled": "warn"}),
        "undecided_reported": a_throttled_run(enforced=False),
        "undecided_passed_over": _passed_over(),
        "undecided_coverage": undecided_by(
            "coverage",
            "1 could not be decided: weather_oslo",
            cases=(
                a_case_verdict(
                    "weather_oslo",
                    "undecided",
                    passed=0,
                    measured=0,
                    cause="coverage",
                    outcomes={"refused": 3},
                    answer="",
                ),
                *unchanged(47),
            ),
            meta=a_meta(measured_trials=141),
        ),
        "undecided_interrupted": undecided_by(
            "interrupted",
            "30 could not be decided: steady_01, steady_02 and more",
            cases=(
                *unchanged(18),
                *unchanged(30, klass="undecided", passed=0, measured=0, outcomes={}, answer=""),
            ),
            meta=a_meta(interrupted=True, measured_trials=54),
        ),
        "undecided_not_comparable": a_report(
            "undecided",
            cause="not_comparable",
            reason="the baseline's values were made from other expectations or another metric version",
            rules=(
                *case_rules(),
                a_rule_verdict(
                    CALLS_RULE, "undecided", cause="not_comparable", value=0.94, not_comparable=48
                ),
            ),
        ),
        "undecided_baseline_unreadable": undecided_by(
            "baseline_unreadable",
            "golden/baseline.jsonl:3 is not JSON",
            baseline=BaselineFacts(
                state="unreadable",
                path="golden/baseline.jsonl",
                problem="golden/baseline.jsonl:3 is not JSON",
            ),
        ),
        "undecided_too_few_trials": undecided_by("too_few_trials", "3 trials cannot show a drop of 0.05"),
        **judge_situations(),
        "undecided_needs_acceptance": undecided_by(
            "needs_acceptance", "refund_policy passes by its new text"
        ),
        **bar_situations(),
        "agent_down": an_agent_down(),
        "agent_died": a_report(
            "undecided",
            cause="agent_down",
            reason="the agent died 6 times: exit code 137",
            cases=(
                *unchanged(18),
                *unchanged(30, klass="undecided", passed=0, measured=0, outcomes={}, answer=""),
            ),
            meta=a_meta(agent_down="the agent died 6 times: exit code 137", log_tail=LOG, measured_trials=54),
        ),
        "nothing_measured": a_report(
            "undecided",
            cause="agent_down",
            reason="nothing was measured (9 throttled)",
            rules=(),
            cases=unchanged(3, klass="new", passed=0, measured=0, outcomes={"throttled": 3}, answer=""),
            baseline=NO_BASELINE,
            meta=a_meta(planned_trials=9, measured_trials=0, duration_s=31.0, tokens=None),
        ),
    }


def hostile_report(kind: str, text: str) -> Report:
    """A report in which every word that is not the gate's own is `text`."""
    place = Place(file=text, line=3, column=1)
    quarantine = Quarantine(owner=text, reason=text, until=date(2027, 1, 31))
    words: dict[str, Any] = {
        "place": place,
        "category": text,
        "reasons": (
            Reason(metric=text, where=text, text=text),
            Reason(metric=text, where="turn 1", text=text),
        ),
        "answer": text,
        "calls": (text, text),
        "metrics": {text: 0.5},
        "unscored": {text: text},
    }
    rule = a_rule(text, min=0.9, by="category", place=place)
    failing = {"passed": 0, "failing": True}
    by_base = ByBase(passed=0, measured=3, planned=3, reasons=(Reason(metric=text, where=text, text=text),))
    cases = (
        a_case_verdict(text, "regressed", **failing, **words, by_base=by_base),
        a_case_verdict(text, "new", **failing, **words),
        a_case_verdict(text, "fixed", **words),
        a_case_verdict(text, "removed", category=text, by_base=by_base),
        a_case_verdict(text, "changed", **words, by_base=by_base),
        a_case_verdict(text, "quarantined", quarantine=quarantine, **words),
        a_case_verdict(text, quarantine=quarantine, **words),
        a_case_verdict(text, "undecided", passed=0, measured=0, outcomes={}, **words),
        a_case_verdict(text, "undecided", passed=0, measured=0, outcomes={text: 3}, **words),
    )
    down = kind == "agent_down"
    states: tuple[JudgeState, ...] = ("steady", "changed", "down")
    who: dict[str, Any] = {"metric": text, "judge": text, "model": text, "reported": (text, text)}
    verdict = {"agent_down": "undecided", "accepted": "pass", "needs_acceptance": "undecided"}.get(kind, kind)
    return a_report(
        verdict,
        cause={
            "undecided": "not_comparable",
            "agent_down": "agent_down",
            "needs_acceptance": "needs_acceptance",
        }.get(kind),
        bar=_hostile_bar(text, accepted=kind == "accepted"),
        reason=text,
        cases=cases,
        rules=(
            *case_rules(1),
            a_rule_verdict(a_rule("cases", counts={text: 0}), "regression", scope=text, value=1.0),
            a_rule_verdict(rule, "regression", scope=text, reason=text, value=0.5, baseline=0.9),
            a_rule_verdict(replace(rule, level="warn"), "regression", scope=text, reason=text, value=0.5),
            a_rule_verdict(a_rule(text, max_drop=Amount(value=0.1)), "undecided", reason=text, value=0.5),
        ),
        metrics=(
            a_summary(text, 0.9, 0.5, unscored={text: 3}),
            a_summary(text, 0.9, 0.5, scope=f"category:{text}"),
        ),
        metrics_used=(a_metric(text),),
        judges=tuple(a_health(state, text, **who) for state in states),
        readings=(a_reading(**who, samples=3),),
        disagreements=(Disagreement(case=text, metric=text, says="no", trials=3, measured=3),),
        baseline=replace(COMPARED, commit=text, path=text, problem=text),
        meta=a_meta(
            run=text,
            config=text,
            commit=Commit(sha=text, branch=text),
            selection=(text,),
            agent_down=text if down else "",
            log_tail=text if down else "",
            agent=AgentFacts(name=text, server=text, agents=(AgentPart(name=text, tools=(text,)),) * 2),
            measured_trials=0 if down else 144,
        ),
    )


def _hostile_bar(text: str, *, accepted: bool) -> Bar:
    place = Place(file=text, line=3, column=1)
    subjects = ("rule", "case", "baseline", "quarantine", "agent")
    changes = tuple(
        a_change(
            text,
            subject=subject,
            before=text,
            after=f"{text} ",  # never nothing, which would make another change of it
            note=text,
            place=place,
            needs_acceptance=needs,
        )
        for subject in subjects
        for needs in (True, False)
    )
    return a_bar(
        *changes,
        base=text,
        branch=text,
        behind=2,
        side="head" if accepted else "base",
        accepted=Acceptance(by=text, how="label", at=text, head=text) if accepted else None,
        accept=AcceptPolicy(label=text),
        not_accepted=text,
    )


def short(report: Report, keep: int = 3) -> Report:
    """The report with few of its steady cases, for surfaces that list them all."""
    cases = report.comparison.cases
    steady = [case.id for case in cases if case.id.startswith("steady_")][keep:]
    kept = tuple(case for case in cases if case.id not in steady)
    return replace(report, comparison=replace(report.comparison, cases=kept))
