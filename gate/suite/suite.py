"""The words of a checked suite: what is run, which part of it was chosen, and what it is held against."""

from collections.abc import Callable
from dataclasses import field

from gate.frozen import frozen
from gate.model.bar import Acceptance, Bar, NotAccepted, Revision
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.case import Case
from gate.model.config import AcceptPolicy, Config
from gate.model.finding import Finding
from gate.model.run import CaseFacts, Track
from gate.redact import Redactor
from gate.score import judges_among
from gate.suite.yardstick import Yardstick


@frozen
class Suite:
    """A checked suite: `cases` are sent as written, `head` is what they are held against.

    Where a pull request changes its bar, `base` is the other side's, and `apart` are the cases of `base` that
    are sent as the base has them; the trials of all others count for both. `bar` None: there is one side.
    `commit` is the pull request's own, `tracks` are the results of the project's own tests. `judged` is the
    file of earlier judgements: the base's, where there are two sides.
    """

    config: Config
    cases: tuple[Case, ...]
    head: Yardstick
    base: Yardstick | None = None
    apart: tuple[Case, ...] = ()
    bar: Bar | None = None
    commit: str = ""
    judged: bytes = b""
    baseline: Baseline | None
    baseline_facts: BaselineFacts
    redact: Redactor
    selection: tuple[str, ...]
    env: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()
    tracks: tuple[Track, ...] = ()

    @property
    def facts(self) -> tuple[CaseFacts, ...]:
        """The facts of the cases that are run, and of the project's own tests, which were."""
        return (*self.head.case_facts, *(facts for track in self.tracks for facts in track.cases))


def most_judgements(suite: Suite) -> int:
    """How many questions judges are asked at most, retries left out; 0 where there is no judge."""
    sides = (side for side in (suite.head, suite.base) if side)
    trials = suite.config.run.trials
    return sum(
        judge.most_calls(side.expected, trials) for side in sides for judge in judges_among(side.metrics)
    )


@frozen
class Selection:
    """Which part of the suite to run, how often, and with what in the agent's environment (`NAME=VALUE`)."""

    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trials: int | None = None
    env: tuple[str, ...] = ()
    note: str = ""

    def words(self) -> tuple[str, ...]:
        """The options that choose a part, as they were written; empty for the whole suite."""
        cases = tuple(f"--case {case}" for case in self.cases)
        tags = tuple(f"--tag {tag}" for tag in self.tags)
        return (self.note,) if self.note else cases + tags


@frozen
class Sides:
    """Where the base of a run is, the pull request's own commit, and how to ask for acceptance."""

    base: Revision
    commit: str = ""
    ask: Callable[[AcceptPolicy], Acceptance | NotAccepted] = field(default=lambda _: NotAccepted())
