"""ADK EvalSets to cases, after the models of google-adk 2.13 (evaluation/eval_set.py, eval_case.py).

Messages become turns, `session_input.state` the start state, tool uses `calls`, `final_response` the
`reference`, and `final_session_state` the `state` that the case must end with. Ids and times of the recording
and the names of app and user (the config has them) carry no expectation and are passed over. All else that
has no place in a case is a warning; what cannot be sent is an error.
"""

from typing import Final

from gate.formats import evalset_legacy
from gate.formats.evalset_parts import calls, reference, sent
from gate.formats.foreign import Fields, Notes, Path, Places
from gate.model import Json
from gate.model.case import Case, Expect, Turn
from gate.model.finding import Finding

_SET_KEYS: Final = ("eval_set_id", "name", "description", "eval_cases", "creation_timestamp")
_CASE_KEYS: Final = (
    "eval_id", "conversation", "conversation_scenario", "session_input", "creation_timestamp", "rubrics",
    "final_session_state",
)  # fmt: skip
_TURN_KEYS: Final = (
    "invocation_id", "user_content", "final_response", "intermediate_data", "creation_timestamp", "duration",
    "model_duration", "tool_duration", "rubrics", "app_details",
)  # fmt: skip
_SESSION_KEYS: Final = ("app_name", "user_id", "session_id", "state")
_OTHER_FORM: Final = "Keep it in a golden file of Agent Gate's own format."


def accepts(value: Json) -> bool:
    """Whether the value claims to be an EvalSet, valid or not."""
    if isinstance(value, list):
        return evalset_legacy.accepts(value)
    if not isinstance(value, dict):
        return False
    if "eval_set_id" in value or "evalSetId" in value:
        return True
    cases = value.get("eval_cases", value.get("evalCases"))
    # The datasets of agents-cli have the same key; their cases have a prompt or agent_data.
    return cases is not None and not (isinstance(cases, list) and any(map(_is_agents_cli, cases)))


def _is_agents_cli(case: Json) -> bool:
    return isinstance(case, dict) and not {"prompt", "agent_data", "eval_case_id"}.isdisjoint(case)


def read(value: Json, place: Places) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give every case that is fine, and a finding for all that is not or is not carried over."""
    notes = Notes(place)
    cases = evalset_legacy.cases(value, notes) if isinstance(value, list) else _cases(value, notes)
    return cases, notes.findings()


def _cases(value: Json, notes: Notes) -> tuple[Case, ...]:
    top = Fields(value, (), notes)
    top.skip(*_SET_KEYS)
    listed = top.need("eval_cases", list) or ()
    top.refuse_unread(_SET_KEYS)
    read_all = (eval_case(found, (*top.at("eval_cases"), index), notes) for index, found in enumerate(listed))
    return tuple(case for case in read_all if case is not None)


def eval_case(value: Json, path: Path, notes: Notes, *, beside: tuple[str, ...] = ()) -> Case | None:
    """One EvalCase; None after an error. `beside` are keys that whoever calls has read."""
    before = notes.errors
    fields = Fields(value, path, notes)
    if notes.errors > before:
        return None
    fields.skip("creation_timestamp", *beside)
    name = fields.need("eval_id", str) or ""
    turns = _conversation(fields, name, notes)
    state = _start_state(fields, notes)
    expect = Expect(state=fields.take("final_session_state", dict) or None, rubric=_rubric(fields, notes))
    fields.refuse_unread(_CASE_KEYS, level="warn")
    if notes.errors > before:
        return None
    return Case(id=name, turns=turns, place=notes.place(path), start_state=state, expect=expect)


def _conversation(fields: Fields, name: str, notes: Notes) -> tuple[Turn, ...]:
    if fields.has("conversation_scenario"):
        fields.skip("conversation_scenario", "conversation")
        notes.error(
            fields.at("conversation_scenario"),
            "conversation-scenario",
            f"case {name!r} lets a model play the user (`conversation_scenario`)",
            why="A gate sends the same messages in every run; what a model makes up differs each time.",
            fix="Write the user's messages as a `conversation`, or take the case out of the golden files.",
            key=True,
        )
        return ()
    listed = fields.need("conversation", list)
    if listed == []:
        notes.error(
            fields.at("conversation"),
            "no-turns",
            f"case {name!r} has no message to send",
            fix="Add an invocation.",
        )
    asked: dict[str, str] = {}
    read_all = (
        _turn(found, (*fields.at("conversation"), index), notes, asked)
        for index, found in enumerate(listed or ())
    )
    return tuple(turn for turn in read_all if turn is not None)


def _turn(value: Json, path: Path, notes: Notes, asked: dict[str, str]) -> Turn | None:
    fields = Fields(value, path, notes)
    fields.skip("invocation_id", "creation_timestamp", "duration", "model_duration", "tool_duration")
    if fields.has("app_details"):
        fields.skip("app_details")
        notes.left_out(
            fields.at("app_details"),
            "`app_details` is not carried over",
            why="It describes the recorded app.",
        )
    message = sent(fields, notes, asked)
    expect = Expect(
        calls=calls(fields, notes, asked), reference=reference(fields, notes), rubric=_rubric(fields, notes)
    )
    fields.refuse_unread(_TURN_KEYS)
    return None if message is None else Turn(sent=message, expect=expect, place=notes.place(path))


def _start_state(fields: Fields, notes: Notes) -> dict[str, Json]:
    session = fields.nested("session_input")
    if session is None:
        return {}
    session.skip("app_name", "user_id")
    if session.has("session_id"):
        session.skip("session_id")
        notes.left_out(
            session.at("session_id"),
            "a fixed `session_id` is not carried over",
            why="Every trial has a fresh session; artifacts stored for that id will not be found.",
        )
    state = session.take("state", dict) or {}
    session.refuse_unread(_SESSION_KEYS, level="warn")
    return state


def _rubric(fields: Fields, notes: Notes) -> str | None:
    rubrics = fields.each("rubrics")
    texts = [text for rubric in rubrics if (text := _rubric_text(rubric, notes))]
    if len(texts) == 1 == len(rubrics):
        return texts[0]
    if rubrics:
        what = "`rubrics` that are not exactly one with a text are not carried over"
        notes.left_out(fields.at("rubrics"), what, fix="Write one rubric whose text says all of it.")
    return None


def _rubric_text(rubric: Fields, notes: Notes) -> str:
    rubric.skip("rubric_id")
    content = rubric.nested("rubric_content")
    text = content.take("text_property", str) if content is not None else ""
    for key in rubric.unread():
        notes.left_out((*rubric.path, key), f"`{key}` of a rubric is not carried over", fix=_OTHER_FORM)
    return text or ""
