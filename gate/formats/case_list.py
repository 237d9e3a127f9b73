"""Lists of plain cases: `id`, `input`, `expected_tools`, `expected_keywords`, `rubric`, `category`.

The tools must be among those called, in any order, and the keywords in the answer. A case in which either
list is empty expects nothing of that kind, as in the scripts that such lists come from.
"""

from typing import Final

from gate.formats.adk_fields import is_mapping, kind
from gate.formats.foreign import Fields, Notes, Path, Places
from gate.formats.texts import expected_calls, misspelled, texts
from gate.model import Json
from gate.model.case import Case, Expect, TextPart, Turn, User
from gate.model.finding import Finding

_KEYS: Final = (
    "id",
    "input",
    "expected_tools",
    "expected_keywords",
    "forbidden_keywords",
    "rubric",
    "category",
)
_MARKS: Final = frozenset({"input", "expected_tools", "expected_keywords"})
_OTHERS: Final = frozenset({"user", "turns", "expect", "data", "query", "evaluators"})
_LISTS: Final = ("cases", "test_cases")


def accepts(value: Json) -> bool:
    """Whether an item of the list, or of the one list of the mapping, has a key that only this form has."""
    listed = value
    if isinstance(value, dict):
        listed = next((value[key] for key in _LISTS if key in value), None)
    items = [item for item in listed if is_mapping(item)] if isinstance(listed, list) else []
    return any(not _MARKS.isdisjoint(item) for item in items) and all(map(_OTHERS.isdisjoint, items))


def read(value: Json, place: Places) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give every case that is fine, and a finding for all that is not or is not carried over."""
    notes = Notes(place)
    path: Path = ()
    if isinstance(value, dict):
        top = Fields(value, (), notes)
        name = next((key for key in _LISTS if key in value), _LISTS[0])
        value, path = top.need(name, list) or [], (name,)
        for key in top.unread():
            notes.left_out((key,), f"`{key}` of the file is not carried over")
    if not isinstance(value, list):
        notes.error((), "wrong-type", f"a list of cases is expected here, not {kind(value)}")
        return (), notes.findings()
    read_all = (_case(found, (*path, index), notes) for index, found in enumerate(value))
    cases = tuple(case for case in read_all if case is not None)
    if any(turn.expect.contains or turn.expect.excludes for case in cases for turn in case.turns):
        notes.warn(
            (),
            "ignores-case",
            "scripts with `expected_keywords` ignore case; here a word is found as it is written",
            fix="metrics: {says: {ignore_case: true}}",
        )
    return cases, notes.findings()


def _case(value: Json, path: Path, notes: Notes) -> Case | None:
    before = notes.errors
    fields = Fields(value, path, notes)
    if notes.errors > before:
        return None
    name, text = fields.need("id", str) or "", fields.need("input", str)
    expect = Expect(
        calls=expected_calls(fields, "expected_tools", notes) or None,
        contains=texts(fields, "expected_keywords", notes) or None,
        excludes=texts(fields, "forbidden_keywords", notes) or None,
        rubric=fields.take("rubric", str) or None,
    )
    category = fields.take("category", str) or ""
    misspelled(fields, _KEYS, notes)
    if fields.value("expected_tools") == []:
        _says_nothing(fields, notes)
    if notes.errors > before or text is None:
        return None
    turn = Turn(
        sent=User(parts=(TextPart(text=text),)),
        expect=expect,
        place=notes.place(fields.at("input"), key=True),
    )
    extra = {key: fields.value(key) for key in fields.unread()}
    _not_scored(fields, notes)
    return Case(id=name, turns=(turn,), place=notes.place(path), category=category, extra=extra)


def _says_nothing(fields: Fields, notes: Notes) -> None:
    notes.left_out(
        fields.at("expected_tools"),
        "an empty `expected_tools` expects nothing",
        why="It asks for tools that must be called, and names none.",
        fix="Where no tool may be called, write `calls: none` in a file of Agent Gate's own format.",
    )


def _not_scored(fields: Fields, notes: Notes) -> None:
    for key in fields.unread():
        if key.startswith(("expected", "forbidden", "must")):
            what = f"`{key}` is kept as `extra`, and nothing is held against it"
            notes.left_out((*fields.path, key), what, fix="Write it as an expectation in our own format.")
