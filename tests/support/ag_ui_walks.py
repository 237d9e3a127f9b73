"""Random runs of AG-UI: mostly in order, now and then out of it, over few ids so that these meet."""

import itertools
import random
from typing import Any

IDS = {"threadId": "t", "runId": "r"}
STARTED: dict[str, Any] = {"type": "RUN_STARTED", **IDS}
FINISHED: dict[str, Any] = {"type": "RUN_FINISHED", **IDS}
WORDS = ("", "Hi", " there", '{"a": ', "1}", "é\u2028")
OWNERS = (None, None, None, "s1", "s2", "")
CLOSERS = {
    "TEXT_MESSAGE": ("messageId", "TEXT_MESSAGE_CONTENT"),
    "TOOL_CALL": ("toolCallId", "TOOL_CALL_ARGS"),
    "REASONING_MESSAGE": ("messageId", "REASONING_MESSAGE_CONTENT"),
    "REASONING": ("messageId", ""),
}
MARKS = {"TEXT_MESSAGE": "m", "TOOL_CALL": "c", "REASONING_MESSAGE": "r", "REASONING": "r"}
"""Ids are unique within a kind; the client mixes up those that are not unique among kinds."""
PATCHES: tuple[list[dict[str, Any]], ...] = (
    [{"op": "add", "path": "/a", "value": [1]}],
    [{"op": "add", "path": "/a", "value": {}}, {"op": "add", "path": "/a/b", "value": None}],
    [{"op": "replace", "path": "", "value": {"z": 1}}],
    [{"op": "test", "path": "", "value": {}}],
    [{"op": "add", "path": "/s", "value": 1}, {"op": "remove", "path": "/s"}],
    [],
)


class Walk:
    """One run. `fault` is how often something comes that does not belong there."""

    def __init__(self, rng: random.Random, *, fault: float) -> None:
        self._rng = rng
        self._fault = fault
        self._open: list[tuple[str, str, str | None]] = []
        self._steps: list[tuple[str, str | None]] = []
        self._subagents: list[str] = []
        self._numbers = itertools.count()

    def events(self, length: int) -> list[dict[str, Any]]:
        made = [] if self._errs() else [STARTED]
        for _ in range(length):
            made += self._next()
        if not self._errs():
            made += self._ended()
        if not self._errs():
            made.append(FINISHED if self._rng.random() < 0.9 else {"type": "RUN_ERROR", "message": "boom"})
        if self._errs():
            self._rng.shuffle(made)
        return made

    def _errs(self) -> bool:
        return self._rng.random() < self._fault

    def _next(self) -> list[dict[str, Any]]:
        choose = self._rng.choice
        match self._rng.randrange(12):
            case 0 | 1:
                return [self._start()]
            case 2 | 3:
                return self._piece()
            case 4:
                return self._end(self._rng.randrange(3))
            case 5 | 6:
                return [self._chunk()]
            case 7:
                return self._step()
            case 8:
                return self._subagent()
            case 9:
                content = choice_of_content(self._rng)
                ids = {"messageId": f"t{next(self._numbers)}", "toolCallId": choose(("ca", "cb", "cu"))}
                return [self._tagged({"type": "TOOL_CALL_RESULT", **ids, "content": content})]
            case 10:
                return [self._state()]
            case _:
                return [self._other()]

    def _tagged(self, event: dict[str, Any], owner: str | None = None) -> dict[str, Any]:
        if self._errs():
            owner = self._rng.choice(OWNERS)
        return event if owner is None else {**event, "subagentRunId": owner}

    def _start(self) -> dict[str, Any]:
        sort, owner = self._rng.choice(list(CLOSERS)), self._rng.choice(OWNERS)
        taken = {ident for kind, ident, _ in self._open if kind == sort}
        free = [ident for letter in "abcdef" if (ident := MARKS[sort] + letter) not in taken]
        ident = MARKS[sort] + self._rng.choice("abc") if self._errs() or not free else self._rng.choice(free)
        self._open.append((sort, ident, owner))
        event = {"type": f"{sort}_START", CLOSERS[sort][0]: ident}
        if sort == "TOOL_CALL":
            event["toolCallName"] = self._rng.choice(("f", "g"))
            if self._rng.random() < 0.4:
                event["parentMessageId"] = "m" + self._rng.choice("abpq")
        if sort == "TEXT_MESSAGE" and self._rng.random() < 0.3:
            event["role"] = self._rng.choice(("assistant", "user", "system", "developer", "tool"))
        if sort == "REASONING_MESSAGE":
            event["role"] = "reasoning"
        return self._tagged(event, owner)

    def _piece(self) -> list[dict[str, Any]]:
        named = [each for each in self._open if CLOSERS[each[0]][1]]
        if not named and not self._errs():
            return []
        sort, ident, owner = self._rng.choice(named) if named else ("TEXT_MESSAGE", "ma", None)
        key, name = CLOSERS[sort]
        return [self._tagged({"type": name, key: ident, "delta": self._rng.choice(WORDS)}, owner)]

    def _end(self, at_most: int) -> list[dict[str, Any]]:
        made = []
        for _ in range(min(at_most, len(self._open))):
            sort, ident, owner = self._open.pop(self._rng.randrange(len(self._open)))
            made.append(self._tagged({"type": f"{sort}_END", CLOSERS[sort][0]: ident}, owner))
        return made

    def _chunk(self) -> dict[str, Any]:
        sort = self._rng.choice(("TEXT_MESSAGE", "TOOL_CALL", "REASONING_MESSAGE"))
        event: dict[str, Any] = {"type": f"{sort}_CHUNK"}
        if self._rng.random() < 0.7:
            event[CLOSERS[sort][0]] = MARKS[sort] + self._rng.choice("uvw")
            if sort == "TOOL_CALL":
                event["toolCallName"] = self._rng.choice("fffg")
            if sort == "TEXT_MESSAGE" and self._rng.random() < 0.3:
                event["role"] = self._rng.choice(("assistant", "assistant", "system"))
        if self._rng.random() < 0.8:
            event["delta"] = self._rng.choice(WORDS)
        return self._tagged(event, self._rng.choice(OWNERS))

    def _step(self) -> list[dict[str, Any]]:
        if self._steps and self._rng.random() < 0.5:
            name, owner = self._steps.pop()
            return [self._tagged({"type": "STEP_FINISHED", "stepName": name}, owner)]
        step = (self._rng.choice("klm"), self._rng.choice(OWNERS))
        if step in self._steps and not self._errs():
            return []
        self._steps.append(step)
        return [self._tagged({"type": "STEP_STARTED", "stepName": step[0]}, step[1])]

    def _subagent(self) -> list[dict[str, Any]]:
        if self._subagents and self._rng.random() < 0.5:
            ident = self._subagents.pop()
            name = self._rng.choice(("SUBAGENT_FINISHED", "SUBAGENT_ERROR"))
            more = {"message": "boom"} if name == "SUBAGENT_ERROR" else {}
            return [{"type": name, "subagentRunId": ident, **more}]
        ident = self._rng.choice(("s1", "s2")) if self._errs() else f"s{self._rng.randrange(100)}"
        self._subagents.append(ident)
        parent = {"parentSubagentRunId": self._rng.choice(self._subagents)} if self._errs() else {}
        return [{"type": "SUBAGENT_STARTED", "subagentRunId": ident, "name": "helper", **parent}]

    def _state(self) -> dict[str, Any]:
        if self._rng.random() < 0.3:
            return {"type": "STATE_SNAPSHOT", "snapshot": self._rng.choice(({}, {"a": 1}, {"z": {"y": []}}))}
        return {"type": "STATE_DELTA", "delta": self._rng.choice(PATCHES)}

    def _other(self) -> dict[str, Any]:
        choose = self._rng.choice
        match self._rng.randrange(6):
            case 0:
                return self._tagged({"type": "CUSTOM", "name": "n", "value": None})
            case 1:
                return {"type": "SOMETHING_NEW", "x": 1}
            case 2:
                activity = {"messageId": "act", "activityType": "PLAN", "content": {}}
                return self._tagged({"type": "ACTIVITY_SNAPSHOT", **activity}, choose(OWNERS))
            case 3:
                patch = {"messageId": "act", "activityType": "PLAN", "patch": []}
                return self._tagged({"type": "ACTIVITY_DELTA", **patch})
            case 4:
                value = {"subtype": choose(("message", "tool-call")), "entityId": choose(("ma", "ca", "ra"))}
                return self._tagged({"type": "REASONING_ENCRYPTED_VALUE", **value, "encryptedValue": "e"})
            case _:
                return {"type": "MESSAGES_SNAPSHOT", "messages": snapshot(self._rng)}

    def _ended(self) -> list[dict[str, Any]]:
        made = self._end(len(self._open))
        made += [self._tagged({"type": "STEP_FINISHED", "stepName": name}, of) for name, of in self._steps]
        made += [{"type": "SUBAGENT_FINISHED", "subagentRunId": ident} for ident in self._subagents]
        return made


def choice_of_content(rng: random.Random) -> Any:
    return rng.choice(("ok", "", [{"type": "text", "text": "ok"}]))


def snapshot(rng: random.Random) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for letter in rng.sample("abcuxz", rng.randrange(4)):
        ident = f"m{letter}"
        match rng.randrange(4):
            case 0:
                made.append({"id": ident, "role": "assistant", "content": rng.choice(WORDS)})
            case 1:
                function = {"name": "f", "arguments": "{}"}
                call = {"id": f"c{letter}", "type": "function", "function": function}
                made.append({"id": ident, "role": "assistant", "toolCalls": [call]})
            case 2:
                made.append({"id": f"r{letter}", "role": "reasoning", "content": "hm"})
            case _:
                made.append({"id": f"u{letter}", "role": "user", "content": "hello"})
    return made
