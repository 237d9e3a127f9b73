"""Random runs, read by us and by AG-UI's own client: alike refused, or alike in messages and state."""

import json
import random
from typing import Any

import pytest

from gate.drive.arguments import arguments_of
from gate.formats.adk_fields import UnreadableEvent
from gate.formats.ag_ui import RunReader
from tests.support.ag_ui_client import Run, client_reads
from tests.support.ag_ui_walks import FINISHED, IDS, STARTED, Walk

RUNS = 1500


def we_read(run: Run) -> tuple[RunReader, str]:
    reader = RunReader(arguments_of, {})
    reader.begin("r", {})
    try:
        for event in json.loads(json.dumps(list(run.events))):
            reader.read(event)
    except UnreadableEvent as error:
        return reader, str(error)
    return reader, ""


def comparable(messages: Any) -> tuple[list[Any], list[str]]:
    """Messages without what only a user interface needs; results by themselves, for their place is free."""
    kept = []
    for message in messages:
        plain = {key: value for key, value in message.items() if key not in ("subagentRunId", "metadata")}
        if plain["role"] == "assistant" and not plain.get("content"):
            plain.pop("content", None)
        if plain["role"] != "activity":
            kept.append(plain)
    results = sorted(json.dumps(each, sort_keys=True) for each in kept if each["role"] == "tool")
    return [each for each in kept if each["role"] != "tool"], results


@pytest.mark.parametrize("fault", [0.0, 0.02, 0.15])
def test_aguis_own_client_reads_random_runs_alike(fault: float) -> None:
    rng = random.Random(f"ag-ui {fault}")
    runs = [Run(Walk(rng, fault=fault).events(rng.randrange(14))) for _ in range(RUNS // 3)]
    agreed = 0
    for run, theirs in zip(runs, client_reads(runs), strict=True):
        reader, why = we_read(run)
        if "does not apply" in why:
            continue  # the client only warns, and goes on with a state that its agent does not have
        assert bool(why) == bool(theirs["error"]), (why, theirs["error"], run.line)
        if not why:
            agreed += 1
            assert comparable(reader.heard.history.sent()) == comparable(theirs["messages"]), run.line
            assert reader.state.value == theirs["state"], run.line
    assert agreed > RUNS // 3 * (0.6 if fault == 0 else 0.1)


TEXT = {"type": "TEXT_MESSAGE_START", "messageId": "m"}
CALL = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}
CHUNK = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x"}
CALLED = {"type": "TOOL_CALL_END", "toolCallId": "c"}
SEALED = {
    "type": "REASONING_ENCRYPTED_VALUE",
    "subtype": "tool-call",
    "entityId": "c",
    "encryptedValue": "x",
}
OF_TWO = [
    {**TEXT, "messageId": "a"},
    {"type": "TEXT_MESSAGE_END", "messageId": "a"},
    {**TEXT, "messageId": "b", "subagentRunId": "s"},
    {"type": "TEXT_MESSAGE_END", "messageId": "b"},
]
"""A message of the agent, and one of its subagent."""
MALFORMED: list[list[Any]] = [
    [STARTED, {**TEXT, "messageId": 3}, FINISHED],
    [STARTED, {"type": "TEXT_MESSAGE_START"}, FINISHED],
    [STARTED, {**TEXT, "role": "tool"}, FINISHED],
    [STARTED, {**TEXT, "name": ["x"]}, FINISHED],
    [STARTED, {"type": "TOOL_CALL_START", "toolCallId": "c"}, FINISHED],
    [STARTED, {**CALL, "toolCallName": {}}, FINISHED],
    [STARTED, {**CALL, "parentMessageId": 1}, FINISHED],
    [STARTED, {"type": "STATE_DELTA", "delta": {"op": "add"}}, FINISHED],
    [STARTED, {"type": "STATE_SNAPSHOT"}, FINISHED],
    [STARTED, {"type": "MESSAGES_SNAPSHOT", "messages": None}, FINISHED],
    [STARTED, {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "user", "content": "x"}]}, FINISHED],
    [STARTED, {"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c"}, FINISHED],
    [STARTED, {"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": 5}, FINISHED],
    [STARTED, {"type": "STEP_STARTED", "stepName": None}, FINISHED],
    [STARTED, {"type": "CUSTOM", "value": 1}, FINISHED],
    [STARTED, {"type": "RAW"}, FINISHED],
    [STARTED, {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "P", "content": []}, FINISHED],
    [STARTED, {"type": "SUBAGENT_STARTED", "subagentRunId": "s"}, FINISHED],
    [STARTED, {"type": "CUSTOM", "name": "n", "value": 1, "subagentRunId": 5}, FINISHED],
    [STARTED, {"type": "RUN_FINISHED", "threadId": "t"}],
    [STARTED, {**FINISHED, "outcome": {"type": "interrupt"}}],
    [STARTED, {**FINISHED, "outcome": {"type": "interrupt", "interrupts": []}}],
    [STARTED, {**FINISHED, "outcome": {"type": "interrupt", "interrupts": [{"reason": "r"}]}}],
    [STARTED, {**FINISHED, "outcome": {"type": "success", "pendingToolCallIds": [{}]}}],
    [STARTED, *OF_TWO, {**CALL, "parentMessageId": "a"}, CALLED, {**CALL, "parentMessageId": "b"}],
    [STARTED, *OF_TWO, {**CALL, "parentMessageId": "a", "subagentRunId": "s"}],
    [STARTED, {**CALL, "subagentRunId": "s"}, {**SEALED, "subagentRunId": "other"}],
    [STARTED, *OF_TWO, {**SEALED, "subtype": "message", "entityId": "b", "subagentRunId": "other"}],
    [STARTED, CHUNK, {**CHUNK, "role": "system"}, FINISHED],
    [STARTED, {**CHUNK, "name": "Ada"}, {**CHUNK, "name": "Bob"}, FINISHED],
    [STARTED, CHUNK, {**CHUNK, "name": "Ada"}, FINISHED],
    [STARTED, {**FINISHED, "usage": {"inputTokens": 1}}],
    [STARTED, {"type": "RUN_ERROR"}],
    [{"type": "RUN_STARTED", "threadId": "t"}, FINISHED],
]
FINE: list[list[Any]] = [
    [STARTED, {"type": "NOBODY_KNOWS", "messageId": 3}, FINISHED],
    [{"type": "BEFORE"}, STARTED, FINISHED, {"type": "AFTER"}],
    [STARTED, {**FINISHED, "outcome": None}],
    [STARTED, CHUNK, {**CHUNK, "role": "assistant"}, FINISHED],
    [STARTED, {**CALL, "subagentRunId": "s"}, {**SEALED, "subagentRunId": "s"}, CALLED, FINISHED],
    [STARTED, *OF_TWO, {**CALL, "parentMessageId": "b"}, {**CALLED, "subagentRunId": "s"}, FINISHED],
    [STARTED, *OF_TWO, *[{**CALL, "parentMessageId": "b"}, CALLED] * 2, FINISHED],
    [STARTED, *OF_TWO, {**CALL, "parentMessageId": "unknown", "subagentRunId": "s"}, CALLED, FINISHED],
    [STARTED, {**CHUNK, "name": "Ada"}, CHUNK, {**CHUNK, "name": "Ada"}, FINISHED],
    [STARTED, {**FINISHED, "outcome": {"type": "success", "pendingToolCallIds": ["c"]}}],
    [STARTED, {**FINISHED, "outcome": {"type": "cancelled"}}],
    [STARTED, {**CALL, "parentMessageId": None}, {"type": "TOOL_CALL_END", "toolCallId": "c"}, FINISHED],
    [STARTED, {"type": "STATE_SNAPSHOT", "snapshot": [1, "two"]}, FINISHED],
    [STARTED, FINISHED, {"type": "RUN_ERROR", "message": "late"}],
    [{"type": "RUN_ERROR", "message": "never began"}, {**STARTED}, FINISHED],
    [STARTED, FINISHED, {**STARTED, "runId": "r2"}, {**FINISHED, "runId": "r2"}],
    [
        STARTED,
        {"type": "THINKING_START", "title": "hm"},
        {"type": "THINKING_TEXT_MESSAGE_START"},
        {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "x"},
        {"type": "THINKING_TEXT_MESSAGE_END"},
        {"type": "THINKING_END"},
        FINISHED,
    ],
]


@pytest.mark.parametrize(("runs", "refused"), [(MALFORMED, True), (FINE, False)], ids=["malformed", "fine"])
def test_what_is_malformed_to_the_client_is_so_to_us(runs: list[list[Any]], *, refused: bool) -> None:
    for events, theirs in zip(runs, client_reads([Run(events) for events in runs]), strict=True):
        reader, why = we_read(Run(events))
        assert bool(theirs["error"]) is refused, (theirs, events)
        assert bool(why) is refused, events
        if not refused:
            assert reader.state.value == theirs["state"]


def test_a_patch_that_does_not_apply_is_a_fault_to_us_and_a_warning_to_the_client() -> None:
    run = Run([STARTED, {"type": "STATE_DELTA", "delta": [{"op": "remove", "path": "/x"}]}, FINISHED])
    (theirs,) = client_reads([run])
    assert theirs["error"] is None
    assert "STATE_DELTA does not apply" in we_read(run)[1]
    assert IDS == {"threadId": "t", "runId": "r"}
