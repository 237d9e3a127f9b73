"""Agents behind real AG-UI servers: one made of the SDK's events and encoder, one a LangGraph graph.

The first does what the user's message says (`weather`, `ask`, `state`, …), and its memory is in the request:
all that was said, the state, and answers to what the last run asked.
"""

import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import uvicorn
from ag_ui.core import (
    ActivitySnapshotEvent,
    AssistantMessage,
    BaseEvent,
    CustomEvent,
    Interrupt,
    MessagesSnapshotEvent,
    RawEvent,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    StateDeltaEvent,
    StateSnapshotEvent,
    StepFinishedEvent,
    StepStartedEvent,
    SubagentFinishedEvent,
    SubagentStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    TokenUsage,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)
from ag_ui.encoder import EventEncoder
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from typing_extensions import TypedDict

ODD = 'naïve 東京 \U0001f600 line\u2028para\u2029next\u0085tab\t"quoted" <b>&amp; \u202egnp.exe\nlast'
SCHEMA = {"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"]}


def say(ident: str, *pieces: str, **more: Any) -> Iterator[BaseEvent]:
    yield TextMessageStartEvent(message_id=ident, role="assistant", **more)
    for piece in pieces:
        yield TextMessageContentEvent(message_id=ident, delta=piece, **more)
    yield TextMessageEndEvent(message_id=ident, **more)


def call(ident: str, name: str, arguments: str) -> Iterator[BaseEvent]:
    half = len(arguments) // 2
    yield ToolCallStartEvent(tool_call_id=ident, tool_call_name=name)
    yield ToolCallArgsEvent(tool_call_id=ident, delta=arguments[:half])
    yield ToolCallArgsEvent(tool_call_id=ident, delta=arguments[half:])
    yield ToolCallEndEvent(tool_call_id=ident)


def result(ident: str, content: Any) -> BaseEvent:
    return ToolCallResultEvent(message_id=f"result {ident}", tool_call_id=ident, content=content)


def changed(*operations: dict[str, Any]) -> BaseEvent:
    return StateDeltaEvent.model_validate({"delta": operations})


def weather(run: str) -> Iterator[BaseEvent]:
    yield StepStartedEvent(step_name="router")
    yield ReasoningStartEvent(message_id=f"{run} think")
    yield ReasoningMessageStartEvent(message_id=f"{run} think", role="reasoning")
    yield ReasoningMessageContentEvent(message_id=f"{run} think", delta="I need the weather.")
    yield ReasoningMessageEndEvent(message_id=f"{run} think")
    yield ReasoningEndEvent(message_id=f"{run} think")
    yield StepFinishedEvent(step_name="router")
    yield StepStartedEvent(step_name="forecast")
    yield from call(f"{run} call", "get_weather", '{"city": "Paris", "days": 2}')
    yield result(f"{run} call", '{"t": 20}')
    yield from say(f"{run} answer", "It is ", "20 °C.")
    yield StepFinishedEvent(step_name="forecast")


def state_of(run: str, state: Any) -> Iterator[BaseEvent]:
    yield StateSnapshotEvent(snapshot={**state, "city": "Paris", "draft": {"title": "x"}, "n": 1})
    yield changed(
        {"op": "add", "path": "/draft/lines", "value": []},
        {"op": "add", "path": "/draft/lines/-", "value": "one"},
        {"op": "replace", "path": "/n", "value": 2},
        {"op": "remove", "path": "/city"},
    )
    yield from say(f"{run} answer", f"The state was {sorted(state)}.")


def odd(run: str) -> Iterator[BaseEvent]:
    yield RawEvent(event={"any": "thing"}, source="model")
    yield CustomEvent(name="progress", value=0.5)
    yield ActivitySnapshotEvent(message_id=f"{run} act", activity_type="PLAN", content={"steps": []})
    yield from say(f"{run} answer", *ODD)


def delegate(run: str) -> Iterator[BaseEvent]:
    sub = f"{run} sub"
    yield SubagentStartedEvent(subagent_run_id=sub, name="researcher")
    yield from say(f"{sub} words", "Found it.", subagent_run_id=sub)
    yield SubagentFinishedEvent(subagent_run_id=sub)
    yield from say(f"{run} answer", "Done.")


def act(given: RunAgentInput, said: str) -> Iterator[BaseEvent]:
    """What the agent does with the last words of the user."""
    run = given.run_id
    match said:
        case "weather":
            yield from weather(run)
        case "state":
            yield from state_of(run, given.state or {})
        case "odd":
            yield from odd(run)
        case "delegate":
            yield from delegate(run)
        case "boom":
            yield from say(f"{run} answer", "Well")
            yield RunErrorEvent(message="the model is gone", code="internal")
        case "patch":
            yield changed({"op": "remove", "path": "/nothing"})
        case "snapshot":
            new = AssistantMessage(id=f"{run} m", content="From a snapshot.")
            messages: list[Any] = [*given.messages, new]
            yield MessagesSnapshotEvent(messages=messages)
        case _:
            count = len([message for message in given.messages if message.role == "user"])
            yield from say(f"{run} answer", f"{count} questions, the last was {said!r}.")


def finished(given: RunAgentInput, outcome: Any = None) -> BaseEvent:
    usage = [TokenUsage(model="m", input_tokens=11, output_tokens=7, total_tokens=18)]
    return RunFinishedEvent(thread_id=given.thread_id, run_id=given.run_id, outcome=outcome, usage=usage)


def ask(given: RunAgentInput) -> Iterator[BaseEvent]:
    """Two approvals at once: both have to be answered together."""
    interrupts = []
    for name in ("delete_file", "send_mail"):
        ident = f"{given.run_id} {name}"
        yield from call(ident, name, '{"really": true}')
        interrupts.append(
            Interrupt(id=f"ask {ident}", reason="tool_call", tool_call_id=ident, response_schema=SCHEMA)
        )
    yield finished(given, RunFinishedInterruptOutcome(interrupts=interrupts, type="interrupt"))


def offered(given: RunAgentInput) -> Iterator[BaseEvent]:
    """A call of the tool that the client runs."""
    ident = f"{given.run_id} front"
    name = given.tools[0].name if given.tools else ""
    yield from call(ident, name, '{"color": "red"}')
    yield finished(given, RunFinishedSuccessOutcome(type="success", pending_tool_call_ids=[ident]))


def events(given: RunAgentInput) -> Iterator[BaseEvent]:
    """All events of a run."""
    yield RunStartedEvent(thread_id=given.thread_id, run_id=given.run_id, protocol_version="1.0", input=given)
    last = given.messages[-1]
    if given.resume:
        answers = {entry.interrupt_id: (entry.status, entry.payload) for entry in given.resume}
        for ident, (status, payload) in answers.items():
            yield result(ident.removeprefix("ask "), f"{status} {payload}")
        yield from say(f"{given.run_id} answer", f"{len(answers)} answers.")
    elif last.role == "tool":
        yield from say(f"{given.run_id} answer", f"It is {last.content} now.")
    elif last.content == "ask":
        yield from ask(given)
        return
    elif last.content == "paint" and given.tools:
        yield from offered(given)
        return
    else:
        for event in act(given, str(last.content)):
            yield event
            if isinstance(event, RunErrorEvent):
                return
    yield finished(given)


def sdk_app() -> FastAPI:
    app = FastAPI()
    seen: list[RunAgentInput] = []
    app.state.seen = seen

    @app.post("/")
    async def run(given: RunAgentInput) -> StreamingResponse:
        seen.append(given)
        encoder = EventEncoder()

        async def stream() -> AsyncIterator[str]:
            for event in events(given):
                yield encoder.encode(event)

        return StreamingResponse(stream(), media_type=encoder.get_content_type())

    return app


def langgraph_app() -> FastAPI:
    """A graph of two nodes, of which the second asks before it saves, in both ways that its server has."""
    from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
    from langchain_core.messages import AIMessage
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, StateGraph
    from langgraph.graph.message import add_messages
    from langgraph.types import interrupt

    class State(TypedDict):
        messages: Annotated[list[Any], add_messages]
        draft: str

    def write(state: State) -> dict[str, Any]:
        return {"draft": f"about {state['messages'][-1].content}"}

    def confirm(state: State) -> dict[str, Any]:
        answer = interrupt({"reason": "confirmation", "message": f"Save {state['draft']!r}?"})
        return {"messages": [AIMessage(content=f"The answer was {answer}.")]}

    graph = StateGraph(State)
    graph.add_node("write", write)
    graph.add_node("confirm", confirm)
    graph.add_edge(START, "write")
    graph.add_edge("write", "confirm")
    graph.add_edge("confirm", END)
    app = FastAPI()
    for path, structured in (("/old", False), ("/new", True)):
        compiled = graph.compile(checkpointer=InMemorySaver())
        agent = LangGraphAgent(name="cards", graph=compiled, emit_interrupt_outcome=structured)
        add_langgraph_fastapi_endpoint(app, agent, path)
    return app


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of the running server, without a path."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)
