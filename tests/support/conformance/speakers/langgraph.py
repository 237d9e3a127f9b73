"""The `langgraph` protocol: threads, a stream of updates and tokens or one answer, and the thread's state."""

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

THREADS = "/threads"
ASSISTANT = {"assistant_id": "fe096781-5601-53d2-b2f6-0d3403f7e9ca", "graph_id": "agent", "name": "agent"}


class Thread:
    """What a server keeps of one conversation."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.values: dict[str, Any] = {}
        self.runs = 0
        self.waits: list[dict[str, Any]] = []
        self.error = ""

    def state(self) -> dict[str, Any]:
        stopped = self.waits or self.error
        task = {"id": "t", "name": "agent", "error": self.error or None, "interrupts": self.waits}
        return {
            "values": {"messages": self.messages, **self.values},
            "next": ["agent"] if stopped else [],
            "tasks": [task] if stopped else [],
            "checkpoint": {"checkpoint_id": f"checkpoint-{self.runs}"},
            "interrupts": self.waits,
        }


class Langgraph:
    """`streamed` has tokens and ids; `streamed by nodes` neither, until the state names the messages."""

    protocol = "langgraph"
    counterpart = Counterpart(
        kind="real server",
        what="`langgraph dev` with a scripted graph",
        test="tests/drive/test_langgraph_real.py",
    )

    def __init__(self, variant: str) -> None:
        self.variant = variant
        self.row = "langgraph, streaming: false" if variant == "whole" else self.protocol
        self._streams = variant != "whole"
        self._tokens = variant == "streamed"
        self._threads: dict[str, Thread] = {}
        self._thread = Thread()

    def config(self, scenario: Scenario) -> AgentConfig:
        del scenario
        options = {"streaming": self._streams, "tokens": self._tokens}
        return AgentConfig(protocol="langgraph", boot=NoBoot(), app="agent", options=options)

    def other(self, exchange: Exchange) -> Any:
        if exchange.path == "/assistants/search":
            return [ASSISTANT]
        if (exchange.method, exchange.path) == ("POST", THREADS):
            name = f"thread-{len(self._threads)}"
            self._threads[name] = Thread()
            return {"thread_id": name, "status": "idle", "values": None}
        name, _, path = exchange.path.removeprefix(f"{THREADS}/").partition("/")
        if exchange.method == "DELETE":
            return {}
        self._thread = self._threads[name]
        return self._thread.state() if path == "state" else None

    def speak(self, reply: Reply, request: Any) -> Spoken:
        assert request["assistant_id"] == "agent"
        thread = self._thread
        thread.runs += 1
        thread.waits, thread.error = [], ""
        thread.messages += [
            {"type": "human", **message} for message in (request.get("input") or {}).get("messages", [])
        ]
        frames = list(self._frames(reply, thread))
        if self._streams:
            assert request["stream_subgraphs"]
            return Spoken("text/event-stream", tuple(_sse(name, data) for name, data in frames))
        return Spoken("application/json", (_json(_answer(frames, thread)),))

    def answers(self, request: Any) -> list[str]:
        resumed = (request.get("command") or {}).get("resume", {})
        assert all(each == {"decisions": [{"type": "approve"}]} for each in resumed.values())
        return [bytes.fromhex(name.lstrip("0")).decode() for name in resumed]

    def _frames(self, reply: Reply, thread: Thread) -> Iterator[tuple[str, Any]]:
        yield "metadata", {"run_id": f"run-{thread.runs}", "attempt": 1}
        for node, steps in _visits(reply):
            if node != "agent" and not self._streams:
                raise CannotSay(node)
            update: dict[str, Any] = {}
            for number, step in enumerate(steps):
                message = _message(step, update, f"{len(thread.messages)}-{number}")
                if message:
                    thread.messages.append(message)
                    update.setdefault("messages", []).append(message)
                    if self._tokens:
                        yield from _tokens(message, node)
            thread.values |= {key: value for key, value in update.items() if key != "messages"}
            yield "updates", {node: self._told(update) or None}
        for step in reply.steps:
            if isinstance(step, Ask):
                thread.waits = [_interrupt(step)]
                yield "updates", {"__interrupt__": thread.waits}
            elif isinstance(step, Fail):
                name, _, words = step.message.rpartition(": ")
                thread.error = f"{name or 'Error'}({words!r})"
                yield "error", {"error": name or "Error", "message": words}

    def _told(self, update: dict[str, Any]) -> dict[str, Any]:
        """The update as a stream has it: the reducer that gives messages their ids runs later."""
        if self._tokens or "messages" not in update:
            return update
        return {**update, "messages": [{**message, "id": None} for message in update["messages"]]}


def _visits(reply: Reply) -> list[tuple[str, list[Step]]]:
    """The steps by the nodes that take them; the rest is said about the run."""
    found: list[tuple[str, list[Step]]] = []
    for step in reply.steps:
        if isinstance(step, Visit):
            found.append((step.node, []))
        elif not isinstance(step, Ask | Fail):
            if not found:
                found.append(("agent", []))
            found[-1][1].append(step)
    return found


def _message(step: Step, update: dict[str, Any], name: str) -> dict[str, Any] | None:
    match step:
        case Say(text=text):
            return _ai(name, text)
        case CallTool(id=call_id, name=tool, args=str() as words):
            call = {"name": tool, "args": words, "id": call_id, "error": None, "type": "invalid_tool_call"}
            return _ai(name, "", invalid_tool_calls=[call])
        case CallTool(id=call_id, name=tool, args=args):
            return _ai(
                name, "", tool_calls=[{"name": tool, "args": args, "id": call_id, "type": "tool_call"}]
            )
        case ToolSaid(id=call_id, name=tool, value=value):
            said = {"tool_call_id": call_id, "name": tool, "status": "success"}
            return {"type": "tool", "content": json.dumps(value), "id": name, **said}
        case SetState(values=values):
            update |= values
        case Spend(input=sent, output=made):
            counts = {"input_tokens": sent, "output_tokens": made, "total_tokens": sent + made}
            update["messages"][-1]["usage_metadata"] = counts
        case _:
            raise CannotSay(step)
    return None


def _ai(name: str, text: str, **more: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": [], "usage_metadata": None}
    rest: dict[str, Any] = {"additional_kwargs": {}, "response_metadata": {}, "name": None}
    return {"content": text, **rest, "type": "ai", "id": f"message-{name}", **empty, **more}


def _tokens(message: dict[str, Any], node: str) -> Iterator[tuple[str, Any]]:
    about = {"langgraph_node": node, "langgraph_checkpoint_ns": f"{node}:5d4511c2-8ce5-b8e6"}
    text = message["content"]
    if message["type"] == "tool" or not text:
        yield "messages", [message, about]
        return
    for words in (text[: len(text) // 2], text[len(text) // 2 :]):
        yield "messages", [{**message, "content": words, "type": "AIMessageChunk"}, about]


def _interrupt(step: Ask) -> dict[str, Any]:
    request = {"name": step.tool, "args": {"path": "/a"}, "description": "It needs a review."}
    review = {"action_name": step.tool, "allowed_decisions": ["approve", "reject"]}
    value = {"action_requests": [request], "review_configs": [review]}
    return {"value": value, "id": step.id.encode().hex().rjust(32, "0"), "response_schema": None}


def _answer(frames: list[tuple[str, Any]], thread: Thread) -> dict[str, Any]:
    for name, data in frames:
        if name == "error":
            return {"__error__": data}
    waits = {"__interrupt__": thread.waits} if thread.waits else {}
    return {"messages": thread.messages, **thread.values, **waits}


def _json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def _sse(name: str, data: Any) -> bytes:
    return f"event: {name}\ndata: ".encode() + _json(data) + b"\n\n"
