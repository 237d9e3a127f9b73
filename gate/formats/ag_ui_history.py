"""The messages of an AG-UI conversation, which its client keeps and sends with every run."""

import json
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from gate.formats.adk_fields import UnreadableEvent, is_mapping, kind
from gate.model import Json

MOST_RESTATED: Final = 500_000
"""Messages that all snapshots of a conversation together may restate: each costs as much as all before it."""

_Key: TypeAlias = tuple[str, str]


class History:
    """Messages by their id, in order; a tool's result stands right behind the calls of its message."""

    def __init__(self) -> None:
        self._messages: dict[_Key, _Message] = {}
        self._callers: dict[str, _Key] = {}
        self._results: dict[_Key, list[Mapping[str, Json]]] = {}
        self._restated = 0

    def has(self, role: str, ident: str) -> bool:
        """Whether there is such a message."""
        return _key(role, ident) in self._messages

    def words_of(self, role: str, ident: str) -> str:
        """The text of a message, "" where there is none."""
        message = self._messages.get(_key(role, ident))
        return message.words.text if message else ""

    def add(self, message: Mapping[str, Json]) -> None:
        """Append a message; one with an id that is known replaces that in its place."""
        key = _key_of(message)
        self._messages[key] = _Message(message)
        self._callers |= dict.fromkeys(self._messages[key].calls, key)

    def begin(self, ident: str, role: str) -> None:
        """Begin a message; one that is known is gone on with."""
        if not self.has(role, ident):
            self.add({"id": ident, "role": role})

    def say(self, ident: str, role: str, words: str) -> None:
        """Add words to a message; one that a snapshot has taken out stays out."""
        if message := self._messages.get(_key(role, ident)):
            message.words.add(words)

    def call(self, ident: str, name: str, parent: str) -> None:
        """Begin a call in the message `parent`, or in one of its own; a known one only gets its name anew."""
        if ident not in self._callers:
            self._callers[ident] = self._holder(parent, ident)
        calls = self._messages[self._callers[ident]].calls
        if ident not in calls:
            calls[ident] = _Call(ident)
        calls[ident].name = name

    def argue(self, ident: str, words: str) -> None:
        """Add to the arguments of a call; one that a snapshot has taken out stays out."""
        key = self._callers.get(ident)
        if key is not None:
            self._messages[key].calls[ident].words.add(words)

    def answer(self, ident: str, call_id: str, content: Json) -> None:
        """Add a tool's result to the call that it answers, or at the end where that is unknown."""
        message = {"id": ident, "role": "tool", "toolCallId": call_id, "content": content}
        if call_id in self._callers:
            self._results.setdefault(self._callers[call_id], []).append(message)
        else:
            self.add(message)

    def encrypt(self, ident: str, value: str, *, is_call: bool) -> None:
        """Attach what only the provider can read, for it to come back with the message or the call."""
        if is_call:
            if ident in self._callers:
                self._messages[self._callers[ident]].calls[ident].more["encryptedValue"] = value
            return
        for role in ("assistant", "reasoning"):
            if message := self._messages.get(_key(role, ident)):
                message.more["encryptedValue"] = value
                return

    def restate(self, messages: list[Mapping[str, Json]]) -> None:
        """Take a snapshot: what it leaves out is gone, but for thoughts where it has none at all.

        Messages keep their places, as far as they are known.
        """
        before = self.sent()
        self._restated += len(before)
        if self._restated > MOST_RESTATED:
            raise UnreadableEvent("MESSAGES_SNAPSHOT restates a long conversation again and again")
        now = {_key_of(message): message for message in messages if message.get("role") != "activity"}
        tells_thoughts = any(message.get("role") == "reasoning" for message in messages)
        kept = [
            now.pop(_key_of(message), message)
            for message in before
            if _key_of(message) in now or (message.get("role") == "reasoning" and not tells_thoughts)
        ]
        self._messages, self._callers, self._results = {}, {}, {}
        for message in (*kept, *now.values()):
            self.add(message)

    def sent(self) -> list[Mapping[str, Json]]:
        """All messages as the next request carries them."""
        return list(self._flat())

    def _holder(self, parent: str, ident: str) -> _Key:
        """The message of a call: the one that it names, else one with the call's id."""
        for name in filter(None, (parent, ident)):
            key = _key("assistant", name)
            if key not in self._messages:
                self.add({"id": name, "role": "assistant"})
            if self._messages[key].role == "assistant":
                return key
        key = _key("assistant", f"message of {ident}")
        self.add({"id": key[1], "role": "assistant"})
        return key

    def _flat(self) -> Iterator[Mapping[str, Json]]:
        for key, message in self._messages.items():
            yield message.sent()
            yield from self._results.get(key, ())


class _Words:
    """Text that comes piece by piece."""

    def __init__(self, *pieces: str) -> None:
        self._pieces = list(pieces)

    def add(self, piece: str) -> None:
        if piece:
            self._pieces.append(piece)

    @property
    def text(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""


class _Call:
    """A call of a message, as it is sent back."""

    def __init__(self, ident: str) -> None:
        self.name = ""
        self.words = _Words()
        self.more: dict[str, Json] = {"id": ident, "type": "function"}

    def sent(self) -> Json:
        return {**self.more, "function": {"name": self.name, "arguments": self.words.text}}


class _Message:
    """One message; words and calls of an assistant are added as they come."""

    def __init__(self, message: Mapping[str, Json]) -> None:
        content = message.get("content")
        self.role = str(message.get("role"))
        self.words = _Words(content) if isinstance(content, str) else _Words()
        self.calls = {ident: _known(call) for ident, call in _calls(message)}
        self.more: dict[str, Json] = {key: value for key, value in message.items() if key != "toolCalls"}

    def sent(self) -> Mapping[str, Json]:
        made = self.more
        if self.words.text or ("content" not in made and not self.calls):
            made = {**made, "content": self.words.text}
        if self.calls:
            made = {**made, "toolCalls": [call.sent() for call in self.calls.values()]}
        return made


def _known(given: Mapping[str, Json]) -> _Call:
    """A call of a snapshot."""
    call = _Call(str(given["id"]))
    function = given.get("function")
    if is_mapping(function):
        call.name = as_text(function.get("name"))
        call.words.add(as_text(function.get("arguments")))
    call.more |= {key: value for key, value in given.items() if key != "function"}
    return call


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


def _key(role: str, ident: str) -> _Key:
    """Thoughts have names of their own: a model's answer and its reasoning may come under one id."""
    return role if role == "reasoning" else "", ident


def _key_of(message: Mapping[str, Json]) -> _Key:
    if message["role"] == "tool":  # some servers name a result as the message of its call
        return f"result of {message.get('toolCallId')}", str(message["id"])
    return _key(str(message["role"]), str(message["id"]))


def _calls(message: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    calls = message.get("toolCalls")
    if calls is not None and not isinstance(calls, list):
        raise UnreadableEvent(f"toolCalls of a message is {kind(calls)}, not a list")
    for call in calls or ():
        if not is_mapping(call) or not isinstance(ident := call.get("id"), str):
            raise UnreadableEvent("a call of a message has no id")
        yield ident, call
