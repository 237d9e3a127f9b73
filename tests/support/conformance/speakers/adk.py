"""The `adk` protocol, as adk-python 2 speaks it: `/run_sse`, with or without partial events, and `/run`."""

import json
from collections.abc import Iterator
from typing import Any, Literal

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

Variant = Literal["whole", "streamed", "streamed in parts"]


class Adk:
    protocol = "adk"
    counterpart = Counterpart("real server", "adk-python; from source: adk-go", "tests/drive/test_adk.py")

    def __init__(self, variant: Variant) -> None:
        self.variant: str = variant

    def config(self, scenario: Scenario) -> AgentConfig:
        del scenario
        whole = self.variant == "whole"
        options = {
            "endpoint": "run" if whole else "run_sse",
            "streaming": self.variant == "streamed in parts",
        }
        return AgentConfig(protocol="adk", boot=NoBoot(), app="toy", options=options)

    def other(self, exchange: Exchange) -> Any:
        if exchange.path == "/version":
            return {"version": "2.13.0", "language": "python"}
        return {"id": "s"} if "/sessions" in exchange.path else None

    def speak(self, reply: Reply, request: Any) -> Spoken:
        del request
        frames = self.frames(reply)
        if self.variant == "whole":
            return Spoken("application/json", (json.dumps(frames).encode(),))
        return Spoken("text/event-stream", tuple(map(_sse, frames)) or (b"",))

    def frames(self, reply: Reply) -> list[dict[str, Any]]:
        return [
            frame for number, step in enumerate(reply.steps) for frame in self._frames(step, f"e{number}")
        ]

    def answers(self, request: Any) -> list[str]:
        parts = request["newMessage"]["parts"]
        return [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]

    def _frames(self, step: Step, event: str) -> Iterator[dict[str, Any]]:
        made = {"id": event, "invocationId": "i", "author": "toy", **_fields(step)}
        if isinstance(step, Say) and self.variant == "streamed in parts":
            half = len(step.text) // 2
            for text in (step.text[:half], step.text[half:]):
                yield {**made, "partial": True, "content": _content({"text": text})}
        yield made


def _fields(step: Step) -> dict[str, Any]:
    match step:
        case Say(text=text):
            return {"content": _content({"text": text})}
        case CallTool(id=call_id, name=name, args=args):
            given = {"args": args} if args else {}
            return {"content": _content({"functionCall": {"id": call_id, "name": name, **given}})}
        case ToolSaid(id=call_id, name=name, value=value):
            answer = {"id": call_id, "name": name, "response": value}
            return {"content": {**_content({"functionResponse": answer}), "role": "user"}}
        case Visit(node=node):
            return {"nodeInfo": {"path": f"toy@1/{node}@1"}}
        case SetState(values=values):
            return {"actions": {"stateDelta": dict(values)}}
        case Spend(input=sent, output=made):
            return {"usageMetadata": {"promptTokenCount": sent, "candidatesTokenCount": made}}
        case Ask(id=pause_id, tool=tool):
            original = {"id": "c1", "name": tool, "args": {}}
            args = {"originalFunctionCall": original, "toolConfirmation": {"hint": "", "confirmed": False}}
            call = {"id": pause_id, "name": "adk_request_confirmation", "args": args}
            return {"content": _content({"functionCall": call}), "longRunningToolIds": [pause_id]}
        case Fail(message=message):
            return {"errorCode": "ERROR", "errorMessage": message}


def _content(part: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": [part]}


def _sse(frame: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(frame, ensure_ascii=False)}\n\n".encode()
