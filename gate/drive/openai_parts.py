"""A user's message as the parts of OpenAI's two APIs."""

from collections.abc import Mapping

from gate.drive.protocol import Stopped
from gate.model import Json
from gate.model.case import BlobPart, FilePart, TextPart, User, UserPart
from gate.model.trace import Refused

_AUDIO: Mapping[str, str] = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}


def chat_content(user: User) -> Json:
    """The content of a chat message: text where it is nothing else. Raises Stopped for what has no place."""
    return _plain(user) or [_chat_part(part) for part in user.parts]


def responses_content(user: User) -> Json:
    """The content of an input message of responses: text where it is nothing else."""
    return _plain(user) or [_responses_part(part) for part in user.parts]


def _plain(user: User) -> Json:
    match user.parts:
        case (TextPart(text=text),):
            return text
        case _:
            return None


def _chat_part(part: UserPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case BlobPart(mime_type=kind) if kind.startswith("image/"):
            return {"type": "image_url", "image_url": {"url": _data(part)}}
        case BlobPart(mime_type=kind, data=data) if kind in _AUDIO:
            return {"type": "input_audio", "input_audio": {"data": data, "format": _AUDIO[kind]}}
        case BlobPart():
            return {"type": "file", "file": {"filename": _name(part), "file_data": _data(part)}}
        case FilePart(mime_type=kind, uri=uri) if kind.startswith("image/"):
            return {"type": "image_url", "image_url": {"url": uri}}
        case FilePart(mime_type=kind):
            reason = f"openai-chat has no place for a file of {kind} by its address: write its `data` instead"
            raise Stopped(Refused(reason=reason))


def _responses_part(part: UserPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"type": "input_text", "text": text}
        case BlobPart(mime_type=kind) if kind.startswith("image/"):
            return {"type": "input_image", "image_url": _data(part), "detail": "auto"}
        case BlobPart():
            return {"type": "input_file", "filename": _name(part), "file_data": _data(part)}
        case FilePart(mime_type=kind, uri=uri) if kind.startswith("image/"):
            return {"type": "input_image", "image_url": uri, "detail": "auto"}
        case FilePart(uri=uri):
            return {"type": "input_file", "file_url": uri}


def _data(part: BlobPart) -> str:
    return f"data:{part.mime_type};base64,{part.data}"


def _name(part: BlobPart) -> str:
    return "file." + part.mime_type.rpartition("/")[2]
