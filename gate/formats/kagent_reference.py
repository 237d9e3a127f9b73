"""The `reference` of a kagent-agentevals evaluator: OpenAI-style messages, told as turns with calls."""

from typing import Final

from gate.formats.foreign import Fields, Notes
from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.model import Json
from gate.model.case import ExpectedCall

_ROLES: Final = ("user", "assistant", "tool", "system", "developer")
_DEEPEST: Final = 50
"""Levels of arguments: a golden file may have a hundred in all."""


@frozen
class Told:
    """What the user says ("" before the first message), and the calls that follow, in order."""

    user: str
    calls: tuple[ExpectedCall, ...]


def told(evaluator: Fields, notes: Notes, *, args: bool) -> tuple[Told, ...]:
    """The turns of a reference; `args` false leaves the arguments of calls open."""
    turns: list[Told] = []
    for message in evaluator.each("reference"):
        role = message.need("role", str)
        message.skip("name", "tool_call_id", "id")
        content = message.take("content", str) or ""
        if role is not None and role not in _ROLES:
            notes.error(
                message.at("role"), "bad-value", f"{role!r} is no role", fix=f"One of: {', '.join(_ROLES)}."
            )
        calls = tuple(
            call
            for found in message.each("tool_calls")
            if (call := _call(found, notes, args=args)) is not None
        )
        message.refuse_unread(("role", "content", "tool_calls", "tool_call_id", "name"))
        if role == "user":
            turns.append(Told(user=content, calls=()))
        elif calls:
            last = turns.pop() if turns else Told(user="", calls=())
            turns.append(Told(user=last.user, calls=last.calls + calls))
    return tuple(turns)


def _call(fields: Fields, notes: Notes, *, args: bool) -> ExpectedCall | None:
    """`{"function": {"name", "arguments"}}`, or `{"name", "args"}` as LangChain writes it."""
    fields.skip("id", "type")
    inner = fields.nested("function") if fields.has("function") else fields
    if inner is None:
        return None
    name = inner.need("name", str)
    given = _arguments(inner, notes)
    inner.refuse_unread(("name", "arguments", "args", "id", "type"))
    return ExpectedCall(name=name, args=given if args else None) if name else None


def _arguments(fields: Fields, notes: Notes) -> dict[str, Json] | None:
    key = "args" if fields.has("args") else "arguments"
    written = fields.value(key)
    if not isinstance(written, str):
        return fields.take(key, dict) or {}
    fields.skip(key)
    try:
        value = strict_json(written or "{}", deepest=_DEEPEST)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    what = f"`{key}` is not the JSON text of an object"
    notes.error(fields.at(key), "bad-arguments", what, fix='arguments: \'{"city": "London"}\'')
    return None
