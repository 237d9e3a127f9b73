"""A2A servers on a raw socket: their cards, and what they answer, byte by byte."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.faulty_agent import Behaviour, Exchange, answers, raw_answer

CARDS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
SSE = {"content-type": "text/event-stream"}
RPC_1 = {"protocolBinding": "JSONRPC", "protocolVersion": "1.0", "url": "http://elsewhere.example/"}
REST_1 = {**RPC_1, "protocolBinding": "HTTP+JSON"}


def card(*interfaces: dict[str, Any], streaming: bool = True, **more: Any) -> dict[str, Any]:
    listed = {"supportedInterfaces": list(interfaces)} if interfaces else {}
    return {**listed, "capabilities": {"streaming": streaming}, **more}


def server(posts: Behaviour, shown: Any = None, at: str = CARDS[0]) -> Behaviour:
    """Show a card at one path (None: nowhere), and do `posts` for all else."""

    async def behave(exchange: Exchange) -> None:
        if exchange.path.endswith(CARDS):
            found = shown is not None and exchange.path == at
            await (answers(shown) if found else answers({}, status="404 Not Found"))(exchange)
        else:
            await posts(exchange)

    return behave


def posts_in_turn(*behaviours: Behaviour) -> Behaviour:
    """What each message meets: the first behaviour, and so on; the last one stays."""
    left = list(behaviours)

    async def behave(exchange: Exchange) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(exchange)

    return behave


def calls(method: Callable[[Exchange], Any]) -> Behaviour:
    """Answer each call with what the function makes of it: a result, or an `Error`."""

    async def behave(exchange: Exchange) -> None:
        made = method(exchange)
        more = (
            {"error": {"code": made.code, "message": made.words}}
            if isinstance(made, Error)
            else {"result": made}
        )
        await answers({"jsonrpc": "2.0", "id": exchange.json["id"], **more})(exchange)

    return behave


class Error(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: Any, words: str = "no") -> None:
        super().__init__(words)
        self.code = code
        self.words = words


def frame(result: Any, *, wrapped: bool = True) -> bytes:
    """One event of a stream."""
    value = {"jsonrpc": "2.0", "id": "1", "result": result} if wrapped else result
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def update(state: str, words: str = "", message_id: str = "m") -> dict[str, Any]:
    said = {"messageId": message_id, "role": "ROLE_AGENT", "parts": [{"text": words}]}
    status = {"state": f"TASK_STATE_{state}", **({"message": said} if words else {})}
    return {"statusUpdate": {"taskId": "t", "contextId": "c", "status": status}}


def streams(*chunks: bytes, then: Behaviour | None = None) -> Behaviour:
    """Answer with these bytes of an event stream; `then` goes on, and without it the stream ends well."""

    async def behave(exchange: Exchange) -> None:
        if then is None:
            await exchange.write(raw_answer(b"".join(chunks), headers=SSE))
            return
        await exchange.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + b"".join(chunks))
        await then(exchange)

    return behave
