"""Builders for tests that drive an agent: cases, an agent without a process, one call that runs a plan."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gate.drive import drive
from gate.errors import AgentDown
from gate.http.pace import Pace
from gate.model.agent import Death
from gate.model.case import Answer, Answers, Case, Expect, TextPart, Turn, User
from gate.model.config import AgentConfig, NoBoot, RunConfig
from gate.model.finding import Place
from gate.model.trace import Trace
from gate.redact import Redactor

HERE = Place(file="golden.yaml", line=1)
SIMPLE: dict[str, Any] = {"path": "/chat", "response": {"text": "$.reply"}}
FULL: dict[str, Any] = {
    "path": "/chat",
    "response": {
        "text": "$.reply",
        "calls": "$.calls[*]",
        "results": "$.results[*]",
        "usage": {"input": "$.usage.in", "output": "$.usage.out"},
        "error": "$.error",
        "pauses": "$.pauses[*]",
        "state": "$.state",
    },
}


def says(text: str, **expect: Any) -> Turn:
    return Turn(sent=User(parts=(TextPart(text=text),)), expect=Expect(**expect), place=HERE)


def answering(to: str, value: object = None, **expect: Any) -> Turn:
    decision = "approve" if value is None else "input"
    return Turn(
        sent=Answers(answers=(Answer(to=to, decision=decision, value=value),)),  # type: ignore[arg-type]
        expect=Expect(**expect),
        place=HERE,
    )


def case(case_id: str = "one", *turns: Turn, **fields: Any) -> Case:
    return Case(id=case_id, turns=turns or (says("hi"),), place=HERE, **fields)


@dataclass
class StillAgent:
    """An agent at an address. `revive` is what a restart does; `lives` is emptied by deaths."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    can_restart: bool = False
    dead: Death | None = None
    restarts: int = 0
    comes_up: bool = True

    def death(self) -> Death | None:
        return self.dead

    def die(self, reason: str = "the process exited with 1") -> None:
        self.dead = Death(reason=reason, log_tail="Traceback: boom")

    async def restart(self) -> None:
        self.restarts += 1
        if not self.comes_up:
            raise AgentDown("it exited with 1", log_tail="no module")
        self.dead = None


class FastPace(Pace):
    """Waits are noted in `waits` and take no time."""

    def __init__(self, rate_per_s: float | None = None) -> None:
        self.waits: list[float] = []
        super().__init__(rate_per_s, sleep=self._note)

    async def _note(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


def config(options: Mapping[str, Any] = SIMPLE, protocol: str = "http") -> AgentConfig:
    return AgentConfig(protocol=protocol, boot=NoBoot(), options=options)


async def run(
    agent: StillAgent,
    cases: Sequence[Case],
    *,
    options: Mapping[str, Any] = SIMPLE,
    protocol: str = "http",
    trials: int = 1,
    pace: Pace | None = None,
    redact: Redactor | None = None,
    **settings: Any,
) -> list[Trace]:
    """Every trace of `trials` trials of each case, in the order in which they ended."""
    plan = tuple((one, tuple(range(1, trials + 1))) for one in cases)
    settings = {"concurrency": 1, "trial_timeout_s": 20.0, **settings}
    traces = drive(
        agent,
        config(options, protocol),
        RunConfig(**settings),
        plan,
        redact or Redactor(),
        pace=pace or FastPace(),
    )
    return [trace async for trace in traces]
