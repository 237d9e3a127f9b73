"""The `openai-responses` protocol: `POST /v1/responses`, whole or as a stream of typed events."""

import json
from collections.abc import Iterator
from typing import Any

from gate.model.config import AgentConfig, NoBoot
from tests.support.conformance.script import Ask, CallTool, Fail, Reply, Say, Scenario, Spend, Step, ToolSaid
from tests.support.conformance.speaker import CannotSay, Counterpart, Spoken
from tests.support.faulty_agent import Exchange

REST = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "temperature": 1.0, "top_p": 1.0}
HEAD = {"id": "resp_1", "object": "response", "created_at": 1700000000, "model": "agent", **REST}


class OpenaiResponses:
    protocol = "openai-responses"
    counterpart = Counterpart(
        kind="real server",
        what="fastapi-openai-compat, and OpenAI's own types",
        test="tests/drive/test_openai_real.py",
    )

    def __init__(self, *, stream: bool) -> None:
        self._stream = stream
        self.variant = "streamed" if stream else "whole"

    def config(self, scenario: Scenario) -> AgentConfig:
        del scenario
        options = {"stream": self._stream, "tools": "server"}
        return AgentConfig(protocol="openai-responses", boot=NoBoot(), options=options)

    def other(self, exchange: Exchange) -> Any:
        assert (exchange.method, exchange.path) == ("POST", "/v1/responses")

    def speak(self, reply: Reply, request: Any) -> Spoken:
        assert request.get("stream", False) is self._stream
        if not self._stream:
            return Spoken("application/json", (_json(_whole(reply)),))
        sent = [{**event, "sequence_number": number} for number, event in enumerate(_events(reply))]
        return Spoken("text/event-stream", tuple(map(_sse, sent)))

    def answers(self, request: Any) -> list[str]:
        items = request["input"]
        return [item["approval_request_id"] for item in items if item.get("type") == "mcp_approval_response"]


def _whole(reply: Reply) -> dict[str, Any]:
    failed = [step.message for step in reply.steps if isinstance(step, Fail)]
    error = {"code": "server_error", "message": failed[0]} if failed else None
    return {
        **HEAD,
        "status": "failed" if failed else "completed",
        "error": error,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "output": list(_items(reply)),
        **_usage(reply),
    }


def _events(reply: Reply) -> Iterator[dict[str, Any]]:
    whole = _whole(reply)
    begun = {**whole, "output": [], "status": "in_progress", "error": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(whole["output"]):
        yield from _streamed(index, item)
    yield {"type": f"response.{whole['status']}", "response": whole}


def _streamed(index: int, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    at = {"item_id": item["id"], "output_index": index}
    match item:
        case {"type": "message", "content": [part]}:
            yield _added(index, {**item, "content": [], "status": "in_progress"})
            inner = {**at, "content_index": 0}
            yield {"type": "response.content_part.added", **inner, "part": {**part, "text": ""}}
            text, half = part["text"], len(part["text"]) // 2
            for words in (text[:half], text[half:]):
                yield {"type": "response.output_text.delta", **inner, "delta": words, "logprobs": []}
            yield {"type": "response.output_text.done", **inner, "text": text, "logprobs": []}
            yield {"type": "response.content_part.done", **inner, "part": part}
        case {"type": "function_call", "arguments": words, "name": name}:
            yield _added(index, {**item, "arguments": "", "status": "in_progress"})
            for delta in (words[:3], words[3:]):
                yield {"type": "response.function_call_arguments.delta", **at, "delta": delta}
            yield {
                "type": "response.function_call_arguments.done",
                **at,
                "arguments": words,
                "name": name,
            }
        case _:
            yield _added(index, item)
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _added(index: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def _items(reply: Reply) -> Iterator[dict[str, Any]]:
    for number, step in enumerate(reply.steps):
        if not isinstance(step, Fail | Spend):
            yield {"id": f"item_{number}", **_item(step), "status": "completed"}


def _item(step: Step) -> dict[str, Any]:
    match step:
        case Say(text=text):
            part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
            return {"type": "message", "role": "assistant", "content": [part]}
        case CallTool(id=call_id, name=name, args=args):
            arguments = args if isinstance(args, str) else json.dumps(args)
            return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
        case ToolSaid(id=call_id, value=value):
            return {"type": "function_call_output", "call_id": call_id, "output": json.dumps(value)}
        case Ask(id=pause_id, tool=tool):
            return {
                "type": "mcp_approval_request",
                "id": pause_id,
                "name": tool,
                "arguments": "{}",
                "server_label": "files",
            }
        case _:
            raise CannotSay(step)


def _usage(reply: Reply) -> dict[str, Any]:
    for step in reply.steps:
        if isinstance(step, Spend):
            counts = {
                "input_tokens": step.input,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": step.output,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": step.input + step.output,
            }
            return {"usage": counts}
    return {}


def _json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def _sse(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\n".encode() + b"data: " + _json(event) + b"\n\n"
