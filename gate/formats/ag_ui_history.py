"""The messages of an AG-UI conversation, which its client keeps and sends with every run."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, is_mapping, kind
from gate.model import Json

MOST_RESTATED: Final = 5_000_000
"""Messages that all snapshots of a conversation together may restate: each costs as much as all before it."""


class History:
    """Messages by their id, in order; a tool's result stands right behind the calls of its message."""

    def __init__(self) -> None:
        self._messages: dict[str, _Message] = {}
        self._callers: dict[str, str] = {}
        self._results: dict[str, list[Mapping[str, Json]]] = {}
        self._restated = 0

    def __contains__(self, ident: str) -> bool:
        return ident in self._messages

    def add(self, message: Mapping[str, Json]) -> None:
        """Append a message; one with an id that is known replaces that in its place."""
        ident = str(message["id"])
        self._messages[ident] = _Message(message)
        self._callers |= dict.fromkeys(self._messages[ident].calls, ident)

    def say(self, ident: str, role: str, words: str) -> None:
        """Add words to a message, which is begun where it is none yet."""
        if ident not in self._messages:
            self.add({"id": ident, "role": role})
        self._messages[ident].words.append(words)

    def call(self, ident: str, name: str, arguments: str, parent: str) -> None:
        """Note a finished call in the message `parent`, or in one of its own."""
        holder = self._messages.get(parent)
        if holder is None or holder.role != "assistant":
            parent = parent if parent and holder is None else ident
            self.add({"id": parent, "role": "assistant"})
        function = {"name": name, "arguments": arguments}
        self._messages[parent].calls[ident] = {"id": ident, "type": "function", "function": function}
        self._callers[ident] = parent

    def answer(self, ident: str, call_id: str, content: Json) -> None:
        """Add a tool's result to the call that it answers, or at the end where that is unknown."""
        message = {"id": ident, "role": "tool", "toolCallId": call_id, "content": content}
        if call_id in self._callers:
            self._results.setdefault(self._callers[call_id], []).append(message)
        else:
            self.add(message)

    def encrypt(self, ident: str, value: str, *, is_call: bool) -> None:
        """Attach what only the provider can read, for it to come back with the message or the call."""
        message = self._messages.get(self._callers.get(ident, "") if is_call else ident)
        if message is None:
            return
        if not is_call:
            message.encrypted = value
        elif is_mapping(call := message.calls.get(ident)):
            message.calls[ident] = {**call, "encryptedValue": value}

    def words_of(self, ident: str) -> str:
        """The text of a message, "" where there is none."""
        return self._messages[ident].text if ident in self._messages else ""

    def restate(self, messages: list[Mapping[str, Json]]) -> None:
        """Take a snapshot: what it leaves out is gone, but for thoughts where it has none at all.

        Messages keep their places, as far as they are known.
        """
        before = self.sent()
        self._restated += len(before)
        if self._restated > MOST_RESTATED:
            raise UnreadableEvent("MESSAGES_SNAPSHOT restates a long conversation again and again")
        now = {str(message["id"]): message for message in messages}
        tells_thoughts = any(message.get("role") == "reasoning" for message in messages)
        kept = [
            now.pop(str(message["id"]), message)
            for message in before
            if message["id"] in now or (message.get("role") == "reasoning" and not tells_thoughts)
        ]
        self._messages, self._callers, self._results = {}, {}, {}
        for message in (*kept, *now.values()):
            if message.get("role") != "activity":
                self.add(message)

    def sent(self) -> list[Mapping[str, Json]]:
        """All messages as the next request carries them."""
        return list(self._flat())

    def _flat(self) -> Iterator[Mapping[str, Json]]:
        for ident, message in self._messages.items():
            yield message.sent()
            yield from self._results.get(ident, ())


class _Message:
    """One message; words and calls of an assistant are added as they come."""

    def __init__(self, message: Mapping[str, Json]) -> None:
        self._given = message
        self.role = str(message.get("role"))
        content = message.get("content")
        self.words = [content] if isinstance(content, str) else []
        self.calls: dict[str, Json] = dict(_calls(message))
        self.encrypted = ""

    @property
    def text(self) -> str:
        if len(self.words) > 1:
            self.words = ["".join(self.words)]
        return self.words[0] if self.words else ""

    def sent(self) -> Mapping[str, Json]:
        made: dict[str, Json] = {**self._given}
        if self.words or not self.calls:
            made.setdefault("content", "")
        if self.words:
            made["content"] = self.text
        if self.calls:
            made["toolCalls"] = list(self.calls.values())
        if self.encrypted:
            made["encryptedValue"] = self.encrypted
        return made


def message_of(value: Json) -> Mapping[str, Json]:
    """A message of a snapshot, which has at least an id and a role; raises UnreadableEvent."""
    if not is_mapping(value):
        raise UnreadableEvent(f"a message is {kind(value)}, not an object")
    for name in ("id", "role"):
        if not isinstance(value.get(name), str):
            raise UnreadableEvent(f"{name} of a message is {kind(value.get(name))}, not text")
    return value


def calls_of(message: Mapping[str, Json]) -> Iterator[tuple[str, str, Json]]:
    """The id, name and arguments of each call in a message of a snapshot; raises UnreadableEvent."""
    for ident, call in _calls(message):
        function = call.get("function") if is_mapping(call) else None
        if not is_mapping(function) or not isinstance(name := function.get("name"), str):
            raise UnreadableEvent("a call of a message has no function with a name")
        yield ident, name, function.get("arguments")


def text_of(content: Json) -> Json:
    """A message's content as its text, where it is nothing else; bytes of other parts are only counted."""
    if not isinstance(content, list):
        return content
    parts = [_part(part) for part in content]
    if parts and all(isinstance(part, str) for part in parts):
        return "\n".join(map(str, parts))
    return parts


def as_text(value: Json) -> str:
    """A value as text; what is no text becomes JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _part(part: Json) -> Json:
    if not is_mapping(part):
        raise UnreadableEvent(f"a part of the content is {kind(part)}, not an object")
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return part["text"]
    source = part.get("source")
    if not is_mapping(source) or source.get("type") != "data" or not isinstance(source.get("value"), str):
        return dict(part)
    size = len(str(source["value"])) * 3 // 4
    return {**part, "source": {**source, "value": f"[{size} bytes]"}}


def _calls(message: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    calls = message.get("toolCalls")
    if calls is not None and not isinstance(calls, list):
        raise UnreadableEvent(f"toolCalls of a message is {kind(calls)}, not a list")
    for call in calls or ():
        if not is_mapping(call) or not isinstance(ident := call.get("id"), str):
            raise UnreadableEvent("a call of a message has no id")
        yield ident, call
