"""The REST front of Vertex AI Agent Engine, as its reference documents it, before the real container.

It takes what `projects.locations.reasoningEngines.query` and `.streamQuery` take and nothing else, and passes
it on as the service does; what the container fails at, it answers with 400 FAILED_PRECONDITION.
"""

import json
from collections.abc import Sequence
from typing import Any

from gate.http import Client
from tests.support.faulty_agent import Exchange, raw_answer

ENGINE = "/v1/projects/p/locations/us-central1/reasoningEngines/42"
TOKEN = "ya29.canary-of-a-token"
SESSIONS = ("create_session", "get_session", "list_sessions", "delete_session")
SYNC: Sequence[str] = (*SESSIONS, "stream_query")
ASYNC: Sequence[str] = (*(f"async_{name}" for name in SESSIONS), "async_stream_query")
DOCS = "https://cloud.google.com/vertex-ai/generative-ai/docs/agent-engine/troubleshooting/use"


class Front:
    """Behaviour of a faulty_agent that does not fail; `requests` has the bodies that were let through."""

    def __init__(self, container: str, methods: Sequence[str] = (*SYNC, *ASYNC)) -> None:
        self.requests: list[Any] = []
        self._container = container
        self._methods = methods

    async def __call__(self, exchange: Exchange) -> None:
        refusal = self._refusal(exchange)
        if refusal:
            await exchange.write(status(*refusal))
            return
        streams = ":streamQuery" in exchange.path
        self.requests.append(exchange.json)
        # The service knows the field by both of its names, the container by one.
        inner = {"class_method": method_of(exchange.json), "input": exchange.json["input"]}
        path = "/api/stream_reasoning_engine" if streams else "/api/reasoning_engine"
        async with Client() as client:
            answer = await client.request("POST", self._container + path, json=inner)
        if answer.status != 200:
            await exchange.write(raised(answer.body.decode()))
            return
        await exchange.write(raw_answer(answer.body))

    def _refusal(self, exchange: Exchange) -> tuple[int, str, str] | None:
        if exchange.headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, "UNAUTHENTICATED", "Request had invalid authentication credentials."
        known = {f"{ENGINE}:query": False, f"{ENGINE}:streamQuery?alt=sse": True}
        if exchange.method != "POST" or exchange.path not in known:
            return 404, "NOT_FOUND", "The ReasoningEngine does not exist."
        body = exchange.json
        if unknown := set(body) - {"class_method", "classMethod", "input"}:
            words = f'Invalid JSON payload received. Unknown name "{min(unknown)}": Cannot find field.'
            return 400, "INVALID_ARGUMENT", words
        if not isinstance(body.get("input"), dict):
            return (
                400,
                "INVALID_ARGUMENT",
                "Invalid value at 'input' (type.googleapis.com/google.protobuf.Struct)",
            )
        method = method_of(body)
        if method not in self._methods or method.endswith("stream_query") != known[exchange.path]:
            words = f"Default method `{method}` not found. Available methods are: {list(self._methods)}."
            return 400, "FAILED_PRECONDITION", f"Reasoning Engine Execution failed. {words}"
        return None


def method_of(body: Any) -> Any:
    """The method that a request names, in either spelling of proto3's JSON."""
    return body.get("class_method", body.get("classMethod"))


def status(code: int, name: str, words: str) -> bytes:
    """An answer with a google.rpc.Status."""
    body = {"error": {"code": code, "message": words, "status": name}}
    return raw_answer(json.dumps(body).encode(), status=f"{code} x")


def raised(words: str) -> bytes:
    """How the service tells what the agent's code raised."""
    said = f"Reasoning Engine Execution failed.\nPlease refer to our documentation ({DOCS}).\nError Details: "
    return status(400, "FAILED_PRECONDITION", said + words)
