"""In which order AG-UI's events may come, and whose each is (docs.ag-ui.com/spec/1.0/basic/patterns).

As strict as the verifier of AG-UI's own client, which ends a run at the first event out of order.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, is_mapping, items
from gate.formats.ag_ui_events import Record, owner_of, type_of
from gate.formats.quoting import quoted
from gate.frozen import frozen

_NAMED: Final = 3


@frozen(kw_only=False)
class _Sort:
    """What is opened and closed; `owned` is the bucket of ids in which whose it is is remembered."""

    what: str
    id: str
    owned: str


_TEXT = _Sort("text message", "messageId", "message")
_CALL = _Sort("tool call", "toolCallId", "tool call")
_SPAN = _Sort("reasoning span", "messageId", "reasoning")
_THOUGHT = _Sort("reasoning message", "messageId", "reasoning")
_OPENS: Final[Mapping[str, _Sort]] = {
    "TEXT_MESSAGE_START": _TEXT,
    "TOOL_CALL_START": _CALL,
    "REASONING_START": _SPAN,
    "REASONING_MESSAGE_START": _THOUGHT,
}
_GOES_ON: Final[Mapping[str, _Sort]] = {
    "TEXT_MESSAGE_CONTENT": _TEXT,
    "TOOL_CALL_ARGS": _CALL,
    "REASONING_MESSAGE_CONTENT": _THOUGHT,
}
_CLOSES: Final[Mapping[str, _Sort]] = {
    "TEXT_MESSAGE_END": _TEXT,
    "TOOL_CALL_END": _CALL,
    "REASONING_END": _SPAN,
    "REASONING_MESSAGE_END": _THOUGHT,
}
_SUBAGENT_OUTCOMES: Final = ("success", "suspended")


class Order:
    """Follows one stream; `check` raises UnreadableEvent for an event that may not come now.

    `finished` says that the last run has ended, well or by RUN_ERROR.
    """

    def __init__(self) -> None:
        self._state = "unbegun"
        self._reset()

    @property
    def finished(self) -> bool:
        """Whether no run is under way, and one was."""
        return self._state in ("finished", "failed")

    def check(self, event: Record) -> None:
        """Take one event, of which chunks have been spelled out before."""
        name = type_of(event)
        self._check_run(name)
        owner = owner_of(event)
        if name in _OPENS:
            self._open(_OPENS[name], name, event, owner)
        elif name in _GOES_ON:
            self._go_on(_GOES_ON[name], name, event, owner)
        elif name in _CLOSES:
            sort = _CLOSES[name]
            self._go_on(sort, name, event, owner)
            del self._active[sort.what][_id(event, sort.id)]
        else:
            self._check_other(name, event, owner)

    def _reset(self) -> None:
        self._active: dict[str, dict[str, None]] = {sort.what: {} for sort in (_TEXT, _CALL, _SPAN, _THOUGHT)}
        self._owners: dict[str, dict[str, str | None]] = {
            name: {} for name in ("message", "tool call", "reasoning", "activity")
        }
        self._steps: dict[tuple[str | None, str], None] = {}
        self._subagents: dict[str, bool] = {}
        self._running = 0

    def _check_run(self, name: str) -> None:
        """The beginning and the end of runs: RUN_ERROR may come at any time but after another one."""
        match self._state, name:
            case (("unbegun" | "finished" | "failed"), "RUN_STARTED"):
                self._reset()
                self._state = "running"
            case "failed", _:
                raise UnreadableEvent(f"{name} came after RUN_ERROR")
            case _, "RUN_ERROR":
                self._state = "failed"
            case "unbegun", _:
                raise UnreadableEvent(f"the first event is {quoted(name)}, not RUN_STARTED")
            case "finished", _:
                raise UnreadableEvent(f"{quoted(name)} came after RUN_FINISHED")
            case _, "RUN_STARTED":
                raise UnreadableEvent("RUN_STARTED came while a run was under way")
            case _, "RUN_FINISHED":
                self._check_nothing_open()
                self._state = "finished"
            case _:
                pass

    def _check_nothing_open(self) -> None:
        left = [(what, list(ids)) for what, ids in self._active.items()]
        left += [
            ("step", [name for _, name in self._steps]),
            ("subagent", [name for name, runs in self._subagents.items() if runs]),
        ]
        for what, names in left:
            if names:
                raise UnreadableEvent(f"RUN_FINISHED came while a {what} was open: {_named(names)}")

    def _open(self, sort: _Sort, name: str, event: Record, owner: str | None) -> None:
        ident = _id(event, sort.id)
        if ident in self._active[sort.what]:
            raise UnreadableEvent(f"{name} came for the {sort.what} {quoted(ident)}, which is open")
        owners = self._owners[sort.owned]
        if ident in owners:
            self._same_owner(name, owner, owners, ident)
        if sort is _CALL:
            owner = self._within_parent(name, event, owner, ident)
        owners.setdefault(ident, owner)
        self._active[sort.what][ident] = None

    def _within_parent(self, name: str, event: Record, owner: str | None, ident: str) -> str | None:
        """A call belongs to the message that carries it, and so to whoever says that."""
        parent = event.get("parentMessageId")
        messages = self._owners["message"]
        if not isinstance(parent, str) or parent not in messages:
            return owner
        whose = messages[parent]
        before = self._owners["tool call"].get(ident, whose)
        if (owner is not None and owner != whose) or (owner is None and before != whose):
            raise UnreadableEvent(f"{name} names another agent than its message {quoted(parent)}")
        return whose

    def _go_on(self, sort: _Sort, name: str, event: Record, owner: str | None) -> None:
        ident = _id(event, sort.id)
        if ident not in self._active[sort.what]:
            raise UnreadableEvent(f"{name} came for the {sort.what} {quoted(ident)}, which is not open")
        self._same_owner(name, owner, self._owners[sort.owned], ident)

    def _same_owner(self, name: str, owner: str | None, owners: Mapping[str, str | None], ident: str) -> None:
        if owner is not None and ident in owners and owners[ident] != owner:
            raise UnreadableEvent(f"{name} names another agent than what began {quoted(ident)}")

    def _check_other(self, name: str, event: Record, owner: str | None) -> None:
        match name:
            case "STEP_STARTED" | "STEP_FINISHED":
                self._step(name, _id(event, "stepName"), owner)
            case "SUBAGENT_STARTED":
                self._start_subagent(event)
            case "SUBAGENT_FINISHED" | "SUBAGENT_ERROR":
                self._end_subagent(name, event)
            case "TOOL_CALL_RESULT":
                self._owners["message"][_id(event, "messageId")] = owner
            case "ACTIVITY_SNAPSHOT":
                ident = _id(event, "messageId")
                if event.get("replace") is not False or ident not in self._owners["activity"]:
                    self._owners["activity"][ident] = owner
            case "ACTIVITY_DELTA":
                self._same_owner(name, owner, self._owners["activity"], _id(event, "messageId"))
            case "REASONING_ENCRYPTED_VALUE":
                self._check_encrypted(name, event, owner)
            case "MESSAGES_SNAPSHOT":
                self._learn(event)
            case _:
                pass

    def _step(self, name: str, step: str, owner: str | None) -> None:
        is_open = (owner, step) in self._steps
        if name == "STEP_STARTED":
            if is_open:
                raise UnreadableEvent(f"{name} came for the step {quoted(step)}, which is open")
            self._steps[owner, step] = None
        elif not is_open:
            raise UnreadableEvent(f"{name} came for the step {quoted(step)}, which its agent has not open")
        else:
            del self._steps[owner, step]

    def _start_subagent(self, event: Record) -> None:
        ident, parent = _id(event, "subagentRunId"), event.get("parentSubagentRunId")
        if ident in self._subagents:
            raise UnreadableEvent(f"SUBAGENT_STARTED came twice for {quoted(ident)}")
        if isinstance(parent, str) and parent not in self._subagents:
            raise UnreadableEvent(
                f"SUBAGENT_STARTED names the parent {quoted(parent)}, which was not started"
            )
        self._subagents[ident] = True

    def _end_subagent(self, name: str, event: Record) -> None:
        ident, outcome = _id(event, "subagentRunId"), event.get("outcome")
        if not self._subagents.get(ident):
            raise UnreadableEvent(f"{name} came for the subagent {quoted(ident)}, which does not run")
        if is_mapping(outcome) and outcome.get("type") not in _SUBAGENT_OUTCOMES:
            raise UnreadableEvent(f"outcome of {name} is none of {', '.join(_SUBAGENT_OUTCOMES)}")
        self._subagents[ident] = False

    def _check_encrypted(self, name: str, event: Record, owner: str | None) -> None:
        ident = _id(event, "entityId")
        messages, thoughts = self._owners["message"], self._owners["reasoning"]
        if event.get("subtype") == "tool-call":
            self._same_owner(name, owner, self._owners["tool call"], ident)
        else:
            self._same_owner(name, owner, messages if ident in messages else thoughts, ident)

    def _learn(self, event: Record) -> None:
        """A snapshot says anew whose each of its messages is."""
        for message in items(event, "messages"):
            if not is_mapping(message) or not isinstance(ident := message.get("id"), str):
                continue
            role, owner = message.get("role"), message.get("subagentRunId")
            whose = owner if isinstance(owner, str) else None
            bucket = str(role) if role in ("reasoning", "activity") else "message"
            self._owners[bucket][ident] = whose
            calls = message.get("toolCalls")
            for call in calls if isinstance(calls, list) else ():
                if is_mapping(call) and isinstance(call_id := call.get("id"), str):
                    self._owners["tool call"][call_id] = whose


def _id(event: Record, name: str) -> str:
    return str(event.get(name))


def _named(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    return ", ".join(map(quoted, listed[:_NAMED])) + more
