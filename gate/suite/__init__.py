"""Everything that is known before anything is spent: config, cases, metrics, baseline; or every finding."""

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path

from gate.baselines import load_baseline
from gate.check import check, stops
from gate.dataset import select
from gate.errors import BadInput, UsageError
from gate.frozen import frozen
from gate.model.bar import Acceptance, Bar, NotAccepted, Revision
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.case import Case
from gate.model.config import AcceptPolicy, CommandBoot, Config, ContainerBoot
from gate.model.finding import Finding
from gate.redact import Redactor
from gate.suite.secrets import secrets_of
from gate.suite.yardstick import Yardstick, yardstick

__all__ = ["Selection", "Sides", "Suite", "Yardstick", "passed_over", "prepare", "secrets_of"]


@frozen
class Suite:
    """A checked suite: `cases` are sent as written, `head` is what they are held against.

    Where a pull request changes its bar, `base` is the other side's, and `apart` are the cases of `base` that
    are sent as the base has them; the trials of all others count for both. `bar` None: there is one side.
    `commit` is the pull request's own.
    """

    config: Config
    cases: tuple[Case, ...]
    head: Yardstick
    base: Yardstick | None = None
    apart: tuple[Case, ...] = ()
    bar: Bar | None = None
    commit: str = ""
    baseline: Baseline | None
    baseline_facts: BaselineFacts
    redact: Redactor
    selection: tuple[str, ...]
    env: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()


@frozen
class Selection:
    """Which part of the suite to run, how often, and with what in the agent's environment (`NAME=VALUE`)."""

    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trials: int | None = None
    env: tuple[str, ...] = ()
    note: str = ""


@frozen
class Sides:
    """Where the base of a run is, the pull request's own commit, and how to ask for acceptance."""

    base: Revision
    commit: str = ""
    ask: Callable[[AcceptPolicy], Acceptance | NotAccepted] = field(default=lambda _: NotAccepted())


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
    base = None
    if sides:
        from gate.trust import read_base

        base = read_base(sides.base, config_path)
    checked = check(config_path, today=today, boots=boots)
    config = checked.config
    findings = list(checked.findings)
    root = Path(config.root) if config else config_path.parent
    baseline, facts, more = load_baseline(
        root, config.baseline if config else "", config.baseline_branch if config else ""
    )
    findings += more
    if config is None or stops(findings, strict=strict):
        raise BadInput(findings)
    of_base = secrets_of(base.config) if base and base.config else ()
    redact = Redactor((*secrets, *secrets_of(config), *of_base))
    config = _varied(config, selection)
    cases = select(checked.cases, selection.cases, selection.tags)
    suite = Suite(
        config=config,
        cases=cases,
        head=yardstick(config, cases, redact, today),
        baseline=baseline,
        baseline_facts=facts,
        redact=redact,
        selection=_words(selection),
        env=tuple(map(redact.text, selection.env)),
        warnings=tuple(findings),
    )
    if not (base and sides):
        return suite
    from gate.suite.two_sides import HeadSide, hold  # only a pull request has two

    side = HeadSide(
        checked=checked,
        config=config,
        cases=cases,
        baseline=baseline,
        baseline_facts=facts,
        chosen=(selection.cases, selection.tags),
    )
    held = hold(base, side, sides.ask, redact, today)
    return replace(
        suite,
        config=held.config,
        head=held.head,
        base=held.base,
        apart=held.apart,
        bar=held.bar,
        commit=sides.commit,
        baseline=held.baseline,
        baseline_facts=held.baseline_facts,
    )


def passed_over(config_path: Path, sides: Sides) -> str:
    """Why a pull request passes without being measured; "" where it must be. Raises BaseUnreadable."""
    from gate.trust import read_base, untouched

    return untouched(read_base(sides.base, config_path), config_path)


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


def _words(selection: Selection) -> tuple[str, ...]:
    cases = tuple(f"--case {case}" for case in selection.cases)
    tags = tuple(f"--tag {tag}" for tag in selection.tags)
    return (selection.note,) if selection.note else cases + tags
