from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.formats.key import line_key
from gate.model import Json
from gate.model.case import Answer, Answers, Case, Expect, FilePart, TextPart, Turn, User
from gate.model.finding import Place
from tests.support.cases import NOWHERE, cases, made, objects, values

EXPECTED: Json = {"calls": ["a", {"name": "b", "args": {"n": 1}}]}


def test_the_key_of_a_line_never_changes() -> None:
    sent = User(parts=(TextPart(text="héllo"), FilePart(mime_type="a/b", uri="gs://x")))
    answered = Answers(
        answers=(Answer(to="b", decision="input", value={"x": 1.0}), Answer(to="a", decision="approve"))
    )
    turns = (Turn(sent=sent, place=NOWHERE), Turn(sent=answered, place=NOWHERE))
    case = made("c", turns=turns, start_state={"k": [1, None, True, 0.5]})
    made_of = (
        '[[{"user":[{"text":"h\\u00e9llo"},{"mime_type":"a/b","uri":"gs://x"}]},'
        '{"answer":{"a":{"decision":"approve","value":null},"b":{"decision":"input","value":{"x":1}}}}],'
        '{"k":[1,null,true,0.5]},{"calls":["a",{"args":{"n":1},"name":"b"}]},"1","adk"]'
    )
    assert (
        line_key(case, "1", EXPECTED, "adk")
        == sha256(made_of.encode()).hexdigest()[:16]
        == "569c727008b60d34"
    )


@given(cases, objects)
@settings(max_examples=80, deadline=None)
def test_what_changes_nothing_that_is_measured_does_not_change_the_key(
    case: Case, expectation: dict[str, Json]
) -> None:
    moved = Place(file="moved.yaml", line=9, column=9)
    other = replace(
        case,
        id="renamed",
        category="other",
        tags=("new",),
        place=moved,
        group="g",
        depends_on=(),
        quarantine=None,
        expect=Expect(),
        turns=tuple(replace(turn, place=moved, expect=Expect(reference="x")) for turn in case.turns),
        start_state=_shuffled(case.start_state),  # type: ignore[arg-type]
    )
    assert line_key(other, "1", _shuffled(expectation), "adk") == line_key(case, "1", expectation, "adk")


def _shuffled(value: Json) -> Json:
    """The same JSON with its keys the other way round, and each whole number as the other kind of number."""
    if isinstance(value, dict):
        return {key: _shuffled(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [_shuffled(held) for held in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**53:
        return float(value)
    return value


@given(st.lists(values, min_size=2, max_size=2, unique_by=repr))
@settings(deadline=None)
def test_two_values_have_the_same_key_only_if_they_are_the_same_json(two: list[Json]) -> None:
    case = made("c")
    one, other = (line_key(case, "1", value, "adk") for value in two)
    assert (one == other) == (_typed(two[0]) == _typed(two[1]))


def _typed(value: Json) -> Json:
    """As Python compares, but that True is not 1."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, dict):
        return {key: _typed(held) for key, held in value.items()}
    return [_typed(held) for held in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "case",
    [
        made("c", start_state={"a": 1}),
        made("c", turns=(*made("c").turns, *made("c").turns)),
        made("c", turns=(Turn(sent=User(parts=(TextPart(text="ho"),)), place=NOWHERE),)),
        made("c", turns=(Turn(sent=User(parts=(FilePart(mime_type="a/b", uri="hi"),)), place=NOWHERE),)),
        made("c", turns=(replace(made("c").turns[0], state_delta={"a": 1}),)),
        made("c", turns=(Turn(sent=Answers(answers=(Answer(to="a", decision="approve"),)), place=NOWHERE),)),
    ],
)
def test_what_is_sent_is_part_of_the_key(case: Case) -> None:
    assert line_key(case, "1", EXPECTED, "adk") != line_key(made("c"), "1", EXPECTED, "adk")


def test_a_text_input_is_not_a_decision() -> None:
    def key(answer: Answer) -> str:
        turn = Turn(sent=Answers(answers=(answer,)), place=NOWHERE)
        return line_key(made("c", turns=(turn,)), "1", None, "adk")

    assert key(Answer(to="a", decision="approve")) != key(Answer(to="a", decision="input", value="approve"))


@pytest.mark.parametrize(
    ("version", "expectation", "protocol"),
    [("2", EXPECTED, "adk"), ("1", None, "adk"), ("1", EXPECTED, "http")],
)
def test_version_expectation_and_protocol_are_part_of_the_key(
    version: str, expectation: Json, protocol: str
) -> None:
    assert line_key(made("c"), version, expectation, protocol) != line_key(made("c"), "1", EXPECTED, "adk")
