"""The script's steps as the protocol's bytes; becomes tests/support/conformance/speakers/NAME.py."""

import json
from typing import Any

from gate.model.config import AgentConfig, NoBoot
from tests.support.conformance.script import Ask, CallTool, Fail, Reply, Say, Scenario, Spend, Step, ToolSaid
from tests.support.conformance.speaker import CannotSay, Counterpart, Spoken
from tests.support.faulty_agent import Exchange


class Speaker:
    """One variant; a protocol with several (whole, streamed) takes them as an argument."""

    protocol = "template"
    variant = "streamed"
    counterpart = Counterpart("from source", "this file", "tests/drive/test_protocol_template.py")

    def config(self, scenario: Scenario) -> AgentConfig:
        del scenario
        return AgentConfig(protocol="template", boot=NoBoot(), options={})

    def other(self, exchange: Exchange) -> Any:
        """Requests that are no turn, such as one that opens a session, are answered here."""
        assert (exchange.method, exchange.path) == ("POST", "/say")

    def speak(self, reply: Reply, request: Any) -> Spoken:
        assert request["session"]
        sent = [*map(_said, reply.steps), {"done": True}]
        pieces = (json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in sent)
        return Spoken("application/x-ndjson", tuple(pieces))

    def answers(self, request: Any) -> list[str]:
        return [answer["id"] for answer in request["answers"]]


def _said(step: Step) -> dict[str, Any]:
    match step:
        case Say(text=text):
            return {"say": text}
        case CallTool(id=call_id, name=name, args=args):
            return {"call": {"id": call_id, "name": name, "args": args}}
        case ToolSaid(id=call_id, name=name, value=value):
            return {"result": {"id": call_id, "name": name, "value": value}}
        case Spend(input=used, output=made):
            return {"usage": {"in": used, "out": made}}
        case Ask(id=pause_id, tool=tool):
            return {"ask": {"id": pause_id, "tool": tool}}
        case Fail(message=message):
            return {"error": message}
        case _:
            raise CannotSay(step)
