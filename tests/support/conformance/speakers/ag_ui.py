"""The `ag-ui` protocol: a run's events in full, or in the shorthand of chunks."""

import json
from collections.abc import Iterator
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
from tests.support.conformance.speaker import CannotSay, Counterpart, Spoken
from tests.support.faulty_agent import Exchange


class AgUi:
    protocol = "ag-ui"
    counterpart = Counterpart(
        kind="real server",
        what="ag-ui-protocol's encoder, LangGraph behind ag-ui-langgraph, and @ag-ui/client",
        test="tests/drive/test_ag_ui_real.py",
    )

    def __init__(self, *, chunks: bool) -> None:
        self._chunks = chunks
        self.variant = "streamed in chunks" if chunks else "streamed"

    def config(self, scenario: Scenario) -> AgentConfig:
        del scenario
        return AgentConfig(protocol="ag-ui", boot=NoBoot())

    def other(self, exchange: Exchange) -> Any:
        assert (exchange.method, exchange.path) == ("POST", "/")

    def speak(self, reply: Reply, request: Any) -> Spoken:
        return Spoken("text/event-stream", tuple(map(_sse, self.events(reply, request))))

    def answers(self, request: Any) -> list[str]:
        return [entry["interruptId"] for entry in request.get("resume", ())]

    def events(self, reply: Reply, request: Any) -> Iterator[dict[str, Any]]:
        """The run as its events."""
        ids = {"threadId": request["threadId"], "runId": request["runId"]}
        end: dict[str, Any] = {"type": "RUN_FINISHED", **ids}
        yield {"type": "RUN_STARTED", **ids, "protocolVersion": "1.0"}
        entered: list[str] = []
        for number, step in enumerate(reply.steps):
            match step:
                case Visit(node=node):
                    yield from _left(entered)
                    entered.append(node)
                    yield {"type": "STEP_STARTED", "stepName": node}
                case Fail(message=message):
                    yield {"type": "RUN_ERROR", "message": message}
                    return
                case Spend(input=sent, output=made):
                    total = sent + made
                    end["usage"] = [{"inputTokens": sent, "outputTokens": made, "totalTokens": total}]
                case Ask(id=ident, tool=tool):
                    yield from self._call(f"call of {ident}", tool, "{}")
                    interrupt = {"id": ident, "reason": "tool_call", "toolCallId": f"call of {ident}"}
                    end["outcome"] = {"type": "interrupt", "interrupts": [interrupt]}
                case _:
                    yield from self._step(step, f"{request['runId']}-{number}")
        yield from _left(entered)
        yield end

    def _step(self, step: Step, ident: str) -> Iterator[dict[str, Any]]:
        match step:
            case Say(text=text):
                yield from self._say(ident, text)
            case CallTool(id=call_id, name=name, args=args):
                yield from self._call(call_id, name, args if isinstance(args, str) else json.dumps(args))
            case ToolSaid(id=call_id, value=value):
                content = json.dumps(value)
                result = {"messageId": ident, "toolCallId": call_id, "content": content, "role": "tool"}
                yield {"type": "TOOL_CALL_RESULT", **result}
            case SetState(values=values):
                (first, value), *rest = values.items()
                yield {"type": "STATE_SNAPSHOT", "snapshot": {"seen": 1, first: value}}
                patch = [{"op": "add", "path": f"/{key}", "value": value} for key, value in rest]
                yield {"type": "STATE_DELTA", "delta": patch}
            case _:
                raise CannotSay(step)

    def _say(self, ident: str, text: str) -> Iterator[dict[str, Any]]:
        first, second = text[: len(text) // 2], text[len(text) // 2 :]
        if self._chunks:
            yield {"type": "TEXT_MESSAGE_CHUNK", "messageId": ident, "role": "assistant", "delta": first}
            yield {"type": "TEXT_MESSAGE_CHUNK", "delta": second}
            return
        yield {"type": "TEXT_MESSAGE_START", "messageId": ident, "role": "assistant"}
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": ident, "delta": first}
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": ident, "delta": second}
        yield {"type": "TEXT_MESSAGE_END", "messageId": ident}

    def _call(self, ident: str, name: str, arguments: str) -> Iterator[dict[str, Any]]:
        half = len(arguments) // 2
        if self._chunks:
            named = {"toolCallId": ident, "toolCallName": name}
            yield {"type": "TOOL_CALL_CHUNK", **named, "delta": arguments[:half]}
            yield {"type": "TOOL_CALL_CHUNK", "toolCallId": ident, "delta": arguments[half:]}
            return
        yield {"type": "TOOL_CALL_START", "toolCallId": ident, "toolCallName": name}
        yield {"type": "TOOL_CALL_ARGS", "toolCallId": ident, "delta": arguments[:half]}
        yield {"type": "TOOL_CALL_ARGS", "toolCallId": ident, "delta": arguments[half:]}
        yield {"type": "TOOL_CALL_END", "toolCallId": ident}


def _left(entered: list[str]) -> Iterator[dict[str, Any]]:
    while entered:
        yield {"type": "STEP_FINISHED", "stepName": entered.pop()}


def _sse(event: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"
