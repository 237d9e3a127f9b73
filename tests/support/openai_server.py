"""An agent behind a real OpenAI-compatible server: fastapi-openai-compat, which serves Haystack's agents.

It forecasts the weather: it asks the client to look it up where the request offers that tool, and remembers
what it was told by the history, or by the response that the request names.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException
from fastapi_openai_compat import (
    ChatCompletion,
    Response,
    create_chat_completion_router,
    create_responses_router,
)
from fastapi_openai_compat.chat_completions.models import Choice, Message

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True)
class ToolCallDelta:
    """What Haystack's chunks have: a piece of a tool call."""

    index: int
    id: str | None
    tool_name: str | None
    arguments: str


@dataclass(frozen=True)
class Chunk:
    """A piece of an answer."""

    content: str = ""
    tool_calls: tuple[ToolCallDelta, ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None


def call(number: int, city: str) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": f'{{"city": "{city}"}}'}
    return {"id": f"call_{number}", "type": "function", "function": function}


CALLS = [call(1, "Paris"), call(2, "Oslo")]


def chat(model: str, messages: list[dict[str, Any]], body: dict[str, Any]) -> Any:
    """One answer to a history of messages."""
    last = messages[-1]
    said = str(last["content"])
    if said == "teapot":
        raise HTTPException(429, "slow down")
    results = [message["content"] for message in messages if message["role"] == "tool"]
    if last["role"] == "tool":
        return _chat_text(model, f"It is {' and '.join(results)}.", body)
    if said == "weather" and body.get("tools"):
        return _chat_calls(model, body)
    first = next(message["content"] for message in messages if message["role"] == "user")
    return _chat_text(model, f"{len(messages)} messages, the first was {first!r}.", body)


def _chat_text(model: str, text: str, body: dict[str, Any]) -> Any:
    if body["stream"]:
        return (Chunk(content=f"{word} ") for word in text.split(" "))
    return _completion(model, Message(role="assistant", content=text), "stop")


def _chat_calls(model: str, body: dict[str, Any]) -> Any:
    if body["stream"]:
        return iter_calls()
    return _completion(model, Message(role="assistant", content=None, tool_calls=CALLS), "tool_calls")


def iter_calls() -> Iterator[Chunk]:
    yield Chunk(reasoning="I need the weather.")
    for index, each in enumerate(CALLS):
        function = each["function"]
        words = function["arguments"]
        yield Chunk(tool_calls=(ToolCallDelta(index, each["id"], function["name"], ""),))
        yield Chunk(tool_calls=(ToolCallDelta(index, each["id"], None, words[:5]),))
        yield Chunk(tool_calls=(ToolCallDelta(index, each["id"], None, words[5:]),))
    yield Chunk(finish_reason="tool_calls")


def _completion(model: str, message: Message, reason: str) -> ChatCompletion:
    choice = Choice(index=0, message=message, finish_reason=reason)
    return ChatCompletion(
        id="chatcmpl-1",
        object="chat.completion",
        created=int(time.time()),
        model=model,
        choices=[choice],
        usage=USAGE,
    )


class Memory:
    """Responses by their id, with all that was said before them."""

    def __init__(self) -> None:
        self._before: dict[str, list[dict[str, Any]]] = {}

    def respond(self, model: str, items: list[dict[str, Any]], body: dict[str, Any]) -> Any:
        if (previous := body.get("previous_response_id")) and previous not in self._before:
            raise HTTPException(404, f"Response with id {previous!r} not found.")
        history = [*self._before.get(previous or "", []), *items]
        if body["stream"]:
            return self._streamed(history, body)
        response_id = f"resp_{len(self._before)}"
        output = _output(history, body)
        self._before[response_id] = [*history, *output]
        usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
        return Response(id=response_id, created_at=int(time.time()), model=model, output=output, usage=usage)

    def _streamed(self, history: list[dict[str, Any]], body: dict[str, Any]) -> Iterator[Chunk]:
        (first, *_) = _output(history, body)
        if first["type"] == "function_call":
            yield from list(iter_calls())[:-1]
        else:
            yield from (Chunk(content=f"{word} ") for word in first["content"][0]["text"].split(" "))


def _output(history: list[dict[str, Any]], body: dict[str, Any]) -> list[dict[str, Any]]:
    results = [item["output"] for item in history if item.get("type") == "function_call_output"]
    said = [item["content"] for item in history if item.get("role") == "user"]
    if not results and said[-1] == "weather" and body.get("tools"):
        return [
            {
                "type": "function_call",
                "id": f"fc_{each['id']}",
                "call_id": each["id"],
                "status": "completed",
                **each["function"],
            }
            for each in CALLS
        ]
    text = f"It is {' and '.join(results)}." if results else f"{len(said)} turns, the first was {said[0]!r}."
    part = {"type": "output_text", "text": text, "annotations": []}
    return [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}]


@contextmanager
def openai_server() -> Iterator[str]:
    """The address of the running server, without a path."""
    app = FastAPI()
    app.include_router(create_chat_completion_router(list_models=lambda: ["agent"], run_completion=chat))
    app.include_router(create_responses_router(list_models=lambda: ["agent"], run_response=Memory().respond))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
