import asyncio
from typing import Any

import pytest

from gate.errors import BadInput
from gate.model.case import Case, Expect
from gate.model.config import MetricConfig
from gate.model.score import Score
from gate.model.trace import Trace
from gate.score import ALWAYS, METRICS, build, score_trial
from gate.score.calls import Calls
from tests.score.made import PLACE, all_scores, case, config, expected, metric, said, trace, turn

MODES = "one of: at_least, exactly, at_most, in_order"


def findings(*configs: MetricConfig) -> list[tuple[str, str, str]]:
    with pytest.raises(BadInput) as error:
        build(configs)
    assert {finding.place for finding in error.value.findings} == {PLACE}
    return [(finding.rule, finding.what, finding.fix) for finding in error.value.findings]


def test_what_always_runs_is_added_unless_it_is_configured() -> None:
    assert [each.name for each in build(())] == [*ALWAYS]
    built = build((config("calls", mode="exactly"), config("rouge_1")))
    assert [each.name for each in built] == ["calls", "rouge_1", *ALWAYS[1:]]
    assert built[0].options["mode"] == "exactly"


def test_a_metric_of_another_name_is_added_beside_the_one_that_always_runs() -> None:
    strict = MetricConfig(name="strict_calls", type="calls", options={"mode": "exactly"}, place=PLACE)
    assert [each.name for each in build((strict,))] == ["strict_calls", *ALWAYS]


def test_metrics_that_do_not_apply_are_absent() -> None:
    found = all_scores(case(Expect(contains=("hi",))), trace(turn(said("hi"))), config("rouge_1"))
    assert sorted(found) == sorted(["says", *ALWAYS[5:]])


def test_every_finding_is_raised_at_once() -> None:
    found = findings(
        config("cals"),
        config("nothing_like_it"),
        config("calls", mode="atleast", arg="exact"),
        config("says", ignore_case="yes"),
        config("latency_ms", pass_at=200.0),
        config("says"),
        config("nodes", mode="strict"),
    )
    assert found[0] == ("duplicate-metric", "there are two metrics named 'says'", "")
    assert found[1] == (
        "unknown-metric",
        "metric 'cals' has the unknown type 'cals'; did you mean 'calls'?",
        "",
    )
    assert found[2][0] == "unknown-metric"
    assert found[2][2].startswith("one of: calls, nodes")
    latency = "metric 'latency_ms' of type 'latency_ms' is measured in ms and decides on no case, so that"
    assert found[3:] == [
        ("bad-option", "metric 'calls' of type 'calls' cannot use this 'mode'", MODES),
        ("unknown-option", "metric 'calls' of type 'calls' has no option 'arg'", "one of: mode, args"),
        ("bad-option", "metric 'says' of type 'says' cannot use this 'ignore_case'", "one of: false, true"),
        ("bad-option", f"{latency} it can have no 'pass_at'", "rules: {latency_ms: {max: 200}}"),
        ("unknown-option", "metric 'nodes' of type 'nodes' has no option 'mode'", "one of: none"),
    ]


@pytest.mark.parametrize("value", [0, 1, None, "true", ["true"]])
def test_a_switch_takes_true_and_false_alone(value: Any) -> None:
    assert findings(config("says", ignore_case=value))[0][0] == "bad-option"
    assert metric("says", ignore_case=True).options == {"ignore_case": True}


def test_pass_at_is_the_types_own_unless_it_is_written() -> None:
    assert metric("calls").pass_at == 1.0
    assert build((config("calls", pass_at=0.5),))[0].pass_at == 0.5
    assert build((config("rouge_1", pass_at=0.5),))[0].pass_at == 0.5


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_states_its_facts(name: str) -> None:
    subject = METRICS[name]
    assert subject.version == "1"
    assert subject.__doc__
    assert (subject.kind == "measure") is bool(subject.unit)
    assert subject.kind == "quality" or subject.default_pass_at is None
    assert set(subject.reads) <= set(Expect.__dataclass_fields__)


def test_the_metrics_that_always_run_are_known_without_loading_any() -> None:
    assert [name for name, subject in METRICS.items() if subject.always] == [*ALWAYS]


def test_every_expectation_is_scored_without_configuration_or_has_a_metric() -> None:
    scored = {key for subject in METRICS.values() for key in subject.reads}
    assert scored == {*Expect.__dataclass_fields__}


class Broken(Calls):
    """A metric with a bug."""

    async def score(self, of: Case, recorded: Trace) -> Score:
        raise ZeroDivisionError(of.id, recorded.trial)


def test_a_metric_that_raises_is_a_bug_with_the_case_and_the_metric_named() -> None:
    broken = Broken(config("calls"))
    with pytest.raises(ZeroDivisionError) as error:
        asyncio.run(score_trial((broken,), case(Expect(calls=expected("f"))), trace(turn())))
    assert error.value.__notes__ == ["while metric 'calls' scored trial 2 of case 'a_case'"]


def test_a_metric_is_a_context() -> None:
    async def enter() -> bool:
        async with metric("calls") as entered:
            return entered.name == "calls"

    assert asyncio.run(enter())
