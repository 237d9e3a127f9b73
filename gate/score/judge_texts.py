"""What a judge reads of a trial: the conversation, the calls and the state, as text."""

import json
from collections.abc import Iterator, Mapping, Sequence

from gate.model import Json
from gate.model.case import Case, ExpectedCall
from gate.model.derived import calls_of, state_after, texts_of
from gate.model.trace import Call, Event, Result, TurnTrace
from gate.score.items import Level

_RESULT = 2000
"""Characters of one tool result; more of it rarely decides whether a way was sensible."""


def texts_for(level: Level) -> Mapping[str, str]:
    """The text of each placeholder, "" where the case or the trial has none."""
    turns = level.trace.turns[: level.last]
    return {
        "prompt": _prompt(level, turns),
        "response": _response(level),
        "reference": level.expect.reference or "",
        "rubric": level.expect.rubric or "",
        "trajectory": "\n".join(_steps(level.events)),
        "state": _json(
            state_after(level.trace.start_state, [event for turn in turns for event in turn.events])
        ),
    }


def calls_text(calls: Sequence[ExpectedCall]) -> str:
    """Expected calls, one a line; arguments that do not matter are left out."""
    return "\n".join(call.name if call.args is None else f"{call.name} {_json(call.args)}" for call in calls)


def expected_calls(case: Case) -> tuple[ExpectedCall, ...] | None:
    """The calls that a case expects as a whole, else those of its turns in order; None where it has none."""
    if case.expect.calls is not None:
        return case.expect.calls
    having = [turn.expect.calls for turn in case.turns if turn.expect.calls is not None]
    return tuple(call for calls in having for call in calls) if having else None


def _prompt(level: Level, turns: Sequence[TurnTrace]) -> str:
    """What was sent; ahead of a turn's message the conversation so far."""
    if level.where == "case":
        return "\n\n".join(_numbered([turn.sent for turn in turns]))
    *before, last = turns
    said = [f"user: {turn.sent}\nassistant: {_text(turn)}" for turn in before]
    return "\n\n".join([*said, f"user: {last.sent}"]) if said else last.sent


def _response(level: Level) -> str:
    return "\n\n".join(_numbered([_text(turn) for turn in level.turns]))


def _numbered(texts: Sequence[str]) -> list[str]:
    return [*texts] if len(texts) < 2 else [f"turn {n}: {text}" for n, text in enumerate(texts, 1)]  # noqa: PLR2004


def _text(turn: TurnTrace) -> str:
    return "\n".join(texts_of(turn.events))


def _steps(events: Sequence[Event]) -> Iterator[str]:
    """Each call with its result, in the order of the calls."""
    results: dict[str, Result] = {}
    for event in events:
        for part in event.parts:
            if isinstance(part, Result):
                results.setdefault(part.call_id, part)
    for number, call in enumerate(calls_of(events), 1):
        yield f"{number}. {call.name} {_arguments(call)}{_outcome(results.get(call.id))}"


def _arguments(call: Call) -> str:
    return (
        _json(dict(call.args)) if call.args is not None else f"(arguments cannot be read: {call.args_error})"
    )


def _outcome(result: Result | None) -> str:
    if result is None:
        return ""
    told = _json(result.value)
    cut = f"{told[:_RESULT]}… ({len(told) - _RESULT} more characters)" if len(told) > _RESULT else told
    return f" -> {'error: ' if result.is_error else ''}{cut}"


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=dict)
