"""Builders of AG-UI's events, and of the bytes that carry them."""

import json
from typing import Any

SSE = {"content-type": "text/event-stream; charset=utf-8"}
IDS = {"threadId": "t", "runId": "r"}
STARTED: dict[str, Any] = {"type": "RUN_STARTED", **IDS}
FINISHED: dict[str, Any] = {"type": "RUN_FINISHED", **IDS}


def ev(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def said(ident: str, *pieces: str, **more: Any) -> list[dict[str, Any]]:
    return [
        ev("TEXT_MESSAGE_START", messageId=ident, **more),
        *(ev("TEXT_MESSAGE_CONTENT", messageId=ident, delta=piece) for piece in pieces),
        ev("TEXT_MESSAGE_END", messageId=ident),
    ]


def called(ident: str, name: str, *pieces: str, **more: Any) -> list[dict[str, Any]]:
    return [
        ev("TOOL_CALL_START", toolCallId=ident, toolCallName=name, **more),
        *(ev("TOOL_CALL_ARGS", toolCallId=ident, delta=piece) for piece in pieces),
        ev("TOOL_CALL_END", toolCallId=ident),
    ]


def a_result(ident: str, content: Any, **more: Any) -> dict[str, Any]:
    return ev("TOOL_CALL_RESULT", messageId=f"of {ident}", toolCallId=ident, content=content, **more)


def patch(*operations: Any) -> dict[str, Any]:
    return ev("STATE_DELTA", delta=list(operations))


def snapshot(*messages: Any) -> dict[str, Any]:
    return ev("MESSAGES_SNAPSHOT", messages=list(messages))


def interrupting(*interrupts: Any) -> dict[str, Any]:
    return {**FINISHED, "outcome": {"type": "interrupt", "interrupts": list(interrupts)}}


def frames(*values: Any) -> bytes:
    return b"".join(
        b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"
        for value in values
    )
