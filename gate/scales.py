"""Each trial is scored by every yardstick that it counts for; what was collected is judged at the end."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Self

from gate.compare.evidence import Tally
from gate.model.config import Policy
from gate.model.judge import JudgeReading
from gate.model.run import Meta, MetricFacts, Track, TrialRecord
from gate.model.trace import Trace
from gate.model.verdict import Comparison, Report
from gate.record import record_of
from gate.score import judges_among, score_trial
from gate.score.metric import Metric
from gate.suite import Suite, Yardstick
from gate.suite.judged import keep_judgements

if TYPE_CHECKING:
    from gate.judge import Cache


class Scales:
    """Holds the trials of a run against one side, or the two of a pull request."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._head = _tally(suite.head, suite.tracks)
        self._base = _tally(suite.base, suite.tracks) if suite.base else None
        self._apart = {case.id for case in suite.apart}
        self._alike = suite.base is not None and _measures(suite.base) == _measures(suite.head)
        others = suite.base.metrics if suite.base and not self._alike else ()
        self._used = (*suite.head.metrics, *others)
        self._judges = judges_among(self._used)

    @property
    def waits(self) -> bool:
        """Whether scoring a trial waits for somebody: then several are scored side by side."""
        return bool(self._judges)

    @asynccontextmanager
    async def ready(self) -> AsyncIterator[Self]:
        """Every metric of both sides, entered together."""
        async with AsyncExitStack() as stack:
            if self._judges:
                await self._seat(stack)
            for metric in self._used:
                await stack.enter_async_context(metric)
            yield self

    async def _seat(self, stack: AsyncExitStack) -> None:
        from gate.judge import Bench, Cache, known_of  # most suites have no judge

        suite = self._suite
        cache = Cache(known_of(suite.judged)) if suite.config.judge_cache else None
        if cache and suite.bar is None:
            stack.push(partial(_keep, suite, cache))
        bench = await stack.enter_async_context(Bench(suite.redact, cache=cache))
        for judge in self._judges:
            await judge.sit(bench)

    async def put(self, trace: Trace) -> TrialRecord:
        """Score a trial and count it; the record is by the text that was run."""
        if trace.side == "base" and self._suite.base:
            return await self._put_base(trace, self._suite.base)
        record = await _scored(self._suite.head, trace, self._suite.head.metrics)
        self._head.add(record)
        base = self._suite.base
        if base and self._base and trace.case in base.expected and trace.case not in self._apart:
            if self._is_same(trace.case, base):
                self._base.add(record)
            else:
                await self._put_base(trace, base)
        return record

    def conclude(self, meta: Meta) -> Report:
        """The report over all that was put."""
        suite = self._suite
        policies, enforced = _in_force(suite)
        comparison, shown = self._judged(meta, policies, enforced=enforced)
        return Report(
            meta=meta,
            metrics=_facts(suite.head, shown),
            rules=shown.rules,
            undecided=policies,
            comparison=comparison,
            judges=self._readings(suite.head),
        )

    def _judged(
        self, meta: Meta, policies: dict[str, Policy], *, enforced: bool
    ) -> tuple[Comparison, Yardstick]:
        """The verdict, and the yardstick whose rules it shows."""
        from gate.compare.sides import decide  # not needed before the first request

        suite, base = self._suite, self._suite.base
        mine = self._compared(suite.head, self._head, meta, policies, enforced=enforced)
        if suite.bar is None:
            return mine, suite.head
        other = None
        if base and self._base:
            other = self._compared(base, self._base, meta, policies, enforced=enforced)
        decided = decide(mine, other, suite.bar, policies, enforced=enforced)
        return decided, base if base and other and decided.rules is other.rules else suite.head

    def _compared(
        self, side: Yardstick, tally: Tally, meta: Meta, policies: dict[str, Policy], *, enforced: bool
    ) -> Comparison:
        from gate.compare.verdict import compare  # not needed before the first request

        bar = self._suite.bar
        return compare(
            tally.evidence(meta, self._readings(side)),
            self._suite.baseline,
            self._suite.baseline_facts,
            rules=side.rules,
            undecided=policies,
            enforced=enforced,
            renewed=bar is not None and side is self._suite.head and bool(self._suite.base or bar.accepted),
        )

    def _readings(self, side: Yardstick) -> tuple[JudgeReading, ...]:
        """What the judges of a side said; where both sides hold the same, the head's were asked.

        From which value on that is a yes is the side's own.
        """
        asked = self._suite.head if self._alike else side
        at = {judge.name: judge.at for judge in judges_among(side.metrics)}
        judges = judges_among(asked.metrics)
        return tuple(replace(judge.reading, at=at[judge.name]) for judge in judges)

    async def _put_base(self, trace: Trace, base: Yardstick) -> TrialRecord:
        # Metrics that are the same on both sides are entered once: the head's stand for the base's.
        record = await _scored(base, trace, self._suite.head.metrics if self._alike else base.metrics)
        if self._base:
            self._base.add(record)
        return record

    def _is_same(self, case: str, base: Yardstick) -> bool:
        """Whether a trial of the case gets the same scores from both sides."""
        return self._alike and base.keys_of(case) == self._suite.head.keys_of(case)


def _keep(suite: Suite, cache: "Cache", kind: type[BaseException] | None, *_: object) -> None:
    """Keep what was judged for the next run; what a part of the suite had no use for stays."""
    lines = cache.lines(whole=kind is None and not suite.selection)
    keep_judgements(suite.config, "".join(lines))


def _facts(head: Yardstick, shown: Yardstick) -> tuple[MetricFacts, ...]:
    """The metrics by which the trials were scored, and those that the rules shown have beside them."""
    own = {metric.name for metric in head.metric_facts}
    return (*head.metric_facts, *(metric for metric in shown.metric_facts if metric.name not in own))


def _tally(side: Yardstick, tracks: Sequence[Track]) -> Tally:
    """The tally of one side, in which the project's own tests are counted already if it has their track."""
    known = {metric.name for metric in side.metric_facts}
    mine = [track for track in tracks if track.facts.name in known]
    tally = Tally(side.metric_facts, (*side.case_facts, *(facts for track in mine for facts in track.cases)))
    for track in mine:
        for record in track.trials:
            tally.add(record)
    return tally


async def _scored(side: Yardstick, trace: Trace, metrics: Sequence[Metric]) -> TrialRecord:
    return record_of(trace, await score_trial(metrics, side.expected[trace.case], trace))


def _measures(side: Yardstick) -> list[tuple[object, ...]]:
    return [
        (metric.name, metric.type, metric.version, metric.options, metric.code, metric.basis)
        for metric in side.metrics
    ]


def _in_force(suite: Suite) -> tuple[dict[str, Policy], bool]:
    """The policies, and whether they block: of two sides the stricter; the head alone cannot soften them."""
    head, base = suite.head, suite.base
    if base:
        from gate.trust import strictest  # not needed before the first request

        return strictest(base.undecided, head.undecided), base.enforced or head.enforced
    if suite.bar and any(change.needs_acceptance for change in suite.bar.changes) and not suite.bar.accepted:
        return {}, True
    return dict(head.undecided), head.enforced
