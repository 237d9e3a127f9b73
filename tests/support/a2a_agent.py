"""A scripted A2A agent on the real SDK, in each generation and binding, served from a thread."""

import asyncio
import contextlib
import logging
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import uvicorn
from a2a.helpers import new_data_part, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Message,
    Part,
    Role,
    Task,
    TaskState,
    TaskStatus,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

WITHIN_S = 30


def text(words: str) -> Part:
    return new_text_part(words)


def data(value: dict[str, Any], vendor: str, sort: str, *, running: bool = False) -> Part:
    part = new_data_part(value)
    part.metadata.update({f"{vendor}_type": sort, **({f"{vendor}_is_long_running": True} if running else {})})
    return part


class Scripted(AgentExecutor):
    """The first word of a message says what is done with it; a task that waits takes whatever comes."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        words = context.get_user_input()
        word = words.split(" ")[0]
        if word == "message":
            await event_queue.enqueue_event(
                Message(
                    message_id=uuid.uuid4().hex,
                    context_id=context.context_id or "",
                    role=Role.ROLE_AGENT,
                    parts=[text("Just a message.")],
                )
            )
            return
        assert context.task_id
        assert context.context_id
        assert context.message
        task = TaskUpdater(event_queue, context.task_id, context.context_id)
        if context.current_task:
            await task.start_work()
            await self.resume(task, words, context)
            return
        await event_queue.enqueue_event(
            Task(
                id=context.task_id,
                context_id=context.context_id,
                status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED),
                history=[context.message],
            )
        )
        await task.start_work()
        await getattr(self, word, self.other)(task, words)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError

    async def resume(self, task: TaskUpdater, words: str, context: RequestContext) -> None:
        assert context.message
        sent = [dict(part.data.struct_value) for part in context.message.parts if part.HasField("data")]
        if words == "more":
            await task.requires_input(task.new_agent_message([text("And the country?")]))
            return
        await task.add_artifact([text(f"You said {sent or words}.")], last_chunk=True)
        await task.complete()

    async def other(self, task: TaskUpdater, words: str) -> None:
        await task.add_artifact([text(f"Hello, {words}!")], last_chunk=True)
        await task.complete()

    async def twice(self, task: TaskUpdater, _: str) -> None:
        await task.update_status(TaskState.TASK_STATE_WORKING, task.new_agent_message([text("Looking.")]))
        await task.update_status(TaskState.TASK_STATE_WORKING, task.new_agent_message([text("It is 20.")]))
        await task.add_artifact([text("It is 20.")])
        await task.complete(task.new_agent_message([text("It is 20.")]))

    async def chunks(self, task: TaskUpdater, _: str) -> None:
        for number, chunk in enumerate(("Hel", "lo, ", "\u2028world")):
            await task.add_artifact([text(chunk)], artifact_id="a", append=number > 0, last_chunk=number == 2)
        await task.complete()

    async def calls(self, task: TaskUpdater, words: str) -> None:
        vendor = words.split(" ")[1]
        call = {"id": "c1", "name": "get_weather", "args": {"city": "London", "days": 3}}
        result = {"id": "c1", "name": "get_weather", "response": {"temp": 20}}
        for part in (data(call, vendor, "function_call"), data(result, vendor, "function_response")):
            await task.update_status(TaskState.TASK_STATE_WORKING, task.new_agent_message([part]))
        await task.add_artifact([text("20 degrees.")], last_chunk=True)
        await task.complete()

    async def approve(self, task: TaskUpdater, words: str) -> None:
        vendor = words.split(" ")[1]
        original = {"id": "c1", "name": "delete_repo", "args": {}}
        asked = {
            "id": "q1",
            "name": "adk_request_confirmation",
            "args": {"originalFunctionCall": original, "toolConfirmation": {"hint": "Sure?"}},
        }
        await task.requires_input(
            task.new_agent_message([data(asked, vendor, "function_call", running=True)])
        )

    async def ask(self, task: TaskUpdater, _: str) -> None:
        await task.requires_input(task.new_agent_message([text("Which city?")]))

    async def login(self, task: TaskUpdater, _: str) -> None:
        await task.requires_auth(task.new_agent_message([text("Who are you?")]))

    async def answer_in_data(self, task: TaskUpdater, _: str) -> None:
        await task.add_artifact([new_data_part({"city": "Zürich"})], last_chunk=True)
        await task.complete()

    async def fail(self, task: TaskUpdater, _: str) -> None:
        await task.add_artifact([text("Half an answer")], last_chunk=True)
        await task.failed(task.new_agent_message([text("out of luck")]))

    async def quota(self, task: TaskUpdater, _: str) -> None:
        await task.failed(task.new_agent_message([text("429 RESOURCE_EXHAUSTED")]))

    async def reject(self, task: TaskUpdater, _: str) -> None:
        await task.reject(task.new_agent_message([text("not my job")]))

    async def stop(self, task: TaskUpdater, _: str) -> None:
        await task.cancel()

    async def raises(self, *_: object) -> None:
        raise RuntimeError("model exploded")


def card(url: str, *interfaces: tuple[str, str], streaming: bool = True) -> AgentCard:
    """A card of these (binding, version), all at `url`."""
    return AgentCard(
        name="scripted",
        description="A scripted agent.",
        version="1",
        capabilities=AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="s", name="script", description="Follows a script.", tags=["test"])],
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding=binding, protocol_version=version)
            for binding, version in interfaces
        ],
    )


def scripted_app(
    *interfaces: tuple[str, str],
    streaming: bool = True,
    says: dict[str, Any] | None = None,
    compat: bool = True,
) -> Starlette:
    """The agent with all its bindings; the card is the SDK's, or what `says` holds."""
    # The host of the card is one that nobody can reach: only its path may be used.
    own = card("http://192.0.2.1:1/rpc", *interfaces, streaming=streaming)
    handler = DefaultRequestHandler(agent_executor=Scripted(), task_store=InMemoryTaskStore(), agent_card=own)

    async def shown(_: Request) -> Response:
        return JSONResponse(says)

    cards = create_agent_card_routes(own) if says is None else [Route("/.well-known/agent.json", shown)]
    return Starlette(
        routes=[
            *cards,
            *create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=compat),
            *create_rest_routes(handler, path_prefix="/rpc", enable_v0_3_compat=compat),
        ]
    )


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an ASGI app on a port of the kernel's choice; gives its address."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level=logging.CRITICAL, lifespan="on", ws="none"))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
        thread.start()
        until = time.monotonic() + WITHIN_S
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < until, "the server does not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(WITHIN_S)
