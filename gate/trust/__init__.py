"""The trusted side: what a pull request is held against, and what it would change of that."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from gate.check import Checked
from gate.frozen import frozen
from gate.model.bar import BarChange, ChangeKind, Revision
from gate.model.baseline import Baseline
from gate.model.case import Case
from gate.model.config import AgentConfig, CommandBoot, Config, Confinement, ContainerBoot, UrlBoot
from gate.model.finding import Place
from gate.publish.words import count
from gate.trust.agent import AgentSides
from gate.trust.base import BaseSide, read_base
from gate.trust.cases import pair
from gate.trust.code import by_base_code, reads_extra
from gate.trust.judges import judge_changes, judges_in_force, without_judges
from gate.trust.keys import key_changes, run_in_force, strictest
from gate.trust.metrics import metric_changes
from gate.trust.patterns import matching
from gate.trust.relevant import untouched
from gate.trust.rules import rule_changes

__all__ = [
    "BaseSide",
    "Revision",
    "Weighed",
    "matching",
    "metric_changes",
    "read_base",
    "strictest",
    "untouched",
    "weigh",
]


@frozen
class Weighed:
    """What the head changes of the bar, and how it is run before anybody has accepted that.

    `config` is the head's with the base's say; `apart` are cases to be run by the base's text.
    """

    config: Config
    changes: tuple[BarChange, ...]
    apart: tuple[Case, ...]


def weigh(base: BaseSide, head: Checked, config: Config, baseline: Baseline | None, today: date) -> Weighed:
    """Hold the head's side, and the baseline that it brings, beside the base; metrics are weighed apart."""
    here = Place(file=config.file)
    if base.config is None:
        changes, agent = _without_base(base, config, baseline, here)
        held = replace(without_judges(config) if base.problems else config, agent=agent)
        return Weighed(config=held, changes=tuple(changes), apart=())
    sides = AgentSides(base.config.agent, config.agent, head.place("agent", "boot"))
    extra = reads_extra(base.config.metrics)
    pairs = pair(base.cases, head.cases, here, today, extra=extra)
    changes = [
        *_broken(base, here),
        *sides.changes(),
        *key_changes(base.config, config, head.place),
        *rule_changes(base.config.rules, config.rules),
        *judge_changes(base.config, config, head.place),
        *pairs.changes,
        *_baseline(base, config, baseline),
    ]
    held = judges_in_force(base.config, config)
    held = replace(
        held,
        agent=sides.in_force(),
        run=run_in_force(base.config.run, config.run),
        metrics=by_base_code(base.config.metrics, held.metrics),
    )
    return Weighed(config=held, changes=tuple(changes), apart=pairs.apart)


def _without_base(
    base: BaseSide, config: Config, baseline: Baseline | None, here: Place
) -> tuple[list[BarChange], AgentConfig]:
    """The base has no config that can be used: this one is the first, or takes the place of a broken one."""
    if not base.problems:
        changes = [BarChange(subject="config", kind="added", name=config.file, place=here)]
        return [*changes, *_baseline(base, config, baseline)], config.agent
    return [*_broken(base, here)], AgentSides(_bare(config.agent), config.agent, here).in_force()


def _bare(agent: AgentConfig) -> AgentConfig:
    """The agent without a secret and behind every wall."""
    boot = agent.boot
    if isinstance(boot, CommandBoot | UrlBoot):
        boot = replace(boot, pass_env=())
    if isinstance(boot, ContainerBoot):
        boot = replace(boot, pass_env=(), confinement=Confinement())
    return replace(agent, boot=boot)


def _broken(base: BaseSide, here: Place) -> Iterator[BarChange]:
    """What of the base cannot be used, so that nobody can say what the head makes of it."""
    for problem in base.problems:
        yield BarChange(
            subject="config",
            kind="changed",
            name=str(problem.place),
            note=f"the base's own file cannot be used: {problem.what}",
            needs_acceptance=True,
            place=here,
        )


def _baseline(base: BaseSide, config: Config, brought: Baseline | None) -> Sequence[BarChange]:
    """The head's own evidence counts once somebody has accepted it; the first one has nothing to replace."""
    facts = base.baseline_facts
    if (
        config.baseline_branch
        or brought == base.baseline
        or (facts.state == "unreadable" and brought is None)
    ):
        return ()
    before, after = _runs(base.baseline), _runs(brought)
    known = facts.state != "none"
    kind: ChangeKind = "removed" if brought is None else "changed" if known else "added"
    place = Place(file=f"{config.root}/{config.baseline}".removeprefix("./"))
    return (
        BarChange(
            subject="baseline",
            kind=kind,
            name=config.baseline,
            before=before,
            after=after,
            needs_acceptance=kind != "added",
            place=place,
        ),
    )


def _runs(baseline: Baseline | None) -> str:
    if baseline is None:
        return ""
    last = baseline.runs[-1]
    return f"{count(len(baseline.runs), 'run')} up to {last.commit[:12] or last.run}"
