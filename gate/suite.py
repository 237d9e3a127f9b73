"""Everything that is known before anything is spent: config, cases, metrics, baseline; or every finding."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from gate.check import check, stops
from gate.compare.passing import is_decisive
from gate.dataset import select
from gate.errors import BadInput, UsageError
from gate.formats.key import line_key
from gate.formats.records import dump, load
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.case import Case, Expect
from gate.model.config import CommandBoot, Config, ContainerBoot, NoBoot
from gate.model.finding import Finding
from gate.model.run import CaseFacts, MetricFacts
from gate.redact import Redactor
from gate.results import load_baseline
from gate.score import build
from gate.score.metric import Metric

_CREDENTIAL = re.compile("auth|cookie|credential|key|pass|secret|token", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A checked suite: `cases` are sent as written, `expected` are the same without secrets, for scoring."""

    config: Config
    cases: tuple[Case, ...]
    expected: dict[str, Case]
    metrics: tuple[Metric, ...]
    metric_facts: tuple[MetricFacts, ...]
    case_facts: tuple[CaseFacts, ...]
    baseline: Baseline | None
    baseline_facts: BaselineFacts
    redact: Redactor
    selection: tuple[str, ...]
    env: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which part of the suite to run, how often, and with what in the agent's environment (`NAME=VALUE`)."""

    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trials: int | None = None
    env: tuple[str, ...] = ()
    note: str = ""


def prepare(
    config_path: Path,
    selection: Selection,
    *,
    strict: bool = False,
    boots: bool = True,
    secrets: Sequence[str] = (),
) -> Suite:
    """Check everything and load the baseline; raises BadInput with every finding, or UsageError.

    `boots` false is for what runs without the agent: its program and variables are not looked for. `secrets`
    are taken out of every text as the values of `pass_env` are.
    """
    today = datetime.now(UTC).date()
    checked = check(config_path, today=today, boots=boots)
    config = checked.config
    findings = list(checked.findings)
    root = Path(config.root) if config else config_path.parent
    baseline, facts, more = load_baseline(root, config.baseline if config else "")
    findings += more
    if config is None or stops(findings, strict=strict):
        raise BadInput(findings)
    config = _varied(config, selection)
    redact = Redactor((*secrets, *secrets_of(config)))
    cases = select(checked.cases, selection.cases, selection.tags)
    metrics = build(config.metrics)
    expected = {case.id: _redacted(case, redact) for case in cases}
    return Suite(
        config=config,
        cases=cases,
        expected=expected,
        metrics=metrics,
        metric_facts=tuple(_metric_facts(metric, config) for metric in metrics),
        case_facts=tuple(_case_facts(expected[case.id], metrics, config, today) for case in cases),
        baseline=baseline,
        baseline_facts=facts,
        redact=redact,
        selection=_words(selection),
        env=tuple(map(redact.text, selection.env)),
        warnings=tuple(findings),
    )


def _varied(config: Config, selection: Selection) -> Config:
    if selection.trials:
        config = replace(config, run=replace(config.run, trials=selection.trials))
    if not selection.env:
        return config
    boot = config.agent.boot
    if not isinstance(boot, CommandBoot | ContainerBoot):
        raise UsageError("--env is for an agent that the gate starts: this one runs already")
    env = dict(pair.split("=", 1) for pair in selection.env)
    return replace(config, agent=replace(config.agent, boot=replace(boot, env={**boot.env, **env})))


def secrets_of(config: Config) -> Iterator[str]:
    """The values of `pass_env`, and of headers that carry a credential by their name, without its scheme."""
    boot = config.agent.boot
    if isinstance(boot, CommandBoot | ContainerBoot):
        yield from (os.environ[name] for name in boot.pass_env if os.environ.get(name))
    of_protocol = config.agent.options.get("headers")
    for headers in ({} if isinstance(boot, NoBoot) else boot.headers, of_protocol):
        for name, value in headers.items() if isinstance(headers, Mapping) else ():
            if _CREDENTIAL.search(name) and isinstance(value, str):
                yield value
                yield value.rpartition(" ")[2]


def _redacted(case: Case, redact: Redactor) -> Case:
    turns = tuple(replace(turn, expect=_redacted_expect(turn.expect, redact)) for turn in case.turns)
    return replace(case, turns=turns, expect=_redacted_expect(case.expect, redact))


def _redacted_expect(expect: Expect, redact: Redactor) -> Expect:
    data = asdict(expect)
    if redact.value(data) == _with_lists(data):
        return expect
    return load(Expect, redact.value(dump(expect)))


def _with_lists(value: object) -> object:
    match value:
        case dict():
            return {key: _with_lists(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_lists(item) for item in value]
        case _:
            return value


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
        decisive=is_decisive(
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


def _words(selection: Selection) -> tuple[str, ...]:
    cases = tuple(f"--case {case}" for case in selection.cases)
    tags = tuple(f"--tag {tag}" for tag in selection.tags)
    return (selection.note,) if selection.note else cases + tags
