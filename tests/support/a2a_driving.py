"""A conversation by the a2a protocol, turn by turn, as the runner leads it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gate.drive import drive
from gate.drive.a2a import A2a
from gate.drive.outcome import failure_in, outcome_of
from gate.drive.pauses import still_running
from gate.drive.protocol import Stopped
from gate.http import Client, HttpError
from gate.model.case import Case, Turn
from gate.model.config import AgentConfig, NoBoot, RunConfig
from gate.model.derived import calls_of, left_open, texts_of
from gate.model.trace import Completed, Event, Exposed, Outcome, Pause, Trace
from gate.redact import Redactor
from tests.support.driving import FastPace, StillAgent, case


@dataclass
class Heard:
    """What came of a conversation: the events of each turn, and what was open after it."""

    turns: list[tuple[Event, ...]] = field(default_factory=list)
    open: list[tuple[Pause, ...]] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Completed)
    exposes: tuple[Exposed, ...] = ()
    session: str = ""

    def texts(self, turn: int = -1) -> list[str]:
        return list(texts_of(self.turns[turn]))

    def calls(self, turn: int = -1) -> list[tuple[str, Any]]:
        return [(call.name, call.args) for call in calls_of(self.turns[turn])]


async def converse(url: str, *turns: Turn, headers: dict[str, str] | None = None, **options: Any) -> Heard:
    """Say the turns; the first that does not end well ends it."""
    protocol = A2a(
        AgentConfig(protocol="a2a", boot=NoBoot(), options=options), StillAgent(url, headers or {})
    )
    return await talk(protocol, turns)


async def talk(protocol: A2a, turns: Sequence[Turn]) -> Heard:
    heard = Heard()
    pauses: tuple[Pause, ...] = ()
    jobs: tuple[Pause, ...] = ()
    async with Client() as client, protocol.converse(case("c", *turns), 1, client) as conversation:
        try:
            for turn in turns:
                heard.turns.append(())
                async for event in conversation.say(turn, (*jobs, *pauses)):
                    heard.turns[-1] += (event,)
                if stopped := failure_in(heard.turns[-1], protocol.exposes):
                    raise stopped
                pauses = left_open(pauses, turn.sent, heard.turns[-1])
                jobs = still_running(jobs, turn.sent, heard.turns[-1])
                heard.open.append(pauses)
        except Stopped as stopped:
            heard.outcome = stopped.outcome
        except HttpError as error:
            heard.outcome = outcome_of(error)
        heard.session, heard.exposes = conversation.session, protocol.exposes
    return heard


async def run(url: str, *cases: Case, options: dict[str, Any] | None = None, **settings: Any) -> list[Trace]:
    """Every case once, through the runner."""
    config = AgentConfig(protocol="a2a", boot=NoBoot(), options=options or {})
    run_config = RunConfig(**{"concurrency": 1, "trial_timeout_s": 20.0, **settings})
    plan = tuple((one, (1,)) for one in cases)
    traces = drive(StillAgent(url), config, run_config, plan, Redactor(), pace=FastPace())
    return [trace async for trace in traces]
