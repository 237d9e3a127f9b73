"""What is sent to an A2A agent: a user's message, in the spelling of each generation and binding."""

import base64
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from gate.formats.a2a_card import Way
from gate.frozen import frozen
from gate.model import Json
from gate.model.case import BlobPart, FilePart, TextPart, UserPart


@frozen
class DataPart:
    """A JSON value that is sent as it is; `metadata` says what it means to the agent's framework."""

    data: Json
    metadata: Mapping[str, Json]


SentPart: TypeAlias = UserPart | DataPart


@frozen
class Outgoing:
    """One message to an agent: its own id, its parts, and what it continues ("": nothing)."""

    id: str
    parts: tuple[SentPart, ...]
    context: str = ""
    task: str = ""


def method_of(way: Way, *, stream: bool) -> str:
    """The method that sends a message: JSON-RPC's name, or the end of REST's path."""
    if way.binding == "rest":
        return "message:stream" if stream else "message:send"
    if way.version == "1.0":
        return "SendStreamingMessage" if stream else "SendMessage"
    return "message/stream" if stream else "message/send"


def params_of(way: Way, sent: Outgoing, *, stream: bool) -> dict[str, Json]:
    """The parameters that send a message; without a stream, the answer is to wait for the task's end."""
    params: dict[str, Json] = {"message": _message(way, sent)}
    if way.tenant and way.binding == "jsonrpc":
        params["tenant"] = way.tenant
    if way.version == "0.3" and not stream:
        params["configuration"] = {"blocking": True}
    return params


def _message(way: Way, sent: Outgoing) -> Json:
    # 0.3's REST is the JSON of its protobuf, which has other names than its JSON-RPC.
    new, protobuf = way.version == "1.0", way.binding == "rest"
    message: dict[str, Json] = {
        "messageId": sent.id,
        "role": "ROLE_USER" if new or protobuf else "user",
        "content" if protobuf and not new else "parts": _parts(way, sent.parts),
    }
    if not new and not protobuf:
        message["kind"] = "message"
    if sent.context:
        message["contextId"] = sent.context
    if sent.task:
        message["taskId"] = sent.task
    return message


def _parts(way: Way, parts: Sequence[SentPart]) -> list[Json]:
    if way.version == "1.0":
        return [_part_1_0(part) for part in parts]
    if way.binding == "rest":
        return [_part_0_3_protobuf(part) for part in parts]
    return [_part_0_3(part) for part in parts]


def _part_1_0(part: SentPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"text": text}
        case BlobPart(mime_type=kind, data=data):
            return {"raw": data, "mediaType": kind}
        case FilePart(mime_type=kind, uri=uri):
            return {"url": uri, "mediaType": kind}
        case DataPart(data=data):
            return {"data": data, **_metadata(part)}


def _part_0_3(part: SentPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"kind": "text", "text": text}
        case BlobPart(mime_type=kind, data=data):
            return {"kind": "file", "file": {"bytes": data, "mimeType": kind}}
        case FilePart(mime_type=kind, uri=uri):
            return {"kind": "file", "file": {"uri": uri, "mimeType": kind}}
        case DataPart(data=data):
            return {"kind": "data", "data": _object(data), **_metadata(part)}


def _part_0_3_protobuf(part: SentPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"text": text}
        case BlobPart(mime_type=kind, data=data):
            # The SDKs put base64 into a field whose JSON is base64 again.
            twice = base64.b64encode(data.encode()).decode()
            return {"file": {"fileWithBytes": twice, "mimeType": kind}}
        case FilePart(mime_type=kind, uri=uri):
            return {"file": {"fileWithUri": uri, "mimeType": kind}}
        case DataPart(data=data):
            return {"data": {"data": _object(data)}, **_metadata(part)}


def _object(data: Json) -> Json:
    # 0.3 knows only objects.
    return data if isinstance(data, dict) else {"value": data}


def _metadata(part: DataPart) -> dict[str, Json]:
    return {"metadata": dict(part.metadata)} if part.metadata else {}
