"""`judge`: what a model says of an answer or of a trajectory, asked strictly and never taken for granted.

`rubric` gives 1 or 0 for each turn or case with a `rubric`; `score` and `trajectory` a number of 0 to 1. A
template says what it needs: one with `{rubric}` or `{reference}` is asked where the case has it, any other of
every case as a whole. What gives no verdict is Unscored, never a 0. A turn that was not reached or that broke
off is 0 without being asked about.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self, cast

from gate.model import Json
from gate.model.case import Case, Expect
from gate.model.config import MetricConfig
from gate.model.finding import Finding
from gate.model.judge import AnchorReading, JudgeConfig, JudgeKind, JudgeReading
from gate.model.score import Item, Score, Unscored
from gate.model.trace import Trace
from gate.score.items import Level, levels, scored, unmeasured_by
from gate.score.metric import Metric

if TYPE_CHECKING:
    import asyncio

    from gate.judge import Bench, Judged
    from gate.judge.endpoint import Endpoint

# gate.judge and asyncio are imported where a judge is configured: no other suite pays for them.
EVEN = 0.5
"""From which value a judge says yes where no `pass_at` is written."""
MOST_NAMES = 20
"""Names of itself that are kept of an endpoint: one that takes a new one for each answer would fill files."""
_MOST_SAMPLES = 15


def _text(value: Json) -> str:
    return "" if isinstance(value, str) and value else "a text that is not empty"


def _samples(value: Json) -> str:
    fine = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST_SAMPLES
    return "" if fine else f"a whole number from 1 to {_MOST_SAMPLES}"


def _anchors(value: Json) -> str:
    if isinstance(value, Mapping) and set(value) <= {"file", "min_agreement"}:
        least = value.get("min_agreement", 1)
        fine = isinstance(least, int | float) and not isinstance(least, bool) and 0 <= least <= 1
        return _text(value.get("file")) or ("" if fine else "min_agreement: a number from 0 to 1")
    return _text(value) and "a file, or {file: golden/anchors.yaml, min_agreement: 0.9}"


class Judge(Metric):
    """One judge's opinion. Seat it at a bench before it is entered; anchors are judged while trials run."""

    default_pass_at = 1.0
    reads: tuple[str, ...] = ("rubric",)
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"kind": ("rubric", "score", "trajectory")}
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {
        "judge": _text,
        "prompt": _text,
        "samples": _samples,
        "anchors": _anchors,
    }

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        from gate.judge.budget import Tab
        from gate.judge.endpoint import settings_of
        from gate.judge.templates import default_template, named, template_digest

        self.judge = cast("JudgeConfig", config.judge)
        self.anchors = config.anchors
        self.kind_asked = cast("JudgeKind", self.options["kind"])
        self.samples = int(cast("int", self.options.get("samples", 1)))
        if config.pass_at is None and self.kind_asked != "rubric":
            self.pass_at = None
        own = cast("str", self.options.get("prompt", ""))
        self._template = own or default_template(self.kind_asked)
        self._against = own or default_template(self.kind_asked, reference=True)
        self.needs = named(self._template)
        self.reads = tuple(name for name in ("rubric", "reference") if name in self.needs)
        digests = [template_digest(self.kind_asked, text) for text in (self._template, self._against)]
        made_of = json.dumps([self.kind_asked, digests, settings_of(self.judge), self.samples])
        self.key = hashlib.sha256(made_of.encode()).hexdigest()[:16]
        self.basis = (self.judge, self.anchors)
        self._bench: Bench | None = None
        self._anchored: asyncio.Task[None] | None = None
        self._readings: dict[str, AnchorReading] = {}
        self._reported: set[str] = set()
        self._names: tuple[str, ...] = ()
        self.lost = ""
        self._agreements: list[float] = []
        self._tab = Tab()
        self._cached = self._failed = 0

    @classmethod
    def _findings(cls, config: MetricConfig) -> Iterator[Finding]:
        yield from super()._findings(config)
        if config.judge is None:
            name = config.options.get("judge")
            what = f"there is no judge '{name}'" if name else "which judge it asks is not said"
            fix = "judges: {main: {base_url: https://gateway.example/v1, model: …, key: JUDGE_KEY}}"
            yield Finding.error("unknown-judge", config.place, f"metric '{config.name}': {what}", fix=fix)
        samples = config.options.get("samples", 1)
        if config.options.get("kind", "rubric") == "rubric" and samples in range(2, _MOST_SAMPLES + 1, 2):
            what = f"metric '{config.name}' takes {samples} samples, of which no majority is sure"
            yield Finding.error("even-samples", config.place, what, fix="samples: 3")

    @property
    def at(self) -> float:
        """From which value it says yes."""
        return EVEN if self.pass_at is None else self.pass_at

    @property
    def reading(self) -> JudgeReading:
        """What is known of the judge once the run is over."""
        given = self.options.get("anchors")
        least = given.get("min_agreement") if isinstance(given, Mapping) else None
        agreements = self._agreements
        return JudgeReading(
            metric=self.name,
            judge=self.judge.name,
            model=self.judge.model,
            key=self.key,
            at=self.at,
            kind=self.kind_asked,
            reported=tuple(sorted(self._reported)[:MOST_NAMES]),
            anchors=tuple(self._readings.values()),
            min_agreement=float(least) if isinstance(least, int | float) else None,
            samples=self.samples,
            agreement=sum(agreements) / len(agreements) if agreements else 1.0,
            calls=self._tab.calls,
            cached=self._cached,
            failed=self._failed,
            tokens=self._tab.tokens,
            money=self._tab.money if self.judge.price else None,
        )

    def most_calls(self, cases: Mapping[str, Case], trials: int) -> int:
        """How many questions a run asks at most, retries left out: those of anchors and of every trial."""
        items = sum(len(self._applies(case)) for case in cases.values())
        return (items * trials + len(self.anchors)) * self.samples

    async def sit(self, bench: "Bench") -> None:
        """Take a place at the bench that answers its questions."""
        self._bench = bench
        self._endpoint: Endpoint = await bench.seat(self.judge)

    async def __aenter__(self) -> Self:
        import asyncio

        from gate.judge.anchors import anchor_key

        for anchor in self.anchors:
            key = anchor_key(anchor)
            self._readings[anchor.id] = AnchorReading(anchor=anchor.id, key=key, label=anchor.label)
        if self.anchors:
            self._anchored = asyncio.create_task(self.measure_anchors())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import asyncio
        from contextlib import suppress

        if self._anchored is None:
            return
        if kind is not None:
            self._anchored.cancel()
            with suppress(asyncio.CancelledError):
                await self._anchored
        else:
            await self._anchored

    async def measure_anchors(self) -> None:
        """Judge every anchor anew; what a judge gave before is not looked at."""
        import asyncio
        from dataclasses import replace

        from gate.judge.anchors import TEXTS

        async def measure(number: int) -> None:
            anchor = self.anchors[number]
            texts = {name: getattr(anchor, name) for name in TEXTS}
            judged = await self._ask(f"anchor {anchor.id}", texts, fresh=True)
            if not isinstance(judged, str):
                reading = self._readings[anchor.id]
                self._readings[anchor.id] = replace(reading, value=judged.value)

        await asyncio.gather(*map(measure, range(len(self.anchors))))
        self._names = tuple(sorted(self._reported))

    def expectation(self, case: Case) -> Json:
        """What of each level is put into the template, and the key of the judge."""
        wanted = self._applies(case)
        return {"levels": wanted, "judge": self.key} if wanted else None

    async def score(self, case: Case, trace: Trace) -> Score:
        import asyncio

        if unmeasured := unmeasured_by(trace, "calls" if self.kind_asked == "trajectory" else "text"):
            return unmeasured
        if self._anchored and self._bench and self._bench.cache:
            await asyncio.shield(self._anchored)  # who answers must be known before earlier answers count
        found = await asyncio.gather(*(self._item(level) for level in self._levels(case, trace)))
        items = [item for item in found if isinstance(item, Item)]
        for item in found:
            if isinstance(item, str):
                return Unscored(cause="judge", reason=item)
        return scored(iter(items))

    async def _item(self, level: Level) -> Item | str:
        from gate.score.judge_texts import calls_text, expected_calls, texts_for

        if level.missing or level.broken:
            return Item(where=level.where, value=0.0, reason=level.missing or level.broken)
        texts = dict(texts_for(level))
        if self.kind_asked == "trajectory" and (calls := expected_calls(level.case)) is not None:
            texts["reference"] = calls_text(calls) or "(no tool call)"
        judged = await self._ask(level.case.id, texts)
        if isinstance(judged, str):
            return judged
        return Item(where=level.where, value=judged.value, reason=self._reason(judged))

    def _reason(self, judged: "Judged") -> str:
        said = f"the judge says {'YES' if judged.value else 'NO'}"
        if self.kind_asked != "rubric":
            said = f"the judge gives {judged.value:.2f}"
        return f"{said}: {judged.why}" if judged.why else said

    async def _ask(self, case: str, texts: Mapping[str, str], *, fresh: bool = False) -> "Judged | str":
        from gate.judge import Question, Unjudged
        from gate.judge.templates import fill

        if self._bench is None:
            raise RuntimeError(f"metric '{self.name}' has no bench")
        template = self._against if texts.get("reference") else self._template
        question = Question(
            kind=self.kind_asked,
            case=case,
            prompt=fill(self.kind_asked, template, texts),
            key=self.key,
            samples=self.samples,
            fresh=fresh,
            names=self._names,
        )
        judged: Judged | Unjudged = await self._bench.judge(self._endpoint, question, self._tab)
        if isinstance(judged, Unjudged):
            self._failed += 1
            self.lost = judged.reason
            return judged.reason
        self._count(judged)
        return judged

    def _count(self, judged: "Judged") -> None:
        self._reported.update(judged.models)
        self._agreements.append(judged.agreement)
        self._cached += judged.cached

    def _applies(self, case: Case) -> dict[str, Json]:
        """By level (`turn 1`, `case`) what the template is filled with; empty where it is not asked."""
        if self.kind_asked == "trajectory":
            from gate.score.judge_texts import calls_text, expected_calls

            calls = expected_calls(case)
            if calls is None and "reference" in self.needs:
                return {}
            return {"case": {"calls": None if calls is None else calls_text(calls)}}
        if not self.reads:
            return {"case": {}}
        turns = {f"turn {n}": self._wants(turn.expect) for n, turn in enumerate(case.turns, 1)}
        found = {**turns, "case": self._wants(case.expect)}
        return {where: want for where, want in found.items() if want is not None}

    def _levels(self, case: Case, trace: Trace) -> Iterator[Level]:
        if self.kind_asked == "trajectory" or not self.reads:
            *_, whole = levels(case, trace)
            yield whole
            return
        yield from levels(case, trace, lambda expect: self._wants(expect) is not None)

    def _wants(self, expect: Expect) -> Json:
        found: dict[str, Json] = {name: getattr(expect, name) for name in self.reads}
        return None if None in found.values() else found
