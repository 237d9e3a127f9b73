"""The `http` protocol: one JSON object, mapped by JSONPath."""

import json
from typing import Any

from gate.model.config import AgentConfig, NoBoot
from tests.support.conformance.script import (
    Ask,
    CallTool,
    Fail,
    Reply,
    Say,
    Scenario,
    SetState,
    Spend,
    Step,
    ToolSaid,
    Visit,
)
from tests.support.conformance.speaker import Counterpart, Spoken
from tests.support.faulty_agent import Exchange

MAPPING = {
    "path": "/chat",
    "request": {"message": "{text}", "answers": "{answers}"},
    "response": {
        "text": "$.reply",
        "calls": "$.calls[*]",
        "results": "$.results[*]",
        "nodes": "$.nodes[*]",
        "state_delta": "$.state",
        "usage": {"input": "$.usage.in", "output": "$.usage.out"},
        "error": "$.error",
        "pauses": "$.pauses[*]",
    },
}


class Http:
    protocol = "http"
    variant = "whole"
    counterpart = Counterpart("real server", "examples/weather", "tests/examples/test_weather_agent.py")

    def config(self, scenario: Scenario) -> AgentConfig:
        del scenario
        return AgentConfig(protocol="http", boot=NoBoot(), options=MAPPING)

    def other(self, exchange: Exchange) -> Any:
        del exchange

    def speak(self, reply: Reply, request: Any) -> Spoken:
        del request
        body: dict[str, Any] = {"reply": "", "calls": [], "results": [], "nodes": [], "pauses": []}
        for step in reply.steps:
            _add(body, step)
        return Spoken("application/json", (json.dumps(body, ensure_ascii=False).encode(),))

    def answers(self, request: Any) -> list[str]:
        return [answer["id"] for answer in request["answers"]]


def _add(body: dict[str, Any], step: Step) -> None:
    match step:
        case Say(text=text):
            body["reply"] += text
        case CallTool(id=call_id, name=name, args=args):
            body["calls"].append({"id": call_id, "name": name, "arguments": args})
        case ToolSaid(id=call_id, name=name, value=value):
            body["results"].append({"call_id": call_id, "name": name, "output": value})
        case Visit(node=node):
            body["nodes"].append(node)
        case SetState(values=values):
            body["state"] = dict(values)
        case Spend(input=sent, output=made):
            body["usage"] = {"in": sent, "out": made}
        case Ask(id=pause_id, tool=tool):
            body["pauses"].append({"id": pause_id, "name": "confirm", "tool": tool})
        case Fail(message=message):
            body["error"] = message
