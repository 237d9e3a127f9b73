"""Which of the config's own keys ask less on the head's side: policies, trials, acceptance, and so on."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, Protocol

from gate.model.bar import BarChange, ChangeKind, Subject
from gate.model.config import AcceptPolicy, Config, Policy, RunConfig
from gate.model.finding import Place
from gate.trust import words

_STRICTNESS: Final[Mapping[Policy, int]] = {"fail": 2, "warn": 1, "pass": 0}


class Places(Protocol):
    """Where a key of the head's config stands."""

    def __call__(self, *path: str) -> Place:
        """The place of the key at `path`, or of what would hold it."""


def key_changes(base: Config, head: Config, places: Places) -> Iterator[BarChange]:
    """What the head's config says otherwise of everything but agent, metrics, rules and cases."""
    yield from _policies(base, head, places)
    if base.enforce != head.enforce:
        yield _ranked(
            "policy", "enforce", (base.enforce, head.enforce), places("enforce"), base.enforce == "block"
        )
    yield from _run(base.run, head.run, places)
    if base.accept != head.accept:
        told = (_accept(base.accept), _accept(head.accept))
        yield _ranked("policy", "accept", told, places("accept"), loosened=True)
    if base.when_changed != head.when_changed:
        told = (_when(base), _when(head))
        loosened = bool(head.when_changed) and not set(head.when_changed) >= set(base.when_changed or ("**",))
        yield _ranked("policy", "when.changed", told, places("when"), loosened)
    if base.strict_publish != head.strict_publish:
        told = (str(base.strict_publish).lower(), str(head.strict_publish).lower())
        yield _ranked("policy", "strict_publish", told, places("strict_publish"), base.strict_publish)
    if _source(base) != _source(head):
        yield _ranked(
            "baseline", "baseline", (_source(base), _source(head)), places("baseline"), loosened=True
        )


def run_in_force(base: RunConfig, head: RunConfig) -> RunConfig:
    """The head's pace with as many trials, and as little patience, as the stricter side has."""
    return replace(
        head,
        trials=max(base.trials, head.trials),
        trial_timeout_s=min(base.trial_timeout_s, head.trial_timeout_s),
        retries=min(base.retries, head.retries),
    )


def strictest(base: Mapping[str, Policy], head: Mapping[str, Policy]) -> dict[str, Policy]:
    """Of each cause the policy that lets less through; one that is not written is `fail`."""
    found: dict[str, Policy] = {}
    for cause in base.keys() & head.keys():
        found[cause] = max(base[cause], head[cause], key=lambda policy: _STRICTNESS[policy])
    return found


def _policies(base: Config, head: Config, places: Places) -> Iterator[BarChange]:
    for cause in sorted({*base.undecided, *head.undecided}):
        before, after = base.undecided.get(cause, "fail"), head.undecided.get(cause, "fail")
        if before != after:
            looser = _STRICTNESS[after] < _STRICTNESS[before]
            yield _ranked("policy", f"undecided.{cause}", (before, after), places("undecided", cause), looser)


def _run(base: RunConfig, head: RunConfig, places: Places) -> Iterator[BarChange]:
    for name, before, after, looser in (
        ("trials", str(base.trials), str(head.trials), head.trials < base.trials),
        (
            "trial_timeout",
            words.seconds(base.trial_timeout_s),
            words.seconds(head.trial_timeout_s),
            head.trial_timeout_s > base.trial_timeout_s,
        ),
        ("retries", str(base.retries), str(head.retries), head.retries > base.retries),
    ):
        if before != after:
            yield _ranked("run", f"run.{name}", (before, after), places("run", name), looser)


def _ranked(subject: Subject, name: str, told: tuple[str, str], place: Place, loosened: bool) -> BarChange:  # noqa: FBT001
    kind: ChangeKind = "loosened" if loosened else "tightened"
    before, after = told
    return BarChange(
        subject=subject,
        kind=kind,
        name=name,
        before=before,
        after=after,
        needs_acceptance=loosened,
        place=place,
    )


def _accept(accept: AcceptPolicy) -> str:
    keys: dict[str, str] = {"by": accept.by}
    if accept.by == "label":
        keys["label"] = accept.label
    if accept.not_author:
        keys["not_author"] = "true"
    return words.block(keys)


def _when(config: Config) -> str:
    return words.listed(config.when_changed) if config.when_changed else ""


def _source(config: Config) -> str:
    branch = config.baseline_branch
    return f"{config.baseline} of {branch}" if branch else config.baseline
