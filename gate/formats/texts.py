"""Small readings that foreign golden files share: lists of texts, of expected calls, and odd spellings."""

import re
from typing import Final

from gate.formats.adk_fields import kind
from gate.formats.foreign import Fields, Notes, Path, close
from gate.model import Json
from gate.model.case import ExpectedCall

_ALIKE: Final = 0.85
"""Any other key is kept as it is, so only what differs in a letter or two is taken for a mistake."""


def plain(key: str) -> str:
    """A key without case and separators: `custom_Properties`, `customProperties` and `custom-properties`."""
    return re.sub(r"[^0-9a-z]", "", key.lower())


def texts(fields: Fields, name: str, notes: Notes) -> tuple[str, ...]:
    """One text, or the texts of a list; an error for each item that is none or is empty."""
    spelled = fields.at(name)
    value = fields.value(name)
    if isinstance(value, str):
        return tuple(_text(value, spelled, notes))
    listed = fields.take(name, list) or []
    return tuple(text for index, item in enumerate(listed) for text in _text(item, (*spelled, index), notes))


def _text(value: Json, path: Path, notes: Notes) -> tuple[str, ...]:
    if isinstance(value, str) and value:
        return (value,)
    found = "an empty text" if value == "" else kind(value)
    notes.error(path, "wrong-type", f"a text is expected here, not {found}", fix="Put it in quotes.")
    return ()


def expected_calls(fields: Fields, name: str, notes: Notes) -> tuple[ExpectedCall, ...]:
    """The tools that a list names: each a name, or an object with `name` and maybe `args`."""
    found: list[ExpectedCall] = []
    spelled = fields.at(name)
    if isinstance(fields.value(name), str):
        return tuple(ExpectedCall(name=tool) for tool in texts(fields, name, notes))
    for index, item in enumerate(fields.take(name, list) or []):
        if isinstance(item, dict):
            found += _call(Fields(item, (*spelled, index), notes), notes)
        else:
            found += (ExpectedCall(name=tool) for tool in _text(item, (*spelled, index), notes))
    return tuple(found)


def _call(fields: Fields, notes: Notes) -> list[ExpectedCall]:
    name, args = fields.need("name", str), fields.take("args", dict)
    fields.refuse_unread(("name", "args"))
    if name == "":
        notes.error(fields.at("name"), "wrong-type", "a text is expected here, not an empty text")
    return [ExpectedCall(name=name, args=args)] if name else []


def misspelled(fields: Fields, known: tuple[str, ...], notes: Notes) -> None:
    """An error for each key that nobody took and that looks like a known one."""
    for key in fields.unread():
        near = close(plain(key), map(plain, known), _ALIKE)
        if near:
            meant = next(name for name in known if plain(name) == near)
            what = f"{key!r} is not a key that is known here; did you mean {meant!r}?"
            notes.error(
                (*fields.path, key), "unknown-key", what, fix=f"Write {meant!r}, or rename it.", key=True
            )
