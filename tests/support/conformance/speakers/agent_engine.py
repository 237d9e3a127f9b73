"""The `agent-engine` protocol: ADK's events in snake_case, a line each, bare or as server-sent events."""

import json
import re
from typing import Any, Literal

from gate.model.config import AgentConfig, NoBoot
from tests.support.conformance.script import Reply, Scenario
from tests.support.conformance.speaker import Counterpart, Spoken
from tests.support.conformance.speakers.adk import Adk
from tests.support.faulty_agent import Exchange

Variant = Literal["lines", "server-sent events"]
NOTHING = {"author": "toy", "actions": {}}
FREE = ("args", "response", "stateDelta", "artifactDelta")


class AgentEngine:
    protocol = "agent-engine"
    counterpart = Counterpart(
        "real server",
        "its container, as adk runs it; from source and Google's client: `:query`, `:streamQuery`",
        "tests/drive/test_agent_engine.py",
    )

    def __init__(self, variant: Variant) -> None:
        self.variant: str = variant
        self._adk = Adk("streamed in parts" if variant == "lines" else "streamed")

    def config(self, scenario: Scenario) -> AgentConfig:
        del scenario
        return AgentConfig(protocol="agent-engine", boot=NoBoot(), options={"streaming": True})

    def other(self, exchange: Exchange) -> Any:
        return {"output": {"id": "s"}} if exchange.path == "/api/reasoning_engine" else None

    def speak(self, reply: Reply, request: Any) -> Spoken:
        del request
        lines = [json.dumps(snake(frame), ensure_ascii=False) for frame in self._adk.frames(reply)]
        lines = lines or [json.dumps(NOTHING)]
        if self.variant == "lines":
            return Spoken("application/json", tuple(f"{line}\n".encode() for line in lines))
        return Spoken("text/event-stream", tuple(f"data: {line}\n\n".encode() for line in lines))

    def answers(self, request: Any) -> list[str]:
        message = request["input"]["message"]
        parts = message["parts"] if isinstance(message, dict) else []
        return [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]


def snake(value: Any) -> Any:
    """An event as `model_dump_json` writes it: ADK's own keys, and not what they hold of the agent's."""
    if isinstance(value, list):
        return [snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub(r"(?=[A-Z])", "_", key).lower(): item if key in FREE else snake(item)
        for key, item in value.items()
    }
