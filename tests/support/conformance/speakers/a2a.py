"""The `a2a` protocol, as agents of ADK speak it: each generation and binding, whole and streamed."""

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
from tests.support.conformance.speaker import CannotSay, Counterpart, Spoken
from tests.support.faulty_agent import Exchange

MARK = {"adk_author": "toy", "https://google.github.io/adk-docs/a2a/a2a-extension/": {}}


class A2a:
    protocol = "a2a"
    counterpart = Counterpart(
        kind="real server",
        what="a2a-sdk in both generations, and ADK's to_a2a",
        test="tests/drive/test_a2a.py",
    )

    def __init__(
        self, version: Literal["1.0", "0.3"], transport: Literal["jsonrpc", "rest"], *, stream: bool
    ) -> None:
        self._new = version == "1.0"
        self._rest = transport == "rest"
        self._stream = stream
        self._options = {"version": version, "transport": transport, "stream": stream}
        self.variant = "streamed" if stream else "whole"
        if not self._new or self._rest:
            self.variant += f", {version} {transport}"

    def config(self, scenario: Scenario) -> AgentConfig:
        del scenario
        return AgentConfig(protocol="a2a", boot=NoBoot(), options=self._options)

    def other(self, exchange: Exchange) -> Any:
        return {"name": "toy"} if exchange.method == "GET" else None

    def speak(self, reply: Reply, request: Any) -> Spoken:
        sent = (request if self._rest else request["params"])["message"]
        task = f"task of {sent['messageId']}"
        steps = list(enumerate(reply.steps))
        artifacts = {number: made for number, step in steps if (made := self._artifact(step, number))}
        silent = {number: made for number, step in steps if (made := self._silent(step, number))}
        last = self._status(reply)
        if not self._stream:
            of = {"id": task, "contextId": "c", "status": last, "metadata": MARK}
            more = {"artifacts": [*artifacts.values()], "history": [sent, *silent.values()]}
            whole = self._named("task", "task", {**of, **more})
            return Spoken("application/json", (_json(self._enveloped(whole)),))
        of = {"taskId": task, "contextId": "c", "metadata": MARK}
        updates = []
        for number, _ in steps:
            if number in artifacts:
                update = {**of, "artifact": artifacts[number], "lastChunk": True}
                updates.append(self._named("artifactUpdate", "artifact-update", update))
            if number in silent:
                status = {**self._state("working"), "message": silent[number]}
                updates.append(self._named("statusUpdate", "status-update", {**of, "status": status}))
        updates.append(self._named("statusUpdate", "status-update", {**of, "status": last, "final": True}))
        return Spoken("text/event-stream", tuple(_sse(self._enveloped(each)) for each in updates))

    def answers(self, request: Any) -> list[str]:
        message = (request if self._rest else request["params"])["message"]
        parts = message.get("parts") or message.get("content")
        data = [part["data"].get("data", part["data"]) for part in parts if "data" in part]
        return [each["id"] for each in data]

    def _artifact(self, step: Step, number: int) -> dict[str, Any] | None:
        match step:
            case Say(text=text):
                part = self._part("text", {"text": text})
            case CallTool(id=call_id, name=name, args=args):
                part = self._data("function_call", {"id": call_id, "name": name, "args": args})
            case ToolSaid(id=call_id, name=name, value=value):
                part = self._data("function_response", {"id": call_id, "name": name, "response": value})
            case Visit():
                raise CannotSay(step)
            case _:
                return None
        metadata = {"adk_author": "toy", "adk_event_id": f"e{number}"}
        return {"artifactId": f"a{number}", "parts": [part], "metadata": metadata}

    def _silent(self, step: Step, number: int) -> dict[str, Any] | None:
        """A message without words, which carries what an event without content has."""
        match step:
            case SetState(values=values):
                carried: dict[str, Any] = {"adk_actions": {"stateDelta": dict(values)}}
            case Spend(input=sent, output=made):
                carried = {"adk_usage_metadata": {"promptTokenCount": sent, "candidatesTokenCount": made}}
            case _:
                return None
        metadata = {"adk_author": "toy", "adk_event_id": f"e{number}", **carried}
        return {**self._message([]), "messageId": f"m{number}", "metadata": metadata}

    def _status(self, reply: Reply) -> dict[str, Any]:
        last = reply.steps[-1] if reply.steps else None
        match last:
            case Fail(message=message):
                return self._state("failed", [self._part("text", {"text": message})])
            case Ask(id=pause_id, tool=tool):
                original = {"id": "c1", "name": tool, "args": {}}
                args = {
                    "originalFunctionCall": original,
                    "toolConfirmation": {"hint": "", "confirmed": False},
                }
                call = {"id": pause_id, "name": "adk_request_confirmation", "args": args}
                return self._state("input-required", [self._data("function_call", call, running=True)])
            case _:
                return self._state("completed")

    def _state(self, state: str, parts: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        name = f"TASK_STATE_{state.upper().replace('-', '_')}" if self._new or self._rest else state
        said = {} if parts is None else {"message": {**self._message(parts), "messageId": f"m {state}"}}
        return {"state": name, **said}

    def _message(self, parts: list[dict[str, Any]]) -> dict[str, Any]:
        if self._new:
            return {"role": "ROLE_AGENT", "parts": parts}
        if self._rest:
            return {"role": "ROLE_AGENT", "content": parts}
        return {"kind": "message", "role": "agent", "parts": parts}

    def _data(self, sort: str, value: dict[str, Any], *, running: bool = False) -> dict[str, Any]:
        metadata = {"adk_type": sort, **({"adk_is_long_running": True} if running else {})}
        wrapped = {"data": value} if self._rest and not self._new else value
        return self._part("data", {"data": wrapped, "metadata": metadata})

    def _part(self, kind: str, part: dict[str, Any]) -> dict[str, Any]:
        return part if self._new or self._rest else {"kind": kind, **part}

    def _named(self, key: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
        return {key: value} if self._new or self._rest else {"kind": kind, **value}

    def _enveloped(self, result: dict[str, Any]) -> dict[str, Any]:
        return result if self._rest else {"jsonrpc": "2.0", "id": "1", "result": result}


def speakers() -> Iterator[A2a]:
    """Every generation in every binding, whole and streamed."""
    for version in ("1.0", "0.3"):
        for transport in ("jsonrpc", "rest"):
            for stream in (False, True):
                yield A2a(version, transport, stream=stream)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _sse(value: Any) -> bytes:
    return b"data: " + _json(value) + b"\n\n"
