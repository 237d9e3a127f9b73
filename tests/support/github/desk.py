"""A fake GitHub, and what a job has at hand to talk to it: a context, a token, a clock of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from gate.github.api import Api, connect
from gate.github.comment import CommentResult, publish_comment
from gate.github.event import RunContext
from tests.support.github.fake import FakeGitHub
from tests.support.github.openapi import Edition
from tests.support.github.state import BASE, HEAD, JOB_TOKEN, REPOSITORY, State, a_state
from tests.support.github.transport import transport

GHES = "https://ghes.example/api/v3"


@dataclass
class Clock:
    """Time passes only by sleeping."""

    time: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


class Desk:
    """Made once a test; `fake` may be replaced before the first request."""

    def __init__(self) -> None:
        self.clock = Clock()
        self._fakes: list[FakeGitHub] = []
        self.begin()

    def begin(self, state: State | None = None, *, edition: Edition = "api.github.com") -> FakeGitHub:
        base = GHES if edition.startswith("ghes") else "https://api.github.com"
        self._fakes.append(FakeGitHub(a_state(**(state or {})), edition=edition, base=base))
        return self.fake

    @property
    def fake(self) -> FakeGitHub:
        return self._fakes[-1]

    @property
    def comments(self) -> list[State]:
        found: list[State] = self.fake.state["comments"]
        return found

    @property
    def violations(self) -> list[str]:
        return [text for fake in self._fakes for text in fake.state["violations"]]

    def fail(self, method: str, path: str, status: int, message: str = "", **fields: Any) -> None:
        body = {"message": message or f"status {status}"}
        self.fake.state["failures"].append(
            {"method": method, "path": path, "status": status, "body": body, **fields}
        )

    @asynccontextmanager
    async def api(self, token: str = JOB_TOKEN) -> AsyncIterator[Api]:
        seam = transport(self.fake)
        clock = self.clock
        async with connect(self.fake.base, token, transport=seam, sleep=clock.sleep, now=clock.now) as api:
            yield api

    def context(self, **fields: Any) -> RunContext:
        known: dict[str, Any] = {
            "event": "pull_request",
            "repository": REPOSITORY,
            "workflow": ".github/workflows/agent-gate.yml",
            "job": "gate",
            "run_id": 4711,
            "attempt": 1,
            "sha": "feed" + "0" * 36,
            "head_sha": HEAD,
            "head_ref": "feature",
            "head_repository": REPOSITORY,
            "base_ref": "main",
            "base_sha": BASE,
            "pull": 7,
            "api_url": self.fake.base,
            "graphql_url": self.fake.graphql_url,
        }
        return RunContext(**(known | fields))

    async def publish(self, text: str = "pass", *, token: str = JOB_TOKEN, **fields: Any) -> CommentResult:
        """Publish a comment of this text; what is no setting of the comment is a field of the context."""
        settings = {k: fields.pop(k) for k in ("comment_id", "mode", "notable", "severity") if k in fields}
        async with self.api(token) as api:
            return await publish_comment(api, self.context(**fields), lambda _: text, **settings)
