"""Agent Gate's own golden files, as schemas/dataset.schema.json describes them.

Reading is strict and gives up on a case at its first fault; only then the whole file goes through its schema,
which names every fault with its place. So a suite without faults, which is what nearly every run reads, pays
for no validator; a test holds that both refuse the same cases.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Literal

from gate.dataset.expect import expect_of
from gate.dataset.narrow import (
    Refused,
    any_text,
    distinct,
    free_mapping,
    label,
    many,
    mapping,
    matching,
    one_of,
    text,
    texts,
)
from gate.documents import Document, validate
from gate.frozen import frozen
from gate.model import Json
from gate.model.case import (
    Answer,
    Answers,
    BlobPart,
    Case,
    Expect,
    FilePart,
    Quarantine,
    TextPart,
    Turn,
    User,
    UserPart,
)
from gate.model.finding import Finding, Place

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MIME_TYPE = re.compile(r"[^/\s]+/[^/\s]+")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")

_FILE_KEYS = frozenset({"$schema", "category", "isolation", "cases"})
_CASE_KEYS = frozenset(
    {
        "id",
        "category",
        "tags",
        "start_state",
        "turns",
        "user",
        "expect",
        "depends_on",
        "isolation",
        "quarantine",
        "extra",
    }
)
_QUARANTINE_KEYS = frozenset({"owner", "reason", "until"})
_TURN_KEYS = frozenset({"user", "answer", "expect", "state_delta"})
_PART_KEYS = {
    "text": frozenset({"text"}),
    "data": frozenset({"mime_type", "data"}),
    "uri": frozenset({"mime_type", "uri"}),
}


@frozen(kw_only=False)
class _Defaults:
    """What a file says once for all its cases."""

    category: str = ""
    isolation: Literal["own", "shared"] = "own"


def accepts(value: Json) -> bool:
    """Whether the value has `cases` (or a key that was meant to be), or is a list of them."""
    if isinstance(value, dict):
        return "cases" in value or _means_cases(value)
    return isinstance(value, list)


def _means_cases(keys: Iterable[str]) -> bool:
    import difflib  # only a mistake pays for it

    return bool(difflib.get_close_matches("cases", map(str.lower, keys), 1, 0.75))


def read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that are fine; where any is not, what the schema says of the whole file."""
    value = document.value
    base: tuple[str | int, ...] = ("cases",) if isinstance(value, dict) else ()
    listed = value.get("cases") if isinstance(value, dict) else value
    try:
        defaults, refused = _defaults(value), not isinstance(listed, list)
    except Refused:
        defaults, refused = _Defaults(), True
    cases: list[Case] = []
    dates: list[Finding] = []
    for index, found in enumerate(listed if isinstance(listed, list) else ()):
        path = (*base, index)
        try:
            cases.append(_case(found, defaults, document, path))
        except Refused:
            refused = True
        except _NoSuchDay as wrong:
            dates.append(_no_such_day(str(wrong), document.place((*path, "quarantine", "until"))))
    findings = validate(document, "dataset") if refused else ()
    return tuple(cases), (*findings, *dates)


class _NoSuchDay(Exception):
    """A date of the right form that no calendar has."""


def _no_such_day(written: str, place: Place) -> Finding:
    return Finding.error(
        "bad-date",
        place,
        f"there is no day {written!r}",
        why="a quarantine ends by itself on its last day",
        fix="until: 2027-01-31",
    )


def _defaults(value: Json) -> _Defaults:
    if not isinstance(value, dict):
        return _Defaults()
    found = mapping(value, _FILE_KEYS, "cases")
    any_text(found.get("$schema", ""))
    return _Defaults(
        category=label(found["category"]) if "category" in found else "",
        isolation=_isolation(found.get("isolation", "own")),
    )


def _case(value: Json, defaults: _Defaults, document: Document, path: Sequence[str | int]) -> Case:
    found = mapping(value, _CASE_KEYS, "id")
    short = one_of(found, "turns", "user") == "user"
    expect = expect_of(found.get("expect", {}))
    if short:
        place = document.place((*path, "user"), key=True)
        turns: tuple[Turn, ...] = (Turn(sent=_user(found["user"]), expect=expect, place=place),)
    else:
        turns = _turns(found["turns"], document, (*path, "turns"))
    return Case(
        id=label(found["id"]),
        turns=turns,
        place=document.place(path),
        category=label(found["category"]) if "category" in found else defaults.category,
        tags=distinct(many(label, found["tags"])) if found.get("tags", []) != [] else (),
        start_state=free_mapping(found.get("start_state", {})),
        expect=Expect() if short else expect,
        depends_on=distinct(texts(found["depends_on"])) if "depends_on" in found else (),
        isolation=_isolation(found["isolation"]) if "isolation" in found else defaults.isolation,
        quarantine=_quarantine(found["quarantine"]) if "quarantine" in found else None,
        extra=free_mapping(found.get("extra", {})),
    )


def _isolation(value: Json) -> Literal["own", "shared"]:
    match value:
        case "own" | "shared":
            return value
        case _:
            raise Refused


def _quarantine(value: Json) -> Quarantine:
    found = mapping(value, _QUARANTINE_KEYS, *_QUARANTINE_KEYS)
    owner, reason, until = label(found["owner"]), text(found["reason"]), matching(_DATE, found["until"])
    try:
        day = date.fromisoformat(until)
    except ValueError:
        raise _NoSuchDay(until) from None
    return Quarantine(owner=owner, reason=reason, until=day)


def _turns(value: Json, document: Document, path: Sequence[str | int]) -> tuple[Turn, ...]:
    turns = many(_turn, value)
    return tuple(
        Turn(sent=sent, expect=expect, place=document.place((*path, index)), state_delta=state)
        for index, (sent, expect, state) in enumerate(turns)
    )


def _turn(value: Json) -> tuple[User | Answers, Expect, Mapping[str, Json]]:
    found = mapping(value, _TURN_KEYS)
    said = one_of(found, "user", "answer") == "user"
    sent = _user(found["user"]) if said else _answers(found["answer"])
    return sent, expect_of(found.get("expect", {})), free_mapping(found.get("state_delta", {}))


def _user(value: Json) -> User:
    if isinstance(value, str):
        return User(parts=(TextPart(text=value),))
    return User(parts=many(_part, value))


def _part(value: Json) -> UserPart:
    found = free_mapping(value)
    kind = one_of(found, "text", "data", "uri")
    mapping(found, _PART_KEYS[kind], *_PART_KEYS[kind])
    if kind == "text":
        return TextPart(text=any_text(found["text"]))
    mime_type = matching(_MIME_TYPE, found["mime_type"])
    if kind == "data":
        return BlobPart(mime_type=mime_type, data=matching(_BASE64, found["data"]))
    return FilePart(mime_type=mime_type, uri=text(found["uri"]))


def _answers(value: Json) -> Answers:
    found = free_mapping(value)
    return Answers(answers=many(_answer, list(found.items())))


def _answer(value: Json) -> Answer:
    match value:
        case ("", _):
            raise Refused
        case (str(to), "approve" | "reject" as decision):
            return Answer(to=to, decision=decision)
        case (str(to), str(words)):
            return Answer(to=to, decision="input", value=words)
        case (str(to), {"input": given, **rest}) if not rest:
            return Answer(to=to, decision="input", value=given)
        case _:
            raise Refused
