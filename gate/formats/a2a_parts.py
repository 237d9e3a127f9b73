"""Parts and metadata of A2A messages, and what ADK and kagent tell in them of their tools.

A2A has no tool calls. Agents of ADK and kagent send theirs as data parts whose metadata say so: such an agent
is an ADK agent in other clothes, and what it sends is put back into the shape of ADK.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from gate.formats.adk_fields import UnreadableEvent, field, is_mapping, kind, text
from gate.frozen import frozen
from gate.model import Json

VENDORS = ("adk", "kagent")
_CALLS = {"function_call": "functionCall", "function_response": "functionResponse"}
_EXTENSION = "https://google.github.io/adk-docs/a2a/a2a-extension/"


@frozen
class Content:
    """One part in ADK's shape. `raw` tells it from others; `words` are plain words for the reader, or ""."""

    raw: str
    part: Mapping[str, Json]
    words: str = ""
    vendor: str = ""
    has_id: bool = False
    running: str = ""


def vendor_of(metadata: Mapping[str, Json]) -> str:
    """Whose metadata they are: `adk`, `kagent` or nobody's that is known."""
    return next((name for name in VENDORS for key in metadata if key.startswith(f"{name}_")), "")


def tells_all(metadata: Mapping[str, Json]) -> bool:
    """Whether an ADK agent sends every event of its own, those without content too."""
    return _EXTENSION in metadata


def vendor_field(metadata: Mapping[str, Json], name: str) -> Json:
    """A field of the vendor's, whichever the vendor is."""
    keys = (f"adk_{name}", f"kagent_{name}", f"kagent_adk_{name}")
    return next((metadata[key] for key in keys if metadata.get(key) is not None), None)


def contents_of(parts: Iterable[Json]) -> Iterator[Content]:
    """Read parts: words, data (as JSON), and the calls and results of tools; files say nothing to us."""
    for part in parts:
        if not is_mapping(part):
            raise UnreadableEvent(f"a part is {kind(part)}, not an object")
        metadata = metadata_of(part)
        if "text" in part:
            yield from _words(part, metadata)
        elif (data := _data(part)) is not None:
            yield from _from_data(data, metadata)


def joined(contents: Iterable[Content]) -> Iterator[Content]:
    """Join neighbouring words: the chunks of an artifact."""
    words = ""
    for content in contents:
        if content.words:
            words += content.words
            continue
        if words:
            yield _said(words)
        words = ""
        yield content
    if words:
        yield _said(words)


def metadata_of(record: Mapping[str, Json]) -> Mapping[str, Json]:
    """The metadata of a part, message, artifact, update or task; empty for what are none."""
    value = field(record, "metadata")
    return value if is_mapping(value) else {}


def canonical(value: Json) -> str:
    """A JSON value as text, the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _words(part: Mapping[str, Json], metadata: Mapping[str, Json]) -> Iterator[Content]:
    if not (words := text(part, "text")):
        return
    if vendor_field(metadata, "thought") is True:
        yield Content(raw=canonical(part), part={"text": words, "thought": True})
    else:
        yield _said(words)


def _said(words: str) -> Content:
    return Content(raw=words, part={"text": words}, words=words)


def _data(part: Mapping[str, Json]) -> Json:
    data = part.get("data")
    # The protobuf of 0.3 wraps a part's data once more.
    return data["data"] if is_mapping(data) and set(data) == {"data"} else data


def _from_data(data: Json, metadata: Mapping[str, Json]) -> Iterator[Content]:
    sort = vendor_field(metadata, "type")
    if sort is None:
        yield _said(json.dumps(data, ensure_ascii=False))
    elif isinstance(sort, str) and sort in _CALLS:
        if not is_mapping(data):
            raise UnreadableEvent(f"the data of a {sort} is {kind(data)}, not an object")
        running = vendor_field(metadata, "is_long_running") is True
        yield Content(
            raw=canonical([sort, data]),
            part={_CALLS[sort]: data},
            vendor=vendor_of(metadata),
            has_id=bool(data.get("id")),
            running=text(data, "id") if running else "",
        )
