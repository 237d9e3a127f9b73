"""What OpenAI's answers have in common: errors in the place of an answer, usage, and content parts."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from gate.formats.adk_fields import UnreadableEvent, count, is_mapping, kind, mapping
from gate.model import Json
from gate.model.trace import Part, Text, Thought, Usage

ReadArguments: TypeAlias = Callable[[Json], tuple[Mapping[str, Json] | None, str]]
"""From a call's arguments, as they were sent, to an object, or to None and why they cannot be read."""

NO_CONTENT = "no content"
THOUGHT_ONLY = "thought only"
AUTHOR = "assistant"


def whole_object(value: Json, what: str) -> Mapping[str, Json]:
    """The value, which has to be an object; raises UnreadableEvent."""
    if not is_mapping(value):
        raise UnreadableEvent(f"{what} is {kind(value)}, not an object")
    return value


def error_of(record: Mapping[str, Json]) -> str:
    """The failure that a record reports in the place of an answer, "" where it is none.

    OpenAI has `{"error": {…}}` and, in streamed responses, `{"type": "error", …}`; vLLM `"object": "error"`.
    """
    error = record.get("error")
    if not error and "error" in (record.get("object"), record.get("type")):
        error = {key: record.get(key) for key in ("code", "message")}
    if not error:
        return ""
    if not is_mapping(error):
        return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    words = [str(error[key]) for key in ("type", "code", "message") if error.get(key)]
    return ": ".join(dict.fromkeys(words)) or "an error without a message"


def usage_of(record: Mapping[str, Json]) -> Usage | None:
    """Token counts and model under the names of either API; None where nothing is counted."""
    usage = mapping(record, "usage")
    sent, made = (
        next((number for name in names if (number := count(usage, name)) is not None), None)
        for names in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
    )
    if sent is None and made is None:
        return None
    details = (usage.get(name) for name in ("prompt_tokens_details", "input_tokens_details"))
    cached = next((count(each, "cached_tokens") for each in details if is_mapping(each)), None)
    model = record.get("model")
    return Usage(
        input_tokens=sent or 0,
        output_tokens=made or 0,
        cached_tokens=min(cached or 0, sent or 0),
        model=model if isinstance(model, str) else "",
    )


def parts_of(content: Json) -> Iterator[Part]:
    """The words of a message's content: text, or a list of parts; what is no words is left out."""
    if isinstance(content, str):
        if content:
            yield Text(text=content)
        return
    if content is not None and not isinstance(content, list):
        raise UnreadableEvent(f"content is {kind(content)}, neither text nor a list of parts")
    for part in content or ():
        yield from _part(whole_object(part, "a part of the content"))


def why_silent(parts: tuple[Part, ...]) -> str:
    """Why these parts are nothing that a reader sees, "" where they are something."""
    if any(not isinstance(part, Thought) for part in parts):
        return ""
    return THOUGHT_ONLY if parts else NO_CONTENT


def _part(part: Mapping[str, Json]) -> Iterator[Part]:
    name = part.get("type")
    words = part.get("refusal") if name == "refusal" else part.get("text")
    if name in ("thinking", "reasoning"):
        for inner in parts_of(part.get("thinking") or words):
            yield Thought(text=inner.text) if isinstance(inner, Text) else inner
    elif isinstance(words, str) and words:
        yield Thought(text=words) if name in ("reasoning_text", "summary_text") else Text(text=words)
