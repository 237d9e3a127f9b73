"""Datasets of google-agents-cli (`agents-cli eval`) to cases, after its version 1.11.

A case has a `prompt`, or `agent_data.turns` whose last event is the user's. Its reference becomes the
`reference`, its `custom_properties` expectations (custom_properties.py), and all keys that agents-cli itself
only passes on become `extra`. What the agent said in recorded turns is not sent: it says it anew.
"""

from typing import Final

from gate.formats import custom_properties
from gate.formats.adk_fields import is_mapping
from gate.formats.evalset_parts import said, words
from gate.formats.foreign import Fields, Notes, Path, Places
from gate.formats.texts import misspelled
from gate.model import Json
from gate.model.case import Case, Expect, TextPart, Turn, User
from gate.model.finding import Finding

_CASE_KEYS: Final = (
    "eval_case_id", "prompt", "reference", "agent_data", "rubric_groups", "context", "responses",
    custom_properties.NAME,
)  # fmt: skip
_SET_KEYS: Final = ("eval_cases",)
_TURN_KEYS: Final = ("turn_index", "turn_id", "events")
_EVENT_KEYS: Final = ("author", "content", "event_time", "state_delta", "active_tools")
_MARKS: Final = frozenset({"prompt", "agent_data", "agentData", "eval_case_id", "evalCaseId"})


def accepts(value: Json) -> bool:
    """Whether the value claims to be a dataset of agents-cli."""
    if not isinstance(value, dict) or "eval_set_id" in value or "evalSetId" in value:
        return False
    cases = value.get("eval_cases", value.get("evalCases"))
    return isinstance(cases, list) and any(is_mapping(case) and not _MARKS.isdisjoint(case) for case in cases)


def read(value: Json, place: Places) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give every case that is fine, and a finding for all that is not or is not carried over."""
    notes = Notes(place)
    top = Fields(value, (), notes)
    listed = top.need("eval_cases", list) or []
    for key in top.unread():
        notes.left_out((key,), f"`{key}` of the dataset is not carried over")
    if any(is_mapping(case) and case.get("responses") for case in listed):
        notes.error(
            top.at("eval_cases"),
            "traces-not-cases",
            "these are traces that `agents-cli eval generate` recorded, not a dataset",
            why="They hold what the agent answered.",
            fix="Score them with `agent-gate grade`, and name the dataset that they were made of here.",
        )
        return (), notes.findings()
    read_all = (_case(found, (*top.at("eval_cases"), index), notes) for index, found in enumerate(listed))
    return tuple(case for case in read_all if case is not None), notes.findings()


def _case(value: Json, path: Path, notes: Notes) -> Case | None:
    before = notes.errors
    fields = Fields(value, path, notes)
    if notes.errors > before:
        return None
    name = fields.need("eval_case_id", str) or ""
    sent, state = _sent(fields, name, notes)
    expect, extra = _properties(fields, notes)
    last = Expect(reference=_reference(fields, notes), rubric=_rubric(fields, notes))
    if fields.has("context"):
        notes.left_out(
            fields.at("context"), "`context` is not carried over", why="It is for a judge to read."
        )
        fields.skip("context")
    misspelled(fields, _CASE_KEYS, notes)
    if notes.errors > before or not sent:
        return None
    extra |= {key: fields.value(key) for key in fields.unread()}
    return Case(
        id=name,
        turns=_turns(sent, expect, last),
        place=notes.place(path),
        start_state=state,
        expect=expect if len(sent) > 1 else Expect(),
        extra=extra,
    )


def _turns(sent: list[Turn], expect: Expect, last: Expect) -> tuple[Turn, ...]:
    """What is expected of a case with one message is expected of its answer; else of the case as a whole."""
    *before, final = sent
    held = expect if not before else Expect()
    final = Turn(
        sent=final.sent,
        expect=Expect(
            calls=held.calls, nodes=held.nodes, state=held.state, state_keys=held.state_keys,
            contains=held.contains, excludes=held.excludes, reference=last.reference, rubric=last.rubric,
        ),
        place=final.place,
    )  # fmt: skip
    return (*before, final)


def _sent(fields: Fields, name: str, notes: Notes) -> tuple[list[Turn], dict[str, Json]]:
    """The user's messages, and the state before the first of them."""
    data = fields.nested("agent_data")
    recorded = data is not None and data.value("turns") not in (None, [])
    if (fields.value("prompt") not in (None, "", {})) == recorded:
        what = f"case {name!r} has " + ("both `prompt` and turns" if recorded else "nothing to send")
        fix = "Write `prompt`, or `agent_data` with `turns` whose last event is the user's: one of the two."
        notes.error(fields.path, "no-message" if not recorded else "two-messages", what, fix=fix)
        return [], {}
    if data is None or not recorded:
        fields.skip("agent_data")
        return _prompt(fields, notes), {}
    for key in data.unread():
        if key != "turns":
            notes.left_out((*data.path, key), f"`{key}` of `agent_data` is not carried over")
    return _recorded(data, name, notes)


def _prompt(fields: Fields, notes: Notes) -> list[Turn]:
    place = notes.place(fields.at("prompt"), key=True)
    if isinstance(fields.value("prompt"), str):
        return [Turn(sent=User(parts=(TextPart(text=fields.take("prompt", str) or ""),)), place=place)]
    content = fields.nested("prompt")
    message = None if content is None else said(content, notes, {})
    return [] if message is None else [Turn(sent=message, place=place)]


def _recorded(data: Fields, name: str, notes: Notes) -> tuple[list[Turn], dict[str, Json]]:
    turns: list[Turn] = []
    state: dict[str, Json] = {}
    asked: dict[str, str] = {}
    author, speaks = "", False
    for turn in data.each("turns"):
        turn.skip("turn_index", "turn_id")
        for event in turn.each("events"):
            author, speaks = event.take("author", str) or "", event.has("content")
            event.skip("event_time", "active_tools")
            _state(event, state, notes, begun=bool(turns))
            turns += _message(event, author, notes, asked)
            event.refuse_unread(_EVENT_KEYS)
        turn.refuse_unread(_TURN_KEYS)
    if author != "user" or not speaks or not turns:
        what = f"the last event of case {name!r} is no message of the user, so nothing would be sent"
        notes.error(data.at("turns"), "no-message", what, fix="End with an event of author `user`.")
    return turns, state


def _message(event: Fields, author: str, notes: Notes, asked: dict[str, str]) -> list[Turn]:
    content = event.nested("content")
    if content is None:
        return []
    if author != "user":
        what = "what the agent did in recorded turns is not sent, and not expected"
        notes.left_out(content.path, what, why="It answers each message anew.")
        return []
    message = said(content, notes, asked)
    return [] if message is None else [Turn(sent=message, place=notes.place(event.path))]


def _state(event: Fields, state: dict[str, Json], notes: Notes, *, begun: bool) -> None:
    delta = event.take("state_delta", dict)
    if not delta:
        return
    if begun:
        what = "a `state_delta` after the first message is not carried over"
        notes.left_out(event.at("state_delta"), what, why="The agent makes its state itself from there on.")
    else:
        state |= delta


def _properties(fields: Fields, notes: Notes) -> tuple[Expect, dict[str, Json]]:
    spelled = custom_properties.find(fields, notes)
    properties = fields.nested(spelled) if spelled else None
    if properties is None:
        return Expect(), {}
    return custom_properties.read(properties, notes)


def _reference(fields: Fields, notes: Notes) -> str | None:
    if isinstance(fields.value("reference"), str):
        return fields.take("reference", str) or None
    reference = fields.nested("reference")
    content = reference.nested("response") if reference is not None else None
    return None if content is None else words(content, notes)


def _rubric(fields: Fields, notes: Notes) -> str | None:
    """The one rubric of the groups; several have no single place."""
    groups = fields.take("rubric_groups", dict)
    found = list(_texts_of(groups or {}))
    if groups and len(found) != 1:
        what = "`rubric_groups` that do not hold exactly one text are not carried over"
        notes.left_out(fields.at("rubric_groups"), what, fix="Write one rubric whose text says all of it.")
    return found[0] if len(found) == 1 else None


def _texts_of(value: Json) -> list[str]:
    """Descriptions of rubrics, however the group is nested."""
    match value:
        case {"description": str(text)} if text:
            return [text]
        case dict():
            return [text for held in value.values() for text in _texts_of(held)]
        case list():
            return [text for held in value for text in _texts_of(held)]
        case _:
            return []
