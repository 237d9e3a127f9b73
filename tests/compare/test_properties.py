"""What holds of every verdict, whatever was measured: nothing green hides what could be red."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.compare.verdict import compare
from gate.model.baseline import Baseline, BaselineFacts, BaselineLine, BaselineRun, Sample, Value
from gate.model.config import Amount, Policy, Rule
from gate.model.run import CaseEvidence, Evidence
from gate.model.score import Cause
from gate.model.verdict import Comparison, UndecidedCause
from tests.support.runs import COMPARED, LATENCY, NONE, a_case, a_meta, a_metric, a_rule

QUALITY = ("calls", "says")
METRICS = (a_metric("calls"), a_metric("says"), LATENCY)
RULES = (
    a_rule("cases", counts={"regressed": 0, "new_failing": 0}),
    a_rule("cases", counts={"regressed": 1, "removed": 0}),
    a_rule("calls", min=0.8),
    a_rule("calls", min=0.5, max_drop=Amount(value=0.1), by="case"),
    a_rule("says", max_drop=Amount(value=0.0), by="category"),
    a_rule("says", max_drop=Amount(value=25, percent=True), ignore_below=0.3),
    a_rule("says", min=1.0, level="warn"),
)
MEASURES = (
    a_rule("latency_ms", max=100.0),
    a_rule("latency_ms", max_rise=Amount(value=20, percent=True), by="case"),
)
FOLDED = (
    a_rule("calls", aggregate="pass_rate", at=0.5, min=0.6, by="tag"),
    a_rule("calls", aggregate="min", min=0.5),
    a_rule("says", aggregate="min", max_drop=Amount(value=0.2), by="category"),
    a_rule("calls", aggregate="percentile", number=50, min=0.5),
    a_rule("says", aggregate="percentile", number=95, max_drop=Amount(value=0.0)),
    a_rule("says", aggregate="pass_rate", at=0.5, max_drop=Amount(value=0.1)),
)
EVERY_TIME = (
    a_rule("calls", aggregate="pass_k", number=2, min=0.3),
    a_rule("says", aggregate="pass_k", number=1, max_drop=Amount(value=0.1)),
)
TIMES = (
    a_rule("latency_ms", aggregate="percentile", number=95, max=100.0),
    a_rule("latency_ms", aggregate="pass_rate", at=100.0, min=0.6),
    a_rule("latency_ms", aggregate="max", max_rise=Amount(value=50)),
)
some = settings(max_examples=40)
RANK = {"pass": 0, "undecided": 1, "regression": 2}

causes: st.SearchStrategy[Sample] = st.sampled_from(sorted(set(get_args(Cause)) - {"crashed"}))
shares = st.sampled_from([0.0, 1.0, 1.0, 0.5]).map(lambda share: Value(mean=share, worst=share))
times = st.sampled_from([50.0, 100.0, 400.0]).map(lambda ms: Value(mean=ms, worst=ms))
policies = st.dictionaries(
    st.sampled_from(["throttled", "coverage", "interrupted"]), st.sampled_from(get_args(Policy))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All that a verdict is made of."""

    cases: tuple[CaseEvidence, ...]
    baseline: Baseline | None
    rules: tuple[Rule, ...]

    def judged(self, undecided: dict[str, Policy] | None = None, **meta: object) -> Comparison:
        evidence = Evidence(meta=a_meta(**meta), metrics=METRICS, cases=self.cases)
        facts = COMPARED if self.baseline else NONE
        return compare(evidence, self.baseline, facts, rules=self.rules, undecided=undecided or {})


def columns(metric: str, trials: int, *, whole: bool = False) -> st.SearchStrategy[tuple[Sample, ...]]:
    values: st.SearchStrategy[Sample] = times if metric == LATENCY.name else shares
    sample = values if whole else st.one_of(values, values, causes)
    return st.lists(sample, min_size=trials, max_size=trials).map(tuple)


@st.composite
def a_measured_case(draw: st.DrawFn, id_: str) -> CaseEvidence:
    trials = draw(st.integers(1, 3))
    metrics = draw(st.sets(st.sampled_from([*QUALITY, LATENCY.name]), min_size=1))
    case = a_case(
        id_, trials=trials, key=draw(st.sampled_from("kkl")), category=draw(st.sampled_from(["", "x"]))
    )
    tags = tuple(sorted(draw(st.sets(st.sampled_from(["s", "t"])))))
    return replace(
        case,
        facts=replace(case.facts, keys=dict.fromkeys(sorted(metrics), "k"), tags=tags),
        samples={metric: draw(columns(metric, trials)) for metric in sorted(metrics)},
        outcomes=("completed",) * trials,
    )


@st.composite
def baselines(draw: st.DrawFn) -> Baseline:
    lines = {}
    for case in draw(st.sets(st.sampled_from("abcz"))):
        trials = draw(st.integers(1, 3))
        for metric in draw(st.sets(st.sampled_from([*QUALITY, LATENCY.name]), min_size=1)):
            runs = {"r": draw(columns(metric, trials))}
            key = draw(st.sampled_from("kkkl"))
            lines[case, metric] = BaselineLine(case=case, metric=metric, key=key, runs=runs)
    return Baseline(runs=(BaselineRun(run="r", commit="c", date="d"),), lines=lines)


@st.composite
def runs(draw: st.DrawFn, rules: Sequence[Rule] = (*RULES, *MEASURES, *FOLDED, *EVERY_TIME, *TIMES)) -> Run:
    ids = draw(st.sets(st.sampled_from("abc"), min_size=1))
    return Run(
        cases=tuple(draw(a_measured_case(id_)) for id_ in sorted(ids)),
        baseline=draw(st.none() | baselines()),
        rules=tuple(draw(st.lists(st.sampled_from(rules), min_size=1, unique_by=str))),
    )


def with_column(run: Run, number: int, metric: str, column: tuple[Sample, ...]) -> Run:
    case = run.cases[number]
    changed = replace(case, samples={**case.samples, metric: column})
    return replace(run, cases=(*run.cases[:number], changed, *run.cases[number + 1 :]))


def a_spot(data: st.DataObject, run: Run, metrics: Sequence[str]) -> tuple[int, str, int] | None:
    spots = [
        (number, metric, trial)
        for number, case in enumerate(run.cases)
        for metric in metrics
        for trial in range(len(case.samples.get(metric, ())))
    ]
    return data.draw(st.sampled_from(spots)) if spots else None


def put(run: Run, spot: tuple[int, str, int], sample: Sample) -> Run:
    number, metric, trial = spot
    column = list(run.cases[number].samples[metric])
    column[trial] = sample
    return with_column(run, number, metric, tuple(column))


@some
@given(runs(), st.data())
def test_what_is_decided_holds_for_everything_that_the_unmeasured_could_have_been(
    run: Run, data: st.DataObject
) -> None:
    decided = run.judged().verdict
    whole = run
    for number, case in enumerate(run.cases):
        for metric, column in case.samples.items():
            drawn = data.draw(columns(metric, len(column), whole=True))
            pairs = zip(column, drawn, strict=True)
            filled = tuple(kept if isinstance(kept, Value) else new for kept, new in pairs)
            whole = with_column(whole, number, metric, filled)
    if decided != "undecided":
        assert whole.judged().verdict == decided


@some
@given(runs((*RULES, *FOLDED, *EVERY_TIME)), st.data())
def test_a_worse_trial_never_makes_a_better_verdict(run: Run, data: st.DataObject) -> None:
    spot = a_spot(data, run, QUALITY)
    if spot and isinstance(run.cases[spot[0]].samples[spot[1]][spot[2]], Value):
        worse = put(run, spot, Value(mean=0.0, worst=0.0))
        assert RANK[worse.judged().verdict] >= RANK[run.judged().verdict]


@some
@given(runs(), st.data())
def test_losing_a_measurement_never_turns_red_or_undecided_into_green(run: Run, data: st.DataObject) -> None:
    spot = a_spot(data, run, [*QUALITY, LATENCY.name])
    if spot and run.judged().verdict != "pass":
        assert put(run, spot, data.draw(causes)).judged().verdict != "pass"


@some
@given(runs((*RULES, *FOLDED)))
def test_another_case_that_passes_makes_nothing_worse(run: Run) -> None:
    more = replace(run, cases=(*run.cases, a_case("other", calls=[1.0], says=[1.0])))
    assert RANK[more.judged().verdict] <= RANK[run.judged().verdict]


@some
@given(runs(), policies, st.randoms(use_true_random=False))
def test_no_order_matters(run: Run, undecided: dict[str, Policy], random: Random) -> None:
    def shuffled(items: Sequence[object]) -> list[int]:
        return random.sample(range(len(items)), len(items))

    def turned(case: CaseEvidence) -> CaseEvidence:
        order = shuffled(case.outcomes)
        return replace(
            case, samples={name: tuple(column[i] for i in order) for name, column in case.samples.items()}
        )

    before = run.judged(undecided)
    cases = tuple(turned(run.cases[i]) for i in shuffled(run.cases))
    rules = tuple(run.rules[i] for i in shuffled(run.rules))
    after = replace(run, cases=cases, rules=rules).judged(undecided)
    assert (after.verdict, after.exit_code) == (before.verdict, before.exit_code)
    assert {case.id: case.klass for case in after.cases} == {case.id: case.klass for case in before.cases}


@some
@given(runs(), a_measured_case("a"))
def test_what_a_quarantined_case_did_has_no_influence(run: Run, other: CaseEvidence) -> None:
    quarantine = a_case(quarantined=True).facts.quarantine
    first = next((number for number, case in enumerate(run.cases) if case.facts.id == "a"), None)
    if first is None:
        return
    verdicts = []
    for case in (run.cases[first], other):
        quiet = replace(case, facts=replace(case.facts, quarantine=quarantine))
        cases = (*run.cases[:first], quiet, *run.cases[first + 1 :])
        verdicts.append(replace(run, cases=cases).judged())
    rules = [[replace(rule, coverage=None) for rule in found.rules] for found in verdicts]
    assert (verdicts[0].verdict, rules[0]) == (verdicts[1].verdict, rules[1])  # how many there are is told


@some
@given(runs())
def test_only_a_whole_run_says_that_a_case_is_gone(run: Run) -> None:
    known = {case for case, _ in run.baseline.lines} if run.baseline else set()
    there = {case.facts.id for case in run.cases}
    for selection in ((), ("--case a",)):
        gone = {case.id for case in run.judged(selection=selection).cases if case.klass == "removed"}
        assert gone == (set() if selection else known - there)


@some
@given(runs(), policies)
def test_the_exit_code_follows_the_verdict_and_the_policy_of_its_cause(
    run: Run, undecided: dict[str, Policy]
) -> None:
    found = run.judged(undecided)
    assert found == run.judged(undecided)
    assert (found.cause is None) == (found.verdict != "undecided")
    policy = undecided.get(found.cause, "fail") if found.cause else "fail"
    expected = {"pass": 0, "regression": 1, "undecided": 3 if policy == "fail" else 0}
    assert found.exit_code == expected[found.verdict]
    open_: set[UndecidedCause | None] = {
        rule.cause for rule in found.rules if rule.rule.level == "block" and rule.verdict == "undecided"
    }
    if found.verdict != "regression" and any(undecided.get(str(cause), "fail") == "fail" for cause in open_):
        assert found.exit_code == 3


def test_a_cause_that_may_pass_hides_none_that_may_not() -> None:
    baseline = Baseline(runs=(BaselineRun(run="r", commit="c", date="d"),), lines={})
    mixed = a_case("a", calls=["throttled", "throttled", "not_exposed"])
    both = a_rule("calls", min=0.9, max_drop=Amount(value=0.1))
    lax: dict[str, Policy] = {"throttled": "pass"}
    for rules in (RULES[:1], (a_rule("calls", min=0.9),)):
        found = Run(cases=(mixed,), baseline=baseline, rules=rules).judged(lax)
        assert (found.verdict, found.cause, found.exit_code) == ("undecided", "coverage", 3)
    line = BaselineLine(case="a", metric="calls", key="other", runs={"r": (Value(mean=1.0, worst=1.0),)})
    other = replace(baseline, lines={("a", "calls"): line})
    found = Run(cases=(a_case("a", calls=["throttled"]),), baseline=other, rules=(both,)).judged(lax)
    assert (found.verdict, found.cause) == ("undecided", "not_comparable")


def test_only_what_decides_a_case_says_why_it_is_undecided() -> None:
    case = a_case("a", calls=["throttled", 1], latency_ms=["not_exposed", "not_exposed"])
    assert Run(cases=(case,), baseline=None, rules=RULES[:1]).judged().cases[0].cause == "throttled"


def test_a_run_of_quarantined_cases_judges_nothing_and_is_not_green() -> None:
    found = Run(cases=(a_case("a", quarantined=True, calls=[1]),), baseline=None, rules=RULES).judged()
    assert (found.verdict, found.cause, found.exit_code) == ("undecided", "coverage", 3)
    assert "quarantined" in found.reason


def test_an_unreadable_baseline_is_never_green() -> None:
    facts = BaselineFacts(state="unreadable", problem="gone")
    evidence = Evidence(meta=a_meta(), metrics=METRICS, cases=(a_case("a", calls=[1]),))
    found = compare(evidence, None, facts, rules=RULES[:1], undecided={})
    assert (found.verdict, found.cause) == ("undecided", "baseline_unreadable")
