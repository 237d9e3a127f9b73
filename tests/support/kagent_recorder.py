"""Run an agent with kagent's own session service and print what it stored; in its own environment.

The service talks HTTP to a controller; here one answers that keeps what it is sent. Prints JSON: `stored`
(the controller's answer to a session), `rows` (its table of events), and `read`, what the service itself
reads of them.
"""

import asyncio
import json
import sys
from importlib import import_module
from importlib.metadata import distribution
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

types: Any = import_module("google.genai.types")
BaseLlm: Any = import_module("google.adk.models.base_llm").BaseLlm
LlmResponse: Any = import_module("google.adk.models.llm_response").LlmResponse
httpx: Any = import_module("httpx")


def part(**keys: Any) -> Any:
    return types.Part(**keys)


SCRIPT = [
    [
        part(text="The user asks for the weather.", thought=True),
        part(function_call=types.FunctionCall(name="get_weather", args={"city": "London"})),
    ],
    [part(text="14 degrees\u2028and cloudy.")],
    [part(function_call=types.FunctionCall(name="delete_repo", args={"name": "x"}))],
]


class Scripted(BaseLlm):  # type: ignore[misc]
    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:  # noqa: ARG002, FBT002
        said = SCRIPT.pop(0)
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=10, candidates_token_count=5)
        yield LlmResponse(content=types.Content(role="model", parts=said), usage_metadata=usage)


def get_weather(city: str, tool_context: Any) -> dict[str, Any]:
    """Tell the weather."""
    tool_context.state["last_city"] = city
    return {"temp": 14}


def delete_repo(name: str) -> dict[str, Any]:
    """Delete a repository."""
    return {"deleted": name}


class Controller:
    """Keeps sessions and events as kagent's controller does."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.session: dict[str, Any] = {}

    def answer(self, request: Any) -> Any:
        path, body = request.url.path, json.loads(request.content or b"{}")
        if request.method == "POST" and path == "/api/sessions":
            self.session = {"id": body["id"], "user_id": body["user_id"], "agent_id": body["agent_ref"]}
            return self._said(self.session)
        if request.method == "POST":
            self.rows.append({**body, "session_id": path.split("/")[3], "user_id": "u"})
            return self._said({})
        return self._said({"session": self.session, "events": self.rows})

    def _said(self, data: Any) -> Any:
        return httpx.Response(200, json={"error": False, "data": data, "message": ""})


async def main() -> None:
    """Two turns: a tool that runs, and one that waits for its confirmation."""
    controller = Controller()
    client = httpx.AsyncClient(transport=httpx.MockTransport(controller.answer), base_url="http://kagent")
    service = session_service()(client)
    tool = import_module("google.adk.tools.function_tool").FunctionTool
    agent = import_module("google.adk.agents").LlmAgent(
        name="helper",
        model=Scripted(model="scripted"),
        tools=[typed(get_weather), tool(delete_repo, require_confirmation=True)],
    )
    runner = import_module("google.adk.runners").Runner(
        agent=agent, app_name="kagent__NS__helper", session_service=service
    )
    key = {"app_name": "kagent__NS__helper", "user_id": "u", "session_id": "s-1"}
    await service.create_session(**key)
    for words in ("weather?", "delete it"):
        content = types.Content(role="user", parts=[part(text=words)])
        async for _ in runner.run_async(user_id="u", session_id="s-1", new_message=content):
            pass
    stored = await client.get("/api/sessions/s-1")
    read = await service.get_session(**key)
    told = {"state": read.state, "events": [json.loads(event.model_dump_json()) for event in read.events]}
    sys.stdout.write(json.dumps({"stored": stored.json(), "rows": controller.rows, "read": told}))


def typed(tool: Any) -> Any:
    tool.__annotations__["tool_context"] = import_module("google.adk.tools.tool_context").ToolContext
    return tool


def session_service() -> Any:
    """The class, without the rest of the package: that imports all of kagent."""
    path = distribution("kagent-adk").locate_file("kagent/adk/_session_service.py")
    spec = spec_from_file_location("kagent_session_service", str(path))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.KAgentSessionService


if __name__ == "__main__":
    asyncio.run(main())
