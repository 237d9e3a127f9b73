"""What one side holds a run against: its cases as they are expected, its metrics and its rules."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from gate.compare.passing import is_decisive
from gate.config.build import JUNIT
from gate.formats.key import line_key
from gate.frozen import frozen
from gate.model.case import Case, Expect, ExpectedCall, Parallel
from gate.model.config import Config, Policy, Rule
from gate.model.run import CaseFacts, MetricFacts
from gate.redact import Redactor
from gate.score import build
from gate.score.metric import Metric

_SAID: Final = tuple(each.name for each in fields(Expect))


@frozen
class Yardstick:
    """`expected` are the cases without secrets and `facts` what is known of each, in the suite's order."""

    expected: Mapping[str, Case]
    metrics: tuple[Metric, ...]
    metric_facts: tuple[MetricFacts, ...]
    facts: Mapping[str, CaseFacts]
    rules: tuple[Rule, ...]
    undecided: Mapping[str, Policy]
    enforced: bool

    @property
    def case_facts(self) -> tuple[CaseFacts, ...]:
        """The facts of each case."""
        return tuple(self.facts.values())

    def keys_of(self, case: str) -> Mapping[str, str]:
        """The key of each metric that applies to the case: what makes two values comparable."""
        return self.facts[case].keys

    def named(self) -> frozenset[str]:
        """The metrics that a rule names, or that decide whether a case passes."""
        return self.decisive() | {rule.metric for rule in self.rules}

    def decisive(self) -> frozenset[str]:
        """The metrics that decide whether a case passes."""
        return frozenset(metric.name for metric in self.metric_facts if metric.decisive)

    def by_default(self) -> frozenset[str]:
        """Those of them that no rule names."""
        return self.decisive() - {rule.metric for rule in self.rules}


def yardstick(config: Config, cases: Sequence[Case], redact: Redactor, today: date) -> Yardstick:
    """The yardstick of a config and its cases; raises BadInput for metrics that cannot be built."""
    metrics = build(config.metrics, redact)
    expected = {case.id: _redacted(case, redact) for case in cases}
    return Yardstick(
        expected=expected,
        metrics=metrics,
        metric_facts=tuple(_metric_facts(metric, config) for metric in metrics),
        facts={case.id: _case_facts(case, metrics, config, today) for case in expected.values()},
        rules=config.rules,
        undecided=config.undecided,
        enforced=config.enforce == "block",
    )


def _redacted(case: Case, redact: Redactor) -> Case:
    turns = tuple(replace(turn, expect=_redacted_expect(turn.expect, redact)) for turn in case.turns)
    return replace(case, turns=turns, expect=_redacted_expect(case.expect, redact))


def _redacted_expect(expect: Expect, redact: Redactor) -> Expect:
    said = {name: getattr(expect, name) for name in _SAID}
    return replace(
        expect, **{name: _clean(value, redact) for name, value in said.items() if value is not None}
    )


def _clean(value: Any, redact: Redactor) -> Any:  # noqa: ANN401  # each kind as its own kind again
    match value:
        case str():
            return redact.text(value)
        case tuple():
            return tuple(_clean(item, redact) for item in value)
        case ExpectedCall():
            args = None if value.args is None else _clean(dict(value.args), redact)
            return replace(value, name=redact.text(value.name), args=args)
        case Parallel():
            return replace(value, branches=_clean(value.branches, redact))
        case _:
            return redact.value(value)


def _metric_facts(metric: Metric, config: Config) -> MetricFacts:
    expected = metric.always and bool(metric.reads)
    return MetricFacts(
        name=metric.name,
        type=metric.type,
        version=metric.version,
        unit=metric.unit,
        kind=metric.kind,
        better=metric.better,
        pass_at=metric.pass_at,
        decisive=metric.type == JUNIT
        or is_decisive(
            metric.name, metric.kind, pass_at=metric.pass_at, expected=expected, rules=config.rules
        ),
    )


def _case_facts(case: Case, metrics: Sequence[Metric], config: Config, today: date) -> CaseFacts:
    expectations = [(metric, metric.expectation(case)) for metric in metrics]
    protocol = config.agent.protocol
    active = case.quarantine if case.quarantine and case.quarantine.until >= today else None
    return CaseFacts(
        id=case.id,
        place=replace(case.place, file=(Path(config.root) / case.place.file).as_posix()),
        keys={
            metric.name: line_key(case, metric.version, expectation, protocol)
            for metric, expectation in expectations
            if expectation is not None
        },
        category=case.category,
        tags=case.tags,
        track=case.track,
        quarantine=active,
        trials=config.run.trials,
    )
