"""The key of a line of the baseline: what makes the values of two runs comparable (design.md section 3)."""

import hashlib
import json
from collections.abc import Mapping
from typing import assert_never

from gate.model import Json
from gate.model.case import Answer, Answers, BlobPart, Case, FilePart, TextPart, Turn, User, UserPart


def line_key(case: Case, metric_version: str, expectation: Json, protocol: str) -> str:
    """Give 16 hex digits of SHA-256 over messages, start state, expectation, metric version and protocol.

    Tags, category, places and the order of keys do not count, and 1.0 is 1. What the key is made of stays as
    it is for ever: a change here makes every committed baseline incomparable.
    """
    made_of = [
        [_turn(turn) for turn in case.turns],
        _canonical(case.start_state),
        _canonical(expectation),
        metric_version,
        protocol,
    ]
    text = json.dumps(made_of, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _turn(turn: Turn) -> Json:
    """What is sent; a change of the state only where there is one, as keys were made before it existed."""
    changes = {"state_delta": _canonical(turn.state_delta)} if turn.state_delta else {}
    return {**_sent(turn.sent), **changes}


def _sent(sent: User | Answers) -> dict[str, Json]:
    match sent:
        case User(parts=parts):
            return {"user": [_part(part) for part in parts]}
        case Answers(answers=answers):
            return {"answer": {answer.to: _answer(answer) for answer in answers}}
        case never:
            assert_never(never)


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
    return {"decision": answer.decision, "value": _canonical(answer.value)}


def _canonical(value: Json) -> Json:
    """The same value with one spelling for each number: JSON does not know 1.0 from 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _canonical(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(held) for held in value]
    return value
