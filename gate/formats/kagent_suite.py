"""Suites of kagent-agentevals (`suite.yaml`) to cases.

A case names a recorded session, and evaluators judge it. What the user said comes from the `reference` of an
evaluator, or from the recording, where the reader was given it. How strictly calls are compared is a metric's
option here, so a mode is a warning that says what to write into `metrics:`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from gate.formats.adk_fields import is_mapping
from gate.formats.foreign import Fields, Notes, Path, Places
from gate.formats.kagent_evaluators import Found, evaluators
from gate.formats.kagent_reference import Told
from gate.model import Json
from gate.model.case import Case, Expect, TextPart, Turn, User
from gate.model.finding import Finding

Sessions = Mapping[str, Sequence[str]]
"""What the user said in each recorded session, by its id; "" is a recording that names none."""

_TOP: Final = ("name", "source", "defaults", "cases")
_DEFAULTS: Final = ("judge_model", "tool_args_match_mode", "drop_internal_tools", "extra_tool_denylist")
_CASE: Final = (
    "name", "session_id", "invocation_id", "drop_internal_tools", "extra_tool_denylist", "evaluators",
)  # fmt: skip


def accepts(value: Json) -> bool:
    """Whether the value has cases with evaluators, or of recorded sessions."""
    cases = value.get("cases") if isinstance(value, dict) else None
    return isinstance(cases, list) and any(
        is_mapping(case) and ("evaluators" in case or "session_id" in case) for case in cases
    )


def fixture(value: Json) -> str:
    """The path of the recording that a suite is held against, or ""."""
    source = value.get("source") if isinstance(value, dict) else None
    path = (
        source.get("path") if isinstance(source, dict) and source.get("kind", "fixture") == "fixture" else ""
    )
    return path if isinstance(path, str) else ""


def read(
    value: Json, place: Places, sessions: Sessions | None = None
) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give every case that is fine, and a finding for all that is not or is not carried over."""
    notes = Notes(place)
    top = Fields(value, (), notes)
    top.skip("name")
    _source(top, notes)
    args = _defaults(top, notes)
    listed = top.need("cases", list) or []
    top.refuse_unread(_TOP)
    read_all = (
        _case(found, (*top.at("cases"), index), args, sessions or {}, notes)
        for index, found in enumerate(listed)
    )
    return tuple(case for case in read_all if case is not None), notes.findings()


def _source(top: Fields, notes: Notes) -> None:
    if top.has("source"):
        top.take("source", dict)
        what = "`source` is not carried over"
        why = "Where an agent or its recordings are is said in agent-gate.yml."
        notes.left_out(
            top.at("source"), what, why=why, fix="agent: {protocol: replay, replay: {traces: FILE}}"
        )


def _defaults(top: Fields, notes: Notes) -> str:
    """The suite's way of comparing arguments; all else of its defaults is the config's here."""
    defaults = top.nested("defaults")
    if defaults is None:
        return ""
    args = defaults.take("tool_args_match_mode", str) or ""
    if defaults.take("judge_model", str):
        notes.left_out(
            defaults.at("judge_model"), "`judge_model` is not carried over", why="It is the config's."
        )
    _filters(defaults, notes)
    defaults.refuse_unread(_DEFAULTS)
    return args


def _filters(fields: Fields, notes: Notes) -> None:
    if fields.take("drop_internal_tools", bool) is False:
        what = "`drop_internal_tools: false` is not carried over"
        notes.left_out(
            fields.at("drop_internal_tools"), what, why="Calls of `adk_*` are never tool calls here."
        )
    if fields.take("extra_tool_denylist", list):
        what = "`extra_tool_denylist` is not carried over"
        why = "A call that nothing expects does no harm, unless calls are compared exactly."
        notes.left_out(fields.at("extra_tool_denylist"), what, why=why)


def _case(value: Json, path: Path, args: str, sessions: Sessions, notes: Notes) -> Case | None:
    before = notes.errors
    fields = Fields(value, path, notes)
    if notes.errors > before:
        return None
    name, session = fields.need("name", str) or "", fields.need("session_id", str) or ""
    if fields.take("invocation_id", str):
        what = "`invocation_id` is not carried over: the whole session is the case"
        notes.left_out(fields.at("invocation_id"), what)
    _filters(fields, notes)
    fields.need("evaluators", list)
    found = evaluators(fields.each("evaluators"), args, notes)
    fields.refuse_unread(_CASE)
    said = sessions.get(session, sessions.get("", ()) if len(sessions) == 1 else ())
    turns = _turns(found.told, said, fields, notes) if notes.errors == before else ()
    if notes.errors > before:
        return None
    return _expecting(
        Case(id=name, turns=turns, place=notes.place(path), extra={"session_id": session}), found
    )


def _turns(told: Sequence[Told], said: Sequence[str], fields: Fields, notes: Notes) -> tuple[Turn, ...]:
    """A turn for each message of the user, with the calls that the reference tells after it."""
    messages = [turn.user for turn in told] if told and all(turn.user for turn in told) else list(said)
    place = notes.place(fields.at("session_id"), key=True)
    if not messages:
        notes.error(
            fields.at("session_id"),
            "no-message",
            "what the user said in this session is not in the suite",
            why="A case sends messages; this one names a recording, and no `reference` tells them.",
            fix="`agent-gate import kagent-suite FILE` takes them from the fixture that `source` names.",
        )
    fits = len(told) == len(messages)
    return tuple(
        Turn(
            sent=User(parts=(TextPart(text=text),)),
            expect=Expect(calls=told[index].calls) if fits else Expect(),
            place=place,
        )
        for index, text in enumerate(messages)
    )


def _expecting(case: Case, found: Found) -> Case:
    """The case with what is expected of it as a whole, or of its only turn."""
    calls = found.calls
    if not any(turn.expect.calls is not None for turn in case.turns) and found.told:
        calls = tuple(call for turn in found.told for call in turn.calls or ()) + (calls or ())
    whole = Expect(calls=calls, rubric=found.rubric)
    if len(case.turns) > 1:
        return replace(case, expect=whole)
    (turn,) = case.turns
    if turn.expect.calls is not None:
        have = [call.name for call in turn.expect.calls]
        more = tuple(call for call in calls or () if call.name not in have)
        whole = replace(whole, calls=turn.expect.calls + more)
    return replace(case, turns=(replace(turn, expect=whole),))
