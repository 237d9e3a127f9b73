"""Builders of golden files and cases, and findings as short as `check` prints them."""

import base64
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from hypothesis import strategies as st

from gate.dataset import Loaded, suite
from gate.dataset.reader import LABEL
from gate.documents import parse
from gate.model import Json
from gate.model.case import (
    Answer,
    Answers,
    BlobPart,
    Case,
    Expect,
    ExpectedCall,
    FilePart,
    Nodes,
    Parallel,
    Quarantine,
    TextPart,
    Turn,
    User,
)
from gate.model.finding import Finding, Place

NOWHERE = Place(file="made.yaml")


def loaded(text: str, file: str = "g.yaml") -> Loaded:
    return suite([parse(text, file)])


def loaded_value(value: Json, file: str = "g.json") -> Loaded:
    return loaded(json.dumps(value, indent=1), file)


def lines(findings: Iterable[Finding]) -> list[str]:
    return [f"{found.place} {found.level} {found.rule}: {found.what}" for found in findings]


def bare(case: Case) -> Case:
    """The case without what does not stand in its file: places and group."""
    turns = tuple(replace(turn, place=NOWHERE) for turn in case.turns)
    return replace(case, turns=turns, place=NOWHERE, group="")


def made(name: str, **more: Json) -> Case:
    """A case of one turn."""
    turn = Turn(sent=User(parts=(TextPart(text="hi"),)), place=NOWHERE)
    return Case(**{"id": name, "turns": (turn,), "place": NOWHERE, **more})  # type: ignore[arg-type]


# A lone surrogate is no text, and YAML cannot hold most control characters: their own tests have them.
any_text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
some_text = any_text.filter(bool)
labels = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=9).filter(
    lambda text: LABEL.fullmatch(text) is not None
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(any_text, values, max_size=3)
many_texts = st.lists(some_text, min_size=1, max_size=3).map(tuple)
nodes: st.SearchStrategy[Nodes] = st.deferred(
    lambda: st.lists(some_text | parallels, min_size=1, max_size=3).map(tuple)
)
parallels: st.SearchStrategy[Parallel] = st.builds(
    Parallel, branches=st.lists(nodes, min_size=1, max_size=3).map(tuple)
)
calls = st.builds(ExpectedCall, name=some_text, args=st.none() | objects)


def _or_nothing(
    strategy: st.SearchStrategy[tuple[object, ...]],
) -> st.SearchStrategy[tuple[object, ...] | None]:
    return st.none() | st.just(()) | strategy


expects = st.just(Expect()) | st.builds(
    Expect,
    calls=_or_nothing(st.lists(calls, min_size=1, max_size=3).map(tuple)),
    nodes=st.none() | nodes,
    state=st.none() | st.dictionaries(some_text, values, min_size=1, max_size=3),
    state_keys=st.none() | many_texts,
    contains=st.none() | many_texts,
    excludes=st.none() | many_texts,
    # The one text `none` stands for nothing; in a list it is a name.
    pauses=_or_nothing(many_texts),
    reference=st.none() | some_text,
    rubric=st.none() | some_text,
)
mime_types = st.sampled_from(["image/png", "text/plain", "application/vnd.x+json"])
parts = (
    st.builds(TextPart, text=any_text)
    | st.builds(
        BlobPart, mime_type=mime_types, data=st.binary(max_size=9).map(lambda b: base64.b64encode(b).decode())
    )
    | st.builds(FilePart, mime_type=mime_types, uri=some_text)
)
answers = st.builds(Answer, to=some_text, decision=st.sampled_from(["approve", "reject"])) | st.builds(
    Answer, to=some_text, decision=st.just("input"), value=values | st.sampled_from(["approve", "reject"])
)
sent = st.builds(User, parts=st.lists(parts, min_size=1, max_size=3).map(tuple)) | st.builds(
    Answers, answers=st.lists(answers, min_size=1, max_size=3, unique_by=lambda answer: answer.to).map(tuple)
)
turns = st.builds(Turn, sent=sent, expect=expects, place=st.just(NOWHERE), state_delta=st.just({}) | objects)
quarantines = st.builds(
    Quarantine, owner=labels, reason=some_text, until=st.dates(date(2000, 1, 1), date(2100, 1, 1))
)
cases = st.builds(
    Case,
    id=labels,
    turns=st.lists(turns, min_size=1, max_size=3).map(tuple),
    place=st.just(NOWHERE),
    category=st.just("") | labels,
    tags=st.lists(labels, max_size=3, unique=True).map(tuple),
    start_state=objects,
    expect=expects,
    depends_on=st.lists(some_text, max_size=3, unique=True).map(tuple),
    isolation=st.sampled_from(["own", "shared"]),
    quarantine=st.none() | quarantines,
    extra=objects,
)
