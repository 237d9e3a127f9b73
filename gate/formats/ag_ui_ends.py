"""How a run of AG-UI ends: what it waits for, what it cost, and what went wrong."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Final, Literal

from gate.formats.adk_fields import UnreadableEvent, count, is_mapping, items, kind, mapping, text, word
from gate.formats.ag_ui_events import OUTCOMES, Record
from gate.formats.ag_ui_history import as_text
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import MOST_TOKENS, Pause, Usage

LEGACY: Final = "on_interrupt"
"""The name of the CUSTOM event by which LangGraph's servers ask without an interrupt outcome."""
CANCELLED: Final = "the run was cancelled before it was done"


@frozen
class Asked:
    """What the answer to a pause is made for: a call's result, an interrupt's entry, or a legacy resume.

    `call` is the call that an interrupt is about.
    """

    way: Literal["call", "interrupt", "legacy"]
    call: str = ""
    schema: Mapping[str, Json] = field(default_factory=dict)
    reason: str = ""


def interrupts_of(finished: Record, tool_of: Callable[[str], str]) -> Iterator[tuple[Pause, Asked]]:
    """The interrupts that end a run; `tool_of` tells a call's tool by its id. Raises UnreadableEvent."""
    interrupts = items(mapping(finished, "outcome"), "interrupts")
    if not interrupts:
        raise UnreadableEvent("RUN_FINISHED ends with an interrupt and names none")
    for each in interrupts:
        if not is_mapping(each):
            raise UnreadableEvent(f"an interrupt is {kind(each)}, not an object")
        ident, reason = each.get("id"), each.get("reason")
        if not isinstance(ident, str) or not isinstance(reason, str):
            raise UnreadableEvent("an interrupt has no id or no reason")
        tool = tool_of(text(each, "toolCallId"))
        pause = Pause(
            id=ident,
            name=reason,
            kind="confirm" if tool or reason in ("tool_call", "confirmation") else "input",
            tool=tool,
            message=text(each, "message"),
        )
        asked = Asked(
            way="interrupt",
            call=text(each, "toolCallId"),
            schema=mapping(each, "responseSchema"),
            reason=reason,
        )
        yield pause, asked


def is_legacy(custom: Record) -> bool:
    """Whether a CUSTOM event is the question of a server without interrupt outcomes."""
    return custom.get("name") == LEGACY


def legacy_pause(custom: Record, number: int) -> tuple[Pause, Asked]:
    """What such an event asks; its id is LangGraph's, where the event has it."""
    raw = custom.get("rawEvent")
    ident = raw.get("id") if is_mapping(raw) else None
    name = ident if isinstance(ident, str) and ident else f"{LEGACY}-{number}"
    pause = Pause(id=name, name=LEGACY, kind="input", message=as_text(custom.get("value")))
    return pause, Asked(way="legacy")


def pending_of(finished: Record) -> list[str]:
    """The calls that a run says it left to its client; empty where it names none. Raises UnreadableEvent."""
    named = items(mapping(finished, "outcome"), "pendingToolCallIds")
    for each in named:
        if not isinstance(each, str):
            raise UnreadableEvent(f"an id of pendingToolCallIds is {kind(each)}, not text")
    return [str(each) for each in named]


def usages_of(ended: Record) -> tuple[Usage, ...]:
    """The tokens of a run's model calls, added up for each model; none where nothing is counted."""
    found: dict[str, Usage] = {}
    for entry in items(ended, "usage"):
        if not is_mapping(entry):
            raise UnreadableEvent(f"an entry of usage is {kind(entry)}, not an object")
        if (usage := _usage(entry)) is not None:
            before = found.get(usage.model)
            found[usage.model] = _added(before, usage) if before else usage
    return tuple(found.values())


def _usage(entry: Mapping[str, Json]) -> Usage | None:
    sent, made, both, cached = (
        count(entry, name) for name in ("inputTokens", "outputTokens", "totalTokens", "cachedInputTokens")
    )
    if sent is None and made is None:
        sent = both
    if sent is None and made is None:
        return None
    return Usage(
        input_tokens=sent or 0,
        output_tokens=made or 0,
        cached_tokens=min(cached or 0, sent or 0),
        model=text(entry, "model"),
    )


def _added(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=min(one.input_tokens + other.input_tokens, MOST_TOKENS),
        output_tokens=min(one.output_tokens + other.output_tokens, MOST_TOKENS),
        cached_tokens=min(one.cached_tokens + other.cached_tokens, MOST_TOKENS),
        model=one.model,
    )


def odd_outcome(finished: Record) -> str:
    """What the outcome calls itself, if 1.0 does not know it."""
    outcome = mapping(finished, "outcome")
    name = outcome.get("type", "success") if outcome else "success"
    return "" if name in OUTCOMES else as_text(name)


def error_of(failed: Record) -> str:
    """The words of a RUN_ERROR or a SUBAGENT_ERROR, with its code."""
    words = (word(failed, "code"), word(failed, "message"))
    return ": ".join(filter(None, words)) or "an error without a message"
