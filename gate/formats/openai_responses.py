"""OpenAI responses, whole or as a stream of typed events, to events of a trace: one an item of the output."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from gate.formats.adk_fields import items, mapping, text
from gate.formats.openai_fields import AUTHOR, ReadArguments, error_of, usage_of, whole_object
from gate.formats.openai_items import event_of, kind_of
from gate.model import Json
from gate.model.trace import Event

END = "the end of the response"

_ADDED, _DONE = "response.output_item.added", "response.output_item.done"
_ENDS: Final = frozenset(
    ("response.completed", "response.failed", "response.incomplete", "response.cancelled", "response.done")
)
_DELTAS: Final[Mapping[str, tuple[str, str]]] = {
    "response.output_text.delta": ("message", ""),
    "response.refusal.delta": ("message", ""),
    "response.reasoning_summary_text.delta": ("reasoning", ""),
    "response.reasoning_text.delta": ("reasoning", ""),
    "response.function_call_arguments.delta": ("function_call", "arguments"),
    "response.mcp_call_arguments.delta": ("mcp_call", "arguments"),
    "response.custom_tool_call_input.delta": ("custom_tool_call", "input"),
    "response.code_interpreter_call_code.delta": ("code_interpreter_call", "code"),
}
"""What a delta adds to: the type of its item, and the field, "" for a part of the content."""

_WELL: Final = frozenset(("", "completed"))
_UNDONE: Final = frozenset(("queued", "in_progress"))


class ResponsesReader:
    """Reads one response: the whole of it as one record, or the events of its stream one after the other.

    `waits` says that calls which are left to the client are pauses. `items` has the output as it came, for a
    history; `asked` the items that wait, by what they are answered by. Raises UnreadableEvent.
    """

    def __init__(self, arguments: ReadArguments, *, waits: bool) -> None:
        self._arguments = arguments
        self._waits = waits
        self._open: dict[Json, _Growing] = {}
        self._seen: set[Json] = set()
        self._called: set[tuple[str, str]] = set()
        self._began = False
        self.id = ""
        self.items: list[Mapping[str, Json]] = []
        self.asked: dict[str, Mapping[str, Json]] = {}
        self.finished = False

    @property
    def began(self) -> bool:
        """Whether anything of a response has come."""
        return self._began or bool(self._open)

    def read(self, record: Json, event: str = "") -> tuple[Event, ...]:
        """Read one record; `event` names one that has no type. After the end nothing is read."""
        record = whole_object(record, "the answer")
        if self.finished:
            return ()
        kind = text(record, "type") or ("" if event == "message" else event)
        if kind == _ADDED:
            self._open[_key(record)] = _Growing(mapping(record, "item"))
        elif kind == _DONE:
            self._open.pop(_key(record), None)
            return tuple(self._item(_key(record), mapping(record, "item")))
        elif kind in _ENDS:
            return tuple(self._end(mapping(record, "response"), kind))
        elif kind in _DELTAS:
            self._delta(kind, record)
        elif record.get("object") == "response" or "output" in record:
            return tuple(self._end(record, ""))
        elif kind in ("", "error") and (reason := error_of(record)):
            self.finished = True
            return (*self.rest(), Event(author=AUTHOR, error=reason, not_in_trajectory=END))
        else:
            self.id = text(mapping(record, "response"), "id") or self.id
        return ()

    def end(self) -> tuple[Event, ...]:
        """The stream says its end: what came counts, although no response was said to be completed."""
        return tuple(self._end({}, "response.done")) if self.began and not self.finished else ()

    def rest(self) -> tuple[Event, ...]:
        """What was streamed in deltas and never as a whole item; nothing of it waits, for it may be cut."""
        left = [growing.item() for growing in self._open.values()]
        self._open.clear()
        events = [self._event(item, waits=False) for item in left if _is_named(item)]
        return tuple(event for event in events if event.parts)

    def _delta(self, kind: str, record: Mapping[str, Json]) -> None:
        made, name = _DELTAS[kind]
        key = _key(record)
        if key not in self._open:
            self._open[key] = _Growing({"type": made})
        self._open[key].add(name, text(record, "delta"))

    def _item(self, key: Json, item: Mapping[str, Json]) -> Iterator[Event]:
        self._seen |= {key, text(item, "id") or key}
        self._called.add((kind_of(item), text(item, "call_id")))
        self.items.append(item)
        event = self._event(item, waits=self._waits)
        self.asked |= {pause.id: item for pause in event.pauses}
        yield event

    def _event(self, item: Mapping[str, Json], *, waits: bool) -> Event:
        self._began = True
        return event_of(item, self._arguments, waits=waits)

    def _end(self, response: Mapping[str, Json], kind: str) -> Iterator[Event]:
        """The items that came no other way, and what is said of all of them."""
        self.id = text(response, "id") or self.id
        streamed = self._streamed()
        for index, each in enumerate(items(response, "output")):
            item = whole_object(each, "an item of the output")
            self._open.pop(index, None)
            self._open.pop(text(item, "id"), None)
            if not streamed(index, item):
                yield from self._item(index, item)
        for key in list(self._open):
            item = self._open.pop(key).item()
            if _is_named(item):
                yield from self._item(key, item)
        self.finished = True
        usage, error = usage_of(response), _failure(response, kind)
        if usage or error or not self._began:
            self._began = True
            yield Event(author=AUTHOR, usage=usage, error=error, not_in_trajectory=END)

    def _streamed(self) -> Callable[[int, Mapping[str, Json]], bool]:
        """Tells what came so far: a call by its `call_id`, for places and ids may be others in the end."""
        seen, called = frozenset(self._seen), frozenset(self._called)

        def streamed(index: int, item: Mapping[str, Json]) -> bool:
            if call_id := text(item, "call_id"):
                return (kind_of(item), call_id) in called
            return not seen.isdisjoint({index, text(item, "id") or index})

        return streamed


class _Growing:
    """An item whose fields arrive in pieces."""

    def __init__(self, item: Mapping[str, Json]) -> None:
        self._item = item
        self._words: dict[str, list[str]] = {}

    def add(self, name: str, words: str) -> None:
        self._words.setdefault(name, []).append(words)

    def item(self) -> Mapping[str, Json]:
        grown: dict[str, Json] = {**self._item}
        for name, words in self._words.items():
            if name:
                grown[name] = "".join(words)
            else:
                grown["content"] = [{"type": "output_text", "text": "".join(words)}]
        return grown


def sent_back(output: list[Mapping[str, Json]]) -> list[Json]:
    """The items as input of the next request, for a server that keeps nothing.

    A thought is only known again by its encrypted content, which `include` of the request asks for.
    """
    return [item for item in output if kind_of(item) != "reasoning" or item.get("encrypted_content")]


def _key(record: Mapping[str, Json]) -> Json:
    index = record.get("output_index")
    if isinstance(index, int | float):
        return int(index)
    return text(record, "item_id") or text(mapping(record, "item"), "id")


def _is_named(item: Mapping[str, Json]) -> bool:
    return bool(item.get("name")) or kind_of(item) not in ("function_call", "mcp_call", "custom_tool_call")


def _failure(response: Mapping[str, Json], kind: str) -> str:
    status = text(response, "status") or kind.removeprefix("response.").replace("done", "")
    if reason := error_of(response):
        return reason
    if status in _WELL or (status in _UNDONE and kind == "response.completed"):
        return ""
    why = text(mapping(response, "incomplete_details"), "reason")
    return f"the response is {status}{': ' + why if why else ''}, not completed"
