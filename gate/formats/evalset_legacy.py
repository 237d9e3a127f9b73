"""The first form of ADK's golden files: a list of sessions, or of one session's queries."""

from typing import Final

from gate.formats.foreign import Fields, Notes, Path
from gate.model import Json
from gate.model.case import Case, Expect, ExpectedCall, TextPart, Turn, User

_SESSION_KEYS: Final = ("name", "data", "initial_session")
_QUERY_KEYS: Final = ("query", "expected_tool_use", "expected_intermediate_agent_responses", "reference")
_INITIAL_KEYS: Final = ("state", "app_name", "user_id")


def accepts(value: list[Json]) -> bool:
    """Whether an item of the list has a key that only this form has."""
    marks = {"data", "initial_session", *_QUERY_KEYS} - {"reference"}
    return any(isinstance(item, dict) and not marks.isdisjoint(item) for item in value)


def cases(value: list[Json], notes: Notes) -> tuple[Case, ...]:
    """Give a case for each session; a list of bare queries is one session, named after the file."""
    if all(isinstance(item, dict) and "query" in item and "data" not in item for item in value):
        file = notes.place().file
        stem = file.rpartition("/")[2].partition(".")[0]
        found = [_case_of(stem, value, {}, (), notes)]
    else:
        found = [_session(item, (index,), notes) for index, item in enumerate(value)]
    return tuple(case for case in found if case is not None)


def _session(value: Json, path: Path, notes: Notes) -> Case | None:
    before = notes.errors
    fields = Fields(value, path, notes)
    name, data = fields.need("name", str), fields.need("data", list)
    state = _start_state(fields)
    fields.refuse_unread(_SESSION_KEYS, level="warn")
    if notes.errors > before or name is None or data is None:
        return None
    return _case_of(name, data, state, fields.at("data"), notes)


def _case_of(name: str, queries: list[Json], state: dict[str, Json], path: Path, notes: Notes) -> Case | None:
    before = notes.errors
    if not queries:
        notes.error(path, "no-turns", f"case {name!r} has no message to send", fix="Add a query.")
    turns = tuple(_turn(query, (*path, index), notes) for index, query in enumerate(queries))
    place = notes.place(path[:-1])
    return None if notes.errors > before else Case(id=name, turns=turns, place=place, start_state=state)


def _start_state(fields: Fields) -> dict[str, Json]:
    session = fields.nested("initial_session")
    if session is None:
        return {}
    session.skip("app_name", "user_id")
    state = session.take("state", dict) or {}
    session.refuse_unread(_INITIAL_KEYS, level="warn")
    return state


def _turn(value: Json, path: Path, notes: Notes) -> Turn:
    fields = Fields(value, path, notes)
    query = fields.need("query", str) or ""
    expect = Expect(calls=_calls(fields, notes), reference=fields.take("reference", str) or None)
    if fields.take("expected_intermediate_agent_responses", list):
        at = fields.at("expected_intermediate_agent_responses")
        notes.left_out(at, "`expected_intermediate_agent_responses` is not carried over")
    fields.refuse_unread(_QUERY_KEYS, level="warn")
    return Turn(sent=User(parts=(TextPart(text=query),)), expect=expect, place=notes.place(path))


def _calls(fields: Fields, notes: Notes) -> tuple[ExpectedCall, ...] | None:
    if not fields.has("expected_tool_use"):
        return None
    return tuple(_call(use, notes) for use in fields.each("expected_tool_use"))


def _call(use: Fields, notes: Notes) -> ExpectedCall:
    name, args = use.need("tool_name", str) or "", use.take("tool_input", dict) or {}
    for key in use.unread():
        notes.left_out((*use.path, key), f"`{key}` of an expected tool use is not carried over")
    return ExpectedCall(name=name, args=args)
