"""Everything that is known before anything is spent: config, cases, metrics, baseline; or every finding."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from gate.check import check
from gate.compare.baseline import from_lines
from gate.compare.passing import is_decisive
from gate.dataset import select
from gate.errors import BadInput, UsageError
from gate.formats.key import line_key
from gate.formats.records import Malformed, dump, load
from gate.git import is_tracked
from gate.model.case import Case, Expect, Turn, User
from gate.model.config import CommandBoot, Config, ContainerBoot
from gate.model.finding import Finding, Place
from gate.model.run import Baseline, BaselineFacts, CaseFacts, MetricFacts
from gate.redact import Redactor
from gate.score import METRICS, build
from gate.score.metric import Metric

EXCERPT = 300


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
    if config is None or _is_fatal(findings, strict=strict):
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
        env=selection.env,
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


def load_baseline(root: Path, name: str) -> tuple[Baseline | None, BaselineFacts, list[Finding]]:
    """The committed baseline. A malformed one is a finding; one that is gone or unreadable is a fact."""
    path = root / name
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if not is_tracked(root, path):
            return None, BaselineFacts(state="none", path=name), []
        problem = f"{name} is committed but not there; `git restore {name}` brings it back"
        return None, BaselineFacts(state="unreadable", path=name, problem=problem), []
    except (OSError, UnicodeDecodeError) as error:
        problem = f"{name} cannot be read: {error}"
        return None, BaselineFacts(state="unreadable", path=name, problem=problem), []
    try:
        baseline = from_lines([json.loads(text_line) for text_line in text.splitlines() if text_line.strip()])
    except (Malformed, ValueError) as error:
        return None, BaselineFacts(state="unreadable", path=name), [_malformed(name, str(error))]
    return baseline, baseline_facts(baseline, name), []


def baseline_facts(baseline: Baseline, name: str) -> BaselineFacts:
    """What is said of a baseline that could be read."""
    if not baseline.runs:
        return BaselineFacts(state="none", path=name)
    last = baseline.runs[-1]
    return BaselineFacts(
        state="compared",
        path=name,
        runs=len(baseline.runs),
        commit=last.commit,
        branch=last.branch,
        date=last.date,
    )


def _malformed(name: str, problem: str) -> Finding:
    return Finding.error(
        "baseline-malformed",
        Place(file=name),
        problem,
        why="Without the baseline nothing can be called better or worse.",
        fix=f"`git checkout -- {name}` restores it; `agent-gate baseline accept` writes it.",
    )


def _is_fatal(findings: Sequence[Finding], *, strict: bool) -> bool:
    return any(strict or finding.level == "error" for finding in findings)


def secrets_of(config: Config) -> list[str]:
    """The values of `pass_env`."""
    boot = config.agent.boot
    names = boot.pass_env if isinstance(boot, CommandBoot | ContainerBoot) else ()
    return [os.environ[name] for name in names if os.environ.get(name)]


def _redacted(case: Case, redact: Redactor) -> Case:
    turns = tuple(replace(turn, expect=_redacted_expect(turn.expect, redact)) for turn in case.turns)
    return replace(case, turns=turns, expect=_redacted_expect(case.expect, redact))


def _redacted_expect(expect: Expect, redact: Redactor) -> Expect:
    data = dump(expect)
    clean = redact.value(data)
    return expect if clean == data else load(Expect, clean)


def _metric_facts(metric: Metric, config: Config) -> MetricFacts:
    type_ = next(name for name, cls in METRICS.items() if cls is type(metric))
    expected = metric.always and bool(metric.reads)
    return MetricFacts(
        name=metric.name,
        type=type_,
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
        prompt=_prompt(case.turns[0])[:EXCERPT],
        quarantine=active,
        trials=config.run.trials,
    )


def _prompt(turn: Turn) -> str:
    return turn.sent.text if isinstance(turn.sent, User) else ""


def _words(selection: Selection) -> tuple[str, ...]:
    cases = tuple(f"--case {case}" for case in selection.cases)
    tags = tuple(f"--tag {tag}" for tag in selection.tags)
    return (selection.note,) if selection.note else cases + tags
