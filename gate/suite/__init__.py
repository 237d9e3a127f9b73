"""Everything that is known before anything is spent: config, cases, metrics, baseline; or every finding."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gate.baselines import load_baseline
from gate.check import check, stops
from gate.dataset import select
from gate.errors import BadInput, UsageError
from gate.model.config import CommandBoot, Config, ContainerBoot
from gate.model.finding import Finding
from gate.model.run import Track
from gate.redact import Redactor
from gate.suite.judged import earlier_judgements
from gate.suite.secrets import secrets_of
from gate.suite.suite import Selection, Sides, Suite, most_judgements
from gate.suite.yardstick import Yardstick, yardstick

if TYPE_CHECKING:
    from gate.trust import BaseSide

__all__ = [
    "Selection",
    "Sides",
    "Suite",
    "Yardstick",
    "most_judgements",
    "passed_over",
    "prepare",
    "secrets_of",
]


def prepare(
    config_path: Path,
    selection: Selection,
    *,
    strict: bool = False,
    boots: bool = True,
    secrets: Sequence[str] = (),
    sides: Sides | None = None,
) -> Suite:
    """Check everything and load the baseline; raises BadInput with every finding, or UsageError.

    `boots` false is for what runs without the agent: its program and variables are not looked for. `secrets`
    are taken out of every text as the values of `pass_env` are. With `sides` the base has its say, and is
    read before anything else: raises BaseUnreadable.
    """
    today = datetime.now(UTC).date()
    base = _read(sides, config_path) if sides else None
    checked = check(config_path, today=today, boots=boots)
    config = checked.config
    if config is None:
        raise BadInput(checked.findings)
    baseline, facts, problems = load_baseline(Path(config.root), config.baseline, config.baseline_branch)
    of_base = secrets_of(base.config) if base and base.config else ()
    redact = Redactor((*secrets, *secrets_of(config), *of_base))
    tracks, of_tracks = _tracks(config, selection, redact, required=boots)
    findings = (*checked.findings, *problems, *of_tracks)
    if stops(findings, strict=strict):
        raise BadInput(findings)
    config = _varied(config, selection)
    cases = select(checked.cases, selection.cases, selection.tags)
    suite = Suite(
        config=config,
        cases=cases,
        head=yardstick(config, cases, redact, today),
        baseline=baseline,
        baseline_facts=facts,
        redact=redact,
        selection=selection.words(),
        env=tuple(map(redact.text, selection.env)),
        warnings=findings,
        judged=b"" if base else earlier_judgements(config),
        tracks=tracks,
    )
    if not (base and sides):
        return suite
    from gate.suite.two_sides import hold  # only a pull request has two

    return hold(suite, checked, base, sides, selection, today)


def _tracks(
    config: Config, selection: Selection, redact: Redactor, *, required: bool
) -> tuple[tuple[Track, ...], tuple[Finding, ...]]:
    """The results of the project's own tests; a part of the suite is run without them."""
    if not config.tracks or selection.words():
        return (), ()
    from gate.tracks import load  # few have any

    return load(config, redact, required=required)


def passed_over(config_path: Path, sides: Sides) -> str:
    """Why a pull request passes without being measured; "" where it must be. Raises BaseUnreadable."""
    from gate.trust import untouched

    return untouched(_read(sides, config_path), config_path)


def _read(sides: Sides, config_path: Path) -> "BaseSide":
    from gate.trust import read_base

    return read_base(sides.base, config_path)


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
