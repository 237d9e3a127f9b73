"""Judgements of earlier runs, so that an unchanged answer costs nothing and is judged the same.

One JSON line a judgement, sorted. Its key is the digest of the case, the whole question (and so the answer
and the prompt), the judge's settings with its model, and the sample. An entry counts only while the endpoint
names the same model as its author. A file that cannot be read whole is no cache at all.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from gate.documents import canonical
from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.judge.endpoint import Answered
from gate.judge.sampling import Question
from gate.judge.verdicts import LONGEST, Verdict
from gate.model import Json

LARGEST: Final = 64 * 1024 * 1024
"""Bytes: some 200,000 judgements."""
_KEYS: Final = {"key", "model", "value", "why"}


class BadCache(Exception):
    """The file is none that this version wrote; the message says where and why."""


@frozen
class Kept:
    """One judgement."""

    value: float
    model: str = ""
    why: str = ""


class Cache:
    """What is known before the run, and what the run adds or uses."""

    def __init__(self, earlier: Mapping[str, Kept]) -> None:
        self._earlier = earlier
        self._used: dict[str, Kept] = {}

    def get(self, key: str, names: Collection[str]) -> Answered | None:
        """The judgement of an earlier run, where its author still answers by the same name."""
        kept = self._earlier.get(key)
        if kept is None or (names and kept.model not in names):
            return None
        self._used[key] = kept
        return Answered(verdict=Verdict(value=kept.value, why=kept.why), model=kept.model)

    def put(self, key: str, answered: Answered) -> None:
        """Keep a judgement for the next run."""
        verdict = answered.verdict
        self._used[key] = Kept(value=verdict.value, model=answered.model, why=verdict.why)

    def lines(self, *, whole: bool) -> Iterator[str]:
        """The file's lines; a run of the `whole` suite drops what it had no use for."""
        kept = self._used if whole else {**self._earlier, **self._used}
        for key in sorted(kept):
            entry = kept[key]
            yield canonical({"key": key, "model": entry.model, "value": entry.value, "why": entry.why})


def question_key(question: Question, sample: int) -> str:
    """32 hex digits over all that decides a judgement."""
    made_of = json.dumps([question.case, question.prompt.digest, question.key, sample])
    return hashlib.sha256(made_of.encode()).hexdigest()[:32]


def parse_cache(data: bytes) -> dict[str, Kept]:
    """The judgements of a file; raises BadCache."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadCache(f"byte {error.start} is not UTF-8") from None
    found: dict[str, Kept] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1):
        try:
            key, kept = _entry(strict_json(line))
        except ValueError as error:
            raise BadCache(f"line {number}: {error}") from None
        if key in found:
            raise BadCache(f"line {number}: the key is there twice")
        found[key] = kept
    return found


def _entry(value: Json) -> tuple[str, Kept]:
    if not isinstance(value, dict) or set(value) != _KEYS:
        raise ValueError("it is no judgement")
    key, model, worth, why = value["key"], value["model"], value["value"], value["why"]
    if not (isinstance(key, str) and isinstance(model, str) and isinstance(why, str) and len(why) <= LONGEST):
        raise ValueError("it is no judgement")
    if isinstance(worth, bool) or not isinstance(worth, int | float) or not 0 <= worth <= 1:
        raise ValueError("its value is none from 0 to 1")
    return key, Kept(value=float(worth), model=model, why=why)


def known_of(data: bytes) -> dict[str, Kept]:
    """The judgements of a file, none of one that cannot be read: `check` says so."""
    try:
        return parse_cache(data)
    except BadCache:
        return {}
