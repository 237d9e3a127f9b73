"""OpenAI chat completions, whole or streamed, to one event, and to a message of the next request."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, items, mapping, text
from gate.formats.openai_fields import (
    AUTHOR,
    ReadArguments,
    error_of,
    parts_of,
    usage_of,
    whole_object,
    why_silent,
)
from gate.model import Json
from gate.model.trace import Call, Event, Part, Pause, Text, Thought, Usage

_CUT_OFF: Final[Mapping[str, str]] = {
    "length": "the answer was cut off at the limit of tokens",
    "content_filter": "a filter withheld the answer or cut it off",
    "error": "the provider behind the agent failed",
    "model_length": "the answer was cut off at the limit of tokens",
    "insufficient_system_resource": "the provider behind the agent broke the answer off",
    "abort": "the server broke the answer off",
}
_THOUGHTS = ("reasoning_content", "reasoning")


class ChatReader:
    """Reads one answer: the whole of it as one record, or its chunks one after the other.

    `waits` says that calls are the client's to run: each is a pause. `number` tells answers of one
    conversation apart, for calls that come without an id. Raises UnreadableEvent for what is no answer.
    """

    def __init__(self, arguments: ReadArguments, *, waits: bool, number: int = 1) -> None:
        self._arguments = arguments
        self._waits = waits
        self._number = number
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[_Call] = []
        self._last: dict[tuple[str | None, str], _Call] = {}
        self._usage: Usage | None = None
        self._began = False
        self._ended = ""
        self.error = ""

    @property
    def began(self) -> bool:
        """Whether anything of an answer has come."""
        return self._began or bool(self.error)

    @property
    def finished(self) -> bool:
        """Whether the answer says that it is complete, or that it failed."""
        return bool(self._ended or self.error)

    def read(self, record: Json) -> None:
        """Read one record; of several choices only the first counts."""
        record = whole_object(record, "the answer")
        if reason := error_of(record):
            self.error = self.error or reason
            return
        self._usage = usage_of(record) or self._usage
        for each in items(record, "choices"):
            choice = whole_object(each, "a choice")
            if choice.get("index") in (None, 0):
                self._read(choice)

    def event(self, *, cut: bool = False) -> Event:
        """What the agent said and did; `cut`: the answer is known to be incomplete, and nothing waits."""
        calls = tuple(self._made(cut=cut))
        parts = (*_joined(Thought, self._thoughts), *_joined(Text, self._texts), *calls)
        waiting = calls if self._waits and not cut and not self._failure() else ()
        return Event(
            author=AUTHOR,
            parts=parts,
            usage=self._usage,
            error=self._failure(),
            pauses=tuple(Pause(id=c.id, name=c.name, kind="job", tool=c.name) for c in waiting),
            not_in_trajectory=why_silent(parts),
        )

    def message(self) -> Mapping[str, Json]:
        """The answer as a message of the history; calls are part of it only where the client runs them."""
        said: dict[str, Json] = {"role": AUTHOR, "content": "".join(self._texts)}
        calls = [call for call in self._calls if self._waits]
        if not calls:
            return said
        said["content"] = said["content"] or None
        if calls[0].kind == "legacy":
            return {**said, "function_call": {"name": calls[0].name, "arguments": calls[0].words}}
        return {**said, "tool_calls": [call.sent() for call in calls]}

    def is_legacy(self, call_id: str) -> bool:
        """Whether a call came as `function_call`, and is answered by its name."""
        return any(call.id == call_id and call.kind == "legacy" for call in self._calls)

    def _read(self, choice: Mapping[str, Json]) -> None:
        self._began = True
        said = mapping(choice, "delta") or mapping(choice, "message")
        self._ended = text(choice, "finish_reason") or self._ended
        for part in parts_of(said.get("content")):
            (self._thoughts if isinstance(part, Thought) else self._texts).append(_words(part))
        if refusal := text(said, "refusal"):
            self._texts.append(refusal)
        thoughts = [said[name] for name in _THOUGHTS if isinstance(said.get(name), str)]
        self._thoughts += [str(thought) for thought in thoughts[:1] if thought]
        # The calls of a whole message need neither ids nor places to be told apart.
        alone = "message" in choice and not self._calls
        for each in items(said, "tool_calls"):
            self._call(whole_object(each, "a tool call"), alone=alone)
        if legacy := mapping(said, "function_call"):
            self._call({"index": 0, "type": "legacy", "legacy": legacy})

    def _call(self, delta: Mapping[str, Json], *, alone: bool = False) -> None:
        """Add to the call that the delta belongs to: by its index, where that does not contradict its id."""
        index, call_id = delta.get("index"), text(delta, "id")
        place = None if index is None else str(index)
        call = self._last.get((place, call_id))
        if call is None and place is not None and (last := self._last.get((place, ""))) and not last.id:
            call = last
        if call is None or alone:
            call = _Call()
            self._calls.append(call)
        call.add(delta, call_id)
        self._last |= {(at, name): call for at in (place, None) for name in (call.id, "")}

    def _made(self, *, cut: bool) -> Iterator[Call]:
        for place, call in enumerate(self._calls, 1):
            if not call.name:
                if cut:
                    continue
                raise UnreadableEvent("a tool call has no name")
            call.id = call.id or f"call-{self._number}-{place}"
            yield call.made(self._arguments)

    def _failure(self) -> str:
        if self.error or self._ended not in _CUT_OFF:
            return self.error
        return f"finish_reason {self._ended}: {_CUT_OFF[self._ended]}"


class _Call:
    """One tool call, put together from its deltas. Some servers send arguments as an object."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.kind = "function"
        self._given: Json = None
        self._words: list[str] = []

    @property
    def words(self) -> str:
        """Arguments or input as the text that was sent."""
        return "".join(self._words) if self._given is None else json.dumps(self._given, ensure_ascii=False)

    def add(self, delta: Mapping[str, Json], call_id: str) -> None:
        self.id = self.id or call_id
        kinds = ("legacy", "custom", "function")
        kind = next((name for name in kinds if isinstance(delta.get(name), dict)), "")
        if not kind:
            return
        self.kind = kind
        inner = mapping(delta, kind)
        name = text(inner, "name")
        if name != self.name:
            self.name += name
        sent = inner.get("input" if kind == "custom" else "arguments")
        if isinstance(sent, str):
            self._words.append(sent)
        elif sent is not None:
            self._given = sent

    def made(self, arguments: ReadArguments) -> Call:
        if self.kind == "custom":
            return Call(id=self.id, name=self.name, args={"input": self.words})
        args, why = arguments(self.words if self._given is None else self._given)
        return Call(id=self.id, name=self.name, args=args, args_error=why)

    def sent(self) -> Json:
        if self.kind == "custom":
            return {"id": self.id, "type": "custom", "custom": {"name": self.name, "input": self.words}}
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.words}}


def _joined(made: type[Text | Thought], words: list[str]) -> tuple[Part, ...]:
    joined = "".join(words)
    return (made(text=joined),) if joined else ()


def _words(part: Part) -> str:
    return part.text if isinstance(part, Text | Thought) else ""
