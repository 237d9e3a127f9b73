import json

import pytest
import yaml
from hypothesis import given, settings

from gate.dataset import dump_case, own
from gate.documents import parse, validate
from gate.model.case import Answer, Answers, Case, Expect, TextPart, Turn, User
from tests.support.cases import NOWHERE, bare, cases, made


def _reread(text: str, file: str) -> Case:
    found, findings = own.read(parse(text, file))
    assert findings == ()
    return bare(found[0])


@given(cases)
@settings(max_examples=60, deadline=None)
def test_any_case_reads_back_equal_from_json_and_from_yaml(case: Case) -> None:
    written = {"cases": [dump_case(case)]}
    assert _reread(json.dumps(written), "g.json") == case
    assert _reread(json.dumps(written, ensure_ascii=False), "g.json") == case
    block = yaml.safe_dump(written, default_style='"', sort_keys=False, allow_unicode=True)
    # safe_dump tags what it quotes although it is no text; the tag is how it says that.
    if "!!" not in block:
        assert _reread(block, "g.yaml") == case


@given(cases)
@settings(max_examples=60, deadline=None)
def test_what_is_written_fits_the_published_schema(case: Case) -> None:
    assert validate(parse(json.dumps([dump_case(case)]), "g.json"), "dataset") == ()


def test_a_case_with_one_message_is_written_in_the_short_form() -> None:
    assert dump_case(made("greeting")) == {"id": "greeting", "user": "hi"}


def test_an_expectation_of_the_case_needs_the_long_form() -> None:
    case = made("greeting", expect=Expect(state={"done": True}))
    assert dump_case(case) == {
        "id": "greeting",
        "turns": [{"user": "hi"}],
        "expect": {"state": {"done": True}},
    }


@pytest.mark.parametrize("word", ["approve", "reject"])
def test_an_input_that_reads_like_a_decision_stays_an_input(word: str) -> None:
    answers = Answers(answers=(Answer(to="ask", decision="input", value=word),))
    case = made("c", turns=(Turn(sent=answers, place=NOWHERE),))
    assert dump_case(case)["turns"] == [{"answer": {"ask": {"input": word}}}]


def test_expecting_nothing_is_written_as_none() -> None:
    user = User(parts=(TextPart(text="hi"),))
    case = made("c", turns=(Turn(sent=user, expect=Expect(calls=(), pauses=()), place=NOWHERE),))
    assert dump_case(case)["expect"] == {"calls": "none", "pauses": "none"}
