"""A case as Agent Gate's own format writes it."""

from collections.abc import Sequence
from typing import assert_never

from gate.model import Json
from gate.model.case import (
    Answer,
    Answers,
    BlobPart,
    Case,
    Expect,
    ExpectedCall,
    FilePart,
    Parallel,
    Quarantine,
    TextPart,
    Turn,
    User,
    UserPart,
)


def dump_case(case: Case) -> dict[str, Json]:
    """Give the shortest value that reads back as this case (but for places and group)."""
    return {
        "id": case.id,
        **_given("category", case.category),
        **_given("tags", list(case.tags)),
        **_given("depends_on", list(case.depends_on)),
        **({"isolation": case.isolation} if case.isolation != "own" else {}),
        **({"quarantine": _quarantine(case.quarantine)} if case.quarantine else {}),
        **_given("start_state", dict(case.start_state)),
        **_turns(case),
        **_given("extra", dict(case.extra)),
    }


def _turns(case: Case) -> dict[str, Json]:
    whole = _expect(case.expect)
    match case.turns:
        case (Turn(sent=User() as user, expect=expect, state_delta=state),) if not (whole or state):
            return {"user": _user(user), **_given("expect", _expect(expect))}
        case turns:
            return {"turns": [_turn(turn) for turn in turns], **_given("expect", whole)}


def _given(key: str, value: Json) -> dict[str, Json]:
    return {key: value} if value else {}


def _quarantine(quarantine: Quarantine) -> Json:
    return {"owner": quarantine.owner, "reason": quarantine.reason, "until": quarantine.until.isoformat()}


def _turn(turn: Turn) -> Json:
    expect = {**_given("state_delta", dict(turn.state_delta)), **_given("expect", _expect(turn.expect))}
    match turn.sent:
        case User() as user:
            return {"user": _user(user), **expect}
        case Answers(answers=answers):
            return {"answer": {answer.to: _answer(answer) for answer in answers}, **expect}
        case never:
            assert_never(never)


def _user(user: User) -> Json:
    match user.parts:
        case (TextPart(text=text),):
            return text
        case parts:
            return [_part(part) for part in parts]


def _part(part: UserPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"text": text}
        case BlobPart(mime_type=mime_type, data=data):
            return {"mime_type": mime_type, "data": data}
        case FilePart(mime_type=mime_type, uri=uri):
            return {"mime_type": mime_type, "uri": uri}
        case never:
            assert_never(never)


def _answer(answer: Answer) -> Json:
    if answer.decision != "input":
        return answer.decision
    is_plain = isinstance(answer.value, str) and answer.value not in {"approve", "reject"}
    return answer.value if is_plain else {"input": answer.value}


def _expect(expect: Expect) -> dict[str, Json]:
    written: dict[str, Json] = {
        "calls": _or_none(None if expect.calls is None else [_call(call) for call in expect.calls]),
        "nodes": None if expect.nodes is None else _nodes(expect.nodes),
        "state": None if expect.state is None else dict(expect.state),
        "state_keys": _listed(expect.state_keys),
        "contains": _listed(expect.contains),
        "excludes": _listed(expect.excludes),
        "pauses": _or_none(_listed(expect.pauses)),
        "reference": expect.reference,
        "rubric": expect.rubric,
    }
    return {key: value for key, value in written.items() if value is not None}


def _listed(texts: Sequence[str] | None) -> list[Json] | None:
    return None if texts is None else list(texts)


def _or_none(items: list[Json] | None) -> Json:
    """`none` is how a file says that nothing is expected."""
    return "none" if items == [] else items


def _call(call: ExpectedCall) -> Json:
    return call.name if call.args is None else {"name": call.name, "args": dict(call.args)}


def _nodes(nodes: Sequence[str | Parallel]) -> list[Json]:
    return [
        node if isinstance(node, str) else {"parallel": [_branch(b) for b in node.branches]} for node in nodes
    ]


def _branch(branch: Sequence[str | Parallel]) -> Json:
    match branch:
        case [str(name)]:
            return name
        case _:
            return _nodes(branch)
