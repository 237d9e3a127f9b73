"""Drives a protocol through the script: the runner on one side, a server that speaks on the other."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gate.drive import PROTOCOLS, drive
from gate.formats.records import dump
from gate.model.config import AgentConfig, NoBoot, RunConfig
from gate.model.trace import Trace
from gate.redact import Redactor
from tests.support.conformance.script import Ask, Reply, Scenario
from tests.support.conformance.speaker import CannotSay, Speaker, Spoken
from tests.support.driving import FastPace, StillAgent
from tests.support.faulty_agent import FOREVER, Exchange, faulty_agent, raw_answer

PIECE = 7


@dataclass
class Held:
    """A conversation that was held; `requests` are its turns, `spoken` their answers."""

    trace: Trace
    requests: list[Any]
    spoken: list[Spoken]


@dataclass
class Server:
    """Answers turns with the scenario's replies, in order."""

    speaker: Speaker
    replies: Iterator[Reply]
    requests: list[Any] = field(default_factory=list)
    spoken: list[Spoken] = field(default_factory=list)
    cannot: CannotSay | None = None

    async def __call__(self, exchange: Exchange) -> None:
        other = self.speaker.other(exchange)
        if other is not None:
            await exchange.write(raw_answer(json.dumps(other).encode()))
            return
        reply = next(self.replies)
        self.requests.append(exchange.json)
        try:
            spoken = self.speaker.speak(reply, exchange.json)
        except CannotSay as error:
            self.cannot = error
            await exchange.write(raw_answer(b"", status="501 Not Implemented"))
            return
        self.spoken.append(spoken)
        await _send(exchange, spoken, reply)


async def hold(speaker: Speaker, scenario: Scenario) -> Held:
    """Run the scenario once. Raises CannotSay; a trace that is not as it must be fails its check."""
    server = Server(speaker, iter(scenario.replies))
    async with faulty_agent(server) as agent:
        (trace,) = await driven(speaker.config(scenario), scenario, agent.url)
    if server.cannot:
        raise server.cannot
    return Held(trace, server.requests, server.spoken)


async def supports(speaker: Speaker, scenario: Scenario) -> bool:
    """Whether the protocol carries the scenario; where it does, what it must be is asserted."""
    try:
        held = await hold(speaker, scenario)
    except CannotSay:
        assert scenario.shows not in exposed(speaker, scenario), f"{speaker.protocol} claims {scenario.shows}"
        return False
    assert scenario.shows is None or scenario.shows in held.trace.exposes
    scenario.check(held.trace)
    asked = [step.id for reply in scenario.replies for step in reply.steps if isinstance(step, Ask)]
    assert [one for request in held.requests for one in speaker.answers(request)] == asked
    return True


def exposed(speaker: Speaker, scenario: Scenario) -> tuple[str, ...]:
    """What the protocol says of itself."""
    made = PROTOCOLS[speaker.protocol](speaker.config(scenario), StillAgent(""))
    return tuple(getattr(made, "exposes", ()))


async def driven(config: AgentConfig, scenario: Scenario, url: str) -> list[Trace]:
    """The traces of one trial of the scenario's case."""
    traces = drive(
        StillAgent(url),
        config,
        RunConfig(concurrency=1, retries=0, trial_timeout_s=scenario.trial_timeout_s),
        ((scenario.case, (1,)),),
        Redactor(),
        pace=FastPace(),
    )
    return [trace async for trace in traces]


async def replayed(speaker: Speaker, scenario: Scenario, folder: Path) -> bool:
    """Whether a trace of the scenario is the same once it was written down and replayed."""
    trace = (await hold(speaker, scenario)).trace
    file = folder / f"{scenario.case.id}.jsonl"
    file.write_text(json.dumps(dump(trace), ensure_ascii=False) + "\n", encoding="utf-8")
    config = AgentConfig(protocol="replay", boot=NoBoot(), options={"traces": str(file)})
    (again,) = await driven(config, scenario, "")
    assert replace(again, source="live") == trace
    return True


async def _send(exchange: Exchange, spoken: Spoken, reply: Reply) -> None:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {spoken.media}\r\ntransfer-encoding: chunked\r\n\r\n"
    await exchange.write(head.encode())
    match reply.sending:
        case "at once":
            await exchange.write(b"".join(map(_chunk, spoken.pieces)) + b"0\r\n\r\n")
        case "in small pieces":
            whole = b"".join(spoken.pieces)
            for start in range(0, len(whole), PIECE):
                await exchange.write(_chunk(whole[start : start + PIECE]))
                await asyncio.sleep(0)
            await exchange.write(b"0\r\n\r\n")
        case "cut":
            await exchange.write(_chunk(_beginning(spoken)))
            exchange.writer.close()
            raise ConnectionResetError
        case "stalled":
            await exchange.write(_chunk(_beginning(spoken)))
            await asyncio.sleep(FOREVER)


def _beginning(spoken: Spoken) -> bytes:
    """All but the last piece, or half of an answer of one piece."""
    return b"".join(spoken.pieces[:-1]) or spoken.pieces[0][: len(spoken.pieces[0]) // 2]


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n" if data else b""
