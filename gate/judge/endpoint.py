"""One judge's endpoint during a run: its pace, its retries, its budget, and when it counts as down."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from gate.frozen import frozen
from gate.http import MIB, Client, HttpError
from gate.http.pace import Pace, backoff
from gate.judge.answers import Failed, Reply, read_reply, used_by
from gate.judge.budget import Purse, Tab
from gate.judge.templates import Prompt
from gate.judge.token import Tokens
from gate.judge.verdicts import Unreadable, Verdict
from gate.model import Json
from gate.model.judge import JudgeConfig
from gate.redact import Redactor

LONGEST_WAIT_S: Final = 60.0
"""An endpoint that asks to wait longer is not waited for."""
DOWN_AFTER: Final = 8
"""Questions in a row without a verdict after which no other is asked."""
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_SEEDS_A_SLOT: Final = 16


@frozen
class Answered:
    """A verdict, and the model that the endpoint names as its author."""

    verdict: Verdict
    model: str = ""


class Endpoint:
    """Asks one judge; shared by all metrics that name it. Enter it before the first question."""

    def __init__(
        self,
        judge: JudgeConfig,
        *,
        redact: Redactor,
        environ: Mapping[str, str],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.judge = judge
        self.purse = Purse(judge.budget, judge.price)
        self._redact = redact
        self._environ = environ
        self._slots = asyncio.Semaphore(judge.concurrency)
        self._pace = Pace(judge.rate_per_s, sleep=sleep)
        self._tokens = Tokens(judge, environ) if judge.token_command else None
        self._lost = 0
        self._down = ""

    async def __aenter__(self) -> Self:
        """Open the client; raises UsageError where the proxies of the environment cannot be used."""
        judge = self.judge
        self._client = Client(
            headers=judge.headers,
            timeout_s=judge.timeout_s,
            max_bytes=4 * MIB,
            # A proxy cannot reach what listens on this machine alone.
            trust_env=urlsplit(judge.base_url).hostname not in _LOOPBACK,
            authorities=judge.authorities,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)
        if self._tokens:
            self._tokens.close()

    async def ask(
        self, prompt: Prompt, read: Callable[[str], Verdict], sample: int, tab: Tab | None = None
    ) -> Answered:
        """The verdict on one question; raises Failed with a reason that is free of secrets.

        What gives no verdict is asked again, as often as `retries` says. All that it takes goes on the `tab`.
        """
        async with self._slots:
            try:
                answered = await self._persist(prompt, read, sample, tab or Tab())
            except Failed as failed:
                self._lost += 1
                reason = self._clean(failed.reason)
                if self._lost == DOWN_AFTER:
                    self._down = f"{DOWN_AFTER} questions in a row got no verdict; the last: {reason}"
                raise Failed(f"judge '{self.judge.name}': {reason}", again=False) from None
            self._lost = 0
            verdict = answered.verdict
            return Answered(
                verdict=Verdict(value=verdict.value, why=self._clean(verdict.why)),
                model=self._clean(answered.model),
            )

    async def _persist(
        self, prompt: Prompt, read: Callable[[str], Verdict], sample: int, tab: Tab
    ) -> Answered:
        if self.judge.withheld or self._down:
            raise Failed(self.judge.withheld or self._down, again=False)
        attempts = 1 + self.judge.retries
        for attempt in range(1, attempts):
            try:
                return await self._attempt(prompt, read, sample, attempt, tab)
            except Failed as failed:
                wait_s = backoff(attempt, failed.after_s)
                if not failed.again:
                    raise
                if wait_s > LONGEST_WAIT_S:
                    raise Failed(f"{failed.reason} (it asks to wait {wait_s:.0f} s)", again=False) from None
            await self._pace.sleep(wait_s)
        try:
            return await self._attempt(prompt, read, sample, attempts, tab)
        except Failed as failed:
            tried = f" (asked {attempts} times)" if attempts > 1 and failed.again else ""
            raise Failed(f"{failed.reason}{tried}", again=False) from None

    async def _attempt(
        self, prompt: Prompt, read: Callable[[str], Verdict], sample: int, attempt: int, tab: Tab
    ) -> Answered:
        await self._pace.place()
        body = self._body(prompt, sample, attempt)
        sent = prompt.system + prompt.user
        reply = await self._exchange(body, sent, tab)
        self.purse.pay(sent, reply, tab)
        try:
            return Answered(verdict=read(reply.text), model=reply.model)
        except Unreadable as unreadable:
            raise Failed(str(unreadable)) from None

    async def _exchange(self, body: Json, sent: str, tab: Tab) -> Reply:
        judge, token = self.judge, await self._tokens.get() if self._tokens else ""
        self.purse.take(tab)
        try:
            async with asyncio.timeout(judge.timeout_s):
                response = await self._client.request(
                    "POST", f"{judge.base_url}/chat/completions", json=body, headers=self._headers(token)
                )
        except TimeoutError:
            raise Failed(f"it did not answer within {judge.timeout_s:g} s") from None
        except HttpError as error:
            raise Failed(error.reason) from None
        try:
            return read_reply(response)
        except Failed as failed:
            if spent := used_by(response):  # what a model was cut off in, or refuses, is paid for
                self.purse.pay(sent, spent, tab)
            if not (failed.denied and self._tokens):
                raise
            self._tokens.forget(token)
            raise Failed(failed.reason, after_s=0.0) from None

    def _headers(self, token: str) -> dict[str, str]:
        judge, environ = self.judge, self._environ
        found = {header: environ.get(name, "").strip() for header, name in judge.headers_from.items()}
        credential = token or (environ.get(judge.key, "").strip() if judge.key else "")
        return {**({"authorization": f"Bearer {credential}"} if credential else {}), **found}

    def _body(self, prompt: Prompt, sample: int, attempt: int) -> dict[str, Json]:
        judge = self.judge
        messages: list[Json] = [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ]
        body: dict[str, Json] = {
            "model": judge.model,
            "messages": messages,
            "temperature": judge.temperature,
            # Another sample, and another attempt after no verdict, must not be the same answer again.
            "seed": None if judge.seed is None else judge.seed + sample * _SEEDS_A_SLOT + attempt - 1,
            **judge.body,
        }
        return {key: value for key, value in body.items() if value is not None}

    def _clean(self, text: str) -> str:
        token = self._tokens.token if self._tokens else ""
        text = Redactor([token]).text(text) if token else text
        return self._redact.text(text)


def settings_of(judge: JudgeConfig) -> str:
    """What of a judge decides its verdicts, as canonical JSON: model and what is sent beside the question."""
    facts = {
        "model": judge.model,
        "temperature": judge.temperature,
        "seed": judge.seed,
        "body": dict(judge.body),
    }
    return json.dumps(facts, sort_keys=True, separators=(",", ":"))
