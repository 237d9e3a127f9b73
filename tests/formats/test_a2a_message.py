"""Messages to A2A agents, held against the SDK's own reading of each generation and binding."""

import base64
from typing import Any

import pytest
from a2a.compat.v0_3 import a2a_v0_3_pb2 as protobuf_03
from a2a.compat.v0_3 import proto_utils
from a2a.compat.v0_3 import types as types_03
from a2a.types import Message, Role, SendMessageRequest
from google.protobuf.json_format import ParseDict  # type: ignore[import-untyped]

from gate.formats.a2a_card import Way
from gate.formats.a2a_message import DataPart, Outgoing, method_of, params_of
from gate.model.case import BlobPart, FilePart, TextPart

SENT = Outgoing(
    id="m1",
    parts=(
        TextPart(text="h\u00e9"),
        BlobPart(mime_type="image/png", data="aGk="),
        FilePart(mime_type="text/plain", uri="https://example.com/a"),
        DataPart(data={"n": 1}, metadata={"adk_type": "function_response"}),
        DataPart(data=[1, 2], metadata={}),
    ),
    context="c",
    task="t",
)


@pytest.mark.parametrize("binding", ["jsonrpc", "rest"])
def test_1_0_is_what_the_sdk_reads(binding: Any) -> None:
    way = Way(version="1.0", binding=binding)
    request = ParseDict(params_of(way, SENT, stream=False), SendMessageRequest())
    message: Message = request.message
    assert (message.message_id, message.context_id, message.task_id) == ("m1", "c", "t")
    assert message.role == Role.ROLE_USER
    text, blob, file, data, more = message.parts
    assert text.text == "h\u00e9"
    assert (blob.raw, blob.media_type) == (b"hi", "image/png")
    assert (file.url, file.media_type) == ("https://example.com/a", "text/plain")
    assert data.data.struct_value["n"] == 1
    assert data.metadata["adk_type"] == "function_response"
    assert list(more.data.list_value) == [1, 2]
    assert request.configuration.return_immediately is False


def check_0_3(params: types_03.MessageSendParams) -> None:
    message = params.message
    assert (message.message_id, message.context_id, message.task_id) == ("m1", "c", "t")
    assert message.role == types_03.Role.user
    text, blob, file, data, more = (part.root for part in message.parts)
    assert isinstance(text, types_03.TextPart)
    assert text.text == "h\u00e9"
    assert isinstance(blob, types_03.FilePart)
    assert isinstance(blob.file, types_03.FileWithBytes)
    assert (base64.b64decode(blob.file.bytes), blob.file.mime_type) == (b"hi", "image/png")
    assert isinstance(file, types_03.FilePart)
    assert isinstance(file.file, types_03.FileWithUri)
    assert file.file.uri == "https://example.com/a"
    assert isinstance(data, types_03.DataPart)
    assert (data.data, data.metadata) == ({"n": 1}, {"adk_type": "function_response"})
    assert isinstance(more, types_03.DataPart)
    assert more.data == {"value": [1, 2]}
    assert params.configuration
    assert params.configuration.blocking is True


def test_0_3_is_what_the_sdk_reads() -> None:
    way = Way(version="0.3", binding="jsonrpc")
    check_0_3(types_03.MessageSendParams.model_validate(params_of(way, SENT, stream=False)))


def test_0_3_over_rest_is_what_the_sdk_reads() -> None:
    params = params_of(Way(version="0.3", binding="rest"), SENT, stream=False)
    request = ParseDict(params, protobuf_03.SendMessageRequest())
    check_0_3(proto_utils.FromProto.message_send_params(request))


@pytest.mark.parametrize(
    ("version", "binding", "whole", "stream"),
    [
        ("1.0", "jsonrpc", "SendMessage", "SendStreamingMessage"),
        ("0.3", "jsonrpc", "message/send", "message/stream"),
        ("1.0", "rest", "message:send", "message:stream"),
        ("0.3", "rest", "message:send", "message:stream"),
    ],
)
def test_each_generation_has_its_method(version: Any, binding: Any, whole: str, stream: str) -> None:
    way = Way(version=version, binding=binding)
    assert (method_of(way, stream=False), method_of(way, stream=True)) == (whole, stream)


def test_a_tenant_is_a_parameter_of_json_rpc_alone() -> None:
    sent = Outgoing(id="m", parts=(TextPart(text="hi"),))
    assert params_of(Way(version="1.0", binding="jsonrpc", tenant="t"), sent, stream=True) == {
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]},
        "tenant": "t",
    }
    assert "tenant" not in params_of(Way(version="1.0", binding="rest", tenant="t"), sent, stream=True)
