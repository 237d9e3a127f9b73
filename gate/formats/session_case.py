"""A recorded session to a golden case: what the user sent is sent, what the agent did is expected.

Each turn expects the calls that were made (or none), the pauses that it ended with, and the last words as
`reference`; nodes and state changes where that is asked for. A turn that failed expects nothing. What tools
answered and thoughts are not carried over.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from gate.formats.adk_fields import field, is_mapping
from gate.formats.adk_pauses import CREDENTIAL, INPUT
from gate.formats.evalset_parts import said
from gate.formats.foreign import Fields, Notes
from gate.formats.messages import USER
from gate.formats.sessions import exchanges, is_sent, trace_of
from gate.formats.stored import Recording, moment, timestamp
from gate.formats.strict import strict_json
from gate.model import Json
from gate.model.case import Answers, Case, Expect, ExpectedCall, Turn, User
from gate.model.derived import calls_of, last_words, left_open, visits
from gate.model.finding import Finding, Place
from gate.model.trace import Event, Pause, TurnTrace

KEYS: Final = ("calls", "pauses", "reference", "nodes", "state")
DEFAULT: Final = KEYS[:3]
_SYSTEM: Final = "system"
_Numbered = tuple[int, Mapping[str, Json]]


def case_of(
    recording: Recording,
    name: str,
    shown: str,
    *,
    most: int | None = None,
    keys: Collection[str] = DEFAULT,
) -> tuple[Case | None, tuple[Finding, ...]]:
    """The case, of the first `most` turns, and what is wrong or not carried over; raises NotASession.

    None where nothing can be sent. `shown` names the place of the recording, `keys` are those of KEYS that
    each turn is to expect.
    """
    notes = Notes(lambda path=(), key=False: _place(shown, path))  # noqa: ARG005  # one place an event
    for text in recording.notes:
        notes.warn((), "not-carried-over", text)
    trace = trace_of(recording, source=shown)
    groups = exchanges(recording.frames)
    turns: list[Turn] = []
    waiting: tuple[Pause, ...] = ()
    asked: dict[str, str] = {}
    for group, seen in islice(zip(groups, trace.turns, strict=True), most):
        sent = _sent(group, notes, asked)
        _told_apart(group, notes, is_first=not turns)
        if sent is None:
            continue
        waiting = left_open(waiting, sent, seen.events)
        asked |= {pause.id: pause.tool for pause in waiting if pause.tool}
        number = group[0][0]
        expect = _expected(seen, waiting, number, notes)
        expect = replace(expect, **{key: None for key in KEYS if key not in keys})
        turns.append(Turn(sent=sent, expect=expect, place=notes.place((number,))))
    if "nodes" in keys:
        what = "`nodes` are in the order in which they came"
        notes.warn((), "recorded-order", what, fix="Branches that run side by side go into {parallel: […]}.")
    if most is not None and most > len(trace.turns):
        notes.warn((), "fewer-turns", f"the session has only {len(trace.turns)} of {most} turns")
    if not turns and not notes.errors:
        notes.error((), "nothing-to-import", "in this session no user sends anything")
    if notes.errors:
        return None, notes.findings()
    case = Case(
        id=name,
        turns=tuple(turns),
        place=notes.place(()),
        start_state=trace.start_state,
        extra={"recorded": _origin(recording)},
    )
    return case, notes.findings()


def _place(shown: str, path: Sequence[str | int]) -> Place:
    return Place(file=f"{shown}, event {path[0]}" if path else shown)


def _origin(recording: Recording) -> Json:
    times = [at for frame in recording.frames if (at := timestamp(frame))]
    known = {"session": recording.id, "app": recording.app, "at": moment(min(times, default=0.0))}
    return {name: value for name, value in known.items() if value}


def _sent(group: Sequence[_Numbered], notes: Notes, asked: dict[str, str]) -> User | Answers | None:
    """What the user sends in an exchange; None where that is nothing, or cannot be sent (an error)."""
    found = [
        (number, sent)
        for number, frame in group
        if is_sent(frame) and (sent := _message(number, frame, notes, asked)) is not None
    ]
    return found[0][1] if found else None


def _message(
    number: int, frame: Mapping[str, Json], notes: Notes, asked: dict[str, str]
) -> User | Answers | None:
    content = field(frame, "content")
    parts = field(content, "parts") if is_mapping(content) else None
    listed: list[Json] = [_answer(part) for part in parts] if isinstance(parts, list) else []
    responses = [field(part, "functionResponse") for part in listed if is_mapping(part)]
    if any(is_mapping(one) and field(one, "name") == CREDENTIAL for one in responses):
        notes.error(
            (number,),
            "holds-credential",
            "the user hands the agent a credential here, which no golden file should hold",
            fix="Import only the turns before it with --turns N.",
        )
        return None
    sent = said(Fields({"parts": listed}, (number,), notes), notes, asked)
    if isinstance(sent, Answers) and not all(answer.to for answer in sent.answers):
        notes.error((number,), "nameless-answer", "the user answers a pause here that has no name")
        return None
    return sent


def _answer(part: Json) -> Json:
    """A part in which an answer to a pause has adk-python's form, whoever wrote it."""
    response = field(part, "functionResponse") if is_mapping(part) else None
    given = field(response, "response") if is_mapping(response) else None
    if not is_mapping(response) or not is_mapping(given):
        return part
    match given:
        case {"response": str(text)} if len(given) == 1:
            given = held if is_mapping(held := _parsed(text)) else given
        case {"payload": value} if len(given) == 1 and field(response, "name") == INPUT:
            given = {"result": value}
        case {"result": str(text)} if len(given) == 1 and field(response, "name") == INPUT:
            given = {"result": _parsed(text)}  # as adk-python does
        case _:
            pass
    return {"function_response": {**response, "response": dict(given)}}


def _parsed(text: str) -> Json:
    try:
        return strict_json(text)
    except ValueError:
        return text


def _told_apart(group: Sequence[_Numbered], notes: Notes, *, is_first: bool) -> None:
    """Note what stands before the first message, and state that somebody else than the agent wrote."""
    opened = False
    for number, frame in group:
        opened = opened or is_sent(frame)
        actions = field(frame, "actions")
        delta = field(actions, "stateDelta") if is_mapping(actions) else None
        if is_mapping(delta) and delta and field(frame, "author") in (_SYSTEM, USER):
            keys = ", ".join(sorted(delta)[:5])
            what = f"state that `{field(frame, 'author')}` wrote is not carried over: {keys}"
            notes.left_out((number,), what, fix="What the agent needs of it belongs into `start_state`.")
        elif is_first and not opened:
            notes.left_out((number,), "events before the user's first message are not carried over")


def _expected(seen: TurnTrace, waiting: Iterable[Pause], number: int, notes: Notes) -> Expect:
    if seen.ended == "failed":
        notes.warn(
            (number,),
            "recorded-failure",
            "the agent failed in this turn: what it sends is carried over, and nothing is expected",
            fix="Write what should have come, or import only the turns before it with --turns N.",
        )
        return Expect()
    names = (pause.tool or pause.name or pause.id for pause in waiting)
    pauses = tuple(dict.fromkeys(filter(None, names)))
    agents = (event for event in seen.events if event.author not in (_SYSTEM, USER))
    state = {key: value for event in agents for key, value in event.state_delta.items()}
    if "" in state:
        notes.left_out((number,), "state under a key without a name is not carried over")
        del state[""]
    return Expect(
        calls=_calls(seen.events, number, notes),
        nodes=visits(seen.events) or None,
        state=state or None,
        pauses=pauses or None,
        reference=last_words(seen.events) or None,
    )


def _calls(events: Iterable[Event], number: int, notes: Notes) -> tuple[ExpectedCall, ...]:
    made: list[ExpectedCall] = []
    for call in calls_of(events):
        if not call.name:
            notes.left_out((number,), "calls of tools without a name are not carried over")
            continue
        if call.args is None:
            what = f"the arguments of `{call.name}` cannot be read ({call.args_error}), so any are accepted"
            notes.warn((number,), "unreadable-arguments", what)
        made.append(ExpectedCall(name=call.name, args=call.args))
    return tuple(made)
