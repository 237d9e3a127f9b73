"""A LangGraph run, streamed or waited for, and its thread's state afterwards, to events of a trace.

A stream has what each node did (`updates`) and what models say meanwhile (`messages`). The state that the
thread is left with has the rest: values after their reducers, what waits, which node failed. It repeats the
whole conversation, of which only what is new becomes events.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gate.formats.adk_fields import is_mapping, items, kind, mapping
from gate.formats.langgraph_history import History
from gate.formats.langgraph_message import TOOL, Message, message_of, messages_of
from gate.formats.langgraph_pauses import Asked, Task, asked_by, breakpoint_at, tasks_of
from gate.formats.langgraph_tokens import Tokens, path_of
from gate.formats.openai_fields import NO_CONTENT, ReadArguments, whole_object, why_silent
from gate.model import Json
from gate.model.trace import Call, Event, Result, Text

STATE_ONLY: Final = "the state that the turn left"
ASKS: Final = "the graph waits at this node"
_PLUMBING: Final = "__"
_MASKED: Final = "An internal error occurred"


class ThreadReader:
    """Reads the turns of one thread: `begin`, then a run's frames, then `settle` with the thread's state.

    `messages` is the state's key that holds the conversation, `output` one whose value is the answer, if any.
    `start` is the state that the thread begins with.
    """

    def __init__(
        self, arguments: ReadArguments, *, messages: str, output: str = "", start: Mapping[str, Json]
    ) -> None:
        self._arguments = arguments
        self._messages = messages
        self._output = output
        self._history = History()
        self._tokens = Tokens(arguments)
        self._state: Mapping[str, Json] = {key: value for key, value in start.items() if key != messages}
        self._names: dict[str, str] = {}
        self._checkpoint: Json = None
        self._done: set[str] = set()
        self._replays = False
        self._around: set[str] = set()
        self._wrote = ""
        self._stops: list[Json] = []
        self._waits = False
        self._streamed = False
        self._answered: frozenset[str] = frozenset()
        self.error = ""
        self.asked: tuple[Asked, ...] = ()
        self.unfinished = ""
        self.keys: tuple[str, ...] = ()
        self.has_messages = False

    def begin(self, sent: Sequence[Json] | None, *, streamed: bool, answered: Collection[str] = ()) -> None:
        """A turn is sent: messages of ours (None: it answers what the graph waits for, by these ids)."""
        self._answered = frozenset(answered)
        if sent is not None:
            self._history.open([message_of(each, self._arguments) for each in sent])
            self._done = set()
        self._replays = sent is None
        self._around, self._stops = set(), []
        self._tokens = Tokens(self._arguments)
        self._wrote, self._waits, self._streamed = "", False, streamed
        self.error = self.unfinished = ""

    def read(self, name: str, data: Json) -> tuple[Event, ...]:
        """Read one frame of a stream; raises UnreadableEvent for what LangGraph does not send."""
        mode, _, namespace = name.partition("|")
        if self.error:
            return ()
        if mode == "error":
            self.error = _failure(data)
        elif mode == "messages":
            self._tokens.read(data)
        elif mode == "updates":
            return tuple(self._updates(path_of(namespace), whole_object(data, "an update")))
        return ()

    def answer(self, body: Json) -> None:
        """Read what a run that was waited for answers: its values are in the state too."""
        record = body if is_mapping(body) else {}
        if record.get("__error__") is not None:
            self.error = _failure(record["__error__"])
        self._stops += items(record, "__interrupt__")

    def rest(self) -> tuple[Event, ...]:
        """What models had said when the stream was cut."""
        return self._tokens.rest(cut=True)

    def kept(self) -> tuple[Event, ...]:
        """What models had said, where the run has ended and its thread cannot be read."""
        return self._tokens.rest(cut=False)

    def settle(self, state: Json) -> tuple[Event, ...]:
        """Read the thread's state after a run; raises UnreadableEvent."""
        snapshot = whole_object(state, "the thread's state")
        values = snapshot.get("values")
        if isinstance(values, list):  # the state of a graph that is nothing but its messages
            values = {self._messages: values}
        record = whole_object({} if values is None else values, "the values of the thread's state")
        tasks = tasks_of(snapshot)
        self._ends(snapshot, tasks)
        self.has_messages = self._messages in record
        self.keys = tuple(record)
        events = [
            *self._new_messages("", messages_of(record.get(self._messages), self._arguments), again=True),
            *self._tokens.rest(cut=False),
            *self._said(record),
            *self._asking(tasks),
            *self._failed(tasks),
        ]
        changed = self._changes(record)
        return (*events, changed) if changed else tuple(events)

    def failed(self) -> tuple[Event, ...]:
        """The failure that a run reported, where its thread cannot be asked any more."""
        return (*self._tokens.rest(cut=True), *self._failed(()))

    def _updates(self, around: str, data: Mapping[str, Json]) -> Iterator[Event]:
        about = data.get("__metadata__")
        cached = is_mapping(about) and about.get("cached") is True
        self._around.add(around)  # what surrounds a subgraph is told after it, and repeats its messages
        for name, update in data.items():
            if name == "__interrupt__":
                self._waits = True
                self._stops += items(data, name)
            elif not name.startswith(_PLUMBING):
                yield from self._update(around, name, update, cached=cached)

    def _update(self, around: str, name: str, update: Json, *, cached: bool) -> Iterator[Event]:
        node = f"{around}/{name}" if around else name
        if cached and self._replays and node in self._done:  # it ran before the pause, and is told again
            return
        self._replays = self._replays and cached
        self._done.add(node)
        found: list[Event] = []
        for each in update if isinstance(update, list) else [update]:
            record = each if is_mapping(each) else {}
            if self._output and record.get(self._output) is not None and not around:
                self._wrote = node
            messages = messages_of(record.get(self._messages), self._arguments)
            again = node in self._around or self._history.told(messages)
            found += self._new_messages(node, messages, again=again)
        yield from found or (Event(node=node, not_in_trajectory=NO_CONTENT),)

    def _new_messages(self, node: str, messages: Sequence[Message], *, again: bool) -> Iterator[Event]:
        for message in self._history.new(messages, again=again):
            usage = self._tokens.usage(message)
            event = self._event(node, message)
            if event.parts or usage:
                yield replace(event, usage=usage)

    def _event(self, node: str, message: Message) -> Event:
        if message.kind in ("system", "remove"):
            return Event(node=node)
        parts = message.parts
        self._names |= {part.id: part.name for part in parts if isinstance(part, Call)}
        if message.kind == TOOL:
            parts = tuple(self._named(part) if isinstance(part, Result) else part for part in parts)
        silent = why_silent(parts)
        return Event(author=message.author, node=node, parts=parts, not_in_trajectory=silent)

    def _named(self, result: Result) -> Result:
        name = result.name or self._names.get(result.call_id, "")
        return replace(result, name=name)

    def _said(self, record: Mapping[str, Json]) -> Iterator[Event]:
        """The answer, where a key of its own holds it: a value that was there before may be said again."""
        value = record.get(self._output) if self._output else None
        is_new = (
            bool(self._wrote) or value != self._state.get(self._output) or not (self._streamed or self.asked)
        )
        if value not in (None, "") and is_new and not self.error:
            words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield Event(author="assistant", node=self._wrote, parts=(Text(text=words),))

    def _ends(self, snapshot: Mapping[str, Json], tasks: Sequence[Task]) -> None:
        """Note what waits, and whether the graph has come to its end at all."""
        open_ones = [asked for task in tasks for asked in task.asked]
        named = {asked.id for asked in open_ones}
        loose = items(snapshot, "interrupts") or (() if tasks else self._stops)
        open_ones += [asked for asked in asked_by(loose, "") if asked.id not in named]
        # LangGraph.js lists an interrupt that was answered until the others of its step are.
        heard = {asked.id for asked in asked_by(self._stops, "")}
        kept = [asked for asked in open_ones if asked.id in heard or asked.id not in self._answered]
        open_ones = kept if kept or self._streamed else open_ones
        left = [each for each in items(snapshot, "next") if isinstance(each, str)]
        point = mapping(snapshot, "checkpoint").get("checkpoint_id") or snapshot.get("checkpoint_id")
        fresh, self._checkpoint = point != self._checkpoint, point
        failed = bool(self.error) or any(task.error for task in tasks)
        if not failed and left and not open_ones and (self._waits or not self._streamed):
            open_ones = [breakpoint_at(node) for node in dict.fromkeys(left)]
        if self._streamed and not failed:
            self.unfinished = self._lacking(open_ones, left, fresh=fresh or "checkpoint" not in snapshot)
        self.asked = tuple(open_ones)

    def _lacking(self, waiting: Sequence[Asked], left: Sequence[str], *, fresh: bool) -> str:
        """What a stream owes that ended in order, but too early: LangGraph has no mark for its end."""
        if waiting:
            return "" if self._waits else "its thread waits as it did before"
        if left:
            return f"it had still to run {', '.join(map(repr, left))}"
        return "" if fresh else "its thread is as it was before"

    def _asking(self, tasks: Sequence[Task]) -> Iterator[Event]:
        nodes = {asked.id: task.node for task in tasks for asked in task.asked}
        for asked in self.asked:
            node = nodes.get(asked.id, "")
            yield Event(node=node, pauses=asked.pauses, not_in_trajectory=ASKS)

    def _failed(self, tasks: Sequence[Task]) -> Iterator[Event]:
        broken = next((task for task in tasks if task.error), None)
        words = self.error
        if broken and (not words or _MASKED in words):
            words = f"{words} ({broken.error})" if words else broken.error
        if words:
            yield Event(node=broken.node if broken else "", error=words)

    def _changes(self, record: Mapping[str, Json]) -> Event | None:
        state = {
            key: value
            for key, value in record.items()
            if key != self._messages and not key.startswith(_PLUMBING)
        }
        before, self._state = self._state, state
        delta = {
            key: value for key, value in state.items() if key not in before or not _same(before[key], value)
        }
        gone = tuple(key for key in before if key not in state)
        if not delta and not gone:
            return None
        return Event(state_delta=delta, state_removed=gone, not_in_trajectory=STATE_ONLY)


def _same(one: Json, other: Json) -> bool:
    """Whether two values are the same JSON; Python takes 1 for true."""
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _failure(data: Json) -> str:
    if isinstance(data, str):
        return data or "an error without a message"
    if not is_mapping(data):
        return f"an error that is {kind(data)}"
    words = [str(data[key]) for key in ("error", "message") if data.get(key) not in (None, "")]
    return ": ".join(words) or json.dumps(data, ensure_ascii=False)
