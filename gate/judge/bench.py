"""All judges of a run: one endpoint each, whichever metrics ask it, and the judgements of earlier runs."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from gate.judge.answers import Failed
from gate.judge.budget import Tab
from gate.judge.cache import Cache, question_key
from gate.judge.endpoint import Answered, Endpoint
from gate.judge.sampling import Judged, Question, Unjudged, fold
from gate.judge.verdicts import VERDICTS
from gate.model.judge import JudgeConfig
from gate.redact import Redactor


class Bench:
    """Answers questions for the metrics of a run; an async context manager."""

    def __init__(
        self, redact: Redactor, environ: Mapping[str, str] | None = None, cache: Cache | None = None
    ) -> None:
        self.cache = cache
        self._redact = redact
        self._environ = os.environ if environ is None else environ
        self._stack = AsyncExitStack()
        self._endpoints: list[Endpoint] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    async def seat(self, judge: JudgeConfig) -> Endpoint:
        """The endpoint of a judge: the same one for the same judge."""
        for endpoint in self._endpoints:
            if endpoint.judge == judge:
                return endpoint
        endpoint = Endpoint(judge, redact=self._redact, environ=self._environ)
        await self._stack.enter_async_context(endpoint)
        self._endpoints.append(endpoint)
        return endpoint

    async def judge(
        self, endpoint: Endpoint, question: Question, tab: Tab | None = None
    ) -> Judged | Unjudged:
        """The judgement on a question, or why there is none; never raises for what a judge does.

        What it takes goes on the `tab`.
        """
        samples = range(question.samples)
        known = [self._known(endpoint, question, sample) for sample in samples]
        answers = await asyncio.gather(
            *(self._sample(endpoint, question, sample, known[sample], tab) for sample in samples)
        )
        return fold(question.kind, answers, cached=sum(each is not None for each in known))

    def _known(self, endpoint: Endpoint, question: Question, sample: int) -> Answered | None:
        if self.cache is None or question.fresh or endpoint.judge.withheld:
            return None
        return self.cache.get(question_key(question, sample), question.names)

    async def _sample(
        self, endpoint: Endpoint, question: Question, sample: int, known: Answered | None, tab: Tab | None
    ) -> Answered | str:
        if known:
            return known
        try:
            answered = await endpoint.ask(question.prompt, VERDICTS[question.kind], sample, tab)
        except Failed as failed:
            return failed.reason
        if self.cache and not question.fresh:
            self.cache.put(question_key(question, sample), answered)
        return answered
