"""The `openai-chat` protocol: `POST /v1/chat/completions`, whole or as a stream of chunks."""

import json
from collections.abc import Iterator
from typing import Any

from gate.model.config import AgentConfig, NoBoot
from tests.support.conformance.script import Ask, CallTool, Fail, Reply, Say, Scenario, Spend
from tests.support.conformance.speaker import CannotSay, Counterpart, Spoken
from tests.support.faulty_agent import Exchange

HEAD = {"id": "chatcmpl-1", "created": 1700000000, "model": "agent"}


class OpenaiChat:
    protocol = "openai-chat"
    counterpart = Counterpart(
        kind="real server",
        what="fastapi-openai-compat, and OpenAI's own types",
        test="tests/drive/test_openai_real.py",
    )

    def __init__(self, *, stream: bool) -> None:
        self._stream = stream
        self.variant = "streamed" if stream else "whole"

    def config(self, scenario: Scenario) -> AgentConfig:
        tools = "client" if scenario.shows == "pauses" else "server"
        options = {"stream": self._stream, "tools": tools}
        return AgentConfig(protocol="openai-chat", boot=NoBoot(), options=options)

    def other(self, exchange: Exchange) -> Any:
        assert (exchange.method, exchange.path) == ("POST", "/v1/chat/completions")

    def speak(self, reply: Reply, request: Any) -> Spoken:
        assert request.get("stream", False) is self._stream
        failed = [step for step in reply.steps if isinstance(step, Fail)]
        if not self._stream:
            body = _failure(failed[0]) if failed else _whole(reply)
            return Spoken("application/json", (_json(body),))
        sent = [_failure(failed[0])] if failed else list(_chunks(reply))
        return Spoken("text/event-stream", (*map(_sse, map(_json, sent)), _sse(b"[DONE]")))

    def answers(self, request: Any) -> list[str]:
        return [message["tool_call_id"] for message in request["messages"] if message["role"] == "tool"]


def _whole(reply: Reply) -> dict[str, Any]:
    texts = [step.text for step in reply.steps if isinstance(step, Say)]
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) or None, "refusal": None}
    if calls := _calls(reply):
        message["tool_calls"] = calls
    choice = {"index": 0, "finish_reason": _reason(reply), "logprobs": None, "message": message}
    return {**HEAD, "object": "chat.completion", "choices": [choice], **_usage(reply)}


def _chunks(reply: Reply) -> Iterator[dict[str, Any]]:
    yield _chunk({"role": "assistant", "content": ""})
    for text in (step.text for step in reply.steps if isinstance(step, Say)):
        half = len(text) // 2
        yield _chunk({"content": text[:half]})
        yield _chunk({"content": text[half:]})
    for index, call in enumerate(_calls(reply)):
        inner = call["function"]
        half = len(inner["arguments"]) // 2
        head = {**call, "index": index, "function": {**inner, "arguments": ""}}
        yield _chunk({"tool_calls": [head]})
        for words in (inner["arguments"][:half], inner["arguments"][half:]):
            yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": words}}]})
    yield _chunk({}, _reason(reply))
    if usage := _usage(reply):
        yield {**HEAD, "object": "chat.completion.chunk", "choices": [], **usage}


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
    return {**HEAD, "object": "chat.completion.chunk", "choices": [choice]}


def _calls(reply: Reply) -> list[dict[str, Any]]:
    calls = []
    for step in reply.steps:
        match step:
            case CallTool(id=call_id, name=name, args=args):
                calls.append(_call(call_id, name, args if isinstance(args, str) else json.dumps(args)))
            case Ask(id=pause_id, tool=tool):
                calls.append(_call(pause_id, tool, "{}"))
            case Say() | Spend() | Fail():
                pass
            case _:
                raise CannotSay(step)
    return calls


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _reason(reply: Reply) -> str:
    return "tool_calls" if any(isinstance(step, Ask) for step in reply.steps) else "stop"


def _usage(reply: Reply) -> dict[str, Any]:
    for step in reply.steps:
        if isinstance(step, Spend):
            counts = {
                "prompt_tokens": step.input,
                "completion_tokens": step.output,
                "total_tokens": step.input + step.output,
            }
            return {"usage": counts}
    return {}


def _failure(step: Fail) -> dict[str, Any]:
    return {"error": {"message": step.message, "type": "server_error", "param": None, "code": None}}


def _json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def _sse(data: bytes) -> bytes:
    return b"data: " + data + b"\n\n"
